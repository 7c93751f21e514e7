"""Sources of rows with shelved runs: which runs a question may see, decided once, before anything is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.db.models import Model

from registry.models import Fact, Measurement, ObservedParameter, PublicSystemSnapshot, Result, System
from registry.query.row_sources import StandInSource
from submissions.models import (
    ShelfFact,
    ShelfMeasurement,
    ShelfObservedParameter,
    ShelfResult,
    ShelfRun,
    ShelfSystem,
    ShelfSystemSnapshot,
)

_SUBMISSION_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHELF_TABLES: dict[type[Model], tuple[type[Model], str]] = {
    Result: (ShelfResult, "id"),
    Measurement: (ShelfMeasurement, "result_id"),
    Fact: (ShelfFact, "result_id"),
    ObservedParameter: (ShelfObservedParameter, "result_id"),
    PublicSystemSnapshot: (ShelfSystemSnapshot, "result_id"),
}
"""By table of the record the one beside it, and its column that names the run."""
_OF_UPLOADS = (ObservedParameter, PublicSystemSnapshot)
"""Tables whose rows are stored once for all runs of a submission."""


class ShelfSource(StandInSource):
    """Shelved runs beside the record."""

    def result_page(self, public_id: str) -> str:
        """A UUID names a run of the shelf: no result has such an id."""
        is_shelved = _SUBMISSION_ID.fullmatch(public_id)
        return f"/shelf/runs/{public_id}/" if is_shelved else super().result_page(public_id)


class ShelfAloneSource(ShelfSource):
    """Shelved runs alone."""

    missing_hint = 'Only the shelf was asked. The scope "all" asks the public record, too.'


def shelf_source(numbers: Iterable[int], *, with_record: bool) -> ShelfSource:
    """The rows of these shelved runs alone, or beside the public record.

    The systems of the record are always there: runs may have been measured on them.
    """
    listed = ",".join(str(int(number)) for number in numbers)
    # As a set and not as a list: PostgreSQL goes through a list once for each row that it looks up by a key.
    runs = f"(SELECT unnest('{{{listed}}}'::bigint[]))"
    selects, record_selects = {}, {}
    for table, (shelf_table, column) in _SHELF_TABLES.items():
        rows = f"{_select_columns(shelf_table)} WHERE {column} IN {runs}"
        if table in _OF_UPLOADS:
            rows = f"{rows} AND submission_id IS NULL UNION ALL {_select_for_runs(table, runs)}"
        selects[table._meta.db_table] = rows
        if with_record:
            record_selects[table._meta.db_table] = _select_columns(table)
    of_runs = f"SELECT system_id FROM {_table_name(ShelfResult)} WHERE id IN {runs}"  # noqa: S608  # names of tables
    selects[System._meta.db_table] = f"{_select_columns(ShelfSystem, System)} WHERE id IN ({of_runs})"
    record_selects[System._meta.db_table] = _select_columns(System)
    return (ShelfSource if with_record else ShelfAloneSource)(selects, record_selects)


def _select_for_runs(table: type[Model], runs: str) -> str:
    """SELECT what is stored of whole submissions, in the columns of a table of the record, for each of these runs."""
    names = ", ".join(
        "run.id" if field.column == "result_id" else f"stored.{field.column}" for field in table._meta.concrete_fields
    )
    joined = f"{_table_name(_SHELF_TABLES[table][0])} stored JOIN {_table_name(ShelfRun)} run USING (submission_id)"
    return f"SELECT {names} FROM {joined} WHERE run.id IN {runs}"  # noqa: S608  # names of tables and columns


def _select_columns(table: type[Model], order: type[Model] | None = None) -> str:
    """SELECT all columns of a table, in the order in which the table of the record has them."""
    recorded = order or next(
        (model for model, (shelf_table, _) in _SHELF_TABLES.items() if shelf_table is table), table
    )
    names = ", ".join(str(field.column) for field in recorded._meta.concrete_fields)
    return f"SELECT {names} FROM {_table_name(table)}"  # noqa: S608  # names of tables and columns


def _table_name(table: type[Model]) -> str:
    return f'public."{table._meta.db_table}"'
