"""Sign-up, verified mail, passwords, second factors and providers: what each lets in and what it keeps out."""

from __future__ import annotations

import base64
import hmac
import re
import struct
import time
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core import mail
from django.core.cache import cache
from django.test import Client

from submissions.accounts import account_requests
from submissions.models import Account
from tests.html import page_source
from tests.submissions.oidc_provider import Provider, provider_of

pytestmark = pytest.mark.django_db
PASSWORD = "tides rise twice a day"
GIL = {"email": "gil@lab.example", "username": "gil", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture(autouse=True)
def quick(settings) -> None:
    """Attempts of other tests are not counted, and a password is not slow on purpose."""
    cache.clear()
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def open_to_all(settings) -> None:
    settings.SIGNUP_OPEN = True


@pytest.fixture
def gil(db) -> Account:
    """An account with a password and a verified mail address."""
    account = Account.objects.create_user("gil", "gil@lab.example", PASSWORD)
    EmailAddress.objects.create(user=account, email=account.email, verified=True, primary=True)
    return account


def letters() -> list:
    """What a worker sends when it answers who asked for an account or another password."""
    account_requests.answer_due()
    return mail.outbox


def sign_in(client: Client, name: str = "gil", password: str = PASSWORD):
    return client.post("/login/", {"username": name, "password": password})


def confirm(client: Client) -> Client:
    """What changes how an account signs in asks for its password once more."""
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    return client


def is_signed_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def link_of(message) -> str:
    return re.search(r"http://testserver(/\S+)", message.body)[1]


def text(page) -> str:
    return page_source(page)


# Sign-up


def test_sign_up_is_closed_unless_a_setting_opens_it(db) -> None:
    client = Client()
    assert "password1" not in text(client.get("/account/signup/"))
    assert "Sign up</a>" not in text(client.get("/login/"))
    client.post("/account/signup/", GIL)
    assert letters() == []
    assert not Account.objects.exists()


def test_an_account_needs_a_verified_address(open_to_all) -> None:
    client = Client()
    assert "/account/signup/" in text(client.get("/login/"))
    assert client.post("/account/signup/", GIL)["Location"] == "/account/confirm-email/"
    (sent,) = letters()
    assert not is_signed_in(client)
    sign_in(client)
    assert not is_signed_in(client)
    assert sent.to == ["gil@lab.example"]
    client.post(link_of(sent))
    assert sign_in(client)["Location"] == "/submissions/"
    account = Account.objects.get()
    assert (account.role, account.is_staff, account.memberships.count()) == ("submitter", False, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"password1": "short", "password2": "short"},
        {"password1": "password1234", "password2": "password1234"},
        {"password1": "gil@lab.example", "password2": "gil@lab.example"},
        {"password2": "another long password"},
        {"username": "gil@lab.example"},
        {"username": ""},
        {"email": "nowhere"},
        {"email": ""},
    ],
    ids=str,
)
def test_a_wrong_sign_up_is_refused(open_to_all, wrong) -> None:
    page = Client().post("/account/signup/", GIL | wrong)
    assert page.status_code == 200
    assert 'aria-invalid="true"' in text(page)
    assert letters() == [] and not Account.objects.exists()


def test_signing_up_ignores_a_given_role(open_to_all) -> None:
    Client().post("/account/signup/", GIL | {"role": "admin", "is_staff": "1", "is_superuser": "1"})
    letters()
    assert (Account.objects.get().role, Account.objects.get().is_superuser) == ("submitter", False)


def test_only_the_owner_learns_that_an_address_has_an_account(open_to_all, gil) -> None:
    answer = Client().post("/account/signup/", GIL | {"username": "hal"})
    assert answer["Location"] == "/account/confirm-email/"
    assert [sent.to for sent in letters()] == [["gil@lab.example"]]
    assert Account.objects.count() == 1


# Passwords


@pytest.mark.parametrize("name", ["gil", "gil@lab.example", "GIL@lab.example"])
def test_one_signs_in_with_the_name_or_the_mail_address(gil, name) -> None:
    client = Client()
    assert sign_in(client, name)["Location"] == "/submissions/"
    assert is_signed_in(client)


def test_a_closed_account_does_not_sign_in(gil) -> None:
    Account.objects.update(is_active=False)
    client = Client()
    sign_in(client)
    assert not is_signed_in(client)


