"""Pages, lists and API count the same findings: those of the archive, the run that counts and the scrubbed copy."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from registry.models import Result
from submissions.models import Check, ScrubbedCopy, Submission
from submissions.publication import publish as publication_publish
from submissions.review import decisions


def finding(level: str, code: str) -> dict[str, str]:
    return {"code": code, "level": level} | dict.fromkeys(("message", "hint", "where", "expected", "actual"), "")


ARCHIVE = [finding("warning", "bundle.odd"), finding("info", "bundle.note")]
RUNS = [[], [finding("error", "io500.first"), finding("warning", "io500.second")], [finding("warning", "io500.third")]]
COPY = {"removed": [{"rule": "mail", "count": 2}], "left_out": []}


@pytest.fixture
def waiting(cast, release, submitted):
    """A submission under review whose latest check has these runs, and whose copy lacks what persons told."""

    def make(primary: int | None, chosen: int | None = None, copy: dict[str, Any] | None = None) -> Submission:
        submission = submitted()
        decisions.prepare_for_review(str(submission.pk))
        report = submission.checks.first().report
        runs = [report["runs"][0] | {"findings": findings} for findings in RUNS]
        report |= {"findings": ARCHIVE, "runs": runs, "primary": primary}
        Check.objects.create(
            submission=submission, validators_version="0", status="valid", seconds=1, report=report, tool="io500"
        )
        Submission.objects.filter(pk=submission.pk).update(chosen_primary=chosen)
        ScrubbedCopy.objects.filter(submission=submission).update(report=copy or COPY | {"removed": []})
        return submission

    return make


def page(person, address: str) -> str:
    client = Client()
    client.force_login(person.account)
    return " ".join(
        re.sub(r"<[^>]+>", " ", client.get(address).content.decode()).replace("\N{NO-BREAK SPACE}", " ").split()
    )


CASES = [
    (0, None, None, (0, 1), "1 warning"),
    (0, 2, None, (0, 2), "2 warnings"),
    (0, 1, COPY, (1, 3), "1 error, 3 warnings"),
    (None, None, None, (1, 3), "1 error, 3 warnings"),
    (None, None, COPY, (1, 4), "1 error, 4 warnings"),
]


def test_the_progress_of_a_submission_counts_violated_rules(cast, waiting) -> None:
    """A rule may be violated without a finding: "no errors or warnings" stood above a row of crosses."""
    submission = waiting(0, None, None)
    check = submission.checks.latest("made_at")
    check.report["findings"] = check.report["runs"][0]["findings"] = []
    rules = check.report["runs"][0]["rules"]
    check.report["runs"][0]["rules"] = [rule | {"outcome": "satisfied"} for rule in rules]
    check.save(update_fields=["report"])
    assert "Checked no errors or warnings Submit" in page(cast.alice, f"/submissions/{submission.pk}/")
    check.report["runs"][0]["rules"][0]["outcome"] = "violated"
    check.save(update_fields=["report"])
    page_text = page(cast.alice, f"/submissions/{submission.pk}/")
    assert "Checked no errors or warnings, 1 rule violated Submit" in page_text


@pytest.mark.parametrize(("primary", "chosen", "copy", "counted", "said"), CASES)
def test_every_page_counts_findings_the_same(cast, waiting, primary, chosen, copy, counted, said) -> None:
    submission = waiting(primary, chosen, copy)
    mine, theirs = f"/submissions/{submission.pk}/", f"/review/{submission.pk}/"
    assert f"Checked {said}" in page(cast.alice, mine)
    assert f"Findings {said}, 1 info" in page(cast.alice, mine)
    assert f"Findings {said}, 1 info" in page(cast.dana, theirs)
    for person, listed in ((cast.alice, "/submissions/"), (cast.dana, "/review/"), (cast.alice, f"{mine}versions/")):
        assert re.search(rf"(?<!, ){said}(?!,)", page(person, listed)), listed
    levels = [row["level"] for row in cast.alice.get(f"submissions/{submission.pk}/findings/").json()["results"]]
    assert (levels.count("error"), levels.count("warning")) == counted
    api_submission = cast.dana.get(f"submissions/{submission.pk}/").json()
    assert [row["level"] for row in api_submission["findings"]] == levels
    latest = cast.alice.get(f"submissions/{submission.pk}/versions/").json()["results"][-1]["check"]
    assert (latest["errors"], latest["warnings"]) == counted


def test_a_new_check_is_counted_as_it_is_shown(cast, waiting) -> None:
    """The history says it, and mail repeats it."""
    submission = waiting(0, None, COPY)
    decisions.prepare_for_review(str(submission.pk))
    check = submission.checks.first()
    rows = cast.alice.get(f"submissions/{submission.pk}/findings/").json()["results"]
    levels = [row["level"] for row in rows]
    assert "bundle.personal" in [row["code"] for row in rows]
    assert (check.errors, check.warnings) == (levels.count("error"), levels.count("warning"))


def test_an_unchecked_submission_is_not_shown_without_findings(cast, archive) -> None:
    cast.alice.upload(archive())
    assert "not checked yet" in page(cast.alice, "/submissions/")


def test_lists_cost_no_query_for_each_row(cast, submitted, django_assert_num_queries) -> None:
    client = Client()
    client.force_login(cast.alice.account)
    submitted(performance=1.0)
    client.get("/submissions/")
    for performance in (2.0, 3.0):
        with django_assert_num_queries(4):
            client.get("/submissions/")
        submitted(performance=performance)


def test_a_verified_result_lists_violated_rules(cast, client, release, submitted) -> None:
    submission = submitted()
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
    publication_publish.publish_release(release, cast.erin.account, allow_empty=True)
    result = Result.objects.get()
    rules = [
        {"code": "io500.x", "outcome": "violated", "why": ""},
        {"code": "io500.y", "outcome": "satisfied", "why": ""},
    ]
    for violated, expected in ((rules, "verified, 1 rule violated"), (rules[1:], "verified IO500")):
        Result.objects.filter(pk=result.pk).update(snapshot=result.snapshot | {"rules": violated})
        text = re.sub(r"<[^>]+>", " ", client.get(f"/results/{result.public_id}/").content.decode())
        assert expected in " ".join(text.split()).replace(" , ", ", ")
