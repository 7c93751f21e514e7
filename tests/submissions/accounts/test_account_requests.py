"""Who has no account asks for one; administrators grant or refuse it, and the answer goes out by mail."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.account.signals import password_reset
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.test import Client

from registry.models import Site
from submissions.accounts import account_requests
from submissions.models import AccessRequest, Account
from tests.html import page_source
from tests.submissions.cast import Cast

pytestmark = pytest.mark.django_db
PASSWORD = "a lake of 7 herons"
FIELDS = {"name": "Gil Park", "email": "gil@lab.example", "institution": "South Lab", "purpose": "Runs of our Lustre."}


@pytest.fixture(autouse=True)
def closed(settings) -> None:
    settings.SIGNUP_OPEN = False
    cache.clear()


def client_of(person) -> Client:
    client = Client()
    client.force_login(person.account)
    return client


def ask(**changes: str):
    return Client().post("/account/request/", FIELDS | changes)


def test_a_request_is_noted_and_sends_nothing(cast: Cast) -> None:
    page = ask()
    assert page.status_code == 200
    assert "Request received" in page.content.decode()
    assert AccessRequest.objects.get().institution == "South Lab"
    account_requests.answer_due()
    assert mail.outbox == []


def test_a_second_request_is_answered_like_the_first(cast: Cast) -> None:
    first, second = ask(), ask(email="GIL@lab.example", name="Somebody Else")
    assert second.content.replace(b"GIL", b"gil") == first.content
    assert AccessRequest.objects.get().name == "Gil Park"


def test_requests_from_one_address_are_throttled(cast: Cast, settings) -> None:
    settings.THROTTLE_RATES = settings.THROTTLE_RATES | {"login": ("2/min", "2/min")}
    pages = [ask(email=f"gil{number}@lab.example") for number in range(3)]
    assert [page.status_code for page in pages] == [200, 200, 429]
    assert 0 < int(pages[-1]["Retry-After"]) <= 60


def test_the_number_of_waiting_requests_is_limited(cast: Cast, monkeypatch) -> None:
    monkeypatch.setattr(account_requests, "MOST_WAITING", 1)
    assert [ask().status_code, ask(email="hal@lab.example").status_code] == [200, 422]


@pytest.mark.parametrize(("field", "text"), [("email", "nowhere"), ("name", ""), ("purpose", "x" * 2001)])
def test_a_wrong_field_is_named_and_other_input_kept(cast: Cast, field: str, text: str) -> None:
    page = ask(**{field: text})
    source = page.content.decode()
    assert page.status_code == 422
    assert re.search(rf'name="{field}"[^>]*aria-invalid="true"', source)
    assert "South Lab" in source
    assert not AccessRequest.objects.exists()


def test_the_first_page_asks_for_the_institution(cast: Cast) -> None:
    """Its form leads to the page of the request, with what was typed; nothing is noted yet."""
    home = page_source(Client().get("/"))
    assert '<form class="bar" action="/account/request/"><label>Institution <input name="institution"' in home
    form = page_source(Client().get("/account/request/", {"institution": "South <Lab>", "email": "gil@lab.example"}))
    (field,) = re.findall(r'<input[^>]*name="institution"[^>]*>', form)
    assert 'value="South &lt;Lab&gt;"' in field and "gil@lab.example" not in form
    assert not AccessRequest.objects.exists()


def test_a_long_institution_is_cut_as_its_field_is(cast: Cast) -> None:
    form = page_source(Client().get("/account/request/", {"institution": "n" * 300}))
    assert f'value="{"n" * 200}"' in form and f'value="{"n" * 201}' not in form


def test_the_page_redirects_to_an_open_sign_up(cast: Cast, settings) -> None:
    settings.SIGNUP_OPEN = True
    for answer in (Client().get("/account/request/"), ask()):
        assert answer["Location"] == "/account/signup/"
    assert not AccessRequest.objects.exists()


def test_a_granted_request_creates_an_account_and_an_email(cast: Cast) -> None:
    ask()
    row = AccessRequest.objects.get()
    admin = client_of(cast.fay)
    assert "Runs of our Lustre." in admin.get("/account/requests/").content.decode()
    answer = admin.post(f"/account/requests/{row.pk}/grant/", {"username": "gil", "institution": "north-lab"})
    assert answer["Location"] == "/account/requests/"
    account = Account.objects.get(username="gil")
    assert (account.role, account.has_usable_password(), account.is_staff) == ("submitter", False, False)
    assert account.memberships.get().institution.slug == "north-lab"
    assert not AccessRequest.objects.exists()
    account_requests.answer_due()
    letter = mail.outbox[0]
    assert letter.to == ["gil@lab.example"]
    assert letter.subject.endswith("Your account")
    assert "granted your request for an account. Your user name is gil." in letter.body
    assert "reset" not in letter.body.replace("/account/password/reset/key/", "")
    link = re.search(r"https?://[^/\s]+(/account/password/reset/key/\S+)", letter.body)[1]
    assert Client().get(link, follow=True).status_code == 200


def test_a_taken_name_is_reported_at_its_field(cast: Cast) -> None:
    ask()
    row = AccessRequest.objects.get()
    page = client_of(cast.fay).post(f"/account/requests/{row.pk}/grant/", {"username": "Alice"})
    assert page.status_code == 422
    assert re.search(r'value="Alice"[^>]*aria-invalid="true"', page.content.decode())
    unknown = client_of(cast.fay).post(f"/account/requests/{row.pk}/grant/", {"username": "gil", "institution": "no"})
    assert unknown.status_code == 422
    assert "There is no such institution." in unknown.content.decode()
    assert AccessRequest.objects.exists()
    assert not Account.objects.filter(username="gil").exists()


def grant(cast: Cast, **fields: str):
    """What an administrator of the registry gets who grants the one open request."""
    client = client_of(cast.fay)
    return client.post(f"/account/requests/{AccessRequest.objects.get().pk}/grant/", fields, follow=True)


def test_a_new_institution_is_proposed_and_created_with_the_account(cast: Cast) -> None:
    """Its name is the one that was asked for, and its first member may invite the others."""
    ask(institution="Far Lab")
    form = page_source(client_of(cast.fay).get("/account/requests/"))
    assert re.search(r'name="institution" value="far-lab"', form)
    assert re.search(r'<input[^>]*name="is_new_institution"[^>]* checked', form)
    page = grant(cast, username="gil", institution="far-lab", is_new_institution="on")
    assert "gil has an account." in page_source(page)
    membership = Account.objects.get(username="gil").memberships.get()
    assert (membership.institution.name, membership.role) == ("Far Lab", "admin")


@pytest.mark.parametrize("name", ["North Lab", "NORTH LAB", "north-lab"])
def test_an_institution_that_is_there_is_proposed_by_its_name(cast: Cast, name: str) -> None:
    Site.objects.filter(slug="north-lab").update(name="North Lab")
    ask(institution=name)
    form = page_source(client_of(cast.fay).get("/account/requests/"))
    assert re.search(r'name="institution" value="north-lab"', form)
    assert not re.search(r'<input[^>]*name="is_new_institution"[^>]* checked', form)


@pytest.mark.parametrize(
    ("institution", "is_new", "why"),
    [
        ("elsewhere", "", "There is no such institution."),
        ("north-lab", "on", "This is the address of "),
        ("", "on", "Use lower-case letters, digits and hyphens."),
        ("South", "on", "Use lower-case letters, digits and hyphens."),
        ("south lab", "on", "valid"),
        ("s" * 101, "on", "Enter at most 100 characters."),
    ],
)
def test_a_wrong_institution_is_reported_beside_a_wrong_name(
    cast: Cast, institution: str, is_new: str, why: str
) -> None:
    ask()
    page = grant(cast, username="gil", institution=institution, **({"is_new_institution": is_new} if is_new else {}))
    assert page.status_code == 422
    assert why in page_source(page)
    assert AccessRequest.objects.exists() and not Account.objects.filter(username="gil").exists()


def test_the_longest_name_of_an_institution_is_granted_as_proposed(cast: Cast) -> None:
    ask(institution="n" * 150 + " " + "o" * 49)
    form = page_source(client_of(cast.fay).get("/account/requests/"))
    (slug,) = re.findall(r'name="institution" value="(n+)"', form)
    assert grant(cast, username="gil", institution=slug, is_new_institution="on").status_code == 200
    assert len(Account.objects.get(username="gil").memberships.get().institution.name) == 200


def test_a_name_without_latin_letters_is_proposed_no_address(cast: Cast) -> None:
    """The administrator types one; nothing is ticked that could not be carried out."""
    ask(institution="气象局")
    form = page_source(client_of(cast.fay).get("/account/requests/"))
    assert not re.search(r'name="institution" value=', form)
    assert not re.search(r'<input[^>]*name="is_new_institution"[^>]* checked', form)


def test_both_fields_are_reported_at_once(cast: Cast) -> None:
    ask()
    source = page_source(grant(cast, username="Alice", institution="elsewhere"))
    assert "This name is taken." in source and "There is no such institution." in source


def test_a_former_address_of_an_institution_is_refused(cast: Cast) -> None:
    """Its slug is never used again, neither for a new institution nor for members."""
    north = Site.objects.get(slug="north-lab")
    Site.objects.create(slug="old-lab", name="Old Lab", merged_into=north)
    ask(institution="Old Lab")
    for is_new in ({}, {"is_new_institution": "on"}):
        assert grant(cast, username="gil", institution="old-lab", **is_new).status_code == 422
    assert not Account.objects.filter(username="gil").exists()


def test_a_refusal_is_mailed_with_its_reason(cast: Cast) -> None:
    ask()
    row = AccessRequest.objects.get()
    admin = client_of(cast.fay)
    assert admin.post(f"/account/requests/{row.pk}/refuse/", {"reason": ""}).status_code == 422
    admin.post(f"/account/requests/{row.pk}/refuse/", {"reason": "This registry is for storage."})
    account_requests.answer_due()
    assert [letter.to for letter in mail.outbox] == [["gil@lab.example"]]
    assert "This registry is for storage." in mail.outbox[0].body
    assert "You can read all results without an account." in mail.outbox[0].body
    assert not AccessRequest.objects.exists()
    assert admin.post(f"/account/requests/{row.pk}/refuse/", {"reason": "Twice."}).status_code == 404


def test_the_link_of_the_letter_ends_in_a_signed_in_account(cast: Cast) -> None:
    """The mailbox was read to set the password, so no second letter verifies its address."""
    assert timedelta(days=3).total_seconds() == settings.PASSWORD_RESET_TIMEOUT, "the page names it"
    ask()
    grant(cast, username="gil", institution="north-lab")
    account_requests.answer_due()
    link = re.search(r"https?://[^/\s]+(/account/password/reset/key/\S+)", mail.outbox[0].body)[1]
    person = Client()
    form = person.get(link, follow=True)
    assert "<h1>Set a password</h1>" in page_source(form)
    ready = person.post(form.request["PATH_INFO"], {"password1": PASSWORD, "password2": PASSWORD}, follow=True)
    assert '<a class="btn" href="/login/">Sign in</a>' in page_source(ready)
    answer = person.post("/login/", {"username": "gil@lab.example", "password": PASSWORD, "next": "/submissions/new/"})
    assert answer["Location"] == "/submissions/new/"
    assert person.get("/account/").status_code == 200
    assert "<h1>This link no longer works</h1>" in page_source(Client().get(link, follow=True))


def test_a_letter_of_an_account_with_two_addresses_verifies_neither(cast: Cast) -> None:
    """It went to one of them, and the link does not tell to which."""
    for email in ("gil@lab.example", "gil@home.example"):
        EmailAddress.objects.create(user=cast.bob.account, email=email, primary=email.endswith("lab.example"))
    password_reset.send(sender=Account, request=None, user=cast.bob.account)
    assert not EmailAddress.objects.filter(verified=True, user=cast.bob.account).exists()


def test_a_closed_registry_offers_no_reading_without_an_account(cast: Cast, settings) -> None:
    """Neither the pages of a stranger nor the letter of a refusal."""
    settings.READ_REQUIRES_LOGIN = True
    noted, closed = page_source(ask()), page_source(Client().get("/account/signup/"))
    assert "Request received" in noted and "without an account" not in noted
    assert "You need an account to read this registry" in closed and "needs no account" not in closed
    row = AccessRequest.objects.get()
    client_of(cast.fay).post(f"/account/requests/{row.pk}/refuse/", {"reason": "Ask your own site."})
    account_requests.answer_due()
    assert "Ask your own site." in mail.outbox[0].body and "needs no account" not in mail.outbox[0].body


def test_an_address_with_an_account_gets_no_second_one(cast: Cast) -> None:
    cast.bob.account.email = "gil@lab.example"
    cast.bob.account.save()
    ask()
    count = Account.objects.count()
    client_of(cast.fay).post(f"/account/requests/{AccessRequest.objects.get().pk}/grant/", {"username": "gil"})
    assert Account.objects.count() == count


@pytest.mark.parametrize("person", ["alice", "dana", "erin"])
def test_only_administrators_answer(cast: Cast, person: str) -> None:
    ask()
    row, client = AccessRequest.objects.get(), client_of(getattr(cast, person))
    assert client.get("/account/requests/").status_code == 404
    assert client.post(f"/account/requests/{row.pk}/grant/", {"username": "gil"}).status_code == 404
    assert client.post(f"/account/requests/{row.pk}/refuse/", {"reason": "No."}).status_code == 404
    assert AccessRequest.objects.exists()
