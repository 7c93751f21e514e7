"""What a role gives and takes: one source of truth, second factors, and tokens that read what they were made for."""

from __future__ import annotations

import pytest
from allauth.mfa.models import Authenticator
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from registry import environment
from submissions.accounts import tokens
from submissions.models import Account

pytestmark = pytest.mark.django_db
SECRET = {"secret": "x"}


@pytest.fixture
def required(settings) -> None:
    settings.REQUIRE_SECOND_FACTOR_FOR = frozenset({"editor", "admin"})


def signed_in(account: Account) -> Client:
    client = Client()
    client.force_login(account)
    return client


# The role is the only source of an administrator's rights


@pytest.mark.parametrize("role", ["submitter", "reviewer", "editor", "admin"])
def test_django_permissions_follow_every_change_of_role(role) -> None:
    account = Account.objects.create_user("gil", role="admin")
    Account.objects.filter(pk=account.pk).update(role=role)
    account.refresh_from_db()
    assert (account.is_staff, account.is_superuser) == (role == "admin",) * 2
    Account.objects.filter(pk=account.pk).update(is_staff=True, is_superuser=True)
    account.refresh_from_db()
    assert (account.is_staff, account.is_superuser) == (role == "admin",) * 2


def test_a_demotion_in_the_admin_takes_effect_at_once(cast) -> None:
    gil = Account.objects.create_user("gil", role="admin")
    _, key = tokens.create_token(gil, scopes=tokens.Scope.values)
    session, by_token = signed_in(gil), Client(headers={"authorization": f"Token {key}"})
    assert session.get("/admin/").status_code == 200
    page = f"/admin/submissions/account/{gil.pk}/change/"
    form = signed_in(cast.fay.account).get(page).content.decode()
    assert 'name="role"' in form and 'name="is_superuser"' not in form and 'name="is_staff"' not in form
    inlines = {f"{name}-{part}_FORMS": "0" for name in ("memberships", "ties") for part in ("TOTAL", "INITIAL")}
    fields = {"username": "gil", "role": "submitter", "is_active": "on"} | inlines
    fields |= {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    answer = signed_in(cast.fay.account).post(page, fields)
    assert answer.status_code == 302, answer.content.decode()
    assert session.get("/admin/").status_code == 302
    assert session.get(f"/admin/submissions/account/{gil.pk}/change/").status_code == 302
    assert session.get("/review/").status_code == 404
    assert by_token.post("/api/v1/releases/", {}, content_type="application/json").status_code == 403


# Second factors


def test_an_account_without_its_required_second_factor_may_only_set_one_up(cast, required) -> None:
    client = signed_in(cast.erin.account)
    for address in ("/", "/review/", "/account/", "/submissions/"):
        assert client.get(address)["Location"] == "/account/2fa/"
    assert client.get("/account/2fa/").status_code == 200
    refused = client.get("/api/v1/submissions/")
    assert (refused.status_code, refused.json()["code"]) == (403, "account.second-factor")
    by_token = cast.erin.get("submissions/")
    assert (by_token.status_code, by_token.json()["code"]) == (403, "account.second-factor")


@pytest.mark.parametrize("kind", [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN])
def test_an_authenticator_app_and_a_passkey_are_second_factors(cast, required, kind) -> None:
    Authenticator.objects.create(user=cast.erin.account, type=kind, data=SECRET)
    assert signed_in(cast.erin.account).get("/review/").status_code == 200
    assert cast.erin.get("submissions/").status_code == 200


def test_recovery_codes_alone_are_no_second_factor(cast, required) -> None:
    Authenticator.objects.create(user=cast.erin.account, type=Authenticator.Type.RECOVERY_CODES, data=SECRET)
    assert cast.erin.get("submissions/").status_code == 403


def test_other_roles_need_no_second_factor(cast, required) -> None:
    assert signed_in(cast.alice.account).get("/submissions/").status_code == 200
    assert cast.dana.get("submissions/").status_code == 200


def test_an_unknown_role_in_settings_stops_the_start(monkeypatch) -> None:
    monkeypatch.setenv("REQUIRE_SECOND_FACTOR_FOR", "editor,boss")
    with pytest.raises(ImproperlyConfigured, match="'boss' is no role"):
        environment.read_roles("REQUIRE_SECOND_FACTOR_FOR")
    monkeypatch.setenv("REQUIRE_SECOND_FACTOR_FOR", "editor, admin")
    assert environment.read_roles("REQUIRE_SECOND_FACTOR_FOR") == {"editor", "admin"}


# Tokens


def test_a_token_for_uploads_reads_no_unpublished_list(cast, release) -> None:
    for scopes, status in ((["submit"], 403), (["submit", "review", "release"], 403), (["read"], 200)):
        _, key = tokens.create_token(cast.erin.account, scopes=scopes)
        client = Client(headers={"authorization": f"Token {key}"})
        answer = client.post("/api/v1/lists/sc99/full/preview/", {}, content_type="application/json")
        assert (scopes, answer.status_code) == (scopes, status)
