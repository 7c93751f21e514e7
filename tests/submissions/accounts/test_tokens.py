"""Tokens: what each is for, until when, who sees and revokes it."""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta
from importlib import import_module

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection
from django.test import Client
from django.utils import timezone

from submissions import api_urls
from submissions.accounts import tokens
from submissions.errors import TokenRefused
from submissions.models import Account, Token
from tests.submissions.test_permissions import OF_A_ROUTE, addresses

pytestmark = pytest.mark.django_db
CALLS_OF_A_RUN = frozenset(
    [
        "anonymity",
        "answers",
        "comments",
        "copy",
        "files",
        "files/1",
        "keep",
        "public-files",
        "questions",
        "questions/1/answer",
        "questions/consent",
        "revalidate",
        "revise",
        "submit",
        "withdraw",
    ]
)
OTHER_CALLS_TO_SUBMIT = frozenset(["check", "rankings", "shelf", "steps", "studies", "submissions"])


def asked(key: str, method: str = "get", path: str = "submissions/", document: object = None):
    header = {"Authorization": f"Token {key}"}
    return getattr(Client(), method)(f"/api/v1/{path}", document, content_type="application/json", headers=header)


def made(account: Account, *scopes: str, days: int = 30) -> str:
    return tokens.create_token(account, "", scopes, days)[1]


# What each is for


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("get", "submissions/", "read"),
        ("post", "check/", "submit"),
        ("post", "submissions/", "submit"),
        ("post", "submissions/00000000-0000-0000-0000-000000000000/withdraw/", "submit"),
        ("post", "submissions/00000000-0000-0000-0000-000000000000/review/", "review"),
        ("post", "releases/", "release"),
        ("patch", "releases/sc99/", "release"),
        ("post", "releases/sc99/publish/", "release"),
        ("post", "lists/sc99/ten/overrides/", "release"),
        ("get", "tokens/", "read"),
        ("post", "tokens/", "account"),
        ("delete", "tokens/hw_000000000000/", "account"),
        ("post", "quarantine/1/clear/", "release"),
        ("post", "quarantine/1/withhold/", "release"),
    ],
)
def test_a_token_permits_only_its_scopes(cast, method, path, scope) -> None:
    """Erin may do all of it; a token for everything else may not, one for this alone gets past the door."""
    others = [other_scope for other_scope in Token.Scope.values if other_scope != scope]
    refused = asked(made(cast.erin.account, *others), method, path, {})
    assert (refused.status_code, refused.json()["code"]) == (403, "permission.scope")
    assert f"`{scope}`" in refused.json()["detail"]
    passed = asked(made(cast.erin.account, scope), method, path, {})
    assert (passed.status_code, passed.status_code in (401, 403)) != (403, True), passed.content


def test_a_token_for_uploads_changes_nothing_else(cast) -> None:
    """Of every address that changes something, an editor's token for uploads may call these alone."""
    key, permitted = made(cast.erin.account, "submit"), set()
    for method, path in addresses(api_urls.urlpatterns, OF_A_ROUTE):
        if method != "GET" and asked(key, method.lower(), path, {}).json().get("code") != "permission.scope":
            permitted.add(path)
    of_runs = {path for path in permitted if re.match("submissions/.", path)}
    assert {path.split("/", 2)[2].rstrip("/") for path in of_runs} == CALLS_OF_A_RUN
    assert {path.split("/")[0] for path in permitted - of_runs} == OTHER_CALLS_TO_SUBMIT


def test_a_token_gives_no_role_that_the_account_lacks(cast) -> None:
    assert asked(made(cast.alice.account, "release"), "post", "releases/", {}).json()["code"] == "permission.denied"


def test_an_unknown_scope_is_refused_by_the_database(cast) -> None:
    with pytest.raises(IntegrityError, match="token_scopes_are_known"):
        Token.objects.filter(account=cast.alice.account).update(scopes=["everything"])


# Until when, and when last


