"""Release day: what is copied, what is not, and that it happens once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from registry.lists.listing import check_list
from registry.lists.ranking import Differences
from registry.models import ListDefinition, ListEntry, Platform, RankedList, Release, Result, StepsDue, System
from registry.timeseries import detected_steps
from submissions.checks import processing
from submissions.models import Submission
from submissions.publication import publish as publication_publish
from submissions.publication import publishable, releases
from submissions.review import decisions
from tests.html import page_source
from tests.make_fio import make_output
from tests.submissions.cast import COMPLETE
from validators import catalogue
from validators.distributions import summed

IO500_LISTS = ["production", "ten-production", "io500", "ten", "full", "historical", "scc"]


@pytest.fixture
def accepted(cast, submitted):
    """A run that a reviewer accepted."""

    def make(*arguments, production: bool = False, **changes) -> Submission:
        submission = submitted(*arguments, **changes)
        decisions.decide_run(
            submission, cast.dana.account, "accept", "All rules are satisfied.", reproducibility="fully",
            production=production,
        )  # fmt: skip
        return submission

    return make


def entries(cast, release: str, name: str) -> list[dict]:
    answer = cast.stranger.get(f"/api/v1/lists/{release}/{name}/")
    assert answer.status_code == 200, answer.content
    return answer.json()["entries"]


def test_accepted_runs_are_copied_and_ranked(cast, release, accepted) -> None:
    slow, fast = accepted(performance=1.0), accepted(cast.charlie, performance=3.0)
    answer = cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    assert answer.status_code == 200, answer.content
    assert answer.json()["results"] == 2
    ranked = entries(cast, "sc99", "io500")
    assert [(row["rank"], row["institution"], row["trust"]) for row in ranked] == [
        (1, "South Lab", "verified"),
        (2, "North Lab", "verified"),
    ]
    for submission in (slow, fast):
        submission.refresh_from_db()
        result = submission.result
        report = submission.checks.first().report["runs"][0]
        assert submission.state == "published"
        assert result.score == report["scores"]["SCORE"]["value"]
        assert result.measurements.count() == len(report["measurements"])
        assert result.bundle_sha256 == submission.sha256
        assert result.public_sha256 == submission.derivative.sha256
        assert result.files.count() == len(submission.derivative.files)
        assert (result.reproducibility, result.production) == ("fully", False)


def test_submissions_that_are_not_accepted_are_not_published(cast, release, accepted, submitted, checked) -> None:
    accepted(performance=1.5)
    submitted(performance=2.5)
    checked(performance=3.5)
    rejected = submitted(performance=4.5)
    decisions.decide_run(rejected, cast.dana.account, "reject", "Not persistent.")
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    assert Result.objects.count() == 1
    assert Submission.objects.filter(state="published").count() == 1


def test_publishing_again_changes_nothing(cast, release, accepted) -> None:
    accepted()
    first = cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).json()
    before = list(ListEntry.objects.order_by("id").values())
    assert cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).json() == first
    assert list(ListEntry.objects.order_by("id").values()) == before
    assert Result.objects.count() == 1


def test_a_published_release_does_not_change_any_more(cast, release) -> None:
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    answer = cast.erin.patch("releases/sc99/", {"name": "other"})
    assert (answer.status_code, answer.json()["code"]) == (409, "release.published")


def test_runs_are_not_accepted_for_a_published_release(cast, release, submitted) -> None:
    submission = submitted()
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    answer = cast.dana.post(
        f"submissions/{submission.pk}/review/", {"decision": "accept", "reproducibility": "fully", "reason": "Late."}
    )
    assert (answer.status_code, answer.json()["code"]) == (409, "release.published")


def test_an_imported_release_is_not_published_here(cast) -> None:
    Release.objects.create(slug="SC20", name="SC20", imported=True, held_on="2020-11-01")
    answer = cast.erin.post("releases/SC20/publish/")
    assert (answer.status_code, answer.json()["code"]) == (422, "release.invalid")


def test_an_embargo_is_kept(cast, release, accepted) -> None:
    submission = accepted()
    Submission.objects.update(embargo_until=timezone.now() + timedelta(days=1))
    answer = cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).json()
    assert (answer["results"], answer["embargoed"]) == (0, 1)
    submission.refresh_from_db()
    assert submission.state == "accepted"


def test_a_clock_that_is_ahead_publishes_nothing_early(cast, release, accepted) -> None:
    """That of the host: what is published stays public, so the database's clock must say the same."""
    tomorrow = timezone.now() + timedelta(days=1)
    embargoed = accepted()
    Submission.objects.update(embargo_until=tomorrow)
    accepted(cast.charlie, performance=2.0)
    Release.objects.filter(pk=release.pk).update(publishes=tomorrow)
    with time_machine.travel(timezone.now() + timedelta(days=30), tick=True):
        publication_publish.publish_due()
        release.refresh_from_db()
        assert release.published_at is None
        answer = cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).json()
        assert (answer["results"], answer["embargoed"]) == (1, 1)
        publication_publish.publish_due()
    embargoed.refresh_from_db()
    assert embargoed.state == "accepted"


