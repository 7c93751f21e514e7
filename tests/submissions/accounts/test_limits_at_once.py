"""Many requests at the same moment make no more of a thing than one account may have."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from submissions.accounts import tokens
from submissions.errors import TokenRefused, WebhookRefused
from submissions.notifications import webhooks

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
