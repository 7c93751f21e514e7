"""Webhooks: what they are sent, signed after Standard Webhooks 1.0, and where they may lead.

A registry stands inside a network; whoever may name an address could make it call its neighbours. So an address is
https, its host resolves to public addresses only, and the connection goes to the very address that was looked at.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import re
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import SplitResult, urlsplit

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.models import RunVerdict, Step
from registry.query import run_verdict_rows
from registry.timeseries import detected_steps
from submissions.errors import TooManyTrials, WebhookExists, WebhookRefused
from submissions.models import Account, Delivery, Event, Webhook
from submissions.notifications import public_addresses

MOST = 10
MOST_TRIALS, TRIALS_WITHIN = 10, timedelta(hours=1)
TIMEOUT_S = 5.0
_LOOK_UPS = threading.BoundedSemaphore(2)
"""Names that a process looks up for those who wait; a look-up can't be broken off, so others are refused."""
_PREFIX = "whsec_"
_URL_LIMIT = 500
_HEAD_BYTES = 1024
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] (\d{3})\b")


def add_webhook(account: Account, url: str) -> Webhook:
    """A webhook of an account; whether the host answers is not asked yet.

    Raises WebhookRefused for an address that may not be called or one webhook too many, WebhookExists for the same
    again.
    """
    parts = _url_parts(url)
    _require_room(account)
    _require_public_host(parts)
    try:
        with transaction.atomic():
            Account.objects.lock_account(account.pk)
            _require_room(account)
            return Webhook.objects.create(account=account, url=parts.geturl())
    except IntegrityError as error:
        raise WebhookExists from error


def _require_room(account: Account) -> None:
    """Raises WebhookRefused where the account has as many as it may."""
    if account.webhooks.count() >= MOST:
        raise WebhookRefused(f"There are {MOST} webhooks already.", hint="Remove one first.")


def webhook_secret(webhook: Webhook) -> str:
    """With which its deliveries are signed. It follows from SECRET_KEY and the webhook's id, and is stored nowhere."""
    key = HKDF(SHA256(), 32, salt=None, info=f"webhook {webhook.pk}".encode()).derive(settings.SECRET_KEY.encode())
    return _PREFIX + base64.b64encode(key).decode()


def try_out(webhook: Webhook) -> Delivery:
    """Have a delivery made that tells of nothing, so that the receiver can be tried.

    Raises TooManyTrials beyond MOST_TRIALS of the account within an hour.
    """
    trials = Delivery.objects.filter(
        account=webhook.account_id, event=None, step=None, run_verdict=None, due_at__gt=timezone.now() - TRIALS_WITHIN
    )
    with transaction.atomic():
        Account.objects.lock_account(webhook.account_id)
        if trials.count() >= MOST_TRIALS:
            raise TooManyTrials(f"There were {MOST_TRIALS} tests within an hour.")
        return _new_trial(webhook)


def _new_trial(webhook: Webhook) -> Delivery:
    return Delivery.objects.create(account_id=webhook.account_id, webhook=webhook, due_at=timezone.now())


@dataclass(slots=True)
class Call:
    """One delivery on its way to its receiver: what is sent, and the open connection, so that it can be broken off."""

    url: str
    body: bytes
    headers: dict[str, str]
    stream: socket.socket | None = None
    is_over: bool = False

    def break_off(self) -> None:
        """End the connection, whatever it waits for; one that is not made yet ends as soon as it is."""
        self.is_over = True
        if self.stream is not None:
            with suppress(OSError):
                self.stream.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True, slots=True)
class Reply:
    """Whether a receiver took a delivery (any 2xx), what it answered, in words, and whether it answered at all."""

    delivered: bool
    words: str
    answered: bool = True


SILENCE = Reply(False, "no answer in time", answered=False)


def prepare_call(delivery: Delivery, webhook: Webhook) -> Call:
    """What a delivery sends, as it stands now; asks the database."""
    body = json.dumps(_event_payload(delivery), separators=(",", ":")).encode()
    return Call(webhook.url, body, _signed_headers(delivery, webhook, body))


def make_call(call: Call) -> Reply:
    """Call the receiver. Asks no database, so it may run in a thread."""
    try:
        status = _post(_url_parts(call.url), call)
    except WebhookRefused as refused:
        return Reply(False, refused.detail, answered=False)
    except OSError as error:
        return Reply(False, f"{type(error).__name__}: {error}", answered=False)
    return Reply(HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES, f"HTTP {status}")


def type_of(delivery: Delivery) -> str:
    """What a delivery tells of."""
    if delivery.step:
        return "system.step"
    if delivery.run_verdict:
        return "system.run"
    return f"submission.{delivery.event.to_state}" if delivery.event else "trial"


def _event_payload(delivery: Delivery) -> dict[str, Any]:
    at, data = timezone.now(), {}
    if delivery.event:
        at, data = delivery.event.at, _event_fields(delivery.event)
    elif delivery.step:
        at, data = delivery.step.found_at, _step_fields(delivery.step)
    elif delivery.run_verdict:
        at, data = delivery.run_verdict.found_at, _run_fields(delivery.run_verdict)
    return {"type": type_of(delivery), "timestamp": at.isoformat(), "data": data}