def test_a_clock_that_is_behind_publishes_late(cast, release, accepted) -> None:
    accepted()
    Release.objects.filter(pk=release.pk).update(publishes=timezone.now() - timedelta(hours=1))
    with time_machine.travel(timezone.now() - timedelta(days=1), tick=True):
        publication_publish.publish_due()
    release.refresh_from_db()
    assert release.published_at is None
    publication_publish.publish_due()
    release.refresh_from_db()
    assert release.published_at is not None


def end_embargo() -> None:
    Submission.objects.update(embargo_until=timezone.now())
    publication_publish.publish_due()
    publication_publish.publish_due()


def test_an_ended_embargo_adds_the_result_by_a_dated_amendment(cast, release, accepted) -> None:
    accepted(performance=1.0)
    late = accepted(cast.charlie, performance=2.0)
    Submission.objects.filter(pk=late.pk).update(embargo_until=timezone.now() + timedelta(days=1))
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    publication_publish.publish_due()
    before = RankedList.objects.get(release=release, name="io500")
    assert [(row["rank"], row["institution"]) for row in entries(cast, "sc99", "io500")] == [(1, "North Lab")]
    end_embargo()
    late.refresh_from_db()
    assert (late.state, late.result.release) == ("published", release)
    rows = [(row["rank"], row["institution"], row["new"]) for row in entries(cast, "sc99", "io500")]
    assert rows == [(1, "South Lab", True), (2, "North Lab", True)]
    after = RankedList.objects.get(release=release, name="io500")
    assert after.note == f"Amended on {timezone.now():%Y-%m-%d}: {late.result.public_id}: the embargo ended."
    assert (after.frozen_at is not None, after.digest != before.digest) == (True, True)
    assert not check_list(after)
    assert not RankedList.objects.get(release=release, name="scc").note


def test_a_long_embargo_amends_the_next_release_too(cast, release, accepted) -> None:
    accepted()
    Submission.objects.update(embargo_until=timezone.now() + timedelta(days=1))
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    releases.create_release("later", timezone.now() + timedelta(days=1), lists=["io500"])
    Release.objects.filter(slug="later").update(held_on="2199-01-01")
    cast.erin.post("releases/later/publish/", {"allow_empty": True})
    assert entries(cast, "later", "io500") == []
    end_embargo()
    assert [row["new"] for name in ("sc99", "later") for row in entries(cast, name, "io500")] == [True, False]


def test_a_later_decision_keeps_entries_of_an_amendment(cast, release, accepted) -> None:
    accepted()
    Submission.objects.update(embargo_until=timezone.now() + timedelta(days=1))
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    end_embargo()
    decision = {"result": Result.objects.get().public_id, "action": "score", "score": 7.0, "reason": "Recounted."}
    assert cast.erin.post("lists/sc99/io500/overrides/", decision).status_code == 200
    assert [row["score"] for row in entries(cast, "sc99", "io500")] == [7.0]


def test_a_run_is_ranked_on_research_or_production(cast, release, accepted) -> None:
    lists = ("io500", "ten", "production", "ten-production")
    accepted(performance=1.5, lists=lists)
    accepted(cast.charlie, performance=2.5, lists=lists, production=True, answers=COMPLETE)
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    ranked = {name: [row["institution"] for row in entries(cast, "sc99", name)] for name in lists}
    assert ranked == {
        "io500": ["North Lab"],
        "ten": ["North Lab"],
        "production": ["South Lab"],
        "ten-production": ["South Lab"],
    }


