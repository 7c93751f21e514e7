"""The table of results page by page, in both directions, and how many there are."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from registry.results import views
from tests.html import page_source
from tests.registry.record import make_release, make_result

NBSP = "\N{NO-BREAK SPACE}"


@pytest.fixture
def record(db, monkeypatch) -> list[str]:
    """Seven results on pages of three; five have equal scores, so that ties meet the edges of pages."""
    monkeypatch.setattr(views, "PAGE_ROWS", 3)
    release = make_release("SC99")
    scores = (5.0, 5.0, 5.0, 5.0, 9.0, 5.0, 1.0)
    return [make_result(release, f"x-{number}", score).public_id for number, score in enumerate(scores)]


def page_and_ways(client, address: str) -> tuple[list[str], str, str]:
    """The results of a page, and the addresses of the previous and of the next page."""
    page = page_source(client.get(address))
    links = {name: link for link, name in re.findall(r'<a class="btn" href="([^"]*)">(\w+) page</a>', page)}
    ways = (links.get(name, "").replace("&amp;", "&") for name in ("Previous", "Next"))
    return (re.findall(r'name="results" value="([^"]*)"', page), *ways)


def walk(client, address: str, way: int) -> Iterator[list[str]]:
    while address:
        page = page_and_ways(client, f"/results/{address}" if address.startswith("?") else address)
        yield page[0]
        address = page[way]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["x-6 x-5 x-4", "x-3 x-2 x-1", "x-0"]),
        ("?ordering=-score", ["x-4 x-5 x-3", "x-2 x-1 x-0", "x-6"]),
        ("?ordering=score", ["x-6 x-0 x-1", "x-2 x-3 x-5", "x-4"]),
    ],
)
def test_the_way_back_has_the_same_pages(client, record, query: str, expected: list[str]) -> None:
    pages = list(walk(client, f"/results/{query}", 2))
    assert [" ".join(page) for page in pages] == expected
    middle = page_and_ways(client, f"/results/{query}")[2]
    last = page_and_ways(client, f"/results/{page_and_ways(client, f'/results/{middle}')[2]}")
    assert [" ".join(page) for page in walk(client, last[1], 1)] == expected[1::-1]


def test_filters_are_kept_on_the_way_back(client, record) -> None:
    _, _, following = page_and_ways(client, "/results/?q=Test&ordering=-score&r=x-4")
    _, previous, _ = page_and_ways(client, f"/results/{following}")
    assert previous.startswith("?q=Test&ordering=-score&before=") and previous.endswith("&r=x-4")


def test_fewer_rows_before_the_cursor_are_the_first_page(client, record) -> None:
    """Results that arrived since do not leave a page of one row."""
    _, _, following = page_and_ways(client, "/results/")
    _, previous, _ = page_and_ways(client, f"/results/{following}")
    make_result(make_release("SC98"), "x-7", 2.0)
    rows, before, _ = page_and_ways(client, f"/results/{previous}")
    assert (rows, bool(before)) == (["x-6", "x-5", "x-4"], True)
    rows, before, _ = page_and_ways(client, f"/results/{before}")
    assert (rows, before) == (["x-7", "x-6", "x-5"], "")


@pytest.mark.parametrize("before", ["nonsense", "WyItaWQiLCI3Iiw3XQ", "\0"])
def test_a_cursor_of_another_address_is_refused(client, record, before: str) -> None:
    answer = client.get("/results/", {"before": before})
    assert answer.status_code == 400 and "query.bad-cursor" in page_source(answer)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", "7"),
        ("?tool=io500", "7"),
        ("?tool=IO500&ordering=-score", "7"),
        ("?q=nothing-like-it", ""),
        ("?client_nodes__gte=1", ""),
        ("?tool=ior", ""),
    ],
)
def test_the_count_is_shown_without_filters(client, record, query: str, count: str) -> None:
    counts = re.findall(rf'<p class="soft">(\d+){NBSP}results?</p>', page_source(client.get(f"/results/{query}")))
    assert counts == ([count] if count else [])


def test_results_of_one_page_are_counted(client, record, monkeypatch) -> None:
    monkeypatch.setattr(views, "PAGE_ROWS", 50)
    assert f'<p class="soft">7{NBSP}results</p>' in page_source(client.get("/results/?q=Test"))


def test_a_result_shows_the_name_of_its_release(client, db) -> None:
    make_result(make_release("spring", name="Spring of 2027"), "x-1", filesystem_family="Lustre")
    for address in (
        "/results/",
        "/results/?system=site-one-test-system-a",
        "/search/?q=Lustre",
        "/ranking/?formula=score",
    ):
        page = page_source(client.get(address))
        assert "Spring of 2027" in page, address
        assert "spring" not in page, address
