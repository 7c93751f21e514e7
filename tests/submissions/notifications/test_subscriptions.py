"""Following a system: who is told of a step, of which, once, and nobody else."""

from __future__ import annotations

import email
import email.policy
import json
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core import mail as outbox
from django.test import Client
from django.utils import timezone

from registry.celery import app
from registry.models import Release, Result, Step, System
from registry.timeseries import detected_steps
from submissions.accounts import personal_data
from submissions.change_points import detection
from submissions.models import Account, Delivery, Subscription
from submissions.notifications import outbox as notifications_outbox
from submissions.notifications import subscriptions, webhooks
from submissions.publication import publish as publication_publish
from submissions.publication import releases
from submissions.review import decisions
from tests.registry.record import make_measurement, make_nights, make_release
from tests.submissions.cast import submit_to
from tests.submissions.conftest import wait_until
from tests.submissions.receiver import told_after

pytestmark = pytest.mark.django_db
SLUG = "site-one-test-system-a"
LEVEL, LOWER = [50.0, 50.5, 49.8], [45.0, 45.3, 44.9]


@pytest.fixture
def record(db) -> Release:
    """A system with three nights, all alike."""
    release = make_release("T1")
    make_nights(release, LEVEL)
    return release


@pytest.fixture
def alice(cast, record) -> Account:
    """She follows the system."""
    account = cast.alice.account
    account.email = "alice@example.org"
    account.save()
    subscriptions.subscribe(account, SLUG)
    return account


def publish(release: Release, values: list[float], first: int = 4) -> None:
    """More nights, as publication would have them: their system is due, and is looked at."""
    make_nights(release, values, first)
    look_again()


def look_again() -> None:
    detected_steps.mark_due(System.objects.values_list("pk", flat=True))
    detection.detect_due_systems()


# What is told


def test_a_step_is_one_email_with_system_levels_date_and_unsubscribe_link(alice, record) -> None:
    publish(record, LOWER)
    told_after(seconds=6)
    (letter,) = outbox.outbox
    assert letter.to == ["alice@example.org"]
    assert letter.subject == "Highwater: 1 performance change on Test system A"
    step_text = (
        "2026-03-04: Write bandwidth max (ior, access file-per-process, direct I/O yes, transfer size 1 MiB, "
        "10 client nodes; imported) from 50.10 to 45.07 GiB/s, {} 0.900: worse."
    )
    for text in (
        step_text.format("\N{MULTIPLICATION SIGN}"),
        f"/systems/{SLUG}/history/",
        "Stop following:",
        "/account/following/",
    ):
        assert text in letter.body, letter.body
    look_again()
    told_after(seconds=12)
    assert len(outbox.outbox) == 1


def test_all_changed_metrics_are_one_email(alice, record) -> None:
    for night, value in zip(make_nights(record, LOWER, first=4), LOWER, strict=True):
        make_measurement(night, "read", value, stat="max")
    for night in Result.objects.filter(public_id__in=["hw-1", "hw-2", "hw-3"]):
        make_measurement(night, "read", 60.0 + night.pk % 3, stat="max")
    other = make_nights(make_release("T2"), LEVEL + LOWER, first=11, system_name="Other")
    subscriptions.subscribe(alice, other[0].system.slug)
    look_again()
    told_after(seconds=6)
    (letter,) = outbox.outbox
    assert letter.subject == "Highwater: 3 performance changes on 2 systems"
    assert letter.body.count("worse.") == 3


def test_a_webhook_gets_the_numbers_of_a_step(cast, alice, record, receiver) -> None:
    webhooks.add_webhook(alice, receiver.url)
    publish(record, LOWER)
    notifications_outbox.send_due()
    ((_, body),) = receiver.received
    event = json.loads(body)
    data = event["data"]
    assert event["type"] == "system.step"
    assert (data["system"], data["op"], data["stat"], data["unit"]) == (SLUG, "write", "max", "B/s")
    assert (data["before"], data["after"], data["day"], data["better"]) == ("hw-3", "hw-4", "2026-03-04", False)
    assert data["level_after"] / 2**30 == pytest.approx(45.07, abs=0.01)
    assert data["url"].endswith(f"/systems/{SLUG}/history/")
    hook = alice.webhooks.get()
    (row,) = cast.alice.get(f"webhooks/{hook.pk}/deliveries/").json()["results"]
    assert (row["type"], row["system"], row["submission"], row["state"]) == ("system.step", SLUG, None, "delivered")
    browser = Client()
    browser.force_login(alice)
    assert f"/systems/{SLUG}/history/" in browser.get("/account/webhooks/").content.decode()