def test_the_best_of_a_system_ranks_and_all_results_are_published(cast, release, accepted) -> None:
    accepted(performance=1.5), accepted(performance=2.5)
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    assert Result.objects.count() == 2
    assert len(entries(cast, "sc99", "io500")) == 1


def test_earlier_results_are_carried_over_and_new_ones_marked(cast, release, accepted) -> None:
    accepted(performance=1.5)
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    following = releases.create_release("isc00", timezone.now() + timedelta(days=60))
    cast.erin.post(f"releases/{following.slug}/publish/", {"allow_empty": True})
    assert [(row["new"], row["entered"]) for row in entries(cast, "isc00", "io500")] == [(False, "sc99")]


def test_numbers_of_results_are_never_used_again(cast, release, accepted) -> None:
    accepted(performance=1.5)
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    Result.objects.update(public_id="hw-41")
    submission = Submission.objects.get()
    following = releases.create_release("isc00", timezone.now() + timedelta(days=60))
    Submission.objects.filter(pk=submission.pk).update(state="accepted", result=None, release=following)
    publication_publish.publish_release(following, cast.erin.account, allow_empty=True)
    assert set(Result.objects.values_list("public_id", flat=True)) == {"hw-41", "hw-42"}


def test_one_system_under_one_name_has_one_page(cast, release, accepted) -> None:
    for performance, name in ((1.5, "Fjord"), (2.5, " FJORD ")):
        accepted(performance=performance, fields={"metadata": f'{{"system": "{name}"}}'})
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    assert {result.system.slug for result in Result.objects.all()} == {"north-lab-fjord"}


def test_a_platform_is_recognised_by_its_aliases(cast, release, accepted) -> None:
    """Also of a system that was there before without one; what nobody is called makes no platform."""
    for slug in ("clusterstor-e1000", "ddn-es400nvx2"):
        Platform.objects.create(slug=slug, name=slug)
    System.objects.create(slug="north-lab-fjord", site=cast.alice.account.memberships.get().institution, name="Fjord")
    platforms_by_system = {"Fjord": "e1000 ", "Skerry": "ES400NVX2", "Skerry II": "Unheard-of"}
    for performance, (name, platform) in enumerate(platforms_by_system.items(), 1):
        metadata = {"system": name, "platform": platform}
        accepted(performance=float(performance), fields={"metadata": json.dumps(metadata)})
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    platform_rows = Result.objects.values_list("system__name", "platform__slug", "system__platform__slug")
    assert set(platform_rows) == {
        ("Fjord", "clusterstor-e1000", "clusterstor-e1000"),
        ("Skerry", "ddn-es400nvx2", "ddn-es400nvx2"),
        ("Skerry II", None, None),
    }


def test_a_withdrawn_result_keeps_its_page(cast, release, accepted) -> None:
    submission = accepted()
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    StepsDue.objects.all().delete()
    answer = cast.alice.post(f"submissions/{submission.pk}/withdraw/", {"reason": "The disks were not ours."})
    assert answer.status_code == 200, answer.content
    assert detected_steps.due_systems() == [Result.objects.get().system_id]
    result = cast.stranger.get(f"/api/v1/results/{answer.json()['result']}/").json()
    assert result["withdrawn_reason"] == "The disks were not ours."
    assert cast.stranger.get("/api/v1/results/").json()["results"] == []


def test_private_data_is_not_public(cast, release, accepted) -> None:
    accepted(fields={"metadata": '{"system": "Fjord", "note": "call Alice on extension five"}'})
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    content = page_source(cast.stranger.get("/api/v1/results/hw-1/"))
    assert "alice" not in content.lower()
    assert "extension five" not in content


@pytest.mark.parametrize(
    ("document", "shown"),
    [
        ({"path": "/home/alice/run"}, "alice"),
        ({"findings": [{"message": "Written by alice@north-lab.example."}]}, "north-lab.example"),
        ({"declared": {"io500_info_submitter": "Alice Example"}}, "Alice"),
        ({"server": ["10.11.12.13"]}, "10.11.12.13"),
        ({"api_token": "s3cr3t-s3cr3t"}, "s3cr3t"),
    ],
)
def test_quotes_in_findings_are_scrubbed(document, shown) -> None:
    assert shown in json.dumps(document)
    assert shown not in json.dumps(publishable.scrub_document(document))


