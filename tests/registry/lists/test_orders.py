"""A list in the order of another column: as sorted by hand, and read from an index in that order."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from registry.lists.views import SORTABLE
from registry.models import ListEntry
from tests.html import page_source
from tests.registry.record import make_list, make_release, make_result

pytestmark = pytest.mark.django_db

ADDRESS = "/lists/T1/full/"
OF_ENTRIES = sorted({column for _, column in SORTABLE.values() if "__" not in column})
ORDERS = [sign + column for column in OF_ENTRIES for sign in ("", "-") if sign + column != "-score"]
ROWS = ((9.0, 3.0, 8.0, 10), (8.0, None, 5.0, None), (8.0, 2.0, None, 10), (7.0, 2.0, 5.0, 200), (1.0, None, 6.0, 3))


@pytest.fixture(autouse=True)
def ranked() -> None:
    """A list with ties and with missing numbers in each column but the score."""
    release = make_release("T1")
    names = ("bandwidth_gib_per_s", "rate_kiops", "client_nodes")
    results = [
        make_result(release, f"hw-{place}", score, **dict(zip(names, facts, strict=True)))
        for place, (score, *facts) in enumerate(ROWS, 1)
    ]
    make_list(release, "full", results)


def sorted_by_hand(order: str) -> list[int]:
    """Positions: what is missing last, ties as on the list."""
    column, sign = order.removeprefix("-"), -1 if order.startswith("-") else 1
    numbers = dict(ListEntry.objects.values_list("position", column))
    present = sorted((place for place in numbers if numbers[place] is not None), key=lambda p: (sign * numbers[p], p))
    return present + sorted(place for place in numbers if numbers[place] is None)


def statements_of(order: str) -> list[tuple[str, Any]]:
    noted: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        noted.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        assert Client().get(ADDRESS, {"ordering": order}).status_code == 200
    return noted


@pytest.mark.parametrize("order", ORDERS)
def test_rows_stand_in_the_order_asked_for(client, order) -> None:
    body = page_source(client.get(ADDRESS, {"ordering": order})).partition("<tbody")[2]
    places = [int(text) for text in re.findall(r'href="/results/hw-(\d)/', body)]
    assert list(dict.fromkeys(places)) == sorted_by_hand(order)


@pytest.mark.parametrize("order", ORDERS)
def test_rows_are_read_from_an_index_in_that_order(order) -> None:
    (rows,) = [each for each in statements_of(order) if '"registry_listentry"."note"' in each[0]]
    with transaction.atomic(), connection.cursor() as cursor:
        # A table of a few rows is read whole and sorted otherwise.
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off")
        cursor.execute("SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off")
        cursor.execute(f"EXPLAIN (COSTS OFF) {rows[0]}", rows[1])
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Sort" not in plan, plan
    assert re.search(r"Index (Only )?Scan using list_entry_\w+_(up|down) on registry_listentry", plan), plan
