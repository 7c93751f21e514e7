"""One eligibility: what the reviewer reads, what the preview foretells, and what the frozen list says is the same."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from registry.lists import listing
from registry.models import ListDefinition, ListEntry, RankedList, Release, Result
from submissions.checks import questionnaire
from submissions.models import Anonymity, Check, Submission
from submissions.publication import amendments, publish
from submissions.publication.publishable import list_exclusions
from submissions.review import decisions
from tests.submissions.cast import COMPLETE, Cast
from tests.submissions.publication.test_evidence import without_all_but_the_summary

LISTS = ("full", "io500", "ten", "production")
Codes = dict[str, str | None]


@pytest.fixture
def accepted(cast: Cast, submitted):
    """A run that was submitted and accepted."""

    def make(person=None, level: str = "fully", production: bool = False, **changes: Any) -> Submission:
        submission = submitted(person, lists=changes.pop("lists", LISTS), **changes)
        decisions.decide_run(
            submission, cast.dana.account, "accept", "Sound.", reproducibility=level, production=production
        )
        return submission

    return make


def change_run(submission: Submission, **parameters: Any) -> None:
    """The latest check with other parameters of its run."""
    check = submission.checks.first()
    check.report["runs"][0]["parameters"] |= parameters
    Check.objects.filter(pk=check.pk).update(report=check.report)


def make_anonymous(submission: Submission) -> None:
    Anonymity.objects.create(submission=submission, reason="A contract.", granted=True, decision="Sound.")


def review_codes(submission: Submission) -> Codes:
    """By list, what the reviewer who accepted it reads."""
    submission = Submission.objects.get(pk=submission.pk)
    review = submission.reviews.get()
    run = questionnaire.primary_run(submission, None)
    exclusions = list_exclusions(submission, run, review.production, review.reproducibility)
    return {name: exclusion.code if exclusion else None for name, exclusion in exclusions.items()}


def preview_codes(cast: Cast, submission: Submission) -> Codes:
    """By list, what the preview says of it; a list that says nothing of it is left out."""
    codes: Codes = {}
    for name in submission.lists:
        preview = cast.dana.get(f"lists/sc99/{name}/preview/").json()
        for row in [*preview["entries"], *preview["excluded"]]:
            if row["submission"] == str(submission.pk):
                assert name not in codes
                codes[name] = row.get("code")
    return codes


def record_codes(submission: Submission) -> Codes:
    """The same of the lists that are frozen; each row of theirs is one that is computed."""
    submission = Submission.objects.get(pk=submission.pk)
    codes: Codes = {}
    for name in submission.lists:
        ranking = listing.compute_list(submission.release, name)
        for row in ranking.exclusions:
            if row.entry == submission.result.public_id:
                codes[name] = row.code
        frozen = ListEntry.objects.filter(ranked_list__release=submission.release, ranked_list__name=name)
        assert [row.entry for row in ranking.rows] == list(
            frozen.order_by("position").values_list("result__public_id", flat=True)
        )
        if frozen.filter(result=submission.result).exists():
            assert name not in codes
            codes[name] = None
    return codes


CASES: dict[str, tuple[dict[str, Any], Codes]] = {
    "verified": ({}, {"full": None, "io500": None, "ten": None, "production": "not-production"}),
    "level too low": (
        {"level": "undefined"},
        {"full": None, "io500": "reproducibility-too-low", "ten": "reproducibility-too-low",
         "production": "not-production"},
    ),
    "production without answers": (
        {"production": True},
        {"full": None, "io500": "on-production-list", "ten": "on-production-list", "production": "answers-incomplete"},
    ),
    "production with answers": (
        {"production": True, "answers": COMPLETE},
        {"full": None, "io500": "on-production-list", "ten": "on-production-list", "production": None},
    ),
    "reported": (
        {"without": without_all_but_the_summary()},
        dict.fromkeys(LISTS, "not-verified"),
    ),
    "a run of students": (
        {"scc": True},
        {"full": None, "io500": "student-run", "ten": "student-run", "production": "student-run"},
    ),
    "nine nodes": (
        {"client_nodes": 9},
        {"full": None, "io500": "fewer-than-ten-client-nodes", "ten": "not-ten-client-nodes",
         "production": "fewer-than-ten-client-nodes"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("anonymous", [False, True], ids=["named", "anonymous"])
@pytest.mark.parametrize("case", CASES)
def test_review_preview_and_published_list_agree(cast, release, accepted, case, anonymous) -> None:
    changes, expected = CASES[case]
    submission = accepted(**changes)
    if anonymous:
        make_anonymous(submission)
    foretold = review_codes(submission), preview_codes(cast, submission)
    publish.publish_release(release, None)
    assert (*foretold, record_codes(submission)) == (expected, expected, expected)


@pytest.mark.parametrize("shows", [None, 0, "left out"])
def test_declared_nodes_replace_unknown_measured_nodes(cast, release, accepted, shows) -> None:
    submission = accepted(fields={"metadata": '{"system": "Fjord", "client_nodes": 10}'})
    if shows == "left out":
        check = submission.checks.first()
        del check.report["runs"][0]["parameters"]["client_nodes"]
        Check.objects.filter(pk=check.pk).update(report=check.report)
    else:
        change_run(submission, client_nodes=shows)
    foretold = review_codes(submission), preview_codes(cast, submission)
    publish.publish_release(release, None)
    assert foretold[0]["ten"] is None
    assert foretold == (record_codes(submission), record_codes(submission))
    assert Result.objects.get().client_nodes == 10


def define_ten(**changes: Any) -> None:
    """A newer definition of a list."""
    newest = ListDefinition.objects.filter(name="ten", body__applies_to__origin="here").order_by("version").last()
    changed = newest.body | {"version": 99} | changes
    ListDefinition.objects.create(name="ten", version=99, body=changed)


@pytest.mark.parametrize(
    ("test", "code"),
    [
        ({"fact": "release", "is": "sc99"}, None),
        ({"fact": "release", "is_not": "sc99"}, "refused-here"),
        ({"fact": "ten_node", "is": True}, "refused-here"),
        ({"fact": "ten_node", "is_not": True}, None),
        ({"fact": "opted_in", "is": True}, None),
        ({"fact": "p.launcher", "contains": "10.1.2.3"}, "refused-here"),
        ({"fact": "p.launcher", "contains": "srun"}, None),
    ],
)
def test_every_fact_of_a_definition_is_equal_in_review_preview_and_list(cast, release, accepted, test, code) -> None:
    """A text is asked for in its published form: what was scrubbed can't decide."""
    define_ten(eligible=[test | {"code": "refused-here", "otherwise": "It is refused."}])
    submission = accepted(lists=("ten",))
    change_run(submission, launcher="srun from 10.1.2.3")
    foretold = review_codes(submission), preview_codes(cast, submission)
    publish.publish_release(release, None)
    assert (*foretold, record_codes(submission)) == ({"ten": code}, {"ten": code}, {"ten": code})


