"""Sums over the record that pages show: made once, and told anew after any write, also one that was seen by nobody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from registry.models import ListEntry, Result
from registry.web.caching import kept_value
from tests.registry.record import empty, make_list, make_release, make_result

pytestmark = pytest.mark.django_db(transaction=True)

AWARDS, ANALYSIS = "/api/v1/releases/T1/awards/", "/api/v1/analysis/io500/"
OF_LISTS = 'FROM "registry_listentry"'


@pytest.fixture(autouse=True)
def record() -> Iterator[None]:
    """Two results on a frozen list, the first in score far ahead."""
    release = make_release("T1")
    results = [make_result(release, f"hw-{place}", score, client_nodes=10) for place, score in ((1, 50.0), (2, 5.0))]
    make_list(release, "io500", results)
    yield
    empty()


def best_score(client: Client) -> float | None:
    best: float | None = client.get(ANALYSIS).json()["releases"][0]["best_score"]
    return best


def winner(client: Client) -> str:
    awards = client.get(AWARDS).json()["awards"]
    return str(next(award for award in awards if award["award"] == "overall")["winners"][0]["result"])


def statements_of(client: Client, address: str) -> list[str]:
    noted: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        noted.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        assert client.get(address).status_code == 200, address
    return noted


@pytest.mark.parametrize(
    ("address", "counting"),
    [
        (ANALYSIS, OF_LISTS),
        (AWARDS, OF_LISTS),
        ("/analysis/io500/", OF_LISTS),
        ("/releases/T1/awards/io500/overall/badge.svg", OF_LISTS),
        ("/", "COUNT(DISTINCT"),
        ("/metrics", 'COUNT("registry_result"."id")'),
        ("/sitemap.xml", "COUNT("),
        ("/results/", 'GROUP BY "registry_result"."tool"'),
    ],
)
def test_counts_of_the_record_are_kept(client, address, counting) -> None:
    client.get(address)
    again = statements_of(client, address)
    assert not [sql for sql in again if counting in sql]


def test_a_withdrawal_changes_kept_sums(client) -> None:
    assert (best_score(client), winner(client)) == (50.0, "hw-1")
    Result.objects.filter(public_id="hw-1").update(withdrawn_at=timezone.now())
    assert (best_score(client), winner(client)) == (5.0, "hw-2")


def test_a_write_by_sql_changes_kept_sums(client) -> None:
    assert best_score(client) == 50.0
    with connection.cursor() as cursor:
        cursor.execute("UPDATE registry_listentry SET score = 7 WHERE position = 1")
    assert best_score(client) == 7.0


def test_rolled_back_writes_are_never_kept(client) -> None:
    with transaction.atomic():
        ListEntry.objects.filter(position=1).update(score=99.0)
        assert best_score(client) == 99.0
        ListEntry.objects.filter(position=1).update(score=98.0)
        assert best_score(client) == 98.0
        transaction.set_rollback(True)
    assert best_score(client) == 50.0


def test_a_sum_without_value_is_made_again() -> None:
    calls: list[int] = []

    def make() -> None:
        calls.append(1)

    assert kept_value("nothing", make) is None and kept_value("nothing", make) is None
    assert len(calls) == 2
