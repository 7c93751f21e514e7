"""Accounts take turns: who sent two hundred runs holds up nobody who sent one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from django.db import connection

from submissions import tasks
from submissions.checks import processing, turns
from submissions.models import Check, CheckTurn, State, Submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent() -> Callable[..., list[str]]:
    """Give ids of small uploads, each of other bytes, of one account."""
    numbers = count()

    def send(person, how_many: int) -> list[str]:
        answers = [person.upload(f"no result {next(numbers)}\n".encode(), name="a.txt") for _ in range(how_many)]
        return [answer.json()["id"] for answer in answers]

    return send


def unchecked(person) -> int:
    return Submission.objects.filter(account=person.account, state=State.RECEIVED).count()


def test_accounts_with_a_single_run_are_checked_next(cast, sent) -> None:
    many = sent(cast.alice, 12)
    tasks.process(many[0])
    (single,) = sent(cast.charlie, 1)
    tasks.process(many[1])  # the tasks of the first account lie before that of the other in the queue
    assert (unchecked(cast.alice), Submission.objects.get(pk=single).state) == (11, "invalid")


def test_accounts_alternate_in_the_queue(cast, sent) -> None:
    people = [cast.alice, cast.charlie, cast.bob]
    queue = [task for person in people for task in sent(person, 3)]
    order = []
    for task in queue:
        tasks.process(task)
        order.append(CheckTurn.objects.order_by("-began_at").first().account_id)
    assert [set(order[start : start + 3]) for start in (0, 3, 6)] == [{person.account.pk for person in people}] * 3
    assert not Submission.objects.filter(state=State.RECEIVED).exists()
    assert Check.objects.count() == 9


def test_the_oldest_submission_of_an_account_is_first(cast, sent) -> None:
    first, second, third = sent(cast.alice, 3)
    tasks.process(third)
    assert [Submission.objects.get(pk=pk).state for pk in (first, second, third)] == ["invalid", "received", "received"]


def test_a_lost_submission_waits_for_the_turn_of_its_account(cast, sent) -> None:
    """Its worker died; the sweeper sent its task again, and somebody else has waited longer."""
    (lost,) = sent(cast.alice, 1)
    tasks.process(lost)
    Submission.objects.filter(pk=lost).update(state=State.PROCESSING, attempts=1)
    (single,) = sent(cast.charlie, 1)
    tasks.process(lost)
    assert [Submission.objects.get(pk=pk).state for pk in (lost, single)] == ["processing", "invalid"]
    tasks.process(lost)
    assert Submission.objects.get(pk=lost).state == "invalid"


def test_a_single_lost_submission_is_processed_at_once(cast, sent) -> None:
    (lost,) = sent(cast.alice, 1)
    Submission.objects.update(state=State.PROCESSING, attempts=1)
    tasks.process(lost)
    assert Submission.objects.get().state == "invalid"


def test_uploads_go_before_checks_of_history(cast, sent, checked) -> None:
    old = checked()
    (single,) = sent(cast.charlie, 1)
    tasks.recheck(str(old.pk))
    assert Submission.objects.get(pk=single).state == "invalid"


def test_a_task_with_an_empty_queue_ends_quietly() -> None:
    tasks.process("00000000-0000-4000-8000-000000000000")
    assert turns.check_next() is False


def test_the_query_reads_a_limited_number_of_rows(cast, sent, django_assert_num_queries) -> None:
    sent(cast.alice, 40)
    sent(cast.charlie, 1)
    with django_assert_num_queries(1):
        waiting = turns.list_waiting()
    assert len(waiting) == turns._OF_ONE_ACCOUNT + 1


@pytest.mark.django_db(transaction=True)
def test_parallel_workers_check_each_submission_once(cast, sent) -> None:
    many = [*sent(cast.alice, 10), *sent(cast.charlie, 2)]

    def work(task: str) -> None:
        try:
            tasks.process(task)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, many))
    while processing.lost_submissions(Submission.objects.latest("received_at").received_at.replace(year=9999)):
        assert turns.check_next()
    assert Check.objects.count() == len(many)
    assert set(Submission.objects.values_list("state", "attempts")) == {("invalid", 1)}