def test_notices_of_submissions_and_steps_share_an_email(alice, record, checked) -> None:
    submission = checked()
    publish(record, LOWER)
    told_after(seconds=6)
    (letter,) = outbox.outbox
    assert letter.subject == (
        f"Highwater: your submission {str(submission.pk)[:8]} was checked, and 1 performance change on Test system A"
    )


def test_daily_email_includes_steps(alice, record) -> None:
    Account.objects.update(mail=Account.Mail.DAILY)
    with time_machine.travel(datetime(2099, 3, 1, 7, tzinfo=UTC)):
        publish(record, LOWER)
        notifications_outbox.send_due()
    with time_machine.travel(datetime(2099, 3, 2, 5, 59, tzinfo=UTC)):
        notifications_outbox.send_due()
        assert outbox.outbox == []
    with time_machine.travel(datetime(2099, 3, 2, 6, 0, 1, tzinfo=UTC)):
        notifications_outbox.send_due()
    assert len(outbox.outbox) == 1


# What is not told


def test_earlier_steps_send_no_notice(alice, record) -> None:
    subscriptions.unsubscribe(alice, SLUG)
    publish(record, LOWER)
    subscriptions.subscribe(alice, SLUG)
    for withdrawn_at in (timezone.now(), None):
        Result.objects.filter(public_id="hw-6").update(withdrawn_at=withdrawn_at)
        look_again()
    assert Step.objects.get().gone_at is None
    assert not Delivery.objects.exists()


def test_subscribers_to_regressions_get_no_notice_of_gains(alice, record) -> None:
    subscriptions.subscribe(alice, SLUG, "worse")
    publish(record, [60.0, 60.1, 59.8])
    assert Step.objects.get().better
    assert not Delivery.objects.exists()
    publish(record, LOWER, first=7)
    assert Delivery.objects.get().step.better is False


def test_members_do_not_follow_by_themselves(cast, record) -> None:
    cast.bob.account.memberships.create(institution=System.objects.get().site)
    Account.objects.filter(username="bob").update(email="bob@example.org")
    publish(record, LOWER)
    assert not Delivery.objects.exists()


@pytest.mark.parametrize("change", [{"mail": "none"}, {"email": ""}, {"is_active": False}])
def test_accounts_without_email_or_inactive_ones_get_no_notice(alice, record, change) -> None:
    Account.objects.filter(pk=alice.pk).update(**change)
    publish(record, LOWER)
    assert not Delivery.objects.exists()


def test_accounts_closed_or_unsubscribed_before_sending_get_no_email(cast, alice, record) -> None:
    for person in (cast.bob, cast.charlie):
        Account.objects.filter(pk=person.account.pk).update(email=f"{person.account.username}@example.org")
        subscriptions.subscribe(person.account, SLUG)
    publish(record, LOWER)
    assert Delivery.objects.count() == 3
    Account.objects.filter(username="bob").update(is_active=False)
    personal_data.erase_account(cast.charlie.account)
    subscriptions.unsubscribe(alice, SLUG)
    told_after(days=2)
    assert outbox.outbox == []


def test_a_vanished_step_is_sent_only_after_its_return(alice, record, receiver) -> None:
    webhooks.add_webhook(alice, receiver.url)
    publish(record, LOWER)
    notifications_outbox.send_due()
    Result.objects.filter(public_id="hw-6").update(withdrawn_at=timezone.now())
    look_again()
    told_after(seconds=12)
    assert outbox.outbox == []
    Result.objects.update(withdrawn_at=None)
    look_again()
    told_after(seconds=12)
    assert len(outbox.outbox) == 1
    assert receiver.types == ["system.step"]


def test_a_failing_system_delays_no_other(alice, record, monkeypatch) -> None:
    make_nights(make_release("T2"), LEVEL + LOWER, first=11, system_name="Other")
    broken = System.objects.get(name="Test system A")
    find = detected_steps.detect_steps

    def failing(system_id: int) -> detected_steps.StepChanges:
        if system_id == broken.pk:
            raise ZeroDivisionError
        return find(system_id)

    monkeypatch.setattr(detected_steps, "detect_steps", failing)
    look_again()
    assert detected_steps.due_systems() == []
    with time_machine.travel(timezone.now() + detected_steps.PAUSE):
        assert detected_steps.due_systems() == [broken.pk]
    detected_steps.mark_due([broken.pk])
    assert detected_steps.due_systems() == [broken.pk]


# Choosing


