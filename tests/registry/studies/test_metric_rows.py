"""How many results have each metric: counted block by block, and of a block that is known not again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.loading import erasing
from registry.models import CatalogueLoad, Measurement, Release, Result
from registry.studies import metric_rows
from registry.studies.index import cards
from tests.registry.record import make_measurement, make_result

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

ALL_AT_ONCE = """
    SELECT m.op, m.quantity, m.stat, r.tool, m.printed_unit, count(DISTINCT m.result_id)
    FROM registry_measurement m JOIN registry_result r ON r.id = m.result_id
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 6 DESC, 5
"""
OP = "colour"
METRIC = f"{OP}.bandwidth.phase"


class Keeper:
    """Keeps all that it is given, by name."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def __call__(self, name: str, make: Callable[[], Any], /) -> Any:
        if name not in self.values:
            self.values[name] = make()
        return self.values[name]


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Keeper:
    """With blocks so small that the record has several."""
    monkeypatch.setattr(metric_rows, "RESULTS_OF_BLOCK", 100)
    return Keeper()


def counted_at_once() -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(ALL_AT_ONCE)
        return metric_rows._measured_rows(cursor.fetchall())


SCORED = """
    SELECT tool, count(score), count(bandwidth_gib_per_s), count(rate_kiops) FROM registry_result
    WHERE score IS NOT NULL OR bandwidth_gib_per_s IS NOT NULL OR rate_kiops IS NOT NULL GROUP BY tool ORDER BY tool
"""


def test_columns_of_results_are_counted_by_benchmark(keeper) -> None:
    with connection.cursor() as cursor:
        cursor.execute(SCORED)
        scored = cursor.fetchall()
    rows = metric_rows.list_metrics(keep=keeper)[: len(metric_rows.COLUMN_METRICS)]
    for place, row in enumerate(rows, 1):
        expected = [(each[0], each[place]) for each in scored if each[place]]
        assert (row["tools"], row["results"]) == ([tool for tool, _ in expected], sum(count for _, count in expected))
    assert rows[0]["results"] > 100


def list_measured(keeper: Keeper) -> tuple[list[dict[str, Any]], int]:
    """The metrics that are measured, and of how many blocks measurements were read."""
    with CaptureQueriesContext(connection) as noted:
        rows = metric_rows.list_metrics(keep=keeper)
    read = sum("registry_measurement" in query["sql"] for query in noted.captured_queries)
    return rows[len(metric_rows.COLUMN_METRICS) :], read


def test_blocks_add_up_to_what_one_count_of_all_says(keeper) -> None:
    expected = counted_at_once()
    first, read = list_measured(keeper)
    assert (first == expected, read > 1, len(expected) > 20) == (True, True, True)
    assert list_measured(keeper) == (expected, 0)


def test_one_statement_counts_everything_without_a_cache(keeper, django_assert_num_queries) -> None:
    by_block = metric_rows.list_metrics(keep=keeper)
    with django_assert_num_queries(1):
        assert metric_rows.list_metrics() == by_block


def test_a_new_result_has_only_its_own_block_counted_again(keeper) -> None:
    list_measured(keeper)
    for number in range(2):
        result = make_result(Release.objects.all()[0], f"new-{number}")
        make_measurement(result, OP)
        make_measurement(result, OP, printed_unit="MB/s")
        make_measurement(result, OP)
    rows, read = list_measured(keeper)
    assert (rows == counted_at_once(), read <= 2) == (True, True)
    (row,) = [row for row in rows if row["metric"] == METRIC]
    assert (row["results"], row["unit"]) == (4, "GiB/s")


def test_an_erased_result_is_not_counted(keeper) -> None:
    result = make_result(Release.objects.all()[0], "erased-1")
    make_measurement(result, OP)
    assert METRIC in {row["metric"] for row in list_measured(keeper)[0]}
    erasing.erase_results([result], "institution", "fay")
    rows, read = list_measured(keeper)
    assert (METRIC in {row["metric"] for row in rows}, read) == (False, 1)
    assert rows == counted_at_once()


def test_a_load_has_every_block_counted_again(keeper) -> None:
    list_measured(keeper)
    Measurement.objects.filter(result=Result.objects.filter(measurements__isnull=False).order_by("pk")[0]).delete()
    newest = CatalogueLoad.objects.order_by("-pk")[0]
    newest.pk = None
    newest.save()
    assert list_measured(keeper)[0] == counted_at_once()


@pytest.fixture
def _empty_cache() -> Iterator[None]:
    """Before and after: pages of other tests would read the cards of the worker."""
    cache.clear()
    yield
    cache.clear()


@pytest.mark.usefixtures("_empty_cache")
def test_the_worker_counts_so_that_no_reader_waits(django_assert_num_queries) -> None:
    cards.refresh_cards()
    with django_assert_num_queries(1):
        assert metric_rows.public_metrics()
