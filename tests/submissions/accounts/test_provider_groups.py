"""Groups of a provider as roles and memberships: what they grant at a sign-in, and what they take back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.hashers import make_password
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from registry import environment
from registry.models import Site
from submissions.accounts import account_requests
from submissions.accounts.entry.provider_groups import Grants, grants_of
from submissions.models import Account, Membership
from tests.submissions.accounts.test_signing_in import by_provider, is_signed_in
from tests.submissions.oidc_provider import Provider, provider_of

pytestmark = pytest.mark.django_db
MAP = {
    "north": {"institution": "north-lab"},
    "north-heads": {"institution": "north-lab", "member": "admin"},
    "reviewers": {"role": "reviewer"},
    "editors": {"role": "editor"},
}
ENTRY = {"provider": "openid_connect", "id": "north", "name": "North Lab", "server": "https://login.example",
         "client_id": "highwater", "secret": "s3cret"}  # fmt: skip


@pytest.fixture
def provider(settings, monkeypatch) -> Iterator[Provider]:
    """North Lab's own sign-in, with groups; sign-up is closed."""
    cache.clear()
    person = {"sub": "hal-1", "email": "hal@lab.example", "email_verified": True, "preferred_username": "hal"}
    with provider_of(person) as running:
        monkeypatch.setenv("LOGIN_PROVIDERS", json.dumps([ENTRY | {"server": running.url, "groups": MAP}]))
        settings.SOCIALACCOUNT_PROVIDERS = environment.login_providers("LOGIN_PROVIDERS")
        yield running


def sign_in(provider: Provider, *groups: Any, **changes: Any) -> tuple[str, dict[str, str]] | None:
    """Hal signs in with these groups: role and memberships afterwards, None where nobody is signed in."""
    provider.person |= {"groups": list(groups)} | changes
    client = Client()
    by_provider(client)
    if not is_signed_in(client):
        return None
    account = Account.objects.get(username="hal")
    return account.role, dict(account.memberships.values_list("institution__slug", "role"))


def test_a_mapped_group_makes_an_account_on_a_registry_without_sign_up(provider) -> None:
    assert sign_in(provider, "north", "football") == ("submitter", {"north-lab": "submitter"})
    assert Site.objects.get().name == "north-lab"


@pytest.mark.parametrize("groups", [[], ["football"], ["NORTH"], ["nort"], [7, None, ["north"]]])
def test_without_a_mapped_group_there_is_no_account(provider, groups) -> None:
    assert sign_in(provider, *groups) is None
    assert not Account.objects.exists()


@pytest.mark.parametrize("claim", [None, "north", {"north": True}, 7, True])
def test_a_claim_that_is_no_list_grants_nothing(provider, claim) -> None:
    assert sign_in(provider, groups=claim) is None


def test_the_highest_of_several_grants_counts(provider) -> None:
    assert sign_in(provider, "north", "north-heads", "reviewers", "editors") == ("editor", {"north-lab": "admin"})
    assert sign_in(provider, "north-heads", "north", "editors", "reviewers") == ("editor", {"north-lab": "admin"})


def test_roles_and_memberships_of_lost_groups_are_taken_back(provider) -> None:
    sign_in(provider, "north", "editors")
    other = Account.objects.create(username="ida")
    Membership.objects.create(account=other, institution=Site.objects.get(), role="admin")
    assert sign_in(provider, "reviewers") == ("reviewer", {})
    assert sign_in(provider) == ("submitter", {})
    account = Account.objects.get(username="hal")
    assert (account.is_staff, account.is_superuser) == (False, False)


def test_memberships_that_no_group_is_mapped_to_stay(provider) -> None:
    sign_in(provider, "north")
    south = Site.objects.create(slug="south-lab", name="South Lab")
    Membership.objects.create(account=Account.objects.get(username="hal"), institution=south, role="admin")
    assert sign_in(provider, "north") == ("submitter", {"north-lab": "submitter", "south-lab": "admin"})


def test_the_last_administrator_of_an_institution_stays(provider) -> None:
    sign_in(provider, "north-heads")
    assert sign_in(provider) == ("submitter", {"north-lab": "admin"})
    assert sign_in(provider, "north") == ("submitter", {"north-lab": "admin"})


