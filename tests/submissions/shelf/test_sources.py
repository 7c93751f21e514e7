"""What stands in for the tables of the record has their columns, and can only be read."""

from __future__ import annotations

import pytest
from django.db import connection

from registry.models import Measurement, Result
from registry.query.row_sources import PUBLIC
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
