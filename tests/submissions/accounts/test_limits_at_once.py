"""Many requests at the same moment make no more of a thing than one account may have."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.db import connection
from django.utils import timezone

from submissions.accounts import memberships, tokens
from submissions.bundles import signatures
from submissions.errors import BadSigningKey, InvitationRefused, ShelfRefused, TokenRefused, WebhookRefused
from submissions.models import ShelfRun
from submissions.notifications import webhooks
from submissions.shelf import groups, rows

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 8


def count_made(make: Callable[[int], object], refusal: type[Exception]) -> int:
    start = threading.Barrier(AT_ONCE)

    def make_one(number: int) -> bool:
        try:
            connection.ensure_connection()
            start.wait()
            make(number)
        except refusal:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return sum(pool.map(make_one, range(AT_ONCE)))


def test_tokens_made_at_once_keep_to_their_limit(cast, monkeypatch: pytest.MonkeyPatch) -> None:
    account = cast.alice.account
    monkeypatch.setattr(tokens, "MOST_TOKENS", account.tokens.count() + 2)
    assert count_made(lambda number: tokens.create_token(account, f"t{number}"), TokenRefused) == 2


def test_webhooks_made_at_once_keep_to_their_limit(cast, monkeypatch: pytest.MonkeyPatch, settings) -> None:
    settings.INSECURE_LOCAL = True
    monkeypatch.setattr(webhooks, "MOST", 2)
    monkeypatch.setattr(webhooks, "_LOOK_UPS", threading.BoundedSemaphore(AT_ONCE))
    account = cast.alice.account
    accepted = count_made(lambda number: webhooks.add_webhook(account, f"http://127.0.0.1:9/{number}"), WebhookRefused)
    assert (accepted, account.webhooks.count()) == (2, 2)


def test_signing_keys_added_at_once_keep_to_their_limit(cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signatures, "MOST_KEYS", 2)
    public_keys = [Ed25519PrivateKey.generate().public_key() for _ in range(AT_ONCE)]
    lines = [key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode() for key in public_keys]
    account = cast.alice.account
    assert count_made(lambda number: signatures.add_key(account, lines[number]), BadSigningKey) == 2


def test_invitations_sent_at_once_keep_to_their_limit(cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memberships, "MOST_INVITATIONS", 2)
    account = cast.alice.account
    institution = account.memberships.get().institution

    def invite(number: int) -> object:
        return memberships.invite_member(institution, account, f"guest-{number}", "submitter", str)

    assert count_made(invite, InvitationRefused) == 2


def test_a_run_is_shared_at_once_within_its_limit(cast, checked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "MOST_SHARES", 2)
    checked()
    rows.shelve_due()
    run, until = ShelfRun.objects.get(), timezone.now() + timedelta(days=1)
    account = cast.alice.account
    assert count_made(lambda number: groups.share_run(account, run.key, f"guest-{number}", until), ShelfRefused) == 2
