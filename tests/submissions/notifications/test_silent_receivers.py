"""A receiver that never answers holds up nobody else's, and is left alone after a while."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from submissions.models import Delivery, Webhook
from submissions.notifications import outbox, webhooks

pytestmark = pytest.mark.django_db


@pytest.fixture
def silent(settings) -> Iterator[str]:
    """The address of a host that takes connections and says nothing."""
    settings.INSECURE_LOCAL = True
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture(autouse=True)
def short_patience(monkeypatch) -> None:
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 0.3)
    monkeypatch.setattr(outbox, "ANSWERED_WITHIN_S", 0.6)


def test_forty_trials_to_a_silent_host_delay_no_other_account(cast, receiver, silent) -> None:
    for number in range(4):
        hook = webhooks.add_webhook(cast.charlie.account, f"{silent}/{number}")
        for _ in range(10):
            webhooks._new_trial(hook)
    webhooks.try_out(webhooks.add_webhook(cast.alice.account, receiver.url))
    assert outbox._send_webhooks()
    assert receiver.types == ["trial"]
    assert Delivery.objects.filter(attempts=1).count() == 1 + outbox.CALLS_OF_ACCOUNT


def test_a_silent_receiver_rests_ever_longer_and_is_forgiven_once_it_answers(cast, silent, receiver) -> None:
    hook = webhooks.add_webhook(cast.alice.account, f"{silent}/")
    first, second = (webhooks.try_out(hook) for _ in range(2))
    outbox.send_due()
    hook.refresh_from_db()
    assert (hook.failures, Delivery.objects.get(pk=second.pk).attempts) == (1, 0)
    assert hook.rest_until <= timezone.now() + timedelta(minutes=1)
    with time_machine.travel(timezone.now() + timedelta(minutes=1, seconds=5), tick=True):
        outbox.send_due()
        hook.refresh_from_db()
        assert hook.failures == 2
        assert hook.rest_until > timezone.now() + timedelta(seconds=100)
    Webhook.objects.update(url=receiver.url)
    with time_machine.travel(timezone.now() + timedelta(minutes=10), tick=True):
        outbox.send_due()
    hook.refresh_from_db()
    assert (hook.failures, hook.rest_until, len(receiver.received)) == (0, None, 2)
    assert {*Delivery.objects.values_list("state", flat=True)} == {"delivered"}
    assert first.pk < second.pk


def test_who_answered_last_time_is_called_first(cast, receiver, silent) -> None:
    dead = webhooks.add_webhook(cast.charlie.account, f"{silent}/dead")
    Webhook.objects.filter(pk=dead.pk).update(failures=3)
    webhooks.try_out(dead)
    webhooks.try_out(webhooks.add_webhook(cast.alice.account, receiver.url))
    assert [delivery.account_id for delivery in outbox._next_receivers()] == [
        cast.alice.account.pk,
        cast.charlie.account.pk,
    ]


def test_an_answer_that_is_no_is_still_an_answer(cast, receiver) -> None:
    receiver.statuses[:] = [500]
    hook = webhooks.add_webhook(cast.alice.account, receiver.url)
    webhooks.try_out(hook)
    outbox.send_due()
    hook.refresh_from_db()
    assert (hook.failures, hook.rest_until) == (0, None)


def test_trials_are_limited_for_an_account(cast, receiver) -> None:
    addresses = [cast.alice.post("webhooks/", {"url": f"{receiver.url}/{n}"}).json()["id"] for n in range(2)]
    answers = [cast.alice.post(f"webhooks/{addresses[n % 2]}/deliveries/") for n in range(webhooks.MOST_TRIALS + 1)]
    assert [answer.status_code for answer in answers] == [202] * webhooks.MOST_TRIALS + [429]
    assert answers[-1].json()["code"] == "webhook.trials"
    assert int(answers[-1]["Retry-After"]) > 0
    other = cast.bob.post("webhooks/", {"url": receiver.url}).json()["id"]
    assert cast.bob.post(f"webhooks/{other}/deliveries/").status_code == 202
    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=True):
        assert cast.alice.post(f"webhooks/{addresses[0]}/deliveries/").status_code == 202
