"""No public page or answer reads more of the database because the record is larger, but for those named here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import get_resolver

from bench.synthetic import LIST_NAME, empty, record
from registry import api_urls, page_urls

SIZES = (10_000, 100_000)
MOST_TIMES = 2
FREE_BLOCKS = 200
"""So many more are no growth: trees of indexes become deeper, and plans change."""
NAMES = {
    "list": LIST_NAME,
    "name": LIST_NAME,
    "public_id": "bench-7",
    "id": "bench-7",
    "form": "fio",
    "award": "overall",
}
QUERIES = {
    "list": ("", "?page={last}"),
    "compare": ("?results=bench-1,bench-2",),
    "api-compare": ("?results=bench-1,bench-2",),
}
"""Queries of an address; without an entry it is asked without one."""
PROBES = {"livez", "readyz", "healthz", "preferences", "keep-results", "demonstration-run"}
"""They show nothing of the record, or one row of constructed runs."""
GROWING = {
    "api-sites": "looks for a result of each site",
    "result-among": "compares with all results of the tool",
    "api-result-among": "compares with all results of the tool",
    "parameters-shared": "reads all results",
    "api-parameters-shared": "reads all results",
    "explore": "reads all results",
}
"""Addresses that still read more, each with what it reads. It only gets shorter."""

pytestmark = pytest.mark.deep


@pytest.fixture(scope="module")
def blocks(django_db_setup: None, django_db_blocker: Any) -> Iterator[list[dict[str, int]]]:
    """By size of the record: blocks that each address reads."""
    with django_db_blocker.unblock():
        try:
            yield [_blocks_by_address(size) for size in SIZES]
        finally:
            empty()


def _blocks_by_address(size: int) -> dict[str, int]:
    slugs = {"release": record(size), "slug": f"bench-{size}-3"}
    counts = {}
    for pattern in (*page_urls.urlpatterns, *api_urls.urlpatterns):
        if pattern.name in PROBES:
            continue
        for query in QUERIES.get(pattern.name, ("",)):
            known_values = NAMES | slugs | ({"slug": f"bench-{size}-site-3"} if "site" in pattern.name else {})
            arguments = {name: known_values.get(name, "none") for name in pattern.pattern.converters}
            address = get_resolver().reverse(pattern.name, **arguments)
            counts[f"{pattern.name}{query}"] = _count_blocks(f"/{address}{query.format(last=size // 300)}")
    return counts


def _count_blocks(address: str) -> int:
    """Blocks that the statements of an answer read, each asked once more for its plan."""
    statements: list[tuple[str, Any]] = []

    def note_statement(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements.append((sql, params))
        return execute(sql, params, many, context)

    client = Client()
    client.get(address)  # what the cache holds is no part of it
    with connection.execute_wrapper(note_statement):
        answer = client.get(address)
        assert answer.status_code < 500, address
        if answer.streaming:
            answer.close()
    with transaction.atomic(), connection.cursor() as cursor:
        return sum(_blocks_of(cursor, sql, params) for sql, params in statements)


def _blocks_of(cursor: Any, sql: str, params: Any) -> int:
    if not sql.lstrip("( \n").upper().startswith(("SELECT", "WITH")):
        if sql.upper().startswith("SET"):  # of the planner, for the statement behind it
            cursor.execute(sql, params)
        return 0
    cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
    (plan,) = cursor.fetchone()
    top = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
    return int(top["Shared Hit Blocks"] + top["Shared Read Blocks"])


def test_no_address_reads_more_of_a_larger_record(blocks: list[dict[str, int]]) -> None:
    small, large = blocks
    more = {
        address: (small[address], count)
        for address, count in large.items()
        if count > MOST_TIMES * small[address] + FREE_BLOCKS
    }
    assert {address: counts for address, counts in more.items() if address.partition("?")[0] not in GROWING} == {}
    assert {address.partition("?")[0] for address in more} == set(GROWING), "one of these does not grow any more"


@pytest.mark.django_db
def test_each_growing_address_is_one_of_ours() -> None:
    assert set(GROWING) <= {pattern.name for pattern in (*page_urls.urlpatterns, *api_urls.urlpatterns)}