def _event_fields(event: Event) -> dict[str, Any]:
    """Which submission is in which state now. What was measured is read where it is shown."""
    submission = event.submission
    return {
        "id": str(submission.pk),
        "sha256": submission.sha256,
        "from_state": event.from_state or None,
        "to_state": event.to_state,
        "release": submission.release and submission.release.slug,
        "result": submission.result and submission.result.public_id,
        "url": f"{settings.SITE_URL}/submissions/{submission.pk}/",
    }


def _step_fields(step: Step) -> dict[str, Any]:
    """What moved, where and how far: public facts, as systems/{slug}/history/ has them."""
    fields = {"system": step.system.slug} | detected_steps.row_of(step)
    return fields | {"day": f"{step.day}", "url": f"{settings.SITE_URL}/systems/{step.system.slug}/history/"}


def _run_fields(verdict: RunVerdict) -> dict[str, Any]:
    """Which run lies outside of what was expected, and which of its metrics: public facts, as above."""
    fields = {"system": verdict.system.slug} | run_verdict_rows.build_verdict_row(verdict)
    return fields | {"day": f"{verdict.day}", "url": f"{settings.SITE_URL}/systems/{verdict.system.slug}/history/"}


def _signed_headers(delivery: Delivery, webhook: Webhook, body: bytes) -> dict[str, str]:
    moment = str(int(timezone.now().timestamp()))
    key = base64.b64decode(webhook_secret(webhook).removeprefix(_PREFIX))
    signed = hmac.new(key, f"msg_{delivery.pk}.{moment}.".encode() + body, hashlib.sha256).digest()
    return {
        "Content-Type": "application/json",
        "User-Agent": "highwater",
        "webhook-id": f"msg_{delivery.pk}",
        "webhook-timestamp": moment,
        "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
    }


# Where an address leads


def _url_parts(url: str) -> SplitResult:
    schemes = ("https", "http") if settings.INSECURE_LOCAL else ("https",)
    try:
        parts = urlsplit(url.strip())
        sound = parts.scheme in schemes and parts.hostname and parts.port != 0 and not parts.username
    except ValueError as error:
        raise WebhookRefused("It must look like https://host/path.") from error
    printable = url.isascii() and url.strip().isprintable() and " " not in url.strip()
    if not sound or not printable or len(url) > _URL_LIMIT or parts.fragment:
        raise WebhookRefused("It must look like https://host/path.")
    if not settings.INSECURE_LOCAL and (parts.port or 443) not in public_addresses.PORTS:
        raise WebhookRefused("Only the ports 443 and 8443 are called.")
    return parts


def _require_public_host(parts: SplitResult) -> None:
    """Look up a host while somebody waits. Whose name servers never answer hold up a few requests, each TIMEOUT_S.

    Raises WebhookRefused.
    """
    if not _LOOK_UPS.acquire(blocking=False):
        raise WebhookRefused("Other names are being looked up.", hint="Try again in a minute.")
    refusals: list[WebhookRefused] = []

    def look_up() -> None:
        try:
            _public_addresses(parts)
        except WebhookRefused as refused:
            refusals.append(refused)
        finally:
            _LOOK_UPS.release()

    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(TIMEOUT_S)
    if thread.is_alive():
        raise WebhookRefused(f"{parts.hostname} was not found in time.")
    if refusals:
        raise refusals[0]


def _public_addresses(parts: SplitResult) -> list[str]:
    """Every address of the host, all of them public; on a machine of one's own any. Raises WebhookRefused."""
    try:
        resolved = socket.getaddrinfo(parts.hostname, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise WebhookRefused(f"{parts.hostname} has no address.") from error
    addresses = list(dict.fromkeys(str(row[4][0]) for row in resolved))
    if not settings.INSECURE_LOCAL and not all(public_addresses.is_public(address) for address in addresses):
        raise WebhookRefused(f"{parts.hostname} is not a public address.")
    return addresses


def _post(parts: SplitResult, call: Call) -> int:
    """The status of the answer, of which no more is read; redirects are not followed. Raises OSError."""
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    # The name may resolve to another address a moment later: this is the one that was looked at.
    address = (_public_addresses(parts)[0], port)
    # The second handle stays valid where TLS takes the first one over.
    with socket.create_connection(address, TIMEOUT_S) as plain, plain.dup() as call.stream:
        if call.is_over:
            raise ConnectionError("no answer in time")
        connection = http.client.HTTPConnection(parts.hostname or "", port)
        connection.sock = plain
        if secure:
            connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname)
        with connection.sock as stream:
            connection.request("POST", parts._replace(scheme="", netloc="").geturl() or "/", call.body, call.headers)
            return _read_status(stream)


def _read_status(stream: socket.socket) -> int:
    """Of the first line of an answer, which must come within TIMEOUT_S as a whole."""
    end, head = time.monotonic() + TIMEOUT_S, b""
    while b"\n" not in head and len(head) < _HEAD_BYTES:
        stream.settimeout(max(0.01, end - time.monotonic()))
        block = stream.recv(_HEAD_BYTES)
        if not block or time.monotonic() > end:
            break
        head += block
    match = _STATUS_LINE.match(head)
    if match is None:
        raise ConnectionError("no answer in HTTP")
    return int(match[1])
