"""Telling people: mail and webhooks of what became of a submission, each once, with retries, to nobody else."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core import mail as outbox
from django.db import DataError, connection
from django.test import Client
from django.utils import timezone

from submissions.models import Account, Delivery, Notice, Webhook
from submissions.notifications import outbox as notifications_outbox
from submissions.notifications import webhooks
from submissions.publication import publish as publication_publish
from submissions.review import decisions
from tests.submissions.receiver import told_after

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice_reads(cast):
    cast.alice.account.email = "alice@example.org"
    cast.alice.account.save()
    return cast.alice.account


# Mail


def test_an_upload_and_its_findings_are_one_email(alice_reads, checked) -> None:
    submission = checked()
    told_after(seconds=6)
    (letter,) = outbox.outbox
    assert letter.to == ["alice@example.org"]
    assert letter.subject == f"Highwater: your submission {str(submission.pk)[:8]} was checked"
    assert f"/submissions/{submission.pk}/" in letter.body
    told_after(seconds=12)
    assert len(outbox.outbox) == 1


def test_a_decision_is_mailed_with_its_reason_in_the_body_only(cast, alice_reads, submitted) -> None:
    submission = submitted()
    told_after(seconds=6)
    decisions.decide_run(submission, cast.dana.account, "request_changes", "Which stripe count?")
    told_after(seconds=12)
    letter = outbox.outbox[-1]
    assert letter.subject.endswith("needs changes")
    assert "Which stripe count?" in letter.body
    assert "Which" not in letter.subject


def test_own_actions_send_no_email(cast, alice_reads, checked) -> None:
    submission = checked()
    told_after(seconds=6)
    decisions.withdraw_run(submission, alice_reads, "Wrong folder.")
    told_after(seconds=12)
    assert len(outbox.outbox) == 1


def test_a_daily_email_has_all_notices(alice_reads, checked) -> None:
    alice_reads.mail = Account.Mail.DAILY
    alice_reads.save()
    with time_machine.travel(datetime(2027, 3, 1, 7, tzinfo=UTC)):
        checked()
        checked(performance=2.0)
        notifications_outbox.send_due()
    with time_machine.travel(datetime(2027, 3, 2, 5, 59, tzinfo=UTC)):
        notifications_outbox.send_due()
        assert outbox.outbox == []
    with time_machine.travel(datetime(2027, 3, 2, 6, 0, 1, tzinfo=UTC)):
        notifications_outbox.send_due()
    (letter,) = outbox.outbox
    assert letter.subject == "Highwater: news of 2 of your submissions"


@pytest.mark.parametrize("change", [{"mail": "none"}, {"email": ""}, {"is_active": False}])
def test_accounts_without_mail_get_none(alice_reads, checked, change: dict) -> None:
    checked()
    Account.objects.filter(pk=alice_reads.pk).update(**change)
    told_after(days=2)
    assert outbox.outbox == []
    assert not Notice.objects.exists()


def test_a_mail_server_that_is_away_is_tried_again(alice_reads, checked, settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    checked()
    told_after(seconds=6)
    waiting = Delivery.objects.first()
    assert (waiting.state, waiting.attempts) == ("waiting", 1)
    assert "ConnectionRefusedError" in waiting.answer
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    told_after(seconds=30)
    assert outbox.outbox == []
    told_after(seconds=70)
    assert len(outbox.outbox) == 1


def test_a_rolled_back_change_sends_no_notice(cast, alice_reads, submitted) -> None:
    submission = submitted()
    told_after(seconds=6)
    Notice.objects.all().delete()
    with pytest.raises(DataError):
        decisions.decide_run(submission, cast.dana.account, "accept", "Fine.", reproducibility="x" * 40)
    assert not Notice.objects.exists()


# Webhooks


def test_a_webhook_gets_each_change_with_a_signature(cast, receiver, checked) -> None:
    hook = webhooks.add_webhook(cast.alice.account, receiver.url)
    submission = checked()
    notifications_outbox.send_due()
    assert receiver.types == ["submission.received", "submission.checked"]
    headers, body = receiver.received[1]
    payload = json.loads(body)["data"]
    assert (payload["id"], payload["to_state"], payload["sha256"]) == (str(submission.pk), "checked", submission.sha256)
    key = base64.b64decode(webhooks.webhook_secret(hook).removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    notifications_outbox.send_due()
    assert len(receiver.received) == 2


def test_only_members_of_the_institution_are_notified(cast, receiver, submitted) -> None:
    webhooks.add_webhook(cast.bob.account, receiver.url + "?bob")
    webhooks.add_webhook(cast.charlie.account, receiver.url + "?charlie")
    submitted()
    notifications_outbox.send_due()
    assert receiver.types[-1] == "submission.submitted"
    assert set(Delivery.objects.values_list("account__username", flat=True)) == {"bob"}


@pytest.mark.parametrize("status", [500, 404, 302])
def test_a_failing_receiver_is_retried_and_given_up_in_the_end(cast, receiver, checked, status: int) -> None:
    webhooks.add_webhook(cast.alice.account, receiver.url)
    receiver.statuses = [status] * 100
    checked()
    now = timezone.now()
    for wait in (timedelta(0), *notifications_outbox.RETRIES, timedelta(days=9)):
        now += wait + timedelta(seconds=1)
        with time_machine.travel(now, tick=True):
            notifications_outbox.send_due()
    first = Delivery.objects.last()
    assert (first.state, first.attempts, first.answer) == ("failed", 7, f"HTTP {status}")
    assert len(receiver.received) == 2 * 7


def test_a_receiver_that_hangs_up_is_logged(cast, settings, checked) -> None:
    settings.INSECURE_LOCAL = True
    webhooks.add_webhook(cast.alice.account, "http://127.0.0.1:1/")
    checked()
    notifications_outbox.send_due()
    assert "ConnectionRefusedError" in Delivery.objects.order_by("pk").first().answer


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://127.0.0.1/",
        "https://localhost/",
        "https://10.1.2.3/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[fd00::1]/",
        "https://0x7f000001/",
        "https://user:word@example.org/",
        "https://",
        "https://[::1",
        "https://[example.org]/",
        "https://example.org:99999/",
        "file:///etc/passwd",
        "https://no-such-host.invalid/",
        "https://example.org/\r\nX-Other: 1",
        "https://example.org/" + "a" * 600,
    ],
)
def test_an_address_inside_our_network_or_of_another_kind_is_refused(cast, settings, url: str) -> None:
    settings.INSECURE_LOCAL = False
    answer = cast.alice.post("webhooks/", {"url": url})
    assert answer.status_code in (400, 422), answer.content
    assert not Webhook.objects.exists()


def test_a_host_that_resolves_to_an_internal_address_is_not_called(cast, receiver, settings, checked) -> None:
    webhooks.add_webhook(cast.alice.account, receiver.url)
    settings.INSECURE_LOCAL = False
    checked()
    notifications_outbox.send_due()
    assert receiver.received == []
    assert Delivery.objects.order_by("pk").first().answer != ""


def test_webhooks_are_managed_by_api(cast, receiver) -> None:
    created = cast.alice.post("webhooks/", {"url": receiver.url})
    assert created.status_code == 201
    assert created.json()["secret"].startswith("whsec_")
    address = f"webhooks/{created.json()['id']}/"
    assert cast.alice.post("webhooks/", {"url": receiver.url}).json()["code"] == "webhook.exists"
    assert [row["url"] for row in cast.alice.get("webhooks/").json()["results"]] == [receiver.url]
    assert cast.alice.post(address + "deliveries/").status_code == 202
    notifications_outbox.send_due()
    assert receiver.types == ["trial"]
    (row,) = cast.alice.get(address + "deliveries/").json()["results"]
    assert (row["type"], row["state"], row["answer"], row["due_at"]) == ("trial", "delivered", "HTTP 200", None)
    for refused in (
        cast.bob.get(address),
        cast.bob.get(address + "deliveries/"),
        cast.bob.client.delete("/api/v1/" + address),
    ):
        assert (refused.status_code, refused.json()["code"]) == (404, "webhook.not-found")
    assert cast.alice.client.delete("/api/v1/" + address).status_code == 204
    assert not Webhook.objects.exists()


def test_an_account_has_at_most_ten_webhooks(cast, receiver) -> None:
    for number in range(10):
        assert cast.alice.post("webhooks/", {"url": f"{receiver.url}/{number}"}).status_code == 201
    assert cast.alice.post("webhooks/", {"url": f"{receiver.url}/11"}).json()["code"] == "webhook.refused"


def test_webhooks_and_email_are_set_on_their_page(cast, receiver, checked) -> None:
    browser = Client()
    browser.force_login(cast.alice.account)
    page = "/account/webhooks/"
    assert "You have no webhook" in browser.get(page).content.decode()
    assert browser.post(page, {"url": "ftp://x"}).status_code == 422
    browser.post(page, {"url": receiver.url})
    hook = Webhook.objects.get()
    browser.post(f"/account/webhooks/{hook.pk}/try/")
    notifications_outbox.send_due()
    content = browser.get(page).content.decode()
    assert receiver.url in content
    assert "a test" in content
    assert "HTTP 200" in content
    browser.post("/account/mail/", {"mail": "daily"})
    cast.alice.account.refresh_from_db()
    assert cast.alice.account.mail == "daily"
    browser.post("/account/mail/", {"mail": "hourly"})
    cast.alice.account.refresh_from_db()
    assert cast.alice.account.mail == "daily"
    stranger = Client()
    stranger.force_login(cast.bob.account)
    assert stranger.post(f"/account/webhooks/{hook.pk}/remove/").status_code == 404
    browser.post(f"/account/webhooks/{hook.pk}/remove/")
    assert not Webhook.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_schedulers_send_once(cast, receiver, checked) -> None:
    webhooks.add_webhook(cast.alice.account, receiver.url)
    checked()
    turns = [threading.Thread(target=_tell_and_close) for _ in range(3)]
    for turn in turns:
        turn.start()
    for turn in turns:
        turn.join()
    notifications_outbox.send_due()
    assert receiver.types == ["submission.received", "submission.checked"]


def _tell_and_close() -> None:
    notifications_outbox.send_due()
    connection.close()


def test_a_published_release_notifies_each_submitter_once(cast, alice_reads, release, submitted) -> None:
    submissions = [submitted(), submitted(performance=2.0)]
    for submission in submissions:
        decisions.decide_run(submission, cast.dana.account, "accept", "Fine.")
    told_after(seconds=6)
    outbox.outbox.clear()
    publication_publish.publish_release(release, cast.erin.account, allow_empty=True)
    told_after(seconds=12)
    (letter,) = outbox.outbox
    assert letter.subject == "Highwater: news of 2 of your submissions"
    assert letter.body.count("/results/hw-") == 2
