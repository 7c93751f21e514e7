"""The index of studies: each card has a finding, and a search keeps the cards with its words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext

from registry.models import Result
from registry.studies.index import cards
from tests.registry.record import IOR, make_measurement, make_release, make_result

MOST_QUERIES = 12


def card(title: str, finding: str = "", document: str = "Paper", topic: str = "fabrics") -> dict[str, str]:
    return {
        **{"title": title, "finding": finding, "document": document, "topic": topic},
        **{"place": "Table 1", "slug": "a-slug"},
    }


def card_with_answer(title: str, topic: str, **answer: Any) -> dict[str, Any]:
    return card(title, topic=topic) | {"values": 1, "picture": "<svg>", "ceilings": [], "matched": 0} | answer


TCP = card("What does TCP cost?", "Reads lose a tenth.")
STAT = card("How fast is stat?", "32 targets are enough.", "Metadata guide", "setups")


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


def test_topics_are_counted_in_the_order_of_the_index() -> None:
    assert cards.count_topics([STAT, TCP, TCP]) == [("fabrics", "Fabrics", 2), ("setups", "Setups and settings", 1)]
    assert cards.count_topics([]) == []


def test_answers_under_a_ceiling_come_first_and_topics_take_turns() -> None:
    rows = [
        card_with_answer("no value", "drives", values=0, ceilings=["drives"]),
        card_with_answer("setup", "setups", ceilings=["drives"]),
        card_with_answer("without a picture", "drives", picture=""),
        card_with_answer("picture", "metadata"),
        card_with_answer("pairs", "metadata", matched=2),
        card_with_answer("ceiling 1", "drives", ceilings=["drives"]),
        card_with_answer("ceiling 2", "drives", ceilings=["drives"]),
        card_with_answer("ceiling of another topic", "fabrics", ceilings=["network"]),
    ]
    assert [row["title"] for row in cards.most_answered_first(rows)] == [
        *("ceiling 1", "ceiling of another topic", "ceiling 2"),
        *("pairs", "picture", "setup", "without a picture", "no value"),
    ]


def studies_linked(page: str) -> list[str]:
    return re.findall(r'<h3><a href="/studies/([a-z0-9-]+)/">', page)


@pytest.mark.django_db
def test_the_index_shows_the_first_cards_and_leads_to_all(client) -> None:
    first_page, full_page = (client.get(address).content.decode() for address in ("/studies/", "/studies/?shown=all"))
    assert len(studies_linked(first_page)) == 12 < len(studies_linked(full_page)) == len(cards.list_cards())
    assert 'href="/studies/?shown=all#cards"' in first_page and "shown=all#cards" not in full_page


@pytest.mark.django_db
def test_a_topic_keeps_its_cards(client) -> None:
    page = client.get("/studies/?topic=training").content.decode()
    assert sorted(studies_linked(page)) == [
        *("mlperf-resnet50", "mlperf-resnet50-accelerators", "mlperf-samples", "mlperf-unet3d"),
        "mlperf-unet3d-accelerators",
    ]
    assert "<b>AI training <small>5</small></b>" in page


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["topic=weather", "topic=<b>", "topic=drives&topic=lists", "shown=12", "topic=%00"])
def test_an_unknown_topic_is_refused(client, query: str) -> None:
    response = client.get(f"/studies/?{query}")
    assert response.status_code == 400
    assert "query.invalid-value" in response.content.decode() and "<b>weather" not in response.content.decode()


@pytest.mark.django_db
def test_a_study_without_results_has_a_note_and_no_trust() -> None:
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
def test_a_second_visit_costs_few_queries(client) -> None:
    client.get("/studies/")
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get("/studies/").status_code == 200
    assert len(queries) <= MOST_QUERIES


@pytest.mark.django_db
def test_pages_show_cards_stored_by_the_worker(client) -> None:
    cards.refresh_cards()
    with CaptureQueriesContext(connection) as queries:
        rows = cards.kept_cards()
    assert not queries.captured_queries
    page = client.get("/studies/?shown=all").content.decode()
    assert page.count('<svg class="ch th"') == sum(bool(row["picture"]) for row in rows) > 0


@pytest.mark.django_db
def test_an_unknown_study_has_no_card(client) -> None:
    page = client.get("/studies/e2000-drives/").content.decode()
    assert '/studies/e2000-drives/card.png">' in page
    answer = client.get("/studies/e2000-drives/card.png")
    assert (answer["Content-Type"], answer.content[:4]) == ("image/png", b"\x89PNG")
    assert client.get("/studies/no-such-study/card.png").status_code == 404


@pytest.mark.django_db
def test_verified_stands_on_a_card_beside_violated_rules() -> None:
    facts = {"tool": "ior", "system_name": "E1000 SSU-F", "trust": Result.Trust.VERIFIED, "parameters": IOR}
    for number, outcome in enumerate(("violated", "satisfied")):
        snapshot = {"rules": [{"code": "ior.direct", "outcome": outcome, "why": ""}]}
        facts |= {"bundle_sha256": f"{number}" * 64, "snapshot": snapshot}
        result = make_result(make_release(f"r{number}"), f"hw-{number}", None, **facts)
        make_measurement(result, "write", quantity="ops_rate", stat="max", unit="ops/s", printed_unit="ops/s")
    row = {row["slug"]: row for row in cards.list_cards()}["e1000-fabric-4k"]
    assert (row["trusts"], row["caveat"]) == (["verified"], "1 with violated rules")
    assert "verified, 1 with violated rules" in render_to_string("studies/card.html", {"study": row})
