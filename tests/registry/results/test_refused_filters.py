"""A wrong filter is marked at its field, the form keeps what was typed, and the page says that it is refused."""

from __future__ import annotations

import re

import pytest

from tests.html import page_source
from tests.registry.record import make_list, make_measurement, make_release, make_result

FIELD = re.compile(r'<input name="client_nodes__gte"[^>]*>', re.DOTALL)


@pytest.fixture
def record(db):
    release = make_release("SC99")
    result = make_result(release, "x-1", 5.0, client_nodes=4)
    make_list(release, "full", [result], title="Full")
    return result


@pytest.mark.parametrize("address", ["/results/", "/lists/SC99/full/"])
@pytest.mark.parametrize("value", ["abc", "-1", "1.5", "99999999999", "1e3", "<b>1</b>"])
def test_a_wrong_filter_keeps_the_form_and_names_the_field(client, record, address: str, value: str) -> None:
    answer = client.get(address, {"client_nodes__gte": value, "q": "test"})
    page = page_source(answer)
    assert answer.status_code == 400 and "<title>Error: " in page
    (field,) = re.findall(r'<input\s+name="client_nodes__gte"[^>]*?aria-invalid="true"[^>]*?>', page)
    assert 'aria-describedby="error-client_nodes__gte"' in field
    assert f'value="{value.replace("<", "&lt;").replace(">", "&gt;")}"' in field
    assert 'id="error-client_nodes__gte">A whole number from 0 to 2147483647.<' in page
    assert re.search(r'name="q"\s[^>]*value="test"', page)
    assert 'href="/results/x-1/"' not in page and "<b>1</b>" not in page


def test_a_field_that_is_not_wrong_is_not_marked(client, record) -> None:
    for address in ("/results/?client_nodes__gte=4", "/results/?client_nodes__gte=abc", "/lists/SC99/full/?q=zz"):
        assert page_source(client.get(address)).count("aria-invalid") == ("abc" in address)


def test_a_choice_that_does_not_exist_is_marked_at_its_field(client, record) -> None:
    page = page_source(client.get("/results/?trust=perfect"))
    assert '<select name="trust" aria-invalid="true"' in page
    assert 'id="error-trust">One of verified, derived, imported, reported.<' in page


@pytest.mark.parametrize("name", ["q", "tool", "filesystem_type", "vendor"])
@pytest.mark.parametrize("value", ["a" * 201, "a\0b"])
def test_a_wrong_filter_of_systems_keeps_the_form(client, record, name: str, value: str) -> None:
    answer = client.get("/systems/", {name: value, "platform": "p"})
    page = page_source(answer)
    assert answer.status_code == 400 and "<title>Error: Systems" in page
    assert len(re.findall(rf'name="{name}"[^>]*? aria-invalid="true" aria-describedby="error-{name}"', page)) == 1
    assert f'id="error-{name}">At most 200 characters, and no NUL.<' in page
    assert page.count("aria-invalid") == 1 and 'href="/systems/site-one-test-system-a/"' not in page
    assert '<a href="/systems/">All systems</a>' in page


def test_a_wrong_filter_of_systems_without_a_field_is_named(client, record) -> None:
    answer = client.get("/systems/?trust=perfect&q=test")
    page = page_source(answer)
    assert answer.status_code == 400 and "trust: one of verified, derived, imported, reported." in page
    assert re.search(r'name="q"\s[^>]*value="test"', page) and "aria-invalid" not in page


def test_a_right_filter_of_systems_is_answered(client, record) -> None:
    answer = client.get("/systems/?q=test")
    page = page_source(answer)
    assert answer.status_code == 200 and 'href="/systems/site-one-test-system-a/"' in page
    assert "aria-invalid" not in page and "<title>Systems" in page


def test_a_name_that_no_filter_has_keeps_its_message(client, record) -> None:
    answer = client.get("/results/?p.=3")
    assert answer.status_code == 400 and "p.NAME needs the name of a parameter" in page_source(answer)


def test_a_result_without_a_score_shows_what_it_measured(client, record) -> None:
    other = make_result(record.release, "x-2", None, tool="ior", system_name="Other")
    make_measurement(other, "write", 3.0, stat="max", scored=None)
    page = page_source(client.get("/results/"))
    assert re.search(r'colspan="3">Write bandwidth 3', page)
    assert "<b>5.00</b>" in page
