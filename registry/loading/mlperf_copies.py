"""What a whole copy of MLPerf Storage v3.0 adds to its rows: figures where the record has none, or those of one run.

A copy adds and takes nothing away: where it gives other figures than the record, the record keeps its own, and those
of the copy stand beside. Loading the catalogue again keeps what a copy added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from registry.loading import mlperf_descriptions, mlperf_rows
from registry.loading.mlperf_facts import missing_part, read_workload
from registry.loading.mlperf_folders import Copy, WorkloadPlace, published_folder
from registry.loading.mlperf_rows import ALL_RUNS, ROW
from registry.models import Result

COPY_FIGURES, FROM_COPY = "copy", "from_copy"
READ, SAME, OTHER, UNREADABLE, ABSENT, UNKNOWN = "read", "same", "other", "unreadable", "absent", "unknown"
"""What becomes of a row: figures read; those of the record; others than those; not readable; no folder; no such row."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """What became of one row, or of a folder that is of no row.

    `row` is what the record gets, None where it keeps what it has; `differences` are figures that the copy gives
    otherwise.
    """

    what: str
    public_id: str
    folder: str
    reason: str = ""
    row: Row | None = None
    differences: tuple[Mapping[str, Any], ...] = ()


def read_copy(copy: Copy) -> Iterator[RowOutcome]:
    """The outcome of every row of the round, in their order, then of each folder that is of none. One query or two.

    Raises OSError where a file of the copy cannot be read.
    """
    rows = mlperf_rows.read_table()
    places = _match_rows(rows, copy)
    recorded = _recorded_rows(rows)
    for row in rows:
        place = places.get(row["id"])
        yield _outcome_of_row(recorded.get(row["id"], row), place)
    used = {place.key for place in places.values()}
    for key, place in copy.places.items():
        if key not in used:
            yield RowOutcome(UNKNOWN, "", place.published_folder, "no row of the round has this folder")
    for folder, reason in copy.passed_over.items():
        yield RowOutcome(UNKNOWN, "", folder, reason)


def _match_rows(rows: list[Row], copy: Copy) -> dict[str, WorkloadPlace]:
    """By id of a row its folder. Where the model of a row was inferred, the only folder that is left for it."""
    matched = {row["id"]: copy.places[key] for row in rows if (key := mlperf_rows.row_key(row)) in copy.places}
    used = {place.key for place in matched.values()}
    left_over: dict[tuple[str, ...], list[WorkloadPlace]] = {}
    for key, place in copy.places.items():
        if key not in used:
            left_over.setdefault(key[:4], []).append(place)
    waiting: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        key = mlperf_rows.row_key(row)
        if row["id"] not in matched and not key[4]:
            waiting.setdefault(key[:4], []).append(row["id"])
    for folder, ids in waiting.items():
        if len(ids) == len(left_over.get(folder, ())) == 1:
            matched[ids[0]] = left_over[folder][0]
    return matched


def _outcome_of_row(row: Row, place: WorkloadPlace | None) -> RowOutcome:
    if place is None:
        return RowOutcome(ABSENT, row["id"], published_folder(mlperf_rows.row_key(row)), "no such folder in the copy")
    outcome = (row["id"], place.published_folder)
    if place.refusal:
        return RowOutcome(UNREADABLE, *outcome, place.refusal)
    facts, key, runs = read_workload(place.list_counted_files()), place.key, len(place.list_counted_runs())
    if reason := facts.get("reason") or missing_part(key[3], facts, runs):
        return RowOutcome(UNREADABLE, *outcome, reason)
    if differences := mlperf_rows.figure_differences(row.get("measurements", []), facts["measurements"]):
        return RowOutcome(OTHER, *outcome, differences=tuple(differences))
    if row[ROW]["figures"] == ALL_RUNS:
        return RowOutcome(SAME, *outcome)
    plain = {name: value for name, value in row.items() if name not in _OF_FIGURES}
    read_row = mlperf_rows.with_figures(mlperf_rows.with_folder(plain, key), facts, runs, ALL_RUNS)
    read_row[ROW] |= {FROM_COPY: True, "described": _read_description(read_row, place)}
    return RowOutcome(READ, *outcome, row=read_row)


_OF_FIGURES = ("measurements", "findings", "trust", "client_nodes", "not_comparable_for")


def _read_description(row: Row, place: WorkloadPlace) -> Row:
    """What the table knows of the system, with what its description adds."""
    of_table: Row = row[ROW]["described"]
    if place.description is None:
        return of_table
    try:
        described = mlperf_descriptions.read_description(place.description)
    except mlperf_descriptions.DescriptionError:
        return of_table
    basis = {"power_basis": "description"} if "provisioned_power_W" in described else {}
    return described | basis | of_table


def _recorded_rows(table_rows: list[Row]) -> dict[str, Row]:
    """Rows as the record has them, where a copy changed them before: their figures in canonical units."""
    rows = {}
    shipped = {row["id"]: row for row in table_rows}
    results = Result.objects.filter(public_id__in=shipped, **{f"snapshot__{ROW}__{FROM_COPY}": True})
    for result in results.prefetch_related("measurements").defer("search"):
        figures = [
            {"op": row.op, "quantity": row.quantity, "stat": row.stat, "value": row.value, "unit": row.unit}
            | {"context": row.context}
            for row in result.measurements.all()
        ]
        rows[result.public_id] = shipped[result.public_id] | {"measurements": figures, ROW: result.snapshot[ROW]}
    return rows


def keep_copies(rows: list[Row]) -> list[Row]:
    """Rows of tables to load, without those that got figures from a copy, and with what stands beside. One query."""
    ids = [row["id"] for row in rows if ROW in row]
    results = Result.objects.filter(public_id__in=ids, snapshot__has_key=ROW)
    recorded: dict[str, Row] = dict(results.values_list("public_id", f"snapshot__{ROW}"))
    rows_to_load = []
    for row in rows:
        published = recorded.get(row["id"], {})
        if published.get(FROM_COPY) and row[ROW]["figures"] != ALL_RUNS:
            continue
        rows_to_load.append(
            row | {ROW: row[ROW] | {COPY_FIGURES: published[COPY_FIGURES]}} if COPY_FIGURES in published else row
        )
    return rows_to_load


def store_differences(outcomes: Iterable[RowOutcome]) -> None:
    """Let what a copy gives otherwise stand beside the figures of the record, and go where a copy agrees."""
    differing = {outcome.public_id: list(outcome.differences) for outcome in outcomes if outcome.what in (OTHER, SAME)}
    for result in Result.objects.filter(public_id__in=differing, snapshot__has_key=ROW).defer("search"):
        published = {name: value for name, value in result.snapshot[ROW].items() if name != COPY_FIGURES}
        if differences := differing[result.public_id]:
            published[COPY_FIGURES] = differences
        if published != result.snapshot[ROW]:
            result.snapshot[ROW] = published
            result.save(update_fields=["snapshot"])
