"""The list page and the list API at several sizes of the record, uncached: time, queries, ratio to the bare SQL."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection, transaction
from django.test import Client

from bench.figures import figure, p50_ms, p95_ms, seconds_of
from bench.synthetic import LIST_NAME, record

ROUNDS = 60


def run(sizes: list[int]) -> None:
    for size in sizes:
        slug = record(size)
        measure("list page", f"/lists/{slug}/{LIST_NAME}/", size)
        measure("list API", f"/api/v1/lists/{slug}/{LIST_NAME}/", size)


def measure(name: str, address: str, size: int, bench: str = "lists") -> None:
    """p50 and p95 of one address in this process, through all middleware; and what its SQL alone costs."""
    client = Client(HTTP_HOST="localhost")

    def ask() -> None:
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)
        _ = answer.content if not answer.streaming else b"".join(answer.streaming_content)

    statements = _statements(ask)
    page_s, sql_s = seconds_of(ask, ROUNDS), seconds_of(lambda: _execute(statements), ROUNDS)
    conditions = {"results": size, "rounds": ROUNDS}
    figure(bench, f"{name} p50", p50_ms(page_s), "ms", **conditions)
    figure(bench, f"{name} p95", p95_ms(page_s), "ms", **conditions)
    figure(bench, f"{name} queries", len(statements), "count", **conditions)
    figure(bench, f"{name} to bare SQL", p50_ms(page_s) / p50_ms(sql_s), "x", **conditions)


def _statements(call: Callable[[], None]) -> list[tuple[str, object]]:
    """The SQL that a call executes once it is warm, with its parameters."""
    call()
    statements: list[tuple[str, object]] = []

    def watch(execute, sql, params, many, context):
        statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        call()
    return statements


def _execute(statements: list[tuple[str, object]]) -> None:
    """In one transaction, so that settings of the planner hold for the statement behind them."""
    with transaction.atomic(), connection.cursor() as cursor:
        for sql, params in statements:
            cursor.execute(sql, params)
            if cursor.description:
                cursor.fetchall()
