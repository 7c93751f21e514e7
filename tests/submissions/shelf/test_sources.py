"""What stands in for the tables of the record has their columns, and can only be read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.models import Fact, Measurement, Result
from registry.query.facts import fact_index
from registry.query.questions.recorded_metrics import known_metrics
from registry.query.row_sources import PUBLIC
from submissions.models import ShelfFact, ShelfMeasurement
from submissions.shelf.sources import _SHELF_TABLES, shelf_source


@pytest.mark.parametrize("table", _SHELF_TABLES, ids=lambda table: table.__name__)
def test_columns_are_those_of_the_record(table) -> None:
    shelf_table, _ = _SHELF_TABLES[table]
    types = {
        field.column: field.db_type(connection) for field in shelf_table._meta.concrete_fields if field.column != "id"
    }
    for field in table._meta.concrete_fields:
        if field.primary_key:
            continue
        recorded = field.db_type(connection)
        assert types[field.column] == recorded, field


def test_rows_of_a_source_cannot_be_updated(db) -> None:
    rows = shelf_source([], with_record=True).table_rows(Result)
    with pytest.raises(TypeError, match="read only"):
        rows.update(tool="x")


def test_a_source_without_runs_is_the_record_or_nothing(published) -> None:
    for model in (Result, Measurement):
        recorded = set(PUBLIC.table_rows(model).values_list("pk", flat=True))
        assert recorded
        assert set(shelf_source([], with_record=True).table_rows(model).values_list("pk", flat=True)) == recorded
        assert not shelf_source([], with_record=False).table_rows(model).exists()


def most_rows_read(statement: str, table: str) -> int:
    """The most rows of a table that one step of the plan reads, all its repeats counted."""

    def scans(node: dict[str, Any]) -> list[float]:
        below = [count for child in node.get("Plans", ()) for count in scans(child)]
        read = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        return [read, *below] if node.get("Relation Name") == table else below

    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}")
        (document,) = cursor.fetchone()
    plan = json.loads(document) if isinstance(document, str) else document
    return round(max(scans(plan[0]["Plan"])))


@pytest.mark.parametrize("with_record", [False, True])
@pytest.mark.parametrize("kind", ["metrics", "facts"])
def test_metrics_and_facts_of_a_shelf_are_read_once(published, shelved, kind, with_record) -> None:
    """Each row of the shelf is read once, however many kinds of numbers and facts there are."""
    numbers = [shelved(performance=2.0 + place).shelf_runs.get().pk for place in range(3)]
    source = shelf_source(numbers, with_record=with_record)
    with CaptureQueriesContext(connection) as captured:
        rows: list[Any] = known_metrics(source) if kind == "metrics" else fact_index.fact_names(source)
    table, columns, own = {
        "metrics": (Measurement, ("op", "quantity", "stat"), ShelfMeasurement),
        "facts": (Fact, ("name",), ShelfFact),
    }[kind]
    stored = source.table_rows(table).order_by().values_list(*columns).distinct()
    assert len(rows) > 3 and set(map(_as_tuple, rows)) == set(stored)
    assert len(rows) == len(set(rows))
    [statement] = [query["sql"] for query in captured.captured_queries]
    assert most_rows_read(statement, own._meta.db_table) <= own.objects.count()


def _as_tuple(row: Any) -> tuple[Any, ...]:
    return (row,) if isinstance(row, str) else (row.op, row.quantity, row.stat)


def test_plans_of_a_shelf_go_through_no_list_of_runs(shelved) -> None:
    """PostgreSQL goes through a list once for each row that it finds by a key; of a set it does not."""
    number = shelved().shelf_runs.get().pk
    statement = str(shelf_source([number], with_record=False).table_rows(Measurement).query)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {statement}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "ANY" not in plan, plan
