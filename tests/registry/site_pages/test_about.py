"""The page that says who runs this registry, and what a public host is refused."""

from __future__ import annotations

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured

from registry import environment

OPERATOR_CHECKS = {"registry.W001", "registry.W002", "registry.E001", "registry.E002"}


@pytest.fixture(autouse=True)
def nobody(settings):
    settings.OPERATOR, settings.CONTACT, settings.IMPRINT_URL = "", "", ""


def main_text(client) -> str:
    return client.get("/about/").content.decode().partition("<main")[2].partition("</main>")[0]


def deployment_codes() -> set[str]:
    return {message.id for message in run_checks(include_deployment_checks=True)} & OPERATOR_CHECKS


def test_missing_operator_contact_and_imprint_are_stated(client, db) -> None:
    page = main_text(client)
    for words in ("No operator is named.", "No contact is named.", "No imprint is named."):
        assert words in page
    assert "mailto:" not in page


def test_the_operator_is_named_with_contact_and_imprint(client, db, settings) -> None:
    settings.OPERATOR, settings.CONTACT = "North <Lab>", "storage@north.example"
    settings.IMPRINT_URL = "https://north.example/imprint?a=1&b=2"
    page = main_text(client)
    assert "North &lt;Lab&gt;" in page and "North <Lab>" not in page
    assert '<a href="mailto:storage@north.example">storage@north.example</a>' in page
    assert '<a href="https://north.example/imprint?a=1&amp;b=2">' in page
    assert "No operator" not in page and "No contact" not in page and "No imprint" not in page


def test_a_contact_that_is_no_address_is_text(client, db, settings) -> None:
    settings.CONTACT = "javascript:alert(1)"
    page = main_text(client)
    assert "javascript:alert(1)" in page and 'href="javascript' not in page


def test_page_footers_link_the_about_page(client, db) -> None:
    assert '<a href="/about/">About</a>' in client.get("/lists/").content.decode().partition("<footer")[2]
    assert client.post("/about/").status_code == 405


def test_a_deployment_that_names_all_three_passes(settings) -> None:
    settings.OPERATOR, settings.CONTACT = "North Lab", "storage@north.example"
    settings.IMPRINT_URL = "https://north.example/imprint"
    assert deployment_codes() == set()
    settings.CONTACT, settings.IMPRINT_URL = "https://north.example/help", ""
    assert deployment_codes() == set()


def test_a_deployment_without_an_operator_gets_a_warning() -> None:
    assert deployment_codes() == {"registry.W001", "registry.W002"}


@pytest.mark.parametrize(
    "value",
    [
        *("javascript:alert(1)", "desk 5", "http://north.example/", "https://", "https://[", "@", "a@b c", "a@b@c<d>"),
        *("https://user@north.example/", 'https://north.example/"x', "data:text/html,x", "https://north.example/ x"),
    ],
)
def test_an_address_that_cannot_be_followed_is_refused_for_a_deployment(settings, value) -> None:
    settings.OPERATOR, settings.CONTACT, settings.IMPRINT_URL = "North Lab", value, value
    assert deployment_codes() == {"registry.E001", "registry.E002"}


def test_an_imprint_that_no_parser_reads_stops_the_start(monkeypatch) -> None:
    monkeypatch.setenv("IMPRINT_URL", "https://[north.example/")
    with pytest.raises(ImproperlyConfigured, match="IMPRINT_URL must look like https://host/path"):
        environment.web_address("IMPRINT_URL")
