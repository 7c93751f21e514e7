"""Signing up, signing in and forgetting a password cost the same whether an address has an account or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from submissions.accounts import account_requests, sign_in
from submissions.models import Account, AccountRequest

pytestmark = pytest.mark.django_db
PASSWORD = "tides rise twice a day"
hashed: list[str] = []


class CountingHasher(MD5PasswordHasher):
    """Notes each password that is hashed."""

    def encode(self, password: str, salt: str) -> str:
        hashed.append(password)
        return super().encode(password, salt)


@pytest.fixture(autouse=True)
def counted(settings) -> None:
    cache.clear()
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    settings.SIGNUP_OPEN = True
    account = Account.objects.create_user("gil", "gil@lab.example", PASSWORD)
    EmailAddress.objects.create(user=account, email=account.email, verified=True, primary=True)


def work(act: Callable[[Client], Any]) -> tuple[list[str], int, int, str, list[str]]:
    """Statements without their values, hashes, letters, and what the answer shows of itself."""
    cache.clear()
    client = Client()
    hashed.clear()
    before = len(mail.outbox)
    with CaptureQueriesContext(connection) as queries:
        answer = act(client)
    statements = [" ".join(query["sql"].split()[:3]).partition("_django_curs_")[0] for query in queries]
    return statements, len(hashed), len(mail.outbox) - before, str(answer.status_code), sorted(answer.cookies)


def sign_up(address: str) -> Callable[[Client], Any]:
    form = {"username": "hal", "email": address, "password1": PASSWORD, "password2": PASSWORD}
    return lambda client: client.post("/account/signup/", form)


def log_in(name: str) -> Callable[[Client], Any]:
    return lambda client: client.post("/login/", {"username": name, "password": "another long password"})


def reset(address: str) -> Callable[[Client], Any]:
    return lambda client: client.post("/account/password/reset/", {"email": address})


@pytest.mark.parametrize("act", [sign_up, log_in, reset])
def test_known_and_unknown_addresses_cost_the_same_work(act) -> None:
    of_known, of_unknown = work(act("gil@lab.example")), work(act("nobody@lab.example"))
    assert of_known == of_unknown
    assert of_known[2] == 0, "letters are a worker's work"


def test_each_attempt_costs_one_hash() -> None:
    for name in ("gil", "GIL@lab.example", "nobody", "nobody@lab.example"):
        assert work(log_in(name))[1] == 1


def test_a_closed_and_a_passwordless_account_cost_the_same() -> None:
    expected = work(log_in("nobody"))
    Account.objects.create(username="robot").set_unusable_password()
    assert work(log_in("robot"))[:2] == expected[:2]
    Account.objects.filter(username="gil").update(is_active=False)
    assert work(log_in("gil"))[:2] == expected[:2]


def test_an_unsent_email_is_sent_later(monkeypatch) -> None:
    sign_up("hal@lab.example")(Client())

    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError("no mail server")

    with monkeypatch.context() as patched:
        patched.setattr("django.core.mail.EmailMessage.send", refuse)
        account_requests.answer_due()
    assert not Account.objects.filter(username="hal").exists()
    AccountRequest.objects.update(due_at=AccountRequest.objects.get().made_at)
    account_requests.answer_due()
    assert Account.objects.filter(username="hal").exists()
    assert [letter.to for letter in mail.outbox] == [["hal@lab.example"]]
    assert not AccountRequest.objects.exists()


def test_the_second_of_two_requests_for_a_name_is_mailed() -> None:
    for address in ("hal@lab.example", "ida@lab.example"):
        sign_up(address)(Client())
    account_requests.answer_due()
    assert Account.objects.get(username="hal").email == "hal@lab.example"
    assert "Somebody else took that name" in mail.outbox[1].body and mail.outbox[1].to == ["ida@lab.example"]


def test_no_password_is_stored_in_plain_text() -> None:
    sign_up("hal@lab.example")(Client())
    assert PASSWORD not in str(AccountRequest.objects.values().get())


# Guessing


def guess(address: str, password: str = "a wrong password") -> Any:
    return Client(REMOTE_ADDR=address).post("/login/", {"username": "gil", "password": password})


def is_let_in(address: str) -> bool:
    return guess(address, PASSWORD).get("Location") == "/submissions/"


def test_attempts_from_other_networks_do_not_lock_the_owner_out() -> None:
    for number in range(8):
        guess(f"198.51.100.{number}")
    assert not is_let_in("198.51.100.200"), "its block guessed too often"
    assert is_let_in("203.0.113.7")


def test_addresses_of_an_ipv6_network_share_a_lock() -> None:
    for number in range(8):
        guess(f"2001:db8:1:{number}::1")
    assert not is_let_in("2001:db8:1:ff::1")
    assert is_let_in("2001:db8:2::1")


def test_ipv4_within_ipv6_is_counted_by_its_own_block() -> None:
    """As a socket for both versions shows it: else guesses of one caller would lock everybody out."""
    for number in range(8):
        guess(f"::ffff:198.51.100.{number}")
    assert not is_let_in("::ffff:198.51.100.200")
    assert is_let_in("::ffff:203.0.113.7")


def test_a_network_asks_for_resets_no_faster_than_an_address() -> None:
    for number in range(30):
        address = {"email": f"gil{number}@lab.example"}
        Client(REMOTE_ADDR=f"2001:db8:1:{number}::1").post("/account/password/reset/", address)
    assert AccountRequest.objects.count() == 20
    Client(REMOTE_ADDR="2001:db8:2::1").post("/account/password/reset/", {"email": "gil@lab.example"})
    assert AccountRequest.objects.count() == 21


def test_attempts_from_many_networks_leave_each_network_one_attempt(monkeypatch) -> None:
    monkeypatch.setattr(sign_in, "EVERYWHERE", "6/h/key")
    for number in range(12):
        guess(f"10.0.{number}.1")
    guess("203.0.113.7")
    assert not is_let_in("203.0.113.8"), "the one attempt of this block was used"
    assert is_let_in("192.0.2.1")


def test_a_stranger_cannot_fill_a_mailbox() -> None:
    for number in range(30):
        account_requests.request_sign_up(f"Victim+{number}@LAB.example", f"hal{number}", PASSWORD, "http://testserver")
        account_requests.request_reset("gil@lab.example", "http://testserver")
    account_requests.request_reset("gil@other.example", "http://testserver")
    account_requests.note_refusal("gil@lab.example", "No such institution.", "http://testserver")
    while AccountRequest.objects.exists():
        account_requests.answer_due()
    mailboxes = [letter.to[0].partition("@")[0].partition("+")[0] for letter in mail.outbox]
    assert (mailboxes.count("victim"), mailboxes.count("gil")) == (10, 11), "what an administrator sends always goes"
