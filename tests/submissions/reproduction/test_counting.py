"""Which institutions count: without a common member, at the time of the runs, for runs of their own."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from registry.models import Reproduction, Result, Site
from submissions.models import Account, Membership, MembershipPeriod, Submission
from submissions.reproduction import judging
from submissions.reproduction.independence import Span
from submissions.reproduction.runs import OneRun, read_span
from tests.html import page_source
from tests.submissions.cast import Cast, Person
from tests.submissions.reproduction.conftest import Publish, bundle, list_reproduced, read_marks

pytestmark = pytest.mark.django_db


def person_at(*slugs: str, name: str = "hugo") -> Person:
    account = Account.objects.create(username=name, role="submitter")
    for slug in slugs:
        site, _ = Site.objects.get_or_create(slug=slug, defaults={"name": slug.title()})
        Membership.objects.create(account=account, institution=site)
    return Person(account)


def stayed(name: str, began_days: float, ended_days: float, *slugs: str) -> None:
    """An account that is older, and was a member from so many days ago until so many days ago."""
    now = timezone.now()
    account = person_at(name=name).account
    long_ago = now - timedelta(days=30)
    Account.objects.filter(pk=account.pk).update(date_joined=long_ago, memberships_known_since=long_ago)
    for slug in slugs:
        MembershipPeriod.objects.create(
            account=account,
            institution=Site.objects.get(slug=slug),
            began_at=now - timedelta(days=began_days),
            ended_at=now - timedelta(days=ended_days),
        )


def kinds(cast: Cast, original: Result) -> list[str]:
    return [mark["kind"] for mark in read_marks(cast, original)["marks"]]


def test_two_reproducing_sites_with_a_common_member_count_once(cast: Cast, publish: Publish) -> None:
    hugo = person_at("east-lab")
    person_at("east-lab", "south-lab", name="gil")
    original = publish(cast.alice)
    first = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    publish(hugo, (100, 100, 104), reproduces=original.public_id)
    described = read_marks(cast, original)
    assert described["sentence"] == "reproduced by 1 site, within 1.1 %"
    assert [(mark["kind"], mark["counted"]) for mark in described["marks"]] == [
        ("reproduced", True),
        ("reproduced", False),
    ]
    # Without the one that counts, the other does.
    Result.objects.filter(pk=first.pk).update(withdrawn_at=timezone.now())
    described = read_marks(cast, original)
    assert (described["sites"], [mark["counted"] for mark in described["marks"]]) == (1, [True])


def test_a_mark_stays_when_members_leave(cast: Cast, publish: Publish) -> None:
    hugo = person_at("east-lab")
    gil = person_at("east-lab", "south-lab", name="gil")
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    publish(hugo, (100, 100, 104), reproduces=original.public_id)
    gil.account.memberships.all().delete()
    assert read_marks(cast, original)["sites"] == 1


def test_two_sites_without_a_common_member_both_count_and_once_merged_one(cast: Cast, publish: Publish) -> None:
    hugo = person_at("east-lab")
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    second = publish(hugo, (100, 100, 104), reproduces=original.public_id)
    assert read_marks(cast, original)["sites"] == 2
    # Marks of an earlier release, which never asked: one counts.
    Reproduction.objects.update(shares_members_with=None)
    assert read_marks(cast, original)["sites"] == 1
    Reproduction.objects.update(shares_members_with=[])
    Result.objects.filter(pk=second.pk).update(site=original.site)
    assert read_marks(cast, original)["sites"] == 1
    Result.objects.filter(reproduction__isnull=False).update(site=original.site)
    described = read_marks(cast, original)
    assert (described["sites"], list_reproduced(cast, "agrees")) == (0, [])


def test_a_member_of_both_while_the_run_ran_is_seen(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    # The runs end between two and three days ago; the membership ended a day ago, before the upload.
    stayed("gil", 9, 1, "north-lab", "south-lab")
    ran = time.time() - 2 * 86400
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id, ended=ran)
    assert kinds(cast, original) == ["repeated"]


def test_a_member_who_left_before_the_run_began_is_none_in_common(cast: Cast, publish: Publish) -> None:
    stayed("gil", 9, 4, "north-lab", "south-lab")
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id, ended=time.time() - 2 * 86400)
    assert kinds(cast, original) == ["reproduced"]


def test_a_run_with_a_clock_ahead_is_no_proof(cast: Cast, publish: Publish) -> None:
    """When it ran is not known, and a former common member may have been one then."""
    stayed("gil", 9, 4, "north-lab", "south-lab")
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id, ended=time.time() + 9 * 86400)
    assert kinds(cast, original) == ["unknown"]


@pytest.mark.parametrize(
    ("started", "ended"),
    [
        ("", ""),
        ("", "2026-01-02T00:00:00Z"),
        ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2026-01-02T00:00:00Z", "2099-01-01T00:00:00Z"),
        ("0001-01-01T00:00:00", "2026-01-01T00:00:00"),
        ("yesterday", "today"),
    ],
)
def test_times_that_cannot_be_are_not_known(started: str, ended: str) -> None:
    received_at = datetime(2026, 1, 9, tzinfo=UTC)
    assert read_span([OneRun(started, ended, frozenset())], received_at) == Span(None, received_at)


def test_a_local_time_may_be_off_by_its_zone() -> None:
    runs = [OneRun(f"2026-01-0{day}T12:00:00", f"2026-01-0{day}T13:00:00", frozenset()) for day in (3, 2)]
    span = read_span(runs, datetime(2026, 1, 9, tzinfo=UTC))
    assert span == Span(datetime(2026, 1, 1, 22, tzinfo=UTC), datetime(2026, 1, 4, 3, tzinfo=UTC))


def test_a_member_of_both_at_other_times_is_none_in_common(cast: Cast, publish: Publish) -> None:
    stayed("gil", 9, 5, "north-lab")
    account = Account.objects.get(username="gil")
    now = timezone.now()
    MembershipPeriod.objects.create(
        account=account,
        institution=Site.objects.get(slug="south-lab"),
        began_at=now - timedelta(days=4),
        ended_at=now - timedelta(days=3),
    )
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id, ended=time.time() + 9 * 86400)
    assert kinds(cast, original) == ["reproduced"]


def test_the_same_bundle_of_another_institution_reproduces_nothing(cast: Cast, publish: Publish, tmp_path) -> None:
    content = bundle(tmp_path, (100, 101, 99), 8)
    original = publish(cast.alice, content=content)
    publish(cast.charlie, content=content, reproduces=original.public_id)
    assert_copied(cast, original)


def test_a_copy_with_one_number_changed_reproduces_nothing(cast: Cast, publish: Publish, tmp_path) -> None:
    ended = time.time() - 7200
    original = publish(cast.alice, content=bundle(tmp_path, (100, 101, 99), 8, ended))
    publish(cast.charlie, content=bundle(tmp_path, (100, 102, 99), 8, ended), reproduces=original.public_id)
    assert_copied(cast, original)


def assert_copied(cast: Cast, original: Result) -> None:
    described: dict[str, Any] = read_marks(cast, original)
    assert (described["sites"], described["marks"][0]["outcome"]) == (0, "cannot tell")
    assert described["marks"][0]["why"] == "one of its runs is a run of another result, so nothing was run again"
    assert list_reproduced(cast, "agrees") == []


def test_a_copy_of_what_another_institution_ran_counts_no_further_site(cast: Cast, publish: Publish, tmp_path) -> None:
    hugo = person_at("east-lab")
    original = publish(cast.alice)
    content = bundle(tmp_path, (101, 100, 102), 8)
    publish(cast.charlie, content=content, reproduces=original.public_id)
    publish(hugo, content=content, reproduces=original.public_id)
    described = read_marks(cast, original)
    assert [mark["outcome"] for mark in described["marks"]] == ["agrees", "cannot tell"]
    assert described["sites"] == 1


def test_a_result_that_names_itself_or_another_benchmark_says_why_it_is_not_judged(
    cast: Cast, publish: Publish
) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id, judged=False)
    submission = Submission.objects.get(result=again)
    for changed, why in (
        ({"reproduces": again}, "A result cannot reproduce itself."),
        ({"reproduces": original}, f"{original.public_id} is of ior, and {again.public_id} of fio."),
    ):
        Submission.objects.filter(pk=submission.pk).update(**changed)
        Result.objects.filter(pk=original.pk).update(tool="ior")
        assert judging.judge_due() == 0
        not_judged = cast.charlie.get(f"submissions/{submission.pk}/").json()["not_judged"]
        assert not_judged == {"why": why, "tried_at": None, "again_at": None}


def test_more_failures_say_what_differed_first_and_how_much_more(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.charlie, (71, 70, 72), in_flight=1, reproduces=original.public_id)
    mark = Reproduction.objects.get()
    row = mark.differences[0]["differences"][0]
    unclear = row | {"name": "only here", "values": [None, ["x" * 300]]}
    long = row | {"name": "long", "subject": "", "values": [["a " * 200], ["b"]]}
    mark.differences = [mark.differences[0] | {"differences": [unclear, row, long, row]}]
    mark.save()
    sentence = read_marks(cast, original)["sentence"]
    assert sentence.startswith("not reproduced: 0.71 x, by South Lab, what differed: ")
    assert "only here" not in sentence and "(8, here 1), long (a a" in sentence and sentence.endswith(", and 2 more")
    assert len(sentence) < 250
    page = page_source(cast.stranger.get(f"/results/{original.public_id}/"))
    assert 'href="#reproduced-by"' in page and 'id="reproduced-by"' in page
    Reproduction.objects.update(differences=[])
    assert read_marks(cast, original)["sentence"].endswith("by South Lab, nothing that is known differed")