def test_systems_are_followed_by_api(cast, record) -> None:
    created = cast.alice.post("following/", {"system": SLUG, "steps": "worse"})
    assert (created.status_code, created.json()["steps"], created.json()["name"]) == (200, "worse", "Test system A")
    since = created.json()["since"]
    assert cast.alice.post("following/", {"system": SLUG}).json() == created.json() | {"steps": "all", "since": since}
    assert [row["system"] for row in cast.alice.get("following/").json()["results"]] == [SLUG]
    assert cast.bob.get("following/").json()["results"] == []
    delete = cast.bob.client.delete
    assert delete(f"/api/v1/following/{SLUG}/").json()["code"] == "following.not-followed"
    assert cast.alice.client.delete(f"/api/v1/following/{SLUG}/").status_code == 204
    assert not Subscription.objects.exists()


@pytest.mark.parametrize(
    ("document", "status", "code"),
    [
        ({"system": "nothing"}, 404, "record.no-system"),
        ({"system": SLUG, "steps": "none"}, 400, "request.invalid"),
        ({}, 400, "request.invalid"),
    ],
)
def test_invalid_subscriptions_are_refused(cast, record, document, status, code) -> None:
    answer = cast.alice.post("following/", document)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not Subscription.objects.exists()


def test_systems_are_followed_on_pages(cast, record, client) -> None:
    page = f"/systems/{SLUG}/history/"
    assert f"/login/?next={page}" in client.get(page).content.decode()
    assert client.post("/account/following/", {"system": SLUG})["Location"].startswith("/login/")
    client.force_login(cast.alice.account)
    assert "You follow no systems" in client.get("/account/following/").content.decode()
    for address in (page, f"/systems/{SLUG}/"):
        assert "<button>Follow</button>" in client.get(address).content.decode()
    assert client.post("/account/following/", {"system": SLUG, "steps": "worse"})["Location"] == "/account/following/"
    assert "Test system A" in client.get("/account/following/").content.decode()
    assert "You are notified of its performance changes" in client.get(page).content.decode()
    assert Subscription.objects.get().steps == "worse"
    assert client.post("/account/following/", {"system": "nothing"}).status_code == 404
    refused = client.post("/account/following/", {"system": SLUG, "steps": "none"})
    assert (refused.status_code, list(refused.context["refused"].errors)) == (422, ["steps"])
    text = refused.content.decode()
    assert text.partition("<title>")[2].startswith("Error: ")
    assert (text.count("autofocus"), 'id="follow_form_steps_error"' in text) == (1, True)
    assert client.post("/account/following/stop/", {"system": "nothing"}).status_code == 404
    client.post("/account/following/stop/", {"system": SLUG})
    assert not Subscription.objects.exists()


# All of it


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_a_published_step_is_sent_by_a_worker(cast, definitions, checked, receiver, start_worker, tmp_path) -> None:
    alice = cast.alice.account
    alice.email = "alice@example.org"
    alice.save()
    webhooks.add_webhook(alice, receiver.url)
    _publish_runs(cast, checked, "sc98", [1.0, 1.01, 0.99])
    system = System.objects.get()
    subscriptions.subscribe(alice, system.slug)
    _publish_runs(cast, checked, "sc99", [0.8, 0.805, 0.797])
    assert set(detected_steps.due_systems()) == {system.pk}
    start_worker(HIGHWATER_STATE=str(tmp_path), INSECURE_LOCAL="true")
    app.send_task("submissions.tasks.find_steps")
    wait_until(Delivery.objects.filter(step__isnull=False).exists)
    Delivery.objects.update(due_at=timezone.now())
    app.send_task("submissions.tasks.tell")
    wait_until(lambda: not Delivery.objects.filter(state=Delivery.State.WAITING).exists())
    assert "system.step" in receiver.types
    (written,) = (tmp_path / "mail").glob("*.eml")
    letter = email.message_from_bytes(written.read_bytes(), policy=email.policy.default)
    assert "on " + str(system) in letter["Subject"]
    assert "worse." in letter.get_content()
    assert not Step.objects.exclude(before__public_id="hw-3", after__public_id="hw-4").exists()


def _publish_runs(cast, checked, slug: str, performances: list[float]) -> None:
    """A release with these runs of Alice's system."""
    release = releases.create_release(slug, timezone.now() + timedelta(days=1), lists=["full"])
    for performance in performances:
        submission = checked(fields={"metadata": '{"system": "Gale"}'}, performance=performance)
        submit_to(release, submission, cast.alice)
        decisions.decide_run(submission, cast.dana.account, "accept", "Sound.")
    publication_publish.publish_release(release, cast.erin.account, allow_empty=True)