def test_values_and_words_are_unchanged() -> None:
    document = {"client_nodes": 10, "api": "POSIX", "version": "io500-sc25", "values": [1.5, None, True], "": ""}
    assert publishable.scrub_document(document) == document


@pytest.mark.django_db(transaction=True)
def test_concurrent_publishing_by_two_editors_publishes_once(cast, release, accepted) -> None:
    accepted()

    def publish(person) -> dict:
        try:
            return person.post("releases/sc99/publish/", {"allow_empty": True}).json()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        first, other = pool.map(publish, [cast.erin, cast.fay])
    assert first == other
    assert Result.objects.count() == 1


def test_the_scheduler_publishes_at_the_set_time(cast, release, accepted) -> None:
    accepted()
    publication_publish.publish_due()
    assert not Result.objects.exists()
    past = timezone.now() - timedelta(seconds=1)
    Release.objects.update(deadline=past - timedelta(seconds=1), publishes=past)
    publication_publish.publish_due()
    assert Submission.objects.get().state == "published"
    assert Submission.objects.get().events.last().actor is None


def test_five_hundred_are_published_with_a_bounded_number_of_queries(cast, release, accepted) -> None:
    """Twice as many submissions cost no more than a few queries more, so the number does not grow with them."""
    counts = []
    for slug, number in (("first", 1), ("small", 2), ("large", 6)):  # the first one records names that are new
        call = releases.create_release(slug, timezone.now() + timedelta(days=30))
        for place in range(number):
            submission = accepted(performance=1 + len(counts) * 10 + place / 10)
            decisions.prepare_for_review(str(submission.pk))
            Submission.objects.filter(pk=submission.pk).update(release=call)
        from django.test.utils import CaptureQueriesContext

        with CaptureQueriesContext(connection) as captured:
            publication_publish.publish_release(call, cast.erin.account, allow_empty=True)
        counts.append(len(captured))
    assert abs(counts[2] - counts[1]) <= 1, counts


# Frozen lists


@pytest.fixture
def frozen(cast, release, accepted) -> RankedList:
    accepted(performance=1.5), accepted(cast.charlie, performance=2.5)
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    return RankedList.objects.get(name="io500")


@pytest.mark.parametrize(
    "change",
    [
        lambda entries: entries.update(score=1e9),
        lambda entries: entries.all().delete(),
        lambda entries: ListEntry.objects.create(
            ranked_list=entries[0].ranked_list,
            result=Result.objects.create(
                public_id="x-1", tool="io500", trust="imported", release=entries[0].result.release,
                site=entries[0].result.site, system=entries[0].result.system, institution="x",
            ),
            position=9, rank=9, rank_low=9, rank_high=9, score=1, institution="x",
        ),
    ],
)  # fmt: skip
def test_the_database_refuses_to_move_a_frozen_list(frozen, change) -> None:
    with pytest.raises(DatabaseError, match="frozen"), transaction.atomic():
        change(frozen.entries.all())
    assert check_list(frozen) is not None and not check_list(frozen)


def test_a_decision_with_a_reason_amends_a_frozen_list(cast, frozen) -> None:
    first = frozen.entries.first().result.public_id
    document = {"result": first, "action": "exclude", "reason": "The run was repeated."}
    answer = cast.erin.post("lists/sc99/io500/overrides/", document)
    assert answer.status_code == 200, answer.content
    assert answer.json()["decided_by"] == "erin"
    frozen.refresh_from_db()
    assert "The run was repeated." in frozen.note
    assert frozen.frozen_at is not None
    assert [row["institution"] for row in entries(cast, "sc99", "io500")] == ["North Lab"]
    assert len(entries(cast, "sc99", "full")) == 2
    assert not check_list(frozen)
    with pytest.raises(DatabaseError), transaction.atomic():
        frozen.entries.update(score=1)


def test_an_amended_list_keeps_the_definition_that_it_was_published_with(cast, frozen) -> None:
    used = frozen.definition
    body = used.body | {"version": 99, "eligible": [], "best_per": []}
    ListDefinition.objects.create(name=used.name, version=99, body=body)
    document = {"result": frozen.entries.first().result.public_id, "action": "exclude", "reason": "It was repeated."}
    assert cast.erin.post("lists/sc99/io500/overrides/", document).status_code == 200
    frozen.refresh_from_db()
    assert frozen.definition == used


