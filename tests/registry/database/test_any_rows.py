"""One statement that is made once tells of several kinds of rows whether there are any, at the moment of asking."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models import Q
from django.utils import timezone

from registry.database.any_rows import AnyRows
from registry.models import Release, Result
from tests.registry.record import make_release, make_result

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def withdrawn_before(now: datetime):
    return Result.objects.filter(withdrawn_at__lt=now - timedelta(hours=1)).order_by("-withdrawn_at")


def releases_at_all(_: datetime):
    return Release.objects.all()


def test_each_kind_has_its_answer_in_one_query(django_assert_num_queries) -> None:
    both, turned = AnyRows(withdrawn_before, releases_at_all), AnyRows(releases_at_all, withdrawn_before)
    assert both.ask_all(NOON) == [False, False]
    result = make_result(make_release("T1"), "hw-1")
    assert (both.ask_all(NOON), turned.ask_all(NOON)) == ([False, True], [True, False])
    Result.objects.filter(pk=result.pk).update(withdrawn_at=NOON - timedelta(hours=2))
    with django_assert_num_queries(1):
        assert both.ask_all(NOON) == [True, True]


def test_times_are_those_of_the_asking_and_not_of_the_making() -> None:
    make_result(make_release("T1"), "hw-1", withdrawn_at=NOON)
    rows = AnyRows(withdrawn_before)
    asked_at = [NOON + timedelta(minutes=minutes) for minutes in (59, 61, 59)]
    assert [rows.ask_all(moment) for moment in asked_at] == [[False], [True], [False]]


def test_a_time_that_does_not_move_stays() -> None:
    make_result(make_release("T1"), "hw-1", withdrawn_at=NOON)
    fixed = AnyRows(lambda _: Result.objects.filter(withdrawn_at=NOON))
    assert [fixed.ask_all(moment) for moment in (NOON, timezone.now())] == [[True], [True]]


@pytest.mark.parametrize(
    "make",
    [
        lambda now: Result.objects.filter(client_nodes=now.year),
        lambda now: Result.objects.filter(withdrawn_at__lt=now.replace(month=1)),
        lambda now: Result.objects.filter(Q(tool="ior") if now.month == 1 else Q(score=1.0)),
    ],
)
def test_rows_that_depend_on_the_moment_otherwise_are_refused(make) -> None:
    with pytest.raises(ValueError, match="moment"):
        AnyRows(make).ask_all(NOON)
