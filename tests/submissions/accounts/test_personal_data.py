"""Personal data: all of it for its person, nothing for others, and gone when it is erased."""

from __future__ import annotations

import json

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client

from registry.models import Override
from submissions.accounts import memberships as accounts_memberships
from submissions.accounts import personal_data
from submissions.lifecycle import audit_chain
from submissions.models import Account, Invitation
from submissions.notifications import subscriptions
from submissions.publication import publish as publication_publish
from submissions.review import decisions
from tests.registry.record import make_release, make_result
from tests.submissions.cast import submit_to

pytestmark = pytest.mark.django_db
PASSWORD = "tides rise twice a day"


@pytest.fixture
def alice(cast, settings) -> Account:
    """Alice with a bit of everything; Bob administers North Lab."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    account = cast.alice.account
    account.email, account.first_name, account.last_name = "alice@north.example", "Alice", "Northwood"
    account.set_password(PASSWORD)
    account.save()
    EmailAddress.objects.create(user=account, email=account.email, verified=True, primary=True)
    Authenticator.objects.create(user=account, type="totp", data={"secret": "JBSWY3DPEHPK3PXP"})
    cast.bob.account.memberships.update(role="admin")
    accounts_memberships.invite_member(
        cast.charlie.account.institutions.get(), cast.charlie.account, "alice", "submitter", str
    )
    return account


def browser(account: Account) -> Client:
    client = Client()
    client.force_login(account)
    return client


def confirmed(account: Account) -> Client:
    client = browser(account)
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    return client


# Export


def test_the_file_holds_all_data_of_the_account(cast, alice, checked) -> None:
    submission = checked(fields={"metadata": '{"system": "Gale"}'})
    subscriptions.subscribe(alice, make_result(make_release("SC98"), "hw-1").system.slug)
    answer = browser(alice).get("/account/data/export/")
    assert "attachment" in answer["Content-Disposition"]
    export = answer.json()
    assert export["account"][0]["last_name"] == "Northwood"
    assert [row["email"] for row in export["emailaddress"]] == ["alice@north.example"]
    assert [(row["id"], row["metadata"]) for row in export["submission"]] == [(str(submission.pk), {"system": "Gale"})]
    assert {"membership", "token", "authenticator", "event", "invited", "following"} <= set(export)


def test_the_file_holds_no_credentials(cast, alice) -> None:
    export = browser(alice).get("/account/data/export/").content.decode()
    alice.refresh_from_db()
    for secret in (alice.password, alice.tokens.get().digest, "JBSWY3DPEHPK3PXP"):
        assert secret not in export


def test_the_file_holds_no_data_of_other_accounts(cast, alice, checked) -> None:
    checked(cast.bob)
    export = browser(alice).get("/account/data/export/").json()
    assert "submission" not in export
    assert [row["username"] for row in export["account"]] == ["alice"]


def test_the_file_needs_signing_in(db) -> None:
    for address in ("/account/data/", "/account/data/export/"):
        assert Client().get(address)["Location"] == f"/login/?next={address}"


# Erasure


def test_an_erased_account_leaves_no_personal_data(cast, alice, release, checked, capsys) -> None:
    submission = checked()
    submit_to(release, submission, cast.alice)
    subscriptions.subscribe(alice, make_result(release, "hw-1").system.slug)
    client = confirmed(alice)
    assert client.post("/account/data/erase/", {"name": "alice"})["Location"] == "/"
    assert client.get("/account/").status_code == 302
    assert cast.alice.get("submissions/").status_code == 401
    account = Account.objects.get(pk=alice.pk)
    assert account.username.startswith("erased-")
    assert not (account.is_active or account.has_usable_password() or account.memberships.exists())
    call_command("account_data", account.username)
    output = capsys.readouterr().out
    assert set(json.loads(output)) == {"account", "submission", "event", "membershipperiod"}
    for word in ("alice", "Alice", "Northwood", "north.example"):
        assert word not in output
    assert not Invitation.objects.exists()
    assert list(audit_chain.find_breaks()) == []


def test_published_results_keep_their_institution(cast, alice, release, submitted) -> None:
    submission = submitted()
    decisions.prepare_for_review(str(submission.pk))
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.")
    personal_data.erase_account(alice)
    publication_publish.publish_release(release, cast.erin.account, allow_empty=True)
    submission.refresh_from_db()
    assert submission.result.institution == "North Lab"
    assert cast.bob.get(f"submissions/{submission.pk}/").json()["account"].startswith("erased-")
    assert "alice" not in Client().get(f"/api/v1/results/{submission.result.public_id}/").content.decode()


def test_erasing_asks_for_the_password(alice) -> None:
    answer = browser(alice).post("/account/data/erase/", {"name": "alice"})
    assert answer["Location"].startswith("/account/reauthenticate/")
    assert Account.objects.filter(username="alice").exists()


@pytest.mark.parametrize("name", ["", "Alice", "bob"])
def test_erasing_needs_the_typed_name(cast, alice, name) -> None:
    page = confirmed(alice).post("/account/data/erase/", {"name": name})
    assert (page.status_code, "account.not-erased" in page.content.decode()) == (422, True)
    assert Account.objects.filter(username__in=["alice", "bob"]).count() == 2


def test_the_last_administrator_must_appoint_another_before_erasing(cast, alice) -> None:
    with pytest.raises(CommandError, match="Make another member administrator first"):
        call_command("account_data", "bob", "--erase")
    assert Account.objects.filter(username="bob", is_active=True).exists()
    with pytest.raises(CommandError, match="no account"):
        call_command("account_data", "nobody")


def test_a_decision_on_a_list_keeps_a_pseudonym(cast, alice) -> None:
    result = make_result(make_release("SC98"), "io500-1")
    fields = {"action": "exclude", "reason": "Repeated.", "decided_by": "erin"}
    decision = Override.objects.create(release=result.release, list_name="ten", result=result, **fields)
    assert "override" in personal_data.export_account(cast.erin.account)
    pseudonym = personal_data.erase_account(cast.erin.account)
    decision.refresh_from_db()
    assert decision.decided_by == pseudonym
