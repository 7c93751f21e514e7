"""Periodic tasks: a registry at rest sends none beside the sweep, and a worker keeps its connection between them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from registry.celery import app
from registry.models import Release, StepsDue, System
from registry.timeseries import detected_steps
from submissions import tasks
from submissions.accounts import account_requests
from submissions.lifecycle import task_queue
from submissions.models import Account, AccountRequest, Delivery, Notice, Submission, Webhook
from tests.registry.record import make_release, make_result
from tests.submissions.conftest import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]


def sent_tasks() -> int | None:
    """How many tasks a sweep sends."""
    app.control.purge()
    tasks.sweep()
    return task_queue.queue_length("prompt")


def test_a_registry_at_rest_sends_no_task(broker) -> None:
    assert sent_tasks() == 0


def test_a_notice_has_a_task_sent(broker, cast, archive) -> None:
    cast.alice.upload(archive())
    assert Notice.objects.exists()
    assert sent_tasks() == 1


def test_a_due_delivery_has_a_task_sent_unless_its_receiver_rests(broker, cast) -> None:
    account, now = Account.objects.get(username="alice"), timezone.now()
    webhook = Webhook.objects.create(account=account, url="https://example.org/")
    delivery = Delivery.objects.create(account=account, webhook=webhook, due_at=now + timedelta(hours=1))
    assert sent_tasks() == 0
    Delivery.objects.filter(pk=delivery.pk).update(due_at=now)
    assert sent_tasks() == 1
    Webhook.objects.filter(pk=webhook.pk).update(rest_until=now + timedelta(hours=1))
    assert sent_tasks() == 0
    Delivery.objects.create(account=account, due_at=now)
    assert sent_tasks() == 1


def test_requests_for_accounts_are_answered_and_forgotten(broker) -> None:
    account_requests.request_reset("nobody@example.org", "https://example.org")
    AccountRequest.objects.update(due_at=timezone.now() + timedelta(hours=1))
    assert sent_tasks() == 0
    AccountRequest.objects.update(due_at=timezone.now())
    assert sent_tasks() == 1
    late = timezone.now() - account_requests.KEPT_FOR - timedelta(minutes=1)
    AccountRequest.objects.update(due_at=timezone.now() + timedelta(hours=1), made_at=late)
    assert sent_tasks() == 1


def test_steps_are_found_where_they_are_due(broker) -> None:
    make_result(make_release("T1"), "hw-a", 20.0, system_name="A")
    StepsDue.objects.all().delete()
    assert sent_tasks() == 0
    detected_steps.mark_due(System.objects.values_list("pk", flat=True))
    assert sent_tasks() == 1


def test_a_lost_upload_is_queued_again_by_a_sweep(broker, cast, archive) -> None:
    cast.alice.upload(archive())
    app.control.purge()
    sent_tasks()
    assert task_queue.queue_length(settings.CELERY_TASK_DEFAULT_QUEUE) == 0
    Submission.objects.update(queued_at=timezone.now() - timedelta(days=1))
    sent_tasks()
    assert task_queue.queue_length(settings.CELERY_TASK_DEFAULT_QUEUE) == 1


def test_a_sweep_looks_at_what_the_calendar_and_the_shelf_wait_for(broker, checked) -> None:
    now, hour = timezone.now(), timedelta(hours=1)
    submission, release = checked(), make_release("T9", imported=False, deadline=now, publishes=now + hour)
    Submission.objects.update(shelved_at=None)
    sent_tasks()
    submission.refresh_from_db()
    release.refresh_from_db()
    assert (submission.shelved_at == submission.changed_at, release.publishes is None) == (True, False)
    Release.objects.update(publishes=timezone.now() - timedelta(seconds=1))
    sent_tasks()  # nothing was accepted, so it is left to the editors
    release.refresh_from_db()
    assert release.publishes is None


def test_a_registry_at_rest_asks_one_query(broker, django_assert_num_queries) -> None:
    tasks.sweep()
    with django_assert_num_queries(1):
        tasks.sweep()


def other_connections() -> set[int]:
    """Processes of the database that serve somebody else than this test."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
        return {pid for (pid,) in cursor}


def is_checked(public_id: str) -> bool:
    return Submission.objects.filter(pk=public_id, state="checked").exists()


def check_upload(cast: Any, content: bytes) -> set[int]:
    """Have a worker check it; the connections after that."""
    submission_id = cast.alice.upload(content).json()["id"]
    wait_until(lambda: is_checked(submission_id))
    return other_connections()


def test_a_worker_keeps_its_connection_from_task_to_task(cast, archive, start_worker) -> None:
    start_worker()
    first = check_upload(cast, archive())
    assert first & check_upload(cast, archive(performance=1.5))


def test_the_connection_of_a_failed_task_ends_with_it(cast, archive, start_worker) -> None:
    start_worker()
    (pid,) = check_upload(cast, archive())
    app.send_task("submissions.tasks.process", args=["no number of a submission"])
    wait_until(lambda: pid not in other_connections())
    assert check_upload(cast, archive(performance=1.5))