def test_an_expired_token_is_refused_and_still_listed(cast) -> None:
    token, key = tokens.create_token(cast.alice.account, days=30)
    assert asked(key).status_code == 200
    Token.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert (asked(key).status_code, asked(key).json()["code"]) == (401, "auth.failed")
    browser = Client()
    browser.force_login(cast.alice.account)
    assert "expired" in browser.get("/account/").content.decode()


@pytest.mark.parametrize("days", [0, -1, 731])
def test_a_lifetime_out_of_bounds_is_refused(cast, days) -> None:
    with pytest.raises(TokenRefused):
        tokens.create_token(cast.alice.account, days=days)


def test_the_last_use_is_noted_once_a_minute(cast, django_assert_num_queries) -> None:
    token, key = tokens.create_token(cast.charlie.account)
    asked(key)
    noted = Token.objects.get(pk=token.pk).last_used_at
    assert timezone.now() - noted < timedelta(minutes=1)
    with django_assert_num_queries(2):  # the token, the submissions
        asked(key)
    Token.objects.filter(pk=token.pk).update(last_used_at=noted - timedelta(minutes=2))
    asked(key)
    assert Token.objects.get(pk=token.pk).last_used_at >= noted


# By API


def test_a_token_is_made_listed_and_revoked_by_api(cast) -> None:
    answer = cast.alice.post("tokens/", {"name": "cluster", "scopes": ["submit", "read"], "days": 7})
    assert answer.status_code == 201
    document = answer.json()
    key = document.pop("key")
    assert (document["name"], document["scopes"]) == ("cluster", ["read", "submit"])
    assert key.startswith(document["id"])
    assert asked(key).status_code == 200
    listed = cast.alice.get("tokens/")
    assert listed.json()["results"][0] | {"last_used_at": None} == document
    assert key not in listed.content.decode()
    assert cast.alice.client.delete(f"/api/v1/tokens/{document['id']}/").status_code == 204
    assert asked(key).status_code == 401