@pytest.mark.parametrize(
    ("document", "status", "code"),
    [
        ({"result": "hw-99", "action": "exclude", "reason": "x"}, 422, "override.refused"),
        ({"result": "hw-1", "action": "exclude", "reason": " "}, 400, "request.invalid"),
        ({"result": "hw-1", "action": "exclude"}, 400, "request.invalid"),
        ({"result": "hw-1", "action": "remove", "reason": "x"}, 400, "request.invalid"),
        ({"result": "hw-1", "action": "score", "reason": "x"}, 422, "override.refused"),
        ({"result": "hw-1", "action": "exclude", "score": 5, "reason": "x"}, 422, "override.refused"),
        ({"result": "hw-1", "action": "score", "score": "NaN", "reason": "x"}, 400, "request.invalid"),
    ],
)
def test_invalid_decisions_are_refused(cast, frozen, document, status, code) -> None:
    before = list(frozen.entries.values())
    answer = cast.erin.post("lists/sc99/io500/overrides/", document)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert list(frozen.entries.values()) == before


def test_an_override_cannot_list_a_reported_result(cast, frozen) -> None:
    listed = frozen.entries.first().result
    facts = {"tool": "io500", "institution": "North Lab", "site": listed.site, "system": listed.system, "score": 9000.0}
    Result.objects.create(public_id="paper-table1", trust="reported", **facts)
    document = {"result": "paper-table1", "action": "include", "reason": "A good paper."}
    answer = cast.erin.post("lists/sc99/io500/overrides/", document)
    assert (answer.status_code, answer.json()["code"]) == (422, "override.refused")
    assert "reported" in answer.json()["detail"]
    assert not frozen.entries.filter(result__public_id="paper-table1").exists()


# Releases


def test_an_editor_creates_a_release(cast, definitions) -> None:
    document = {"slug": "ISC00", "name": "ISC 2000", "deadline": "2099-05-01T12:00:00+02:00", "lists": ["ten", "io500"]}
    answer = cast.erin.post("releases/", document)
    assert answer.status_code == 201, answer.content
    new_release = Release.objects.get()
    assert (new_release.list_names, new_release.deadline.isoformat()) == (["io500", "ten"], "2099-05-01T10:00:00+00:00")
    changed = cast.erin.patch("releases/isc00/", {"lists": ["full"], "publishes": "2099-06-01T00:00:00Z"})
    assert changed.status_code == 200, changed.content
    new_release.refresh_from_db()
    assert (new_release.list_names, str(new_release.held_on), new_release.name) == (["full"], "2099-06-01", "ISC 2000")


@pytest.mark.parametrize(
    ("document", "status", "code"),
    [
        ({"slug": "SC99", "deadline": "2099-01-01T00:00:00Z"}, 409, "release.exists"),
        ({"slug": "a b", "deadline": "2099-01-01T00:00:00Z"}, 400, "request.invalid"),
        ({"slug": "a--b", "deadline": "2099-01-01T00:00:00Z"}, 422, "release.invalid"),
        ({"slug": "new"}, 400, "request.invalid"),
        ({"slug": "new", "deadline": "soon"}, 400, "request.invalid"),
        ({"slug": "new", "deadline": "2099-01-01T00:00:00Z", "lists": ["best"]}, 422, "release.invalid"),
        (
            {"slug": "new", "deadline": "2099-01-01T00:00:00Z", "opens": "2099-01-02T00:00:00Z"},
            422,
            "release.invalid",
        ),
        (
            {"slug": "new", "deadline": "2099-01-01T00:00:00Z", "publishes": "2098-01-02T00:00:00Z"},
            422,
            "release.invalid",
        ),
    ],
)
def test_invalid_releases_are_refused(cast, release, document, status, code) -> None:
    answer = cast.erin.post("releases/", document)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert Release.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2027-04-30T12:00:00Z", "2027-04-30T12:00:00+00:00"),
        ("2027-04-30T12:00:00+02:00", "2027-04-30T10:00:00+00:00"),
        ("2027-04-30 AoE", "2027-05-01T11:59:59+00:00"),
    ],
)
def test_times_with_an_offset_are_accepted(text, moment) -> None:
    assert releases.read_time(text).isoformat() == moment


