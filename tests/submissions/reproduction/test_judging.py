"""A published run is held against the result that it names: who counts, what agrees, what differs, what is shown."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from registry.models import Reproduction, Result, Site
from submissions.checks import processing
from submissions.models import Account, Membership, MembershipPeriod, Submission
from submissions.reproduction import judging
from tests.html import page_source
from tests.submissions.cast import Cast
from tests.submissions.reproduction.conftest import TUNABLE, Publish, bundle, list_reproduced, read_marks

pytestmark = pytest.mark.django_db


def test_a_second_institution_on_the_same_machine_agrees(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    assert read_marks(cast, original)["sentence"] == ""
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    described = read_marks(cast, original)
    assert described["sentence"] == "reproduced by 1 site, within 1.1 %"
    (mark,) = described["marks"]
    assert (mark["result"], mark["kind"], mark["outcome"]) == (again.public_id, "reproduced", "agrees")
    assert all(row["matches"] for row in mark["musts"])
    assert {row["what"] for row in mark["musts"]} >= {"benchmark", "options, by sha256", "client nodes"}
    assert list_reproduced(cast, "agrees") == [original.public_id]
    assert original.public_id not in list_reproduced(cast, "none")
    page = page_source(cast.stranger.get(f"/results/{original.public_id}/"))
    assert "Reproduced by 1 site, within 1.1 %" in page
    assert leads_to_marks(page, "reproduced by 1 site")
    assert read_marks(cast, again)["reproduces"]["original"] == original.public_id
    assert_cited(cast, original, ", reproduced by 1 site")
    assert judging.judge_due() == 0


def test_on_a_changed_machine_it_is_not_reproduced_and_what_differs_is_named(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.charlie, (71, 70, 72), in_flight=1, reproduces=original.public_id)
    described = read_marks(cast, original)
    assert described["sentence"] == (
        "not reproduced: 0.71 x, by South Lab, what differed: "
        "lustre.client.osc.max_rpcs_in_flight of Clients (8, here 1)"
    )
    (mark,) = described["marks"]
    assert (mark["kind"], mark["outcome"]) == ("reproduced", "not reproduced")
    rows = [row for group in mark["differences"] for row in group["differences"]]
    assert [row["values"] for row in rows if TUNABLE in row["parameter"]] == [[["8"], ["1"]]]
    assert list_reproduced(cast, "not-reproduced") == [original.public_id]
    page = page_source(cast.stranger.get(f"/results/{original.public_id}/"))
    assert "Not reproduced: 0.71 x, by South Lab" in page and "8, here 1" in page
    assert leads_to_marks(page, "not reproduced by 1 site")
    assert_cited(cast, original, ", not reproduced by 1 site")


def leads_to_marks(page: str, words: str) -> bool:
    """Whether the first lines of a result's page say so: a failure stands as high as a success."""
    return f'<a href="#reproduced">{words}</a>' in page.split("<h1>")[1].split("<h2")[0]


def assert_cited(cast: Cast, result: Result, words: str) -> None:
    """Badge and all forms of citation say so."""
    assert words in page_source(cast.stranger.get(f"/results/{result.public_id}/badge.svg"))
    for form in ("json", "text", "bibtex", "cff", "datacite", "ro-crate"):
        answer = cast.stranger.get(f"/api/v1/results/{result.public_id}/citation/?format={form}")
        assert words in answer.content.decode(), form


def test_one_run_against_three_is_undecided(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.charlie, (100,), reproduces=original.public_id)
    described = read_marks(cast, original)
    assert (described["sites"], described["marks"][0]["outcome"]) == (0, "cannot tell")
    assert described["sentence"] == "not counted as reproduced by anybody yet"


def test_other_options_are_a_replication_and_never_counted(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.charlie, reproduces=original.public_id, iodepth="32")
    described = read_marks(cast, original)
    assert (described["sites"], described["marks"][0]["kind"]) == (0, "replicated")
    assert list_reproduced(cast, "agrees") == []


def test_the_same_institution_repeats(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.bob, (101, 100, 102), reproduces=original.public_id)
    described = read_marks(cast, original)
    assert (described["sites"], described["marks"][0]["kind"]) == (0, "repeated")


