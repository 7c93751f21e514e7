"""The results of the same system beside a result: when each ran, on how many clients, and its number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import F, Max, Q, RowRange, TextField, Window
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce

from registry.models import Measurement, Result
from registry.presentation import numbers, words
from registry.query import public_record
from registry.query.differences import run_conditions
from registry.query.differences.run_conditions import Run
from registry.query.public_record import Row
from registry.query.values import qualified_values
from registry.results.run_page import lead_row
from validators.distributions import is_repeat

SCORED = "io500"
"""The benchmark whose results have a score, known or not."""
HISTORY_SHOWN = 20
NAMED_APART = 2
"""Conditions that keep two runs apart, of those that the narrow table of a system's results names."""
RUN_FIELDS = ("tool", "parameters", "tasks", "mode")
"""Columns that tell of a run, beside its client nodes."""

NAME = Coalesce(
    F("release__name"),
    KeyTextTransform("label", "snapshot"),
    KeyTextTransform("year", KeyTextTransform("archive", "snapshot")),
    output_field=TextField(),
)
"""What a row of the history is called: release, what tells a reported result apart, or year of an archive."""


def list_history(result: Result, measurements: Sequence[Row]) -> dict[str, Any]:
    """The newest results of the same system and tool: {"head", "unit", "rows"}; `mark` where one was the highest yet.

    Their numbers are scores; of a benchmark without a score those of the figure that leads the page of `result`.
    What is reported stands apart: it belongs to no release, and none of it is a mark. Two queries at most.
    """
    order = [F("release__held_on").asc(), F("id").asc()]
    before = Window(Max("score"), order_by=order, frame=RowRange(end=-1))
    rows = (
        public_record.current_results(
            Q(system=result.system_id, tool=result.tool, release__isnull=result.release is None)
        )
        .annotate(best_before=before)
        .order_by("-release__held_on", "-id")
        .values("public_id", "score", "client_nodes", "best_before", *RUN_FIELDS, name=NAME)[:HISTORY_SHOWN]
    )
    figure = _read_figure(result, [row["public_id"] for row in rows], measurements)
    own_run = Run(**{name: getattr(result, name) for name in ("client_nodes", *RUN_FIELDS)})
    return {
        "head": figure.head,
        "unit": figure.unit,
        "rows": [
            {
                **row,
                "mark": bool(result.release)
                and row["score"] is not None
                and row["score"] > (row["best_before"] or 0.0),
                "written": numbers.format_decimal(row["score"]) or figure.texts.get(row["public_id"], numbers.MISSING),
                "clients": numbers.format_int(row["client_nodes"]) or numbers.MISSING,
                "current": row["public_id"] == result.public_id,
                "unmatched": _unmatched_words(
                    Run(**{name: row[name] for name in ("client_nodes", *RUN_FIELDS)}), own_run
                ),
            }
            for row in rows
        ],
    }


class _Figure(NamedTuple):
    """One figure of several results: its head, its unit, and its text by id of the result."""

    head: str
    unit: str
    texts: Mapping[str, str]


def _read_figure(result: Result, ids: Sequence[str], measurements: Sequence[Row]) -> _Figure:
    """The figure that leads the page of a result without a score, of each of these results that has it once."""
    lead = None if result.score is not None or result.tool == SCORED else lead_row(measurements)
    if lead is None:
        return _Figure("Score", "", {})
    same = {part: lead[part] for part in ("op", "quantity", "stat")}
    by_result: dict[str, list[Row]] = {}
    for row in Measurement.objects.filter(result__public_id__in=ids, **same).values(
        "value", "context", "printed_unit", public_id=F("result__public_id")
    ):
        if not is_repeat(row["context"], lead["stat"]):
            by_result.setdefault(row["public_id"], []).append(dict(row))
    single = {id: rows[0] for id, rows in by_result.items() if len(rows) == 1}
    unit = words.best_unit(single.values(), lead["unit"])
    texts = {
        id: qualified_values.number_of_row(row).written(lambda value: words.format_in_unit(value, unit))
        for id, row in single.items()
    }
    named = words.label_quantity({**lead, "tool": result.tool})
    return _Figure(words.capitalize_sentence(named), words.shown_unit(unit), texts)


def _unmatched_words(other: Run, own: Run) -> str:
    """What keeps two runs from being of equal scale and options, in words; empty where nothing does."""
    verdict = run_conditions.compare_runs(other, own)
    pair = [run_conditions.conditions_of_run(run) for run in (other, own)]
    names = (*verdict.differs, *verdict.unknown)
    describe = words.describe_condition
    texts = ", ".join(describe(name, [of_run.get(name) for of_run in pair]) for name in names[:NAMED_APART])
    return f"{texts} and {len(names) - NAMED_APART} more" if len(names) > NAMED_APART else texts