@pytest.mark.parametrize("text", ["2027-04-30", "2027-04-30T12:00:00", "soon", "", "2027-02-30 AoE", "30.04.2027 AoE"])
def test_times_without_an_offset_are_refused(text) -> None:
    with pytest.raises(ValueError, match=r".+"):
        releases.read_time(text)


def test_a_command_makes_a_release(definitions, capsys) -> None:
    call_command("create_release", "ISC00", "--deadline", "2027-04-30 AoE", "--list", "ten", "--list", "io500")
    new_release = Release.objects.get()
    assert (new_release.slug, new_release.list_names) == ("ISC00", ["io500", "ten"])
    with pytest.raises(CommandError, match="There is a release"):
        call_command("create_release", "isc00", "--deadline", "2027-04-30 AoE")
    with pytest.raises(CommandError, match="offset"):
        call_command("create_release", "isc01", "--deadline", "2027-04-30T00:00:00")


def test_a_command_makes_a_token_that_works(db, client, capsys) -> None:
    call_command("create_token", "gil", "--role", "reviewer", "--institution", "east-lab")
    token = capsys.readouterr().out.splitlines()[-1]
    answer = client.get("/api/v1/submissions/", headers={"Authorization": f"Token {token}"})
    assert answer.status_code == 200
    call_command("create_token", "gil")
    from submissions.models import Account

    gil = Account.objects.get(username="gil")
    assert (gil.role, [site.slug for site in gil.institutions.all()]) == ("reviewer", ["east-lab"])
    with pytest.raises(CommandError, match="no slug"):
        call_command("create_token", "gil", "--institution", "East Lab")


def test_the_demo_release_is_made_once(definitions, capsys) -> None:
    call_command("load_demo")
    new_release = Release.objects.get(slug="next")
    assert new_release.deadline > timezone.now() + timedelta(days=100)
    assert new_release.list_names[:7] == IO500_LISTS
    assert {"mlperf-unet3d-h100", "ior-seq-write", "fio-rand-read"} < set(new_release.list_names)
    call_command("load_demo")
    assert Release.objects.get().deadline == new_release.deadline


@pytest.mark.parametrize(
    ("declared", "printed"), [("North Lab", "North Lab"), ("NORTH  lab", "NORTH lab"), ("Somebody Else", "North Lab")]
)
def test_a_result_prints_no_institution_but_its_own(cast, release, accepted, declared: str, printed: str) -> None:
    submission = accepted(performance=1.5)
    Submission.objects.filter(pk=submission.pk).update(metadata={"institution": declared})
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    assert Result.objects.get().institution == printed


# Tools without a score


@pytest.fixture
def measured(cast):
    """A checked run of fio, which gives no score."""
    sample = catalogue.FOLDER / "fio" / "samples" / "json-two-jobs" / "stdout.txt"
    answer = cast.alice.upload(sample.read_bytes(), name="fio.json")
    processing.check_submission(answer.json()["id"])
    return answer.json()["id"]


def submission_to(cast, submission, lists):
    body = {"release": "sc99", "lists": lists, "acknowledge_rules": True, "acknowledge_publication": True}
    return cast.alice.post(f"submissions/{submission}/submit/", body)


def test_a_run_without_a_score_is_on_no_list(cast, release, measured) -> None:
    refused = submission_to(cast, measured, ["full"])
    assert (refused.status_code, refused.json()["code"]) == (422, "submit.list-of-another-tool")
    assert cast.alice.get(f"submissions/{measured}/").json()["state"] == "checked"


def test_a_run_without_a_score_is_published_with_what_it_measured(cast, release, measured) -> None:
    assert submission_to(cast, measured, []).status_code == 200
    review = {"decision": "accept", "reproducibility": "limited", "production": False, "reason": "Complete."}
    assert cast.dana.post(f"submissions/{measured}/review/", review).status_code == 200
    assert cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).status_code == 200
    result = Result.objects.get(tool="fio")
    assert result.score is None
    assert not result.entries.exists()
    result_body = cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()
    assert {measurement["quantity"] for measurement in result_body["measurements"]} >= {"bandwidth", "latency"}
    page = page_source(cast.stranger.get(f"/results/{result.public_id}/"))
    assert "<dt>Write bandwidth</dt><dd>163.3 " in page and "MiB/s</span></dd><dd>mean, job 0</dd>" in page