def test_a_merged_institution_takes_the_member(provider) -> None:
    south = Site.objects.create(slug="south-lab", name="South Lab")
    Site.objects.create(slug="north-lab", name="North Lab", merged_into=south)
    assert sign_in(provider, "north") == ("submitter", {"south-lab": "submitter"})


def test_a_map_without_roles_leaves_the_role_alone() -> None:
    settings = {"groups": {"north": {"institution": "north-lab"}}, "groups_claim": "memberOf"}
    assert grants_of(settings, {"memberOf": ["north"]}) == Grants(
        None, {"north-lab": "submitter"}, frozenset({"north-lab"})
    )
    assert grants_of({"server_url": "https://login.example"}, {"groups": ["north"]}) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"groups": {}},
        {"groups": []},
        {"groups": {"north": {}}},
        {"groups": {"north": "north-lab"}},
        {"groups": {"north": {"role": "owner"}}},
        {"groups": {"north": {"role": ["admin"]}}},
        {"groups": {"north": {"member": "admin"}}},
        {"groups": {"north": {"institution": "north-lab", "member": "owner"}}},
        {"groups": {"north": {"institution": "North Lab"}}},
        {"groups": {"north": {"institution": 7.5}}},
        {"groups": {"north": {"institution": "north-lab", "rank": 1}}},
        {"groups": MAP, "groups_claim": ""},
        {"groups": MAP, "groups_claim": 7},
        {"provider": "github", "groups": MAP},
    ],
)
def test_a_map_that_is_none_stops_the_start(monkeypatch, changes) -> None:
    monkeypatch.setenv("LOGIN_PROVIDERS", json.dumps([ENTRY | changes]))
    with pytest.raises(ImproperlyConfigured, match="LOGIN_PROVIDERS"):
        environment.login_providers("LOGIN_PROVIDERS")


def test_an_account_of_a_provider_with_groups_sets_no_password(provider) -> None:
    """It would outlive the groups; neither by its page nor by a letter that was under way."""
    sign_in(provider, "north")
    account, client = Account.objects.get(username="hal"), Client()
    client.force_login(account)
    assert "/account/password/change/" not in client.get("/account/").content.decode()
    sent = {"password1": "tides rise twice a day", "password2": "tides rise twice a day"}
    for address in ("/account/password/set/", "/account/password/change/"):
        assert client.get(address).status_code == client.post(address, sent).status_code == 403
    assert "account.password-elsewhere" in client.post("/account/password/set/", sent).content.decode()
    account.refresh_from_db()
    assert not account.has_usable_password()


def test_no_letter_gives_an_account_of_the_directory_a_password(provider, mailoutbox) -> None:
    sign_in(provider, "north")
    account = Account.objects.get(username="hal")
    account_requests.request_reset(account.email, "http://testserver")
    account_requests.answer_due()
    assert mailoutbox == []


def test_a_letter_from_before_gives_none_either(provider, mailoutbox) -> None:
    account = Account.objects.create(username="hal", email="hal@lab.example", password=make_password("the old tide"))
    account_requests.request_reset(account.email, "http://testserver")
    account_requests.answer_due()
    (letter,) = mailoutbox
    Account.objects.update(directory_entry="hal-1")
    client, sent = Client(), {"password1": "tides rise twice a day", "password2": "tides rise twice a day"}
    link = re.search(r"http://testserver(/\S+)", letter.body)
    assert link
    form = client.get(link[1])
    answer = client.post(form["Location"], sent)
    assert answer.status_code == 403 and "account.password-elsewhere" in answer.content.decode()
    account.refresh_from_db()
    assert account.check_password("the old tide")


def test_an_account_with_a_password_keeps_it_beside_a_provider(provider) -> None:
    account = Account.objects.create(username="ida", email="ida@lab.example", password=make_password("the old tide"))
    SocialAccount.objects.create(user=account, provider="north", uid="ida-1")
    client = Client()
    client.force_login(account)
    assert client.get("/account/password/change/").status_code == 200
    assert "/account/password/change/" in client.get("/account/").content.decode()
