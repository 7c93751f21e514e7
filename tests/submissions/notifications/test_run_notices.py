"""Whoever follows a system is told of a run that is lower or higher than expected: the same night, once."""

from __future__ import annotations

import json

import pytest
from django.core import mail as outbox
from django.test import Client
from django.utils import timezone

from registry.models import Release, Result, System
from registry.timeseries import detected_steps
from submissions.change_points import detection
from submissions.models import Account, Delivery
from submissions.notifications import outbox as notifications_outbox
from submissions.notifications import subscriptions, webhooks
from tests.registry.record import make_measurement, make_nights, make_release
from tests.submissions.receiver import told_after

pytestmark = pytest.mark.django_db
SLUG = "site-one-test-system-a"
EVEN = [50.0, 50.5, 49.8, 50.2, 49.9, 50.1, 50.3, 49.7]


@pytest.fixture
def record(db: None) -> Release:
    """A system with eight nights, all alike and looked at."""
    release = make_release("T1")
    make_nights(release, EVEN)
    look_again()
    return release


@pytest.fixture
def alice(cast, record) -> Account:
    """She follows the system."""
    account: Account = cast.alice.account
    account.email = "alice@example.org"
    account.save()
    subscriptions.subscribe(account, SLUG)
    return account


def publish(release: Release, values: list[float], first: int = 9) -> None:
    """More nights, as publication would have them: their system is due, and is looked at."""
    make_nights(release, values, first)
    look_again()


def look_again() -> None:
    detected_steps.mark_due(System.objects.values_list("pk", flat=True))
    detection.detect_due_systems()


def test_a_lower_run_is_one_email_the_next_morning(alice, record) -> None:
    publish(record, [37.5])
    told_after(seconds=6)
    (letter,) = outbox.outbox
    assert letter.to == ["alice@example.org"]
    assert letter.subject == "Highwater: 1 run not as expected on Test system A"
    for text in (
        "2026-03-09: hw-9: 1 metric lower than expected",
        "Write bandwidth max 37.50 GiB/s, expected ", "0.749 of the middle: worse.",
        "/results/hw-9/", f"/systems/{SLUG}/history/", "You follow this system. Stop following:", "/account/following/",
    ):  # fmt: skip
        assert text in letter.body, letter.body
    look_again()
    told_after(seconds=12)
    assert len(outbox.outbox) == 1


def test_the_second_low_night_sends_nothing_and_the_third_is_a_step(alice, record) -> None:
    publish(record, [37.5])
    told_after(seconds=6)
    publish(record, [37.4], first=10)
    told_after(seconds=12)
    assert len(outbox.outbox) == 1
    publish(record, [37.6], first=11)
    told_after(seconds=18)
    assert [letter.subject for letter in outbox.outbox[1:]] == ["Highwater: 1 performance change on Test system A"]


def test_expected_runs_and_runs_without_history_send_no_notice(alice, record) -> None:
    publish(record, [50.4])
    make_nights(make_release("T2"), [20.0], first=12, client_nodes=99)
    look_again()
    told_after(seconds=6)
    assert outbox.outbox == []


@pytest.mark.parametrize(("value", "letters"), [(60.0, 0), (37.5, 1)])
def test_subscribers_to_regressions_get_no_notice_of_better_runs(alice, record, value, letters) -> None:
    subscriptions.subscribe(alice, SLUG, "worse")
    publish(record, [value])
    told_after(seconds=6)
    assert len(outbox.outbox) == letters


def test_a_mixed_run_is_sent_to_all_subscribers(alice, record) -> None:
    subscriptions.subscribe(alice, SLUG, "worse")
    nights = make_nights(record, [37.5], first=9)
    for night, value in zip(
        [*Result.objects.exclude(pk=nights[0].pk).order_by("pk"), *nights], [*EVEN, 60.0], strict=True
    ):
        make_measurement(night, "read", value, stat="max")
    look_again()
    told_after(seconds=6)
    (letter,) = outbox.outbox
    assert (letter.body.count(": worse."), letter.body.count(": better.")) == (1, 1)


def test_a_webhook_gets_the_numbers_of_a_run(cast, alice, record, receiver) -> None:
    webhooks.add_webhook(alice, receiver.url)
    publish(record, [37.5])
    notifications_outbox.send_due()
    ((_, body),) = receiver.received
    event = json.loads(body)
    data = event["data"]
    assert event["type"] == "system.run"
    assert (data["system"], data["result"], data["day"]) == (SLUG, "hw-9", "2026-03-09")
    assert (data["verdict"], data["better"], data["earlier"], data["judged"]) == ("lower", False, 8, 1)
    (metric,) = data["metrics"]
    assert (metric["op"], metric["unit"], metric["verdict"]) == ("write", "B/s", "lower")
    assert metric["ratio"] == pytest.approx(0.749, abs=0.002)
    assert data["url"].endswith(f"/systems/{SLUG}/history/")
    hook = alice.webhooks.get()
    (row,) = cast.alice.get(f"webhooks/{hook.pk}/deliveries/").json()["results"]
    assert (row["type"], row["system"], row["submission"], row["state"]) == ("system.run", SLUG, None, "delivered")
    browser = Client()
    browser.force_login(alice)
    assert "a run" in browser.get("/account/webhooks/").content.decode()


def test_a_run_withdrawn_in_time_sends_no_notice(alice, record) -> None:
    publish(record, [37.5])
    assert Delivery.objects.filter(state="waiting").count() == 1
    Result.objects.filter(public_id="hw-9").update(withdrawn_at=timezone.now())
    look_again()
    told_after(seconds=6)
    assert outbox.outbox == []


def test_unsubscribing_cancels_waiting_notices(alice, record) -> None:
    publish(record, [37.5])
    subscriptions.unsubscribe(alice, SLUG)
    told_after(seconds=6)
    assert outbox.outbox == []


def test_a_new_subscriber_gets_no_earlier_notices(cast, alice, record) -> None:
    publish(record, [37.5])
    subscriptions.subscribe(cast.bob.account, SLUG)
    look_again()
    assert {delivery.account for delivery in Delivery.objects.all()} == {alice}
