"""What a newcomer reads on the way to an account: why one is needed, where it comes from, whom to ask."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.utils import timezone

from registry import environment
from submissions.models import Account
from submissions.publication import releases

pytestmark = pytest.mark.django_db
WANTED = "/submissions/new/?release=sc99"
PASSWORD = "tides rise twice a day"
NOBODY = {"SIGNUP_OPEN": False, "CONTACT": "", "OPERATOR": "", "IMPRINT_URL": "", "INSECURE_LOCAL": False}


@pytest.fixture(autouse=True)
def registry_of_nobody(settings) -> None:
    cache.clear()
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    for name, value in NOBODY.items():
        setattr(settings, name, value)


def source(client: Client, address: str) -> str:
    answer = client.get(address, follow=True)
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def words(client: Client, address: str) -> str:
    main = source(client, address).partition("<main")[2].partition("</main>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("/submissions/new/", "To submit a run you need an account."),
        ("/submissions/", "To see your submissions you need an account."),
        ("/review/", "To review runs you need an account with the role of a reviewer."),
        ("/login/", "You can read all results without an account. Submitting and reviewing need one."),
        ("/login/?next=https://elsewhere.example/submissions/new/", "You can read all results without an account."),
    ],
)
def test_the_sign_in_page_says_why_it_is_shown(client, address, why) -> None:
    assert why in words(client, address)


PAGES = pytest.mark.parametrize("address", ["/submissions/new/", "/account/signup/"])


@PAGES
def test_the_contact_is_named(client, settings, address) -> None:
    settings.OPERATOR, settings.CONTACT = "North Lab", "storage@north.example"
    assert "North Lab creates accounts: ask at storage@north.example , and name your institution." in words(
        client, address
    )
    assert '<a href="mailto:storage@north.example">' in source(client, address)
    assert "dev.py" not in words(client, address)


@PAGES
def test_without_a_contact_the_page_names_none(client, settings, address) -> None:
    assert "It names no address for requests." in words(client, address)
    settings.OPERATOR = "North Lab"
    assert "It names no address for requests: ask North Lab." in words(client, address)
    assert "dev.py" not in words(client, address)


@PAGES
def test_the_page_shows_commands_on_a_local_registry(client, settings, address) -> None:
    settings.INSECURE_LOCAL = True
    page = words(client, address)
    assert "./dev.py manage create_token YOU --institution YOUR-SITE" in page
    assert "./dev.py manage changepassword YOU" in page


def test_the_page_links_an_open_sign_up_with_the_return_address(client, settings) -> None:
    settings.SIGNUP_OPEN = True
    assert 'href="/account/signup/?next=%2Fsubmissions%2Fnew%2F"' in source(client, "/submissions/new/")
    assert "Sign Up" in source(client, "/account/signup/")


def test_the_page_of_a_closed_sign_up_is_linked_and_links_back(client) -> None:
    assert 'href="/account/signup/?next=%2Fsubmissions%2Fnew%2F"' in source(client, "/submissions/new/")
    page = source(client, "/account/signup/?next=/submissions/new/")
    assert "Nobody can sign up by themselves here." in page
    assert 'href="/login/?next=%2Fsubmissions%2Fnew%2F"' in page
    assert 'href="/login/"' in source(client, "/account/signup/?next=https://elsewhere.example/")
    assert client.post("/account/signup/", {"username": "gil"}).status_code == 200
    assert not Account.objects.exists()


# A password that was mistyped


def test_name_and_return_address_are_kept_after_an_error(client) -> None:
    Account.objects.create_user("gil", password=PASSWORD)
    sent = {"username": 'gil"><b>', "password": "wrong", "next": WANTED}
    page = client.post("/login/", sent).content.decode()
    assert 'value="gil&quot;&gt;&lt;b&gt;"' in page
    assert "wrong" not in page
    assert html.escape(WANTED) in page
    assert "To submit a run you need an account." in page
    answer = client.post("/login/", {"username": "gil", "password": PASSWORD, "next": WANTED})
    assert answer.headers["Location"] == WANTED


def test_signing_in_never_redirects_to_another_site(client) -> None:
    Account.objects.create_user("gil", password=PASSWORD)
    sent = {"username": "gil", "password": PASSWORD, "next": "https://elsewhere.example/"}
    assert client.post("/login/", sent).headers["Location"] == "/submissions/"


# The foot of each page


def test_every_page_says_who_runs_the_registry(client, settings) -> None:
    settings.OPERATOR, settings.IMPRINT_URL = "North <Lab>", "https://north.example/imprint"
    settings.CONTACT = "https://north.example/help"
    foot = client.get("/lists/").content.decode().partition("<footer")[2]
    assert "Run by North &lt;Lab&gt;" in foot
    assert '<a href="https://north.example/help">Contact</a>' in foot
    assert '<a href="https://north.example/imprint">Imprint</a>' in foot


def test_a_contact_that_is_no_address_is_no_link(client, settings) -> None:
    settings.CONTACT = "javascript:alert(1)"
    foot = client.get("/lists/").content.decode().partition("<footer")[2]
    assert "Contact: javascript:alert(1)" in foot
    assert 'href="javascript' not in foot


def test_footers_leave_out_contacts_that_are_not_set(client) -> None:
    foot = client.get("/lists/").content.decode().partition("<footer")[2]
    for word in ("Run by", "Contact", "Imprint"):
        assert word not in foot


def test_a_deployment_without_a_contact_gets_a_warning(settings) -> None:
    assert "registry.W001" in [check.id for check in run_checks(include_deployment_checks=True)]
    assert "registry.W001" not in [check.id for check in run_checks()]
    settings.CONTACT = "storage@north.example"
    assert "registry.W001" not in [check.id for check in run_checks(include_deployment_checks=True)]


@pytest.mark.parametrize("value", ["north.example/imprint", "javascript:alert(1)", "https://", "ftp://north.example/"])
def test_an_imprint_that_is_no_address_stops_the_start(monkeypatch, value) -> None:
    monkeypatch.setenv("IMPRINT_URL", value)
    with pytest.raises(ImproperlyConfigured, match="IMPRINT_URL must look like https://host/path"):
        environment.web_address("IMPRINT_URL")


@pytest.mark.parametrize("value", ["two\nlines", "x" * 201])
def test_a_contact_is_one_line(monkeypatch, value) -> None:
    monkeypatch.setenv("CONTACT", value)
    with pytest.raises(ImproperlyConfigured, match="CONTACT must be one line"):
        environment.read_line("CONTACT")


# The open call


@pytest.fixture
def release(definitions):
    return releases.create_release("sc99", timezone.now() + timedelta(days=30), name="SC99", lists=["io500", "full"])


def test_the_page_of_an_open_call_links_its_form(client, release) -> None:
    page = source(client, "/releases/sc99/")
    assert f'href="{WANTED}"' in page
    assert "Research" in page.partition("It will publish")[2]
    client.force_login(Account.objects.create_user("gil"))
    assert '<option value="sc99" selected>' in source(client, WANTED)
    assert "selected" not in source(client, "/submissions/new/?release=sc77").partition("id_release")[2].split("/p>")[0]


@pytest.mark.parametrize("opens_in_days", [-2, 2])
def test_a_closed_call_has_no_submit_button(client, release, opens_in_days) -> None:
    release.opens = timezone.now() + timedelta(days=opens_in_days)
    release.deadline = release.opens + timedelta(days=1)
    release.save()
    assert "/submissions/new/?release" not in source(client, "/releases/sc99/")


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/login/", "/account/signup/", "/account/password/reset/"])
def test_a_next_page_without_an_address_is_no_error(client, settings, address: str) -> None:
    settings.SIGNUP_OPEN = True
    assert client.get(address, {"next": "http://["}).status_code == 200
