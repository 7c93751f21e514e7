"""The index of studies: each card has a finding, and a search keeps the cards with its words."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.studies.index import cards

MOST_QUERIES = 12


def card(title: str, finding: str = "", document: str = "Paper") -> dict[str, str]:
    return {"title": title, "finding": finding, "document": document, "place": "Table 1", "slug": "a-slug"}


TCP = card("What does TCP cost?", "Reads lose a tenth.")
STAT = card("How fast is stat?", "32 targets are enough.", "Metadata guide")


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("", ["What does TCP cost?", "How fast is stat?"]),
        ("tcp", ["What does TCP cost?"]),
        ("TENTH reads", ["What does TCP cost?"]),
        ("metadata", ["How fast is stat?"]),
        ("tcp metadata", []),
        ("%", []),
    ],
)
def test_a_search_keeps_cards_that_hold_every_word(text: str, titles: list[str]) -> None:
    assert [row["title"] for row in cards.search_cards([TCP, STAT], text)] == titles


def test_cards_stay_in_order_by_document() -> None:
    assert cards.group_by_document([TCP, STAT, TCP]) == {"Paper": [TCP, TCP], "Metadata guide": [STAT]}


@pytest.mark.django_db
def test_a_study_without_results_says_so_and_has_no_trust() -> None:
    rows = {row["slug"]: row for row in cards.list_cards()}
    empty = rows["e2000-lst-rate"]
    assert (empty["finding"], empty["trusts"], empty["values"]) == (cards.NO_ANSWER, [], 0)
    assert rows["e2000-drives"]["trusts"] == ["reported"]
    assert rows["e2000-drives"]["values"] > 0


@pytest.mark.django_db
def test_the_page_of_a_search_has_its_matches_only(client) -> None:
    page = client.get("/studies/", {"q": "e2000-drives"}).content.decode()
    assert 'href="/studies/e2000-drives/"' in page
    assert 'href="/studies/perlmutter-stragglers/"' not in page
    assert 'value="e2000-drives"' in page


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "\x00", "x" * 5000])
def test_hostile_searches_are_answered_and_escaped(client, text: str) -> None:
    response = client.get("/studies/", {"q": text})
    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()


@pytest.mark.django_db
def test_a_second_visit_asks_few_queries(client) -> None:
    client.get("/studies/")
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get("/studies/").status_code == 200
    assert len(queries) <= MOST_QUERIES


@pytest.mark.django_db
def test_pages_show_the_cards_that_the_worker_kept(client) -> None:
    cards.refresh_cards()
    with CaptureQueriesContext(connection) as queries:
        rows = cards.kept_cards()
    assert not queries.captured_queries
    page = client.get("/studies/").content.decode()
    assert page.count('<svg class="ch th"') == sum(bool(row["picture"]) for row in rows) > 0


@pytest.mark.django_db
def test_a_study_has_a_card_for_other_places_and_an_unknown_one_has_none(client) -> None:
    page = client.get("/studies/e2000-drives/").content.decode()
    assert '/studies/e2000-drives/card.png">' in page
    answer = client.get("/studies/e2000-drives/card.png")
    assert (answer["Content-Type"], answer.content[:4]) == ("image/png", b"\x89PNG")
    assert client.get("/studies/no-such-study/card.png").status_code == 404