@pytest.mark.parametrize("score", ["bandwidth_gib_per_s", "rate_kiops"])
def test_a_list_of_another_metric_has_it_in_review_preview_and_list(cast, release, accepted, score) -> None:
    define_ten(score=score)
    submission = accepted(lists=("ten",))
    foretold = review_codes(submission), preview_codes(cast, submission)
    publish.publish_release(release, None)
    assert (*foretold, record_codes(submission)) == ({"ten": None}, {"ten": None}, {"ten": None})


def test_the_best_of_several_runs_of_a_system_ranks(cast, release, accepted) -> None:
    """Of other runs a reviewer is told nothing: alone, each could rank."""
    lesser, best = accepted(lists=("io500",), performance=1.0), accepted(lists=("io500",), performance=2.0)
    assert review_codes(lesser) == review_codes(best) == {"io500": None}
    foretold = preview_codes(cast, lesser), preview_codes(cast, best)
    publish.publish_release(release, None)
    assert foretold == (record_codes(lesser), record_codes(best)) == ({"io500": "not-best"}, {"io500": None})


def test_decisions_of_an_editor_apply_in_preview_and_list(cast, release, accepted) -> None:
    submission = accepted(lists=("io500",))
    publish.publish_release(release, None)
    ranked_list = RankedList.objects.get(release=release, name="io500")
    submission.refresh_from_db()
    amendments.override_result(
        ranked_list, cast.erin.account, submission.result.public_id, "exclude", "Mistaken units."
    )
    assert record_codes(submission) == {"io500": "override-excluded"}
    excluded = cast.dana.get("lists/sc99/io500/preview/").json()["excluded"]
    assert [(row["result"], row["code"]) for row in excluded] == [(submission.result.public_id, "override-excluded")]
    assert review_codes(submission) == {"io500": None}


def test_an_embargoed_run_is_on_no_list_until_its_date(cast, release, accepted) -> None:
    submission = accepted(lists=("io500",))
    Submission.objects.filter(pk=submission.pk).update(embargo_until=timezone.now() + timedelta(days=9))
    assert review_codes(submission) == {"io500": None}
    assert preview_codes(cast, submission) == {}
    publish.publish_release(release, None)
    assert not Result.objects.exists()
    Submission.objects.filter(pk=submission.pk).update(embargo_until=timezone.now() - timedelta(seconds=1))
    publish.publish_release(Release.objects.get(pk=release.pk), None)
    assert record_codes(submission) == {"io500": None}


def test_a_run_withdrawn_before_publication_is_on_no_list(cast, release, accepted) -> None:
    submission = accepted(lists=("io500",))
    decisions.withdraw_run(submission, cast.alice.account, reason="Wrong file system.")
    assert preview_codes(cast, submission) == {}
    publish.publish_release(release, None)
    assert not Result.objects.exists()


def test_a_run_withdrawn_after_publication_keeps_its_place(cast, release, accepted) -> None:
    submission = accepted(lists=("io500",))
    publish.publish_release(release, None)
    submission.refresh_from_db()
    decisions.withdraw_run(submission, cast.alice.account, reason="Wrong file system.")
    assert record_codes(submission) == {"io500": None}


def test_a_permitted_late_run_ranks(cast, release, checked) -> None:
    submission = checked()
    Release.objects.filter(pk=release.pk).update(deadline=timezone.now() - timedelta(hours=1))
    decisions.admit_late(submission, cast.erin.account, release="sc99", reason="The site was down.")
    acknowledgements = {"acknowledge_rules": True, "acknowledge_publication": True}
    decisions.submit_run(submission, cast.alice.account, release="sc99", lists=("io500",), **acknowledgements)
    submission.refresh_from_db()
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
    foretold = review_codes(submission), preview_codes(cast, submission)
    publish.publish_release(Release.objects.get(pk=release.pk), None)
    assert (*foretold, record_codes(submission)) == ({"io500": None}, {"io500": None}, {"io500": None})


def test_a_submission_without_a_run_ranks_on_no_list(cast, submitted) -> None:
    exclusions = list_exclusions(submitted(lists=("io500", "full")), None, False, "fully")
    assert {name: exclusion.code for name, exclusion in exclusions.items()} == {"io500": "no-score", "full": "no-score"}