def test_signing_in_is_refused_without_the_attempt_counter(gil, settings) -> None:
    away = {"BACKEND": "registry.web.cache_backend.Cache", "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {"default": away}
    client = Client(raise_request_exception=False)
    answer = sign_in(client)
    assert answer.status_code == 503
    assert not is_signed_in(client)


def test_the_second_sign_in_address_redirects_to_the_first(db) -> None:
    assert Client().get("/account/login/?next=/review/")["Location"] == "/login/?next=/review/"


def test_a_password_is_reset_by_mail(gil) -> None:
    client = Client()
    client.post("/account/password/reset/", {"email": "gil@lab.example"})
    form = client.get(link_of(letters()[0]), follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": "ebb and flow and ebb", "password2": "ebb and flow and ebb"})
    sign_in(client)
    assert not is_signed_in(client)
    sign_in(client, password="ebb and flow and ebb")
    assert is_signed_in(client)
    assert 'aria-invalid="true"' not in text(Client().get(link_of(mail.outbox[0]), follow=True))
    Client().post(form, {"password1": PASSWORD, "password2": PASSWORD})
    assert not Account.objects.get().check_password(PASSWORD)


def test_a_reset_for_an_unknown_address_answers_the_same_and_sends_no_email(gil) -> None:
    answers = [
        Client().post("/account/password/reset/", {"email": address})
        for address in ("gil@lab.example", "nobody@lab.example")
    ]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert len(letters()) == 1


# Second factor


STEPS = 100
"""Steps of 30 s that a code of these tests is good for: nobody knows how slow the machine is."""


def code_of(secret: str, steps_ahead: int = 0) -> str:
    """Six digits of now, as an app computes them (RFC 6238, 30 s, SHA-1)."""
    counter = struct.pack(">Q", int(time.time()) // 30 + steps_ahead)
    digest = hmac.digest(base64.b32decode(secret + "=" * (-len(secret) % 8)), counter, "sha1")
    (number,) = struct.unpack_from(">I", digest, digest[-1] & 15)
    return f"{(number & 0x7FFFFFFF) % 1_000_000:06}"


def wrong_code(secret: str) -> str:
    """One that is wrong now and stays so while the test runs."""
    right = {code_of(secret, step) for step in range(-2 * STEPS, 2 * STEPS)}
    return next(code for code in map("{:06}".format, range(1_000_000)) if code not in right)


@pytest.fixture
def with_totp(gil, settings) -> str:
    """The secret that Gil's app holds, set up on the page of the account."""
    settings.MFA_TOTP_TOLERANCE = STEPS
    client = Client()
    sign_in(client)
    assert client.get("/account/2fa/totp/activate/")["Location"].startswith("/account/reauthenticate/")
    page = text(confirm(client).get("/account/2fa/totp/activate/"))
    picture = base64.b64decode(re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', page)[1]).decode()
    assert 'fill="white"' in picture
    secret = re.search(r'value="([A-Z2-7]{16,})"', page)[1]
    assert client.post("/account/2fa/totp/activate/", {"code": code_of(secret)}).status_code == 302
    cache.clear()  # a code counts once, also for the tests
    return secret


def test_with_an_app_the_password_alone_is_not_enough(gil, with_totp) -> None:
    client = Client()
    assert sign_in(client)["Location"].startswith("/account/2fa/authenticate/")
    assert not is_signed_in(client)
    assert 'aria-invalid="true"' in text(client.post("/account/2fa/authenticate/", {"code": wrong_code(with_totp)}))
    assert not is_signed_in(client)
    client.post("/account/2fa/authenticate/", {"code": code_of(with_totp)})
    assert is_signed_in(client)


def test_a_code_is_accepted_one_time_step_longer(gil, with_totp, settings) -> None:
    """Whatever moment it is: with the tolerance of the site, a code of three steps ago is too old."""
    settings.MFA_TOTP_TOLERANCE = 1
    client = Client()
    sign_in(client)
    client.post("/account/2fa/authenticate/", {"code": code_of(with_totp, -3)})
    assert not is_signed_in(client)


def test_a_recovery_code_signs_in_once(gil, with_totp) -> None:
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    for signs_in in (True, False):
        client = Client()
        sign_in(client)
        client.post("/account/2fa/authenticate/", {"code": codes[0]})
        assert is_signed_in(client) is signs_in


# Providers


@pytest.fixture
def provider(settings) -> Iterator[Provider]:
    """North Lab's own sign-in, which vouches for Hal."""
    person = {"sub": "hal-1", "email": "hal@lab.example", "email_verified": True, "preferred_username": "hal"}
    with provider_of(person) as running:
        app = {"provider_id": "north", "name": "North Lab", "client_id": "highwater", "secret": "s3cret"}
        app["settings"] = {"server_url": running.url}
        settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [app]}}
        yield running


def by_provider(client: Client, process: str = "login"):
    """To the provider and back, as a browser goes."""
    sent = urlsplit(client.get(f"/account/oidc/north/login/?process={process}")["Location"])
    query = parse_qs(sent.query)
    assert (sent.path, query["client_id"]) == ("/authorize", ["highwater"])
    return client.get("/account/oidc/north/login/callback/", {"code": "once", "state": query["state"][0]})


def test_without_a_setting_there_is_no_provider(db) -> None:
    assert "Sign in with" not in text(Client().get("/login/"))
    assert Client().get("/account/oidc/north/login/").status_code == 404


def test_a_provider_makes_an_account_where_sign_up_is_open(open_to_all, provider) -> None:
    client = Client()
    assert "Sign in with North Lab" in text(client.get("/login/"))
    by_provider(client)
    assert is_signed_in(client)
    assert provider.asked[0]["client_secret"] == ["s3cret"]
    account = Account.objects.get()
    assert (account.username, account.role, account.has_usable_password()) == ("hal", "submitter", False)
    again = Client()
    by_provider(again)
    assert is_signed_in(again)
    assert Account.objects.count() == 1


def test_a_provider_makes_none_where_sign_up_is_closed(db, provider) -> None:
    client = Client()
    by_provider(client)
    assert not is_signed_in(client)
    assert not Account.objects.exists()


def test_only_a_signed_in_account_is_connected_to_a_provider(gil, provider) -> None:
    client = Client()
    sign_in(client)
    by_provider(confirm(client), "connect")
    other = Client()
    by_provider(other)
    assert "gil" in text(other.get("/account/"))


def test_a_provider_does_not_take_over_an_account_by_its_mail_address(open_to_all, gil, provider) -> None:
    provider.person["email"] = "gil@lab.example"
    client = Client()
    by_provider(client)
    assert not is_signed_in(client)


def test_an_unrequested_provider_response_is_refused(open_to_all, provider) -> None:
    client = Client()
    client.get("/account/oidc/north/login/callback/", {"code": "once", "state": "forged"})
    assert not is_signed_in(client)
    assert provider.asked == []


# Pages


@pytest.mark.parametrize(
    "address",
    ["email/", "password/change/", "2fa/", "2fa/totp/activate/", "2fa/webauthn/add/", "3rdparty/"],
)
def test_account_pages_have_the_site_layout_and_no_script(gil, address) -> None:
    client = Client()
    sign_in(client)
    page = text(confirm(client).get(f"/account/{address}"))
    assert '<main id="main">' in page
    assert page.count("<h1>") == 1
    scripts = re.findall(r"<script([^>]*)>", page)
    assert [script for script in scripts if "src=" not in script and "application/json" not in script] == []
    assert "style=" not in page


def test_account_pages_need_signing_in(db) -> None:
    for address in ("email/", "password/change/", "2fa/", "3rdparty/"):
        assert Client().get(f"/account/{address}")["Location"].startswith("/login/?next=/account/")


@pytest.mark.parametrize("provider", ["github", "orcid", "oidc/north"])
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("step", ["login", "login/callback"])
def test_an_unconfigured_provider_returns_404(client, db, provider, method, step) -> None:
    assert getattr(client, method)(f"/account/{provider}/{step}/").status_code == 404


def test_a_session_of_an_earlier_release_is_still_valid() -> None:
    """It names the backend of that release, which signs nobody in any more."""
    browser = Client()
    account = Account.objects.create_user("earlier", password="a rather long sentence")
    browser.force_login(account, backend="allauth.account.auth_backends.AuthenticationBackend")
    assert browser.get("/account/").status_code == 200