def test_distributions_are_published(cast, release, accepted) -> None:
    submission = accepted(performance=1.5)
    check = submission.checks.first()
    under = summed("ior-easy-write", "bandwidth", "rank", "ranks", [1.0, 3.0], "GiB/s")
    check.report["runs"][0]["distributions"] = under
    check.save()
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    result = Result.objects.get()
    distributions = cast.stranger.get(f"/api/v1/results/{result.public_id}/distributions/")
    assert distributions.json() == {"next": None, "results": under}
    assert "distributions" not in cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()["facts"]


@pytest.fixture
def streamed(cast):
    """A checked run of fio under the profile of fio-seq-write, unless told otherwise."""

    def make(person, gib_per_s: int, **options):
        answer = person.upload(make_output(gib_per_s, **options), name="fio.json", metadata='{"client_nodes": 1}')
        processing.check_submission(answer.json()["id"])
        return answer.json()["id"]

    return make


def accept(cast, person, submission, lists):
    body = {"release": "sc99", "lists": lists, "acknowledge_rules": True, "acknowledge_publication": True}
    answer = person.post(f"submissions/{submission}/submit/", body)
    assert answer.status_code == 200, answer.content
    body = {"decision": "accept", "reproducibility": "fully", "production": False, "reason": "Complete."}
    answer = cast.dana.post(f"submissions/{submission}/review/", body)
    assert answer.status_code == 200, answer.content
    return answer.json()["excluded"]


@pytest.fixture
def of_fio(release):
    releases.change_release(release, lists=["full", "fio-seq-write", "fio-seq-read"])


def test_runs_of_another_tool_are_ranked_by_what_they_measured_in_the_unit_of_the_list(cast, of_fio, streamed) -> None:
    assert accept(cast, cast.alice, streamed(cast.alice, 2), ["fio-seq-write"]) == {}
    assert accept(cast, cast.charlie, streamed(cast.charlie, 3), ["fio-seq-write"]) == {}
    assert cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).status_code == 200
    assert [(row["rank"], row["institution"], row["score"]) for row in entries(cast, "sc99", "fio-seq-write")] == [
        (1, "South Lab", 3.0),
        (2, "North Lab", 2.0),
    ]
    assert entries(cast, "sc99", "full") == entries(cast, "sc99", "fio-seq-read") == []
    assert check_list(RankedList.objects.get(name="fio-seq-write")) == Differences()


@pytest.mark.parametrize(
    ("options", "code"),
    [({"rw": "randwrite"}, "other-pattern"), ({"bs": "64k"}, "other-block-size"), ({"direct": "0"}, "page-cache")],
)
def test_a_run_outside_the_profile_is_left_out_with_the_reason(cast, of_fio, streamed, options, code) -> None:
    excluded = accept(cast, cast.alice, streamed(cast.alice, 2, **options), ["fio-seq-write"])
    assert excluded["fio-seq-write"]["code"] == code
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    assert entries(cast, "sc99", "fio-seq-write") == []


def test_a_run_is_offered_the_lists_of_its_own_tool(cast, of_fio, streamed) -> None:
    submission = streamed(cast.alice, 2)
    refused = submission_to(cast, submission, ["fio-seq-write", "full"])
    assert (refused.status_code, refused.json()["code"]) == (422, "submit.list-of-another-tool")
    assert "fio-seq-write, fio-seq-read" in refused.json()["hint"]
    cast.alice.client.force_login(cast.alice.account)
    page = page_source(cast.alice.client.get(f"/submissions/{submission}/"))
    assert "fio sequential write" in page
    assert 'value="full"' not in page


def test_an_io500_run_is_refused_on_a_list_of_fio(cast, of_fio, checked) -> None:
    refused = submission_to(cast, checked().pk, ["fio-seq-write"])
    assert (refused.status_code, refused.json()["code"]) == (422, "submit.list-of-another-tool")


def test_a_run_with_a_score_needs_a_list(cast, release, checked) -> None:
    refused = submission_to(cast, checked().pk, [])
    assert (refused.status_code, refused.json()["code"]) == (422, "submit.list-not-of-release")
