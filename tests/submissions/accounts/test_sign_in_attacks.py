"""Attacks on signing in: codes used again, links kept for later, addresses that look like another one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core import mail
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client

from submissions.models import Account
from tests.submissions.accounts.test_signing_in import (  # noqa: F401
    GIL,
    code_of,
    gil,
    is_signed_in,
    letters,
    link_of,
    open_to_all,
    quick,
    sign_in,
    with_totp,
)
from tests.submissions.conftest import wait_until

pytestmark = pytest.mark.django_db
OTHER = "ebb and flow and ebb"

LOOKALIKES = [
    "g\u0131l@lab.example",  # dotless i: upper case is I
    "G\u0130L@lab.example",  # I with a dot
    "gil@lab.ex\u0430mple",  # Cyrillic a
    "gi\u217c@lab.example",  # small Roman numeral fifty
    "\uff47il@lab.example",  # full-width g
    "gil@lab\u3002example",  # ideographic full stop, a dot for IDNA
    "gil@lab.example\u00ad",  # soft hyphen
    "gil\u200b@lab.example",  # zero-width space
    "gil@lab.example\r\nBcc: eve@lab.example",
    "gil@lab.example,eve@lab.example",
    "gil@lab.example;eve@lab.example",
    "gil@lab.example\u2028eve@lab.example",
    "gil%eve.example@lab.example",
    '"gil@lab.example"@eve.example',
]


def test_a_code_of_an_app_signs_in_once(gil, with_totp) -> None:  # noqa: F811
    code = code_of(with_totp)
    for signs_in in (True, False):
        client = Client()
        sign_in(client)
        client.post("/account/2fa/authenticate/", {"code": code})
        assert is_signed_in(client) is signs_in


@pytest.mark.parametrize("older", [0, 1])
def test_a_code_that_was_used_signs_nobody_in_while_it_is_right(gil, with_totp, older) -> None:  # noqa: F811
    """Its note in the cache goes after 30 s, or when the cache is full; the code is right for 90 s."""
    sign_in(client := Client())
    client.post("/account/2fa/authenticate/", {"code": code_of(with_totp)})
    assert is_signed_in(client)
    cache.clear()
    sign_in(thief := Client())
    thief.post("/account/2fa/authenticate/", {"code": code_of(with_totp, -older)})
    assert not is_signed_in(thief)
    thief.post("/account/2fa/authenticate/", {"code": code_of(with_totp, 2)})
    assert is_signed_in(thief)


def count_sign_ins(code: str) -> int:
    """How many of four that enter a code at the same moment are signed in."""
    clients = [Client() for _ in range(4)]
    for client in clients:
        sign_in(client)
    start = Barrier(len(clients))

    def enter(client: Client) -> None:
        start.wait()
        try:
            client.post("/account/2fa/authenticate/", {"code": code})
        finally:
            connection.close()

    with ThreadPoolExecutor(len(clients)) as pool:
        list(pool.map(enter, clients))
    return sum(map(is_signed_in, clients))


@pytest.mark.django_db(transaction=True)
def test_a_code_of_an_app_at_the_same_time_signs_in_once(gil, with_totp) -> None:  # noqa: F811
    assert count_sign_ins(code_of(with_totp)) == 1


@pytest.mark.parametrize("code", ["", " ", "0", "-00001", "1e5", "\u0661\u0662\u0663\u0664\u0665\u0666", "0" * 5000])
def test_text_that_is_no_code_signs_nobody_in(gil, with_totp, code) -> None:  # noqa: F811
    client = Client(raise_request_exception=False)
    sign_in(client)
    answer = client.post("/account/2fa/authenticate/", {"code": code})
    assert answer.status_code < 500
    assert not is_signed_in(client)


@pytest.mark.django_db(transaction=True)
def test_a_recovery_code_at_the_same_time_signs_in_once(gil, with_totp) -> None:  # noqa: F811
    code = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()[0]
    assert count_sign_ins(code) == 1


def test_a_reset_ends_every_session_and_every_other_link(gil) -> None:  # noqa: F811
    elsewhere = Client()
    sign_in(elsewhere)
    assert is_signed_in(elsewhere)
    links = []
    for _ in range(2):
        Client().post("/account/password/reset/", {"email": gil.email})
        links = [link_of(message) for message in letters()]
    client = Client()
    form = client.get(links[-1], follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": OTHER, "password2": OTHER})
    assert Account.objects.get().check_password(OTHER)
    assert not is_signed_in(elsewhere)
    for link in links:
        thief = Client()
        chain = thief.get(link, follow=True).redirect_chain
        thief.post(chain[-1][0] if chain else link, {"password1": "a" * 20 + "z", "password2": "a" * 20 + "z"})
    assert Account.objects.get().check_password(OTHER)


def count_waiting() -> int:
    """How many transactions wait for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0]


@pytest.mark.django_db(transaction=True)
def test_one_link_sets_one_password_of_two_at_the_same_moment(gil) -> None:  # noqa: F811
    Client().post("/account/password/reset/", {"email": gil.email})
    link = link_of(letters()[0])
    words = ["first wave of the tide", "second wave of the tide"]
    clients = [Client() for _ in words]
    forms = [client.get(link, follow=True).redirect_chain[-1][0] for client in clients]

    def reset(client: Client, form: str, word: str) -> int:
        try:
            return client.post(form, {"password1": word, "password2": word}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(words)) as pool:
        with transaction.atomic():
            Account.objects.select_for_update().get(pk=gil.pk)
            answers = [pool.submit(reset, *parts) for parts in zip(clients, forms, words, strict=True)]
            wait_until(lambda: count_waiting() == len(words) or any(answer.done() for answer in answers))
        assert sorted(answer.result() for answer in answers) == [200, 302]
    gil.refresh_from_db()
    chosen = words[[answer.result() for answer in answers].index(302)]
    assert gil.check_password(chosen)


@pytest.mark.parametrize("address", LOOKALIKES, ids=ascii)
def test_a_lookalike_address_gets_no_reset_of_another(gil, address) -> None:  # noqa: F811
    answer = Client(raise_request_exception=False).post("/account/password/reset/", {"email": address})
    assert answer.status_code < 500
    assert {receiver for message in letters() for receiver in message.recipients()} <= {gil.email}


@pytest.mark.parametrize("address", LOOKALIKES, ids=ascii)
def test_a_lookalike_address_takes_no_account(open_to_all, gil, address) -> None:  # noqa: F811
    client = Client(raise_request_exception=False)
    answer = client.post("/account/signup/", GIL | {"email": address, "username": "gill"})
    assert answer.status_code < 500
    letters()
    for message in mail.outbox:
        assert "\n" not in message.subject and message.recipients() in ([gil.email], [address.strip().lower()])
    assert EmailAddress.objects.get(user=gil).email == "gil@lab.example"
    assert not is_signed_in(client)


@pytest.mark.django_db(transaction=True)
def test_one_of_several_sign_ups_at_once_gets_the_address(open_to_all) -> None:  # noqa: F811
    names = ["gil", "gill", "gilly", "gilbert"]
    start = Barrier(len(names))

    def sign_up(name: str) -> int:
        start.wait()
        try:
            client = Client(raise_request_exception=False)
            return client.post("/account/signup/", GIL | {"username": name}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(names)) as pool:
        statuses = list(pool.map(sign_up, names))
    letters()
    assert max(statuses) < 500
    assert EmailAddress.objects.filter(email__iexact=GIL["email"]).count() <= 1
    assert Account.objects.filter(email__iexact=GIL["email"]).count() <= 1
