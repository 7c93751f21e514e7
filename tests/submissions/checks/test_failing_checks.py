"""A check that fails through a fault of the registry: administrators are told, once each, and not a thousand times."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.core import mail as outbox
from django.test import Client
from django.utils import timezone

from submissions.checks import processing
from submissions.lifecycle import states
from submissions.models import Account, Delivery, Event, State, Submission
from submissions.notifications import outbox as notifications_outbox
from tests.submissions.receiver import told_after
from validators.benchmarks.io500 import parser

pytestmark = pytest.mark.django_db


@pytest.fixture
def fay_reads(cast) -> Account:
    """The administrator; what she gets about her own submissions is another matter."""
    Account.objects.filter(pk=cast.fay.account.pk).update(email="fay@example.org", mail=Account.Mail.NONE)
    return cast.fay.account


@pytest.fixture
def failing(cast, archive):
    """Submissions of Alice whose checks are given up."""
    numbers = iter(range(1000))

    def fail(person=None) -> Submission:
        pk = (person or cast.alice).upload(archive(performance=2 + next(numbers) / 100)).json()["id"]
        Submission.objects.filter(pk=pk).update(state=State.PROCESSING, attempts=processing.ATTEMPTS)
        processing.check_submission(pk)
        return Submission.objects.get(pk=pk)

    return fail


def to(address: str) -> list:
    return [letter for letter in outbox.outbox if letter.to == [address]]


def figure(code: str) -> str:
    text = Client().get("/metrics", REMOTE_ADDR="127.0.0.1").content.decode()
    (line,) = [
        line for line in text.splitlines() if line.startswith(f'highwater_check_failures_total{{code="{code}"}}')
    ]
    return line.split()[-1]


def test_administrators_get_one_email_about_a_failed_check(fay_reads, failing) -> None:
    submission = failing()
    told_after(seconds=6)
    told_after(seconds=12)
    (letter,) = to("fay@example.org")
    assert letter.subject == "Highwater: 1 check failed through a fault of the registry"
    assert "processing.failed" in letter.body and str(submission.pk) in letter.body
    assert "your submission" not in letter.body.lower()


def test_other_accounts_get_no_email_about_a_failed_check(cast, fay_reads, failing) -> None:
    for name in ("alice", "bob", "dana", "erin"):
        Account.objects.filter(username=name).update(email=f"{name}@example.org")
    Account.objects.create(username="gone", role="admin", email="gone@example.org", is_active=False)
    Account.objects.create(username="mute", role="admin", email="")
    failing()
    told_after(seconds=6)
    assert {letter.to[0] for letter in outbox.outbox} == {"alice@example.org", "fay@example.org"}
    (letter,) = to("alice@example.org")
    assert letter.subject.endswith("was checked, with errors")
    assert "fault of the registry" not in letter.body


def test_a_submission_with_errors_of_its_own_is_no_failure(cast, fay_reads, archive) -> None:
    processing.check_submission(cast.alice.upload(archive(short="ior-easy-write")).json()["id"])
    processing.check_submission(cast.alice.upload(b"\0" * 100, name="junk.bin").json()["id"])
    told_after(seconds=6)
    assert to("fay@example.org") == []
    assert (figure("processing.failed"), figure("bundle.reader-failed")) == ("0.0", "0.0")


def test_a_reason_of_a_user_is_not_counted_as_a_failure(cast, fay_reads, submitted) -> None:
    pk = submitted().pk
    cast.dana.post(f"submissions/{pk}/review/", {"decision": "reject", "reason": "Wrong; processing.failed"})
    told_after(seconds=6)
    assert to("fay@example.org") == []
    assert figure("processing.failed") == "0.0"


def test_hundreds_of_failures_are_a_few_emails(fay_reads, failing) -> None:
    submission = failing()
    event = Event.objects.get(submission=submission, to_state="invalid")
    for _ in range(450):
        states.write_history(
            [Event(submission=submission, from_state="processing", to_state="invalid", reason=event.reason)]
        )
    told_after(seconds=6)
    assert len(to("fay@example.org")) == 3  # of at most 200 events each


def test_later_failures_wait_for_the_next_email(fay_reads, failing) -> None:
    failing()
    told_after(seconds=6)
    for minutes in (1, 20, 40):
        failing()
        told_after(minutes=minutes)
    assert len(to("fay@example.org")) == 1
    told_after(minutes=70)
    assert [letter.subject.split(":")[1] for letter in to("fay@example.org")] == [
        " 1 check failed through a fault of the registry",
        " 3 checks failed through a fault of the registry",
    ]


def test_the_email_is_sent_after_a_mail_server_outage(fay_reads, failing, settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    failing()
    told_after(seconds=6)
    assert Delivery.objects.get(account=fay_reads).state == "waiting"
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    with time_machine.travel(timezone.now() + timedelta(minutes=5), tick=True):
        notifications_outbox.send_due()
    assert len(to("fay@example.org")) == 1


def test_an_administrator_with_a_failed_check_gets_one_email_with_both(cast, fay_reads, failing) -> None:
    submission = failing(cast.fay)
    told_after(seconds=6)
    (letter,) = to("fay@example.org")
    assert letter.body.count(str(submission.pk)) == 3  # the failure, the own submission, its address


def test_a_failing_reader_is_reported_without_retries(cast, fay_reads, archive, monkeypatch, without_cage) -> None:
    def raising(_bundle):
        raise ValueError("x")

    monkeypatch.setattr(parser, "find_runs", raising)
    pk = cast.alice.upload(archive()).json()["id"]
    processing.check_submission(pk)
    submission = Submission.objects.get(pk=pk)
    assert (submission.state, submission.attempts) == ("invalid", 1)
    assert "bundle.reader-failed" in [finding["code"] for finding in submission.checks.get().report["findings"]]
    told_after(seconds=6)
    (letter,) = to("fay@example.org")
    assert "bundle.reader-failed" in letter.body
    assert (figure("processing.failed"), figure("bundle.reader-failed")) == ("0.0", "1.0")


def test_failures_are_counted_for_operators(failing) -> None:
    failing()
    failing()
    assert (figure("processing.failed"), figure("bundle.reader-failed")) == ("2.0", "0.0")


def test_the_hint_names_administrators_with_an_address(failing) -> None:
    (finding,) = failing().checks.get().report["findings"]
    assert finding["code"] == "processing.failed"
    assert "an operator has been told" not in finding["hint"]
    assert "administrators get an email" in finding["hint"]
