"""Results kept to compare: in the address alone, over sorting, filters and pages."""

from __future__ import annotations

import re

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from registry.models import Erasure, RankedList, Result
from registry.web.tray import Tray, kept_ids
from tests.registry.record import make_list, make_release, make_result

HOSTILE = [
    "https://evil.example/",
    "//evil.example/",
    "///evil.example/",
    "/\\evil.example/",
    "\\\\evil.example/",
    "javascript:alert(1)",
    " //evil.example/",
    "/\t/evil.example/",
    "/lists/\r\nSet-Cookie: a=b",
    "evil.example",
    "?r=a",
    "",
]


@pytest.fixture
def three(db) -> RankedList:
    """A list of t-1, t-2 and t-3 of one release."""
    release = make_release("next")
    results = [make_result(release, f"t-{number}", score=float(number)) for number in (3, 2, 1)]
    return make_list(release, "ten", results)


def tray_of(content: str) -> str:
    """The tray of a page, "" where it has none."""
    match = re.search(r'<aside class="tray".*?</aside>', content, re.DOTALL)
    return match[0] if match else ""


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_ids_are_those_of_the_address_in_their_order() -> None:
    assert kept_ids(QueryDict("r=b&r=a&r=b&r=&r=+&other=c")) == ["b", "a"]
    assert kept_ids(QueryDict("")) == []


def test_invalid_ids_are_dropped_from_the_choice() -> None:
    assert kept_ids(QueryDict(f"r={'x' * 201}&r=a%00b&r=c")) == ["c"]


def test_more_than_twenty_are_dropped_and_counted() -> None:
    tray = Tray(QueryDict("&".join(f"r=x-{number}" for number in range(23))))
    assert len(tray.ids) == 20 and tray.ids[-1] == "x-19" and tray.dropped == 3


def test_an_empty_choice_has_no_tray_and_no_query(client: Client, three, django_assert_num_queries) -> None:
    assert tray_of(page(client, "/results/")) == ""
    with django_assert_num_queries(0):
        tray = Tray(QueryDict("ordering=-score"))
        assert (tray.rows, tray.unknown, tray.query, tray.suffix) == ([], [], "", "")


def test_the_choice_costs_one_query_however_long(three, django_assert_num_queries) -> None:
    with django_assert_num_queries(1):
        tray = Tray(QueryDict("r=t-1&r=t-2&r=t-3"))
        assert [row["id"] for row in tray.rows] == ["t-1", "t-2", "t-3"]
        assert (tray.unknown, tray.comparison) == ([], "/compare/?results=t-1,t-2,t-3")


def test_the_tray_names_removes_clears_and_compares(client: Client, three) -> None:
    tray = tray_of(page(client, "/results/?tool=io500&r=t-2&r=t-1"))
    assert "2 selected" in tray
    assert tray.index("/results/t-2/") < tray.index("/results/t-1/")
    assert 'href="?tool=io500&amp;r=t-1"' in tray and 'href="?tool=io500&amp;r=t-2"' in tray
    assert '<a href="?tool=io500">Clear</a>' in tray
    assert 'href="/compare/?results=t-2,t-1"' in tray
    assert client.get("/compare/?results=t-2,t-1").status_code == 200


def test_unknown_and_erased_results_are_dropped_with_a_line(client: Client, three) -> None:
    result = Result.objects.get(public_id="t-3")
    Erasure.objects.create(result=result, category=Erasure.Category.PERSON, erased_at=timezone.now())
    tray = tray_of(page(client, "/results/?r=t-1&r=nowhere&r=t-3"))
    assert "Not in the registry, so left out: nowhere, t-3." in tray
    assert "/compare/?results=t-1" in tray and "/compare/?results=t-1," not in tray


def test_ids_are_escaped(client: Client, three) -> None:
    content = page(client, "/results/?r=%22%3E%3Cscript%3E")
    assert "<script>" not in tray_of(content) and "&lt;script&gt;" in tray_of(content)
    assert '"><script>' not in content


def test_a_list_of_twenty_at_most_is_compared(client: Client, three) -> None:
    query = "&".join(["r=t-1", *(f"r=x-{number}" for number in range(21))])
    assert "2 more left out: a comparison takes 20." in tray_of(page(client, f"/results/?{query}"))


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("/lists/next/ten/?r=t-1&r=t-2", "?ordering=score&amp;r=t-1&amp;r=t-2"),
        ("/lists/next/ten/?q=t-1&r=t-1", "?q=t-1&amp;r=t-1&amp;ordering=score"),
        ("/lists/next/ten/?q=nothing+like+it&r=t-1", "?r=t-1"),
        ("/results/?tool=none&r=t-1", "/results/?r=t-1"),
    ],
)
def test_links_that_sort_and_filter_carry_the_choice(client: Client, three, address: str, link: str) -> None:
    links = re.findall(r'href="([^"]*)"', page(client, address))
    assert any(set(re.split(r"[?]|&amp;", link)) == set(re.split(r"[?]|&amp;", other)) for other in links)


@pytest.mark.parametrize("address", ["/lists/next/ten/", "/results/"])
def test_forms_that_filter_carry_the_choice(client: Client, three, address: str) -> None:
    hidden = '<input type="hidden" name="r" value="t-2">'
    assert page(client, f"{address}?r=t-2").count(hidden) == 1
    assert hidden not in page(client, address)


def test_the_page_of_a_system_carries_the_choice_to_its_results(client: Client, three) -> None:
    slug = Result.objects.get(public_id="t-1").system.slug
    content = page(client, f"/systems/{slug}/?r=t-2")
    assert f"/results/?system={slug}&amp;r=t-2" in content and "1 selected" in tray_of(content)


@pytest.mark.parametrize("address", ["/lists/next/ten/?ordering=score&r=t-2", "/results/?tool=io500&r=t-2"])
def test_ticked_rows_are_kept_and_the_page_stays(client: Client, three, address: str) -> None:
    content = page(client, address)
    back = re.search(r'formaction="/compare/keep/" name="back" value="([^"]*)"', content)
    assert back and back[1].replace("&amp;", "&") == address
    response = client.get("/compare/keep/", {"results": ["t-1", "t-2"], "back": address})
    assert (response.status_code, response["Location"]) == (302, f"{address}&r=t-1")
    assert "2 selected" in tray_of(page(client, response["Location"]))


def test_no_ticked_row_keeps_the_address(client: Client, db) -> None:
    assert client.get("/compare/keep/", {"back": "/lists/"})["Location"] == "/lists/"
    assert client.get("/compare/keep/", {"back": "/results/?q=a+b"})["Location"] == "/results/?q=a+b"


@pytest.mark.parametrize("back", HOSTILE)
def test_the_return_address_is_a_path_of_this_site(client: Client, db, back: str) -> None:
    response = client.get("/compare/keep/", {"results": "t-1", "back": back})
    assert response["Location"] == "/results/?r=t-1"


def test_the_choice_is_kept_by_get_requests_only(client: Client, db) -> None:
    assert client.post("/compare/keep/", {"back": "/"}).status_code == 405


def test_a_missing_page_has_no_tray(client: Client, three) -> None:
    response = client.get("/results/nowhere/?r=t-1")
    assert response.status_code == 404 and tray_of(response.content.decode()) == ""


def test_a_result_links_its_usual_comparisons(client: Client, three) -> None:
    content = page(client, "/results/t-1/")
    for name in ("previous", "rival", "filesystem"):
        assert f'href="/compare/?results=t-1&amp;with={name}"' in content
        assert client.get(f"/compare/?results=t-1&with={name}").status_code in (200, 302)