def test_tokens_of_another_account_are_neither_listed_nor_revoked(cast) -> None:
    of_bob = cast.bob.account.tokens.get().beginning
    assert of_bob not in cast.alice.get("tokens/").content.decode()
    answers = [cast.alice.client.delete(f"/api/v1/tokens/{token_id}/") for token_id in (of_bob, "hw_000000000000")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    assert cast.bob.get("tokens/").status_code == 200


@pytest.mark.parametrize(
    "wrong",
    [
        {"scopes": []},
        {"scopes": ["root"]},
        {"days": 0},
        {"days": 9999},
        {"name": "n" * 81},
        {"scopes": "read"},
        {"scope": ["read"]},
    ],
)
def test_invalid_token_requests_are_refused(cast, wrong) -> None:
    before = Token.objects.count()
    assert cast.alice.post("tokens/", wrong).status_code in (400, 422)
    assert Token.objects.count() == before


def test_a_token_makes_none_that_reaches_further_or_lives_longer(cast) -> None:
    asking = made(cast.alice.account, "read", "account", days=2)
    assert asked(asking, "post", "tokens/", {"scopes": ["submit"]}).json()["code"] == "account.token"
    made_by_it = asked(asking, "post", "tokens/", {"scopes": ["read"], "days": 300}).json()
    assert made_by_it["expires_at"] < (timezone.now() + timedelta(days=2)).isoformat()


def test_the_number_of_tokens_is_limited(cast, monkeypatch) -> None:
    monkeypatch.setattr(tokens, "MOST_TOKENS", 2)
    assert cast.alice.post("tokens/").status_code == 201
    assert cast.alice.post("tokens/").json()["code"] == "account.token"


# By page and by command


def test_a_form_without_a_scope_is_refused_with_a_page(cast) -> None:
    browser = Client()
    browser.force_login(cast.alice.account)
    page = browser.post("/account/tokens/", {"days": "30"})
    assert page.status_code == 422
    assert "account.token" in page.content.decode()


def test_commands_make_list_and_revoke(db, capsys) -> None:
    call_command("create_token", "gil", "--scope", "read", "--days", "3", "--name", "cron")
    key = capsys.readouterr().out.splitlines()[-1]
    assert asked(key).status_code == 200
    call_command("revoke_token", "gil")
    assert capsys.readouterr().out.startswith(f"{key[:15]}  read  until ")
    with pytest.raises(CommandError, match="no token that begins"):
        call_command("revoke_token", "gil", "hw_000000000000")
    call_command("revoke_token", "gil", key[:15])
    assert asked(key).status_code == 401
    with pytest.raises(CommandError, match="no account"):
        call_command("revoke_token", "hal")
    with pytest.raises(CommandError, match="1 to 730"):
        call_command("create_token", "gil", "--days", "0")


# Those of before


def test_tokens_of_an_earlier_release_still_work(cast) -> None:
    """The table as django-rest-knox 5.1 had it, with a token in it."""
    key = "hw_" + "5" * 64
    columns = "digest varchar(128), token_key varchar(25), created timestamptz, expiry timestamptz, user_id bigint"
    row = [hashlib.sha512(key.encode()).hexdigest(), key[:15], cast.alice.account.pk]
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE knox_authtoken ({columns})")
        cursor.execute("INSERT INTO knox_authtoken VALUES (%s, %s, now(), NULL, %s)", row)
        cursor.execute(import_module("submissions.migrations.0009_tokens").MOVE)
        cursor.execute("SELECT to_regclass('knox_authtoken')")
        assert cursor.fetchone() == (None,)
    assert asked(key).status_code == 200
    assert asked(key, "post", "releases/", {}).json()["code"] == "permission.denied"
    assert Token.objects.get(beginning=key[:15]).expires_at is None


def test_a_generated_client_may_send_its_token_as_bearer(cast) -> None:
    def ask_as(authorization: str):
        return Client().get("/api/v1/submissions/", headers={"Authorization": authorization})

    assert ask_as(f"Bearer {made(cast.alice.account, 'read')}").status_code == 200
    assert (ask_as("Bearer wrong").status_code, ask_as("Bearer wrong").json()["code"]) == (401, "auth.failed")
    assert {ask_as(text).status_code for text in ("Bearer", "Bearer a b", "Bearer \xe9")} == {401}


def test_the_account_address_shows_account_and_token(cast) -> None:
    answer = cast.alice.get("account/").json()
    assert (answer["account"], answer["role"]) == ("alice", "submitter")
    assert [row["slug"] for row in answer["institutions"]] == ["north-lab"]
    assert cast.alice.token.startswith(answer["token"]["id"])
    assert cast.alice.token not in str(answer)


@pytest.mark.parametrize("header", ["Token wrong", "Bearer wrong", "Token", "Token two words", "Token \xff"])
def test_wrong_tokens_count_by_address(cast, settings, header) -> None:
    settings.THROTTLE_RATES = {**settings.THROTTLE_RATES, "read": ("3/min", "100000/s")}
    cache.clear()

    def guess(caller: str = "198.51.100.9", sent: str = header) -> int:
        return Client().get("/api/v1/account/", REMOTE_ADDR=caller, HTTP_AUTHORIZATION=sent).status_code

    assert [guess() for _ in range(5)] == [401, 401, 401, 429, 429]
    assert guess("198.51.100.10") == 401
    # Who has a token is counted by account, wherever others guess.
    assert guess(sent=f"Token {cast.alice.token}") == 200


def test_a_wrong_token_of_an_upload_counts_once(settings) -> None:
    settings.THROTTLE_RATES = {**settings.THROTTLE_RATES, "read": ("3/min", "100000/s")}
    cache.clear()
    caller = {"REMOTE_ADDR": "198.51.100.9", "HTTP_AUTHORIZATION": "Token wrong"}
    answers = [Client().post("/api/v1/submissions/", {}, **caller) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 60
    cache.clear()