def test_an_institution_counts_once(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    publish(cast.charlie, (100, 100, 102), reproduces=original.public_id)
    described = read_marks(cast, original)
    assert (described["sites"], len(described["marks"])) == (1, 2)


def member(name: str, *slugs: str) -> Account:
    account = Account.objects.create(username=name)
    for slug in slugs:
        Membership.objects.create(account=account, institution=Site.objects.get(slug=slug))
    return account


def test_a_common_member_counts_for_nothing(cast: Cast, publish: Publish) -> None:
    member("gil", "north-lab", "south-lab")
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    assert read_marks(cast, original)["marks"][0]["kind"] == "repeated"


def test_a_member_who_left_in_time_counts_all_the_same(cast: Cast, publish: Publish) -> None:
    gil = member("gil", "north-lab", "south-lab")
    original = publish(cast.alice)
    gil.memberships.all().delete()
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    assert read_marks(cast, original)["marks"][0]["kind"] == "repeated"


def test_a_member_who_left_before_either_run_is_none_in_common(cast: Cast, publish: Publish) -> None:
    member("gil", "north-lab", "south-lab").memberships.all().delete()
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    assert read_marks(cast, original)["marks"][0]["kind"] == "reproduced"


def test_memberships_that_are_not_known_prove_nothing(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    MembershipPeriod.objects.update(began_at=None)
    now = timezone.now()
    Account.objects.update(memberships_known_since=now, date_joined=now - timedelta(days=9))
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    described = read_marks(cast, original)
    assert (described["sites"], described["marks"][0]["kind"]) == (0, "unknown")


def test_an_anonymous_result_has_no_kind(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.bob, (101, 100, 102), reproduces=original.public_id)
    Reproduction.objects.all().delete()
    anonymous = Site.objects.create(slug="anonymous", name="Anonymous")
    Result.objects.filter(pk=again.pk).update(site=anonymous, institution="Anonymous")
    assert judging.judge_due() == 1
    described = read_marks(cast, original)
    assert (described["sites"], described["marks"][0]["kind"]) == (0, "unknown")
    assert described["marks"][0]["institution"] == "Anonymous"


def test_a_withdrawn_result_takes_its_mark_away(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    Result.objects.filter(pk=again.pk).update(withdrawn_at=timezone.now())
    assert read_marks(cast, original)["marks"] == []
    assert list_reproduced(cast, "agrees") == []


def test_an_unpublished_attempt_leaves_no_trace(cast: Cast, publish: Publish, tmp_path) -> None:
    original = publish(cast.alice)
    before = cast.stranger.get(f"/api/v1/results/{original.public_id}/").content
    answer = cast.charlie.upload(bundle(tmp_path, (50, 51, 49), 1), reproduces=original.public_id)
    processing.check_submission(answer.json()["id"])
    assert judging.judge_due() == 0
    assert cast.stranger.get(f"/api/v1/results/{original.public_id}/").content == before


def test_an_unknown_word_of_the_filter_is_refused(cast: Cast) -> None:
    answer = cast.stranger.get("/api/v1/results/?reproduced=yes")
    assert (answer.status_code, answer.json()["code"]) == (400, "query.invalid-value")


@pytest.fixture
def unreadable(cast: Cast, publish: Publish) -> Result:
    """A published result that is older than one of Bob's, both of one original; nobody can read its recipe."""
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    publish(cast.bob, (101, 100, 103), reproduces=original.public_id)
    Reproduction.objects.all().delete()
    Result.objects.filter(pk=again.pk).update(snapshot={"given_options": 7, "tests": 7}, parameters=[])
    return again


def test_a_run_that_fails_to_be_judged_holds_up_no_other(cast: Cast, unreadable: Result, caplog) -> None:
    failing, other = Submission.objects.exclude(reproduces=None).order_by("received_at")
    assert failing.result == unreadable
    assert judging.judge_due() == 1
    assert [record.getMessage() for record in caplog.records] == [f"{failing.pk} was not judged"]
    assert list(Reproduction.objects.values_list("result", flat=True)) == [other.result_id]


def test_a_failure_is_kept_and_tried_again_later(cast: Cast, unreadable: Result, caplog) -> None:
    judging.judge_due()
    caplog.clear()
    assert judging.judge_due() == 0
    assert caplog.records == [], "it was tried at each sweep"
    failing = Submission.objects.get(result=unreadable)
    not_judged = cast.charlie.get(f"submissions/{failing.pk}/").json()["not_judged"]
    assert not_judged["why"] == "the registry failed to compare both (TypeError)"
    assert parse_datetime(not_judged["again_at"]) - parse_datetime(not_judged["tried_at"]) == timedelta(minutes=1)
    browser = Client()
    browser.force_login(cast.charlie.account)
    page = page_source(browser.get(f"/submissions/{failing.pk}/"))
    assert f"Not compared with {failing.reproduces.public_id} yet." in page and "The registry failed to compare" in page
    past = timezone.now() - timedelta(minutes=5)
    Submission.objects.filter(pk=failing.pk).update(judging_failed_at=past, judging_due_at=past + timedelta(minutes=1))
    assert judging.judge_due() == 0
    failing.refresh_from_db()
    assert failing.judging_due_at - failing.judging_failed_at == timedelta(minutes=2)


def test_the_wait_never_exceeds_a_day_and_a_mended_run_is_judged(cast: Cast, unreadable: Result) -> None:
    was, past = timezone.now() - timedelta(days=3), timezone.now() - timedelta(hours=1)
    of_failing = Submission.objects.filter(result=unreadable)
    of_failing.update(judging_failed_at=was, judging_due_at=past)
    judging.judge_due()
    failing = of_failing.get()
    assert failing.judging_due_at - failing.judging_failed_at == timedelta(days=1)
    sound = Result.objects.exclude(pk=unreadable.pk).latest("pk")
    Result.objects.filter(pk=unreadable.pk).update(snapshot=sound.snapshot, parameters=sound.parameters)
    of_failing.update(judging_due_at=past)
    assert judging.judge_due() == 1
    assert cast.charlie.get(f"submissions/{failing.pk}/").json()["not_judged"] is None
