"""Tell people of what became of their submissions, and of steps and unexpected runs of systems that they follow.

By mail and by webhook, from the outbox that each event, each step and each such run fills.

An event and its notice are written in one transaction (submissions/lifecycle/states.py), so nothing that happened is
untold, and nothing is told that did not happen. The scheduler turns notices into deliveries, one for each receiver, and
sends what is due; a receiver that does not answer is tried again, ever later, and the log says what it answered.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.db import transaction
from django.db.models import Case, Exists, Max, OuterRef, Q, QuerySet, When, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from registry.dumps import db_locks
from registry.models import RunVerdict, Step
from registry.monitoring import shared_counts
from submissions.lifecycle import states
from submissions.models import Account, Delivery, Event, Membership, Notice, State, Subscription, Webhook
from submissions.notifications import mail, subscriptions, webhooks

log = logging.getLogger(__name__)

LOCK = 0x68777465  # "hwte": one process at a time tells, so that slow receivers never hold all workers
AT_ONCE = 200
CALLS_AT_ONCE, CALLS_OF_ACCOUNT = 8, 2
ANSWERED_WITHIN_S = 2 * webhooks.TIMEOUT_S
"""For the look-up of the name, the connection and the answer together."""
RESTS = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 15, 30))
"""So long a webhook is left alone after so many calls in a row without an answer."""
FOR_S = 10.0
"""So long one turn sends at the most; the next one begins at the next sweep."""
RETRIES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 480, 1440))
TOGETHER = timedelta(seconds=5)
"""Mail waits so long for what happens next: an upload and its findings are one letter."""
FAILURES_APART = timedelta(hours=1)
DIGEST_HOUR_UTC = 6

MAILED = frozenset(
    {
        State.RECEIVED,
        State.CHECKED,
        State.INVALID,
        State.CHANGES_REQUESTED,
        State.ACCEPTED,
        State.REJECTED,
        State.PUBLISHED,
        State.WITHDRAWN,
    }
)
_IS_OF_FAILURE = Q(*(("event__reason__endswith", f"; {code}") for code in states.FAILURES_OF_OURS), _connector=Q.OR)
_JOINED = (
    *("event__submission__release", "event__submission__result"),
    *("step__system", "step__before", "step__after"),
    *("run_verdict__system", "run_verdict__result"),
)


def notify_followers(begun: Sequence[Step], gone: Sequence[Step]) -> None:
    """Have those told who follow the systems of new steps; of steps that are gone nobody is told who was not yet.

    In the transaction that writes the steps. Nobody is told of a step twice, also when it is back.
    """
    if gone:
        Delivery.objects.filter(step__in=gone, state=Delivery.State.WAITING).delete()
    _deliver_to_followers("step", begun)


def notify_of_runs(alarms: Sequence[RunVerdict], settled: Sequence[RunVerdict]) -> None:
    """The same of runs that are lower or higher than expected; of those that are no longer, nobody who was not yet."""
    if settled:
        Delivery.objects.filter(run_verdict__in=settled, state=Delivery.State.WAITING).delete()
    _deliver_to_followers("run_verdict", alarms)


def _deliver_to_followers(kind: str, news: Sequence[Step] | Sequence[RunVerdict]) -> None:
    """A delivery of each piece of news, in the column `kind`, to each receiver of those who follow its system."""
    now, systems = timezone.now(), {piece.system_id for piece in news}
    followed = Subscription.objects.filter(
        Q(system__in=systems) | Q(system__merged_into__in=systems), account__is_active=True
    ).order_by("pk")
    Delivery.objects.bulk_create(
        [
            Delivery(**{kind: piece}, account=following.account, webhook=webhook, due_at=due_at)
            for following in followed.select_related("account", "system").prefetch_related("account__webhooks")
            for webhook, due_at in _list_receivers(following.account, now)
            for piece in news
            if piece.system_id == (following.system.merged_into_id or following.system_id)
            and subscriptions.is_interested(following, piece)
        ],
        ignore_conflicts=True,
    )


def _list_receivers(account: Account, now: datetime) -> Iterator[tuple[Webhook | None, datetime]]:
    """Where an account is told, None for its mail, and when."""
    if _takes_mail(account):
        yield None, _mail_due(account, now)
    for webhook in account.webhooks.all():
        yield webhook, now


def _takes_mail(account: Account) -> bool:
    return bool(account.is_active and account.email and account.mail != Account.Mail.NONE)


def send_due() -> None:
    """What the outbox holds and what is due, for a bounded time; nothing where another process is at it."""
    with db_locks.try_advisory_lock(LOCK) as at_it:
        if not at_it:
            return
        while _take_notices():
            pass
        end = time.monotonic() + FOR_S
        while time.monotonic() < end and (_send_mail() or _send_webhooks()):
            pass


@transaction.atomic
def _take_notices() -> bool:
    """Turn the oldest notices into deliveries; whether there may be more."""
    waiting = Notice.objects.select_related("event__submission__account").order_by("event_id")
    # Of the notices alone: who uploads or checks locks accounts and submissions in another order.
    notices = list(waiting.select_for_update(of=("self",))[:AT_ONCE])
    now = timezone.now()
    Delivery.objects.bulk_create(
        [delivery for notice in notices for delivery in _notice_deliveries(notice, now)], ignore_conflicts=True
    )
    Notice.objects.filter(pk__in=[notice.pk for notice in notices]).delete()
    return len(notices) == AT_ONCE


def _notice_deliveries(notice: Notice, now: datetime) -> Iterator[Delivery]:
    yield from _event_deliveries(notice.event, now)
    if notice.editors:
        for editor in Account.objects.filter(role__in=(Account.Role.EDITOR, Account.Role.ADMIN), is_active=True):
            if _takes_mail(editor) and editor.pk != notice.event.submission.account_id:
                yield Delivery(event=notice.event, account=editor, due_at=_mail_due(editor, now))


def _event_deliveries(event: Event, now: datetime) -> Iterator[Delivery]:
    """To the submitter by mail, unless it was the submitter's own doing; to every webhook of those whose run it is.

    What came without a change of state is told by mail alone. A fault of the registry is told to its administrators.
    """
    operators = _list_operators() if states.failure_of_ours(event) else []
    yield from (Delivery(event=event, account=operator, due_at=_failure_due(operator, now)) for operator in operators)
    is_note = states.is_note(event)
    account = event.submission.account
    own_doing = event.actor_id == account.pk and event.to_state != State.RECEIVED
    if account in operators:
        pass  # the letter to an administrator tells of the own submission, too
    elif _takes_mail(account) and (is_note or event.to_state in MAILED) and not own_doing:
        yield Delivery(event=event, account=account, due_at=_mail_due(account, now))
    for webhook in () if is_note else _event_webhooks(event):
        yield Delivery(event=event, account_id=webhook.account_id, webhook=webhook, due_at=now)


def _list_operators() -> list[Account]:
    """Administrators with a mail address, whatever mail they get about their own submissions."""
    return list(Account.objects.filter(is_active=True, role=Account.Role.ADMIN).exclude(email="").order_by("pk"))


def _failure_due(operator: Account, now: datetime) -> datetime:
    """Of the first failure at once, of those that follow an hour after the letter before: they may be thousands."""
    of_failures = Delivery.objects.filter(_IS_OF_FAILURE, account=operator, webhook=None)
    last = of_failures.aggregate(last=Max("tried_at"))["last"]
    return max(now + TOGETHER, last + FAILURES_APART) if last else now + TOGETHER


def _mail_due(account: Account, now: datetime) -> datetime:
    if account.mail != Account.Mail.DAILY:
        return now + TOGETHER
    today = now.replace(hour=DIGEST_HOUR_UTC, minute=0, second=0, microsecond=0)
    return today if now < today else today + timedelta(days=1)


def _event_webhooks(event: Event) -> Iterator[Webhook]:
    shared = Membership.objects.filter(account=OuterRef("account"), institution=event.submission.institution_id)
    whose = Q(account=event.submission.account_id) | Q(Exists(shared))
    return Webhook.objects.filter(whose, account__is_active=True).iterator()


# Sending: an attempt counts before it is made, so a receiver that never lets go is left alone in the end


def _send_mail() -> bool:
    """One letter with all that waits for one account of which something is due; whether there was one to send."""
    due = due_deliveries(timezone.now()).filter(webhook=None)
    account_id = due.order_by("due_at").values_list("account", flat=True).first()
    if account_id is None:
        return False
    waiting = Delivery.objects.filter(webhook=None, state=Delivery.State.WAITING, account=account_id)
    letter = list(waiting.select_related("account", *_JOINED).order_by("event_id", "id")[:AT_ONCE])
    _begin_delivery(letter)
    events = [delivery.event for delivery in letter if delivery.event]
    try:
        steps = [delivery.step for delivery in letter if delivery.step]
        runs = [delivery.run_verdict for delivery in letter if delivery.run_verdict]
        mail.send_letter(letter[0].account, events, steps, runs)
    except (OSError, SMTPException) as error:
        log.warning("Mail of %s deliveries was not sent: %s", len(letter), error)
        _end_delivery(letter, delivered=False, answer=f"{type(error).__name__}: {error}")
    else:
        _end_delivery(letter, delivered=True, answer="sent")
    return True


def _send_webhooks() -> bool:
    """One delivery to each of a few receivers at the same time; whether there was one to make.

    Those that answered last time are called without the others, and each account has a share: who never answers holds
    up nobody else for longer than one round.
    """
    deliveries = _next_receivers()
    if not deliveries:
        return False
    _begin_delivery(deliveries)
    calls = [webhooks.prepare_call(delivery, delivery.webhook) for delivery in deliveries if delivery.webhook]
    for delivery, reply in zip(deliveries, _make_calls(calls), strict=True):
        _end_delivery([delivery], delivered=reply.delivered, answer=reply.words)
        if delivery.webhook:
            _note_receiver(delivery.webhook, reply)
    return True


def _next_receivers() -> list[Delivery]:
    """The oldest due delivery of each of at most CALLS_AT_ONCE webhooks, of one account CALLS_OF_ACCOUNT.

    As long as one is due to a receiver that answered last time, only such receivers.
    """
    due = due_deliveries(timezone.now()).filter(webhook__isnull=False)
    place = Window(RowNumber(), partition_by="webhook", order_by=("due_at", "pk"))
    first = due.annotate(place=place).filter(place=1).values("pk")
    taken = Delivery.objects.filter(webhook=OuterRef("webhook"), state=Delivery.State.DELIVERED)
    answers = Case(When(Q(webhook__failures=0) & Exists(taken), then=True), default=False)
    of_account = Window(
        RowNumber(), partition_by=("account", "answers"), order_by=("webhook__failures", "due_at", "pk")
    )
    rows = (
        Delivery.objects.filter(pk__in=first)
        .annotate(answers=answers)
        .annotate(of_account=of_account)
        .filter(of_account__lte=CALLS_OF_ACCOUNT)
    )
    order = ("-answers", "webhook__failures", "of_account", "due_at")
    next_rows = list(rows.order_by(*order).values_list("pk", "answers")[:CALLS_AT_ONCE])
    next_ids = [pk for pk, answers in next_rows if answers == next_rows[0][1]]
    # Planning all that a call tells of costs more than the question whether there is one.
    deliveries = Delivery.objects.select_related("webhook", *_JOINED).in_bulk(next_ids) if next_ids else {}
    return [deliveries[pk] for pk in next_ids]


def _make_calls(calls: Sequence[webhooks.Call]) -> list[webhooks.Reply]:
    """The replies to all of them, which are made at once; SILENCE where one takes longer than ANSWERED_WITHIN_S.

    A thread may outlive that while a name is looked up; it ends with the look-up, and with the process.
    """
    replies = dict.fromkeys(range(len(calls)), webhooks.SILENCE)

    def call_receiver(number: int) -> None:
        replies[number] = webhooks.make_call(calls[number])

    threads = [threading.Thread(target=call_receiver, args=(number,), daemon=True) for number in replies]
    for thread in threads:
        thread.start()
    end = time.monotonic() + ANSWERED_WITHIN_S
    for thread, call in zip(threads, calls, strict=True):
        thread.join(max(end - time.monotonic(), 0))
        if thread.is_alive():
            call.break_off()
    return [replies[number] for number in range(len(calls))]


def _note_receiver(webhook: Webhook, reply: webhooks.Reply) -> None:
    """Leave a receiver alone for a while that does not answer, ever longer; one that answers has a clean sheet."""
    failures = 0 if reply.answered else webhook.failures + 1
    pause = RESTS[min(failures, len(RESTS)) - 1] if failures else None
    Webhook.objects.filter(pk=webhook.pk).update(failures=failures, rest_until=pause and timezone.now() + pause)


def untold_notices() -> QuerySet[Notice]:
    """What happened and is no delivery yet."""
    return Notice.objects.all()


def due_deliveries(now: datetime) -> QuerySet[Delivery]:
    """Those to make at that time: their account is in use, and their webhook is not left alone for a while."""
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING, account__is_active=True, due_at__lte=now)
    return waiting.exclude(webhook__rest_until__gt=now)


def _begin_delivery(tried: list[Delivery]) -> None:
    now = timezone.now()
    for delivery in tried:
        delivery.due_at = now + RETRIES[min(delivery.attempts, len(RETRIES) - 1)]
        delivery.attempts += 1
        delivery.tried_at = now
    Delivery.objects.bulk_update(tried, ["due_at", "attempts", "tried_at"])


def _end_delivery(tried: list[Delivery], *, delivered: bool, answer: str) -> None:
    for delivery in tried:
        delivery.answer = answer[:200]
        if delivered:
            delivery.state = Delivery.State.DELIVERED
        elif delivery.attempts > len(RETRIES):
            delivery.state = Delivery.State.FAILED
    Delivery.objects.bulk_update(tried, ["state", "answer"])
    kind = "mail" if tried[0].webhook_id is None else "webhook"
    shared_counts.count_event("highwater_deliveries", kind, "delivered" if delivered else "failed")
