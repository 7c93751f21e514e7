"""Institutions and their members: who sees them, who changes them, how an invitation is accepted."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.core import context
from django.core import mail
from django.db import connection
from django.db.models import F
from django.test import Client, RequestFactory
from django.utils import timezone

from registry.models import Site
from submissions.accounts import memberships as accounts_memberships
from submissions.accounts.provisioning import ensure_account
from submissions.errors import LastAdmin
from submissions.lifecycle import quotas
from submissions.models import Invitation, Membership, QuotaUse

pytestmark = pytest.mark.django_db
NORTH = "institutions/north-lab/members/"


@pytest.fixture(autouse=True)
def north(request) -> None:
    """Alice administers North Lab, of which Bob is a member; Charlie is of South Lab."""
    if "cast" in request.fixturenames:
        cast = request.getfixturevalue("cast")
        cast.alice.account.memberships.update(role="admin")


def browser(person) -> Client:
    client = Client()
    client.force_login(person.account)
    return client


def roles(slug: str = "north-lab") -> dict[str, str]:
    return dict(Membership.objects.filter(institution__slug=slug).values_list("account__username", "role"))


def delete(person, path: str):
    return person.client.delete(f"/api/v1/{path}")


# Who sees what


def test_every_account_lists_its_institutions(cast) -> None:
    institutions = cast.bob.get("institutions/").json()
    assert institutions["results"] == [{"slug": "north-lab", "name": "North Lab", "role": "submitter"}]
    assert cast.erin.get("institutions/").json()["results"] == []


def test_members_see_members_and_an_administrator_sees_invitations(cast) -> None:
    cast.alice.post(NORTH, {"invitee": "charlie"})
    rows = [{"account": "alice", "role": "admin"}, {"account": "bob", "role": "submitter"}]
    assert [cast.bob.get(NORTH).json()[name] for name in ("results", "invitations")] == [rows, []]
    assert [invitation["invitee"] for invitation in cast.alice.get(NORTH).json()["invitations"]] == ["charlie"]
    assert len(cast.fay.get(NORTH).json()["invitations"]) == 1


@pytest.mark.parametrize("person", ["charlie", "dana", "erin"])
def test_members_pages_are_hidden_from_other_accounts(cast, person) -> None:
    someone = getattr(cast, person)
    answers = [someone.get(f"institutions/{slug}/members/") for slug in ("north-lab", "no-lab")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    pages = [browser(someone).get(f"/account/institutions/{slug}/") for slug in ("north-lab", "no-lab")]
    assert [page.status_code for page in pages] == [404, 404]


@pytest.mark.parametrize(
    ("method", "path", "document"),
    [
        ("post", NORTH, {"invitee": "charlie"}),
        ("patch", f"{NORTH}alice/", {"role": "submitter"}),
        ("delete", f"{NORTH}alice/", None),
    ],
)
def test_only_administrators_change_members(cast, method, path, document) -> None:
    before = roles()
    for person, status in ((cast.bob, 403), (cast.charlie, 404), (cast.erin, 404)):
        answer = getattr(person.client, method)(f"/api/v1/{path}", document, format="json")
        assert answer.status_code == status, answer.content
    assert roles() == before
    assert not Invitation.objects.exists()


def test_a_page_of_members_costs_the_same_however_many(cast, django_assert_num_queries) -> None:
    client = browser(cast.bob)
    for _ in range(2):
        with django_assert_num_queries(5):  # session, account, institution, manages?, members
            client.get("/account/institutions/north-lab/")
        ensure_account("gil", institution="north-lab")


# Invitations by name


def test_an_invitation_by_name_is_accepted_by_that_account_alone(cast) -> None:
    invitation = cast.alice.post(NORTH, {"invitee": "charlie", "role": "admin"}).json()
    for person in (cast.bob, cast.dana):
        assert person.post(f"invitations/{invitation['id']}/accept/").status_code == 404
    assert cast.charlie.get("institutions/").json()["invitations"] == [invitation]
    assert cast.charlie.post(f"invitations/{invitation['id']}/accept/").json() == {
        "account": "charlie",
        "role": "admin",
    }
    assert cast.charlie.post(f"invitations/{invitation['id']}/accept/").status_code == 404
    assert roles() == {"alice": "admin", "bob": "submitter", "charlie": "admin"}


def test_a_member_is_added_only_after_accepting(cast) -> None:
    cast.alice.post(NORTH, {"invitee": "dana"})
    assert "dana" not in roles()
    page = browser(cast.dana).get("/account/").content.decode()
    decline = re.search(r"/account/invitations/\d+/decline/", page)[0]
    browser(cast.dana).post(decline)
    assert not Invitation.objects.exists()


def test_invitations_do_not_reveal_accounts(cast) -> None:
    answers = [cast.alice.post(NORTH, {"invitee": name}) for name in ("charlie", "nobody-at-all")]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json().keys() == answers[1].json().keys()


def test_an_expired_invitation_is_invalid(cast) -> None:
    invitation = cast.alice.post(NORTH, {"invitee": "charlie"}).json()
    Invitation.objects.update(made_at=timezone.now() - timedelta(days=14, seconds=1))
    assert cast.charlie.post(f"invitations/{invitation['id']}/accept/").json()["code"] == "invitation.not-found"
    cast.alice.post(NORTH, {"invitee": "charlie"})
    assert cast.charlie.post(f"invitations/{invitation['id']}/accept/").status_code == 200


def test_an_invitation_is_revoked(cast) -> None:
    invitation = cast.alice.post(NORTH, {"invitee": "charlie"}).json()
    assert delete(cast.bob, f"institutions/north-lab/invitations/{invitation['id']}/").status_code == 403
    assert delete(cast.alice, f"institutions/north-lab/invitations/{invitation['id']}/").status_code == 204
    assert cast.charlie.post(f"invitations/{invitation['id']}/accept/").status_code == 404


@pytest.mark.parametrize("invitee", ["", "two words", "a@", "../x", "bob", "x" * 255])
def test_invalid_invitees_are_refused(cast, invitee) -> None:
    assert cast.alice.post(NORTH, {"invitee": invitee}).status_code in (400, 422)
    assert not Invitation.objects.exists()
    assert browser(cast.alice).post("/account/institutions/north-lab/invite/", {"invitee": invitee}).status_code == 422


# Invitations by mail


def test_an_invitation_by_mail_is_accepted_by_its_link(cast) -> None:
    answer = browser(cast.alice).post(
        "/account/institutions/north-lab/invite/", {"invitee": "someone@lab.example", "role": "submitter"}
    )
    assert answer["Location"] == "/account/institutions/north-lab/"
    (sent,) = mail.outbox
    assert sent.to == ["someone@lab.example"]
    address = re.search(r"http://testserver(/account/invitations/\S+/)", sent.body)[1]
    assert Client().get(address)["Location"].startswith("/login/?next=/account/invitations/")
    client = browser(cast.charlie)
    assert "North Lab" in client.get(address).content.decode()
    assert "charlie" not in roles()
    assert client.post(address)["Location"] == "/account/institutions/north-lab/"
    assert roles()["charlie"] == "submitter"
    assert browser(cast.dana).post(address).status_code == 404


def test_the_link_of_a_letter_leads_to_the_site_for_any_host_of_the_request(cast, settings) -> None:
    settings.SITE_URL, settings.ALLOWED_HOSTS = "https://registry.example", ["registry.example"]
    elsewhere = {"headers": {"Host": "registry.example:1337"}, "secure": True}
    form = {"invitee": "someone@lab.example", "role": "submitter"}
    browser(cast.alice).post("/account/institutions/north-lab/invite/", form, **elsewhere)
    address = EmailAddress.objects.create(user=cast.alice.account, email="alice@lab.example")
    request = RequestFactory().get("/account/email/", **elsewhere)
    assert request.get_host() == "registry.example:1337"
    with context.request_context(request):
        address.send_confirmation(request)
    for letter, path in zip(mail.outbox, ("invitations", "confirm-email"), strict=True):
        assert f"https://registry.example/account/{path}/" in letter.body and "1337" not in letter.body


@pytest.mark.django_db(transaction=True)
def test_an_invitation_is_accepted_once_by_several_at_the_same_time(cast) -> None:
    cast.alice.post(NORTH, {"invitee": "someone@lab.example"})
    address = re.search(r"http://testserver(/account/invitations/\S+/)", mail.outbox[0].body)[1]
    people = (cast.charlie, cast.dana, cast.erin)
    browsers, start = [browser(person) for person in people], threading.Barrier(len(people))

    def accept(client: Client) -> int:
        try:
            start.wait()
            return client.post(address).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as pool:
        assert sorted(pool.map(accept, browsers)) == [302, 404, 404]
    assert len(roles().keys() & {person.account.username for person in people}) == 1


def test_an_account_named_like_the_address_cannot_accept(cast) -> None:
    invitation = cast.alice.post(NORTH, {"invitee": "someone@lab.example"}).json()
    cast.charlie.account.username = "someone@lab.example"
    cast.charlie.account.save()
    assert cast.charlie.get("institutions/").json()["invitations"] == []
    assert cast.charlie.post(f"invitations/{invitation['id']}/accept/").status_code == 404


def test_a_forged_invitation_link_is_refused(cast) -> None:
    cast.alice.post(NORTH, {"invitee": "someone@lab.example"})
    secret = re.search(r"/invitations/(\S+)/", mail.outbox[0].body)[1]
    for forged in (secret[:-1], f"{secret}x", "MQ:1:2", "1"):
        assert browser(cast.charlie).post(f"/account/invitations/{forged}/").status_code in (404, 405)
    assert "charlie" not in roles()


def test_an_invitation_with_an_unsent_email_is_not_stored(cast, settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    answer = cast.alice.post(NORTH, {"invitee": "someone@lab.example"})
    assert (answer.status_code, answer.json()["code"]) == (503, "mail.unavailable")
    assert not Invitation.objects.exists()


def test_a_renewal_mails_once_a_day(cast) -> None:
    answers = [cast.alice.post(NORTH, {"invitee": "someone@lab.example"}) for _ in range(60)]
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == len(mail.outbox) == 1
    QuotaUse.objects.update(at=F("at") - timedelta(days=1, minutes=1))
    cast.alice.post(NORTH, {"invitee": "Someone@lab.example".lower()})
    assert len(mail.outbox) == 2


def test_a_revoked_invitation_is_mailed_again_only_the_next_day(cast) -> None:
    """The link of the first mail leads nowhere any more, so a second invitation without a mail would be none."""
    invitation = cast.alice.post(NORTH, {"invitee": "someone@lab.example"}).json()
    assert delete(cast.alice, f"institutions/north-lab/invitations/{invitation['id']}/").status_code == 204
    refused = cast.alice.post(NORTH, {"invitee": "someone@lab.example"})
    assert (refused.status_code, refused.json()["code"]) == (429, "quota.invitations")
    assert int(refused["Retry-After"]) > 0 and not Invitation.objects.exists()


def test_invitations_of_an_account_are_limited_by_day(cast, monkeypatch) -> None:
    monkeypatch.setattr(quotas, "MOST_LETTERS", 3)
    answers = [cast.alice.post(NORTH, {"invitee": f"a{number}@lab.example"}) for number in range(4)]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
    assert len(mail.outbox) == 3
    assert cast.alice.post(NORTH, {"invitee": "charlie"}).status_code == 201  # by name no mail is sent


def test_emails_to_an_address_are_limited_by_day(cast, monkeypatch) -> None:
    monkeypatch.setattr(quotas, "MOST_LETTERS_TO_ADDRESS", 0)
    assert cast.alice.post(NORTH, {"invitee": "victim@example.org"}).json()["code"] == "quota.invitations"
    assert mail.outbox == []


def test_addresses_of_one_mailbox_count_as_one(cast) -> None:
    invitees = ["victim@lab.example", "victim+1@lab.example", "Victim+2@LAB.example", "victim+3@lab.example"]
    answers = [cast.alice.post(NORTH, {"invitee": invitee}) for invitee in invitees]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
    assert len(mail.outbox) == 3
    others = ["victim2@lab.example", "victim+1@other.example", "vic_im@lab.example"]
    assert {cast.alice.post(NORTH, {"invitee": invitee}).status_code for invitee in others} == {201}


# Roles, and the last administrator


def test_a_role_is_changed_and_a_member_removed(cast) -> None:
    assert cast.alice.patch(f"{NORTH}bob/", {"role": "admin"}).json() == {"account": "bob", "role": "admin"}
    assert delete(cast.bob, f"{NORTH}alice/").status_code == 204
    assert roles() == {"bob": "admin"}
    assert cast.alice.get(NORTH).status_code == 404


def test_every_member_may_leave(cast) -> None:
    assert delete(cast.bob, f"{NORTH}bob/").status_code == 204
    assert roles() == {"alice": "admin"}


def test_the_last_administrator_cannot_leave(cast) -> None:
    for answer in (
        cast.alice.patch(f"{NORTH}alice/", {"role": "submitter"}),
        delete(cast.alice, f"{NORTH}alice/"),
        delete(cast.fay, f"{NORTH}alice/"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "institution.last-admin")
    page = browser(cast.alice).post("/account/institutions/north-lab/remove/", {"account": "alice"})
    assert page.status_code == 409
    assert roles()["alice"] == "admin"


def test_an_administrator_of_the_registry_appoints_an_institution_administrator(cast) -> None:
    cast.alice.account.memberships.update(role="submitter")
    assert cast.fay.patch(f"{NORTH}bob/", {"role": "admin"}).status_code == 200
    assert roles()["bob"] == "admin"


def test_an_account_that_is_no_member_is_not_found(cast) -> None:
    for answer in (cast.alice.patch(f"{NORTH}dana/", {"role": "admin"}), delete(cast.alice, f"{NORTH}dana/")):
        assert (answer.status_code, answer.json()["code"]) == (404, "institution.no-member")
    assert cast.alice.patch(f"{NORTH}bob/", {"role": "owner"}).status_code == 400


def test_the_first_member_added_by_command_administers(db) -> None:
    ensure_account("gil", institution="east-lab"), ensure_account("hal", institution="east-lab")
    assert roles("east-lab") == {"gil": "admin", "hal": "submitter"}


@pytest.mark.django_db(transaction=True)
def test_two_administrators_can_not_remove_each_other(db) -> None:
    site = Site.objects.create(slug="east-lab", name="East Lab")
    for name in ("gil", "hal"):
        Membership.objects.create(account=ensure_account(name), institution=site, role="admin")
    outcomes: list[str] = []
    together = threading.Barrier(2)

    def remove(name: str) -> None:
        together.wait()
        try:
            accounts_memberships.remove_member(site, name)
            outcomes.append("removed")
        except LastAdmin:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=remove, args=[name]) for name in ("gil", "hal")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["refused", "removed"]
    assert len(roles("east-lab")) == 1
