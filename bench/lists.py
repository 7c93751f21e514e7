"""The list page and the list API at several sizes of the record, uncached: time, queries, ratio to the bare SQL.

Elapsed time depends on what else runs. So the processor time of Python and of PostgreSQL stands beside it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

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
    """p50, p95 and CPU time of one address in this process, through all middleware; and what its SQL alone costs."""
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
    python_ms, database_ms = _cpu_ms_of(ask, ROUNDS)
    figure(bench, f"{name} CPU time of Python", python_ms, "ms", **conditions)
    if database_ms is not None:
        figure(bench, f"{name} CPU time of PostgreSQL", database_ms, "ms", **conditions)
    figure(bench, f"{name} queries", len(statements), "count", **conditions)
    figure(bench, f"{name} to bare SQL", p50_ms(page_s) / p50_ms(sql_s), "x", **conditions)


def _cpu_ms_of(call: Callable[[], None], times: int) -> tuple[float, float | None]:
    """Median CPU time of a call in this process and in that of its database connection; None where that is not ours."""
    connection.ensure_connection()
    schedule = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    own_s, database_s = list[float](), list[float]()
    for _ in range(times):
        begun, database_begun = time.process_time(), _run_s(schedule)
        call()
        own_s.append(time.process_time() - begun)
        database_s.append(_run_s(schedule) - database_begun)
    is_local = "postgres" in schedule.with_name("comm").read_text() if schedule.exists() else False
    return statistics.median(own_s) * 1000, statistics.median(database_s) * 1000 if is_local else None


def _run_s(schedule: Path) -> float:
    """How long a process has run, which the kernel counts in nanoseconds; 0 where there is no such process."""
    return int(schedule.read_text().split()[0]) / 1e9 if schedule.exists() else 0.0


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
