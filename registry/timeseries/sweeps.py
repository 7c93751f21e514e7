"""Sweeps: which cells of a release's standard measurements a system has, which are missing, and what got worse.

A sweep is a data file of the folder sweeps/. A cell is an operation under one choice of each axis of a part; a result
fills it where its facts meet the conditions. What a result does not say fills no cell.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from django.db.models.fields.json import KT

from registry.comparison import spreads, uncertainty
from registry.query import data_files, public_record
from registry.query.differences import alike
from registry.query.differences.alike import Likeness
from registry.query.facts import fact_index
from registry.query.public_record import Row
from registry.query.questions import metric_values
from registry.query.responses.trust_levels import label_of
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import qualified_values
from registry.query.values.printed_rounding import rounding_of_row
from registry.timeseries import series
from validators.quantities import lower_is_better

SWEEPS = Path(__file__).parent / "data"
SCHEMA = "sweep.schema.json"
STANDARD = "standard"
MOST_RESULTS = 200
"""Newest results of the sweep's benchmarks that are looked at."""
MISSING, FIRST, EQUAL, BETTER, WORSE, UNKNOWN = "missing", "first", "equal", "better", "worse", "unknown"
NOT_REPEATED = "not_repeated"
"""There is a number before, and nobody can tell whether the two differ by more than chance."""
_SCALE = frozenset({alike.CLIENTS, alike.TASKS})
_FACTS = {alike.TASKS: alike.PER_NODE, "transfer_size_bytes": "transfer_size"}
"""Facts under which a sweep names what descriptors do, where they differ."""

Facts = Mapping[str, str]
Part = Mapping[str, Any]


class SweepError(Exception):
    """A file of sweeps breaks its schema."""


@cache
def load_sweep(name: str = STANDARD) -> Row:
    """The newest version of a sweep. Raises SweepError."""
    definitions = [
        definition for _, definition in data_files.valid_files(SWEEPS, SCHEMA, SweepError) if definition["name"] == name
    ]
    return dict(max(definitions, key=lambda definition: definition["version"]))


def is_met(condition: Mapping[str, Any], facts: Facts) -> bool:
    """Whether the facts of a result meet one condition of a sweep."""
    text = next((facts[name] for name in condition["facts"] if name in facts), None)
    if "absent" in condition:
        return text is None
    if "none_of" in condition:
        # What is not said is off, as the file has it; a scale that is not known may be any.
        return text not in condition["none_of"] and (text is not None or _SCALE.isdisjoint(condition["facts"]))
    if "at_least" in condition:
        return _parse_number(text) >= float(condition["at_least"])
    return text in condition["one_of"]


def _parse_number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return float("nan")


def _are_met(conditions: Iterable[Mapping[str, Any]], facts: Facts) -> bool:
    return all(is_met(condition, facts) for condition in conditions)


def cells_of(part: Part) -> list[tuple[str, ...]]:
    """The cells of a part: the titles of one choice of each axis, then the operation."""
    titles = [[choice["title"] for choice in axis["choices"]] for axis in part["axes"]]
    return list(product(*titles, part["ops"]))


def place_result(part: Part, facts: Facts) -> tuple[list[tuple[str, ...]], list[str]]:
    """The choices that a result stands for in a part that it meets, and else the axes on which it has no choice."""
    if not _are_met(part["when"], facts):
        return [], []
    met = [[choice["title"] for choice in axis["choices"] if _are_met(choice["when"], facts)] for axis in part["axes"]]
    open_axes = [axis["title"] for axis, titles in zip(part["axes"], met, strict=True) if not titles]
    return ([] if open_axes else list(product(*met))), open_axes


def explain_unplaced(part: Part, facts: Facts) -> dict[str, list[str]]:
    """By axis on which a result has no choice the facts that it does not say; none where it says another value."""
    _, open_axes = place_result(part, facts)
    unsaid: dict[str, list[str]] = {}
    for axis in part["axes"]:
        if axis["title"] in open_axes:
            alternatives = [
                condition["facts"]
                for choice in axis["choices"]
                for condition in choice["when"]
                if "absent" not in condition
            ]
            unsaid[axis["title"]] = list(
                dict.fromkeys(names[0] for names in alternatives if not any(name in facts for name in names))
            )
    return unsaid


def sweep_document(slug: str, source: RowSource = PUBLIC) -> Row:
    """The standard sweep of a system. Four queries. Raises NotOnRecord."""
    system, standard_sweep = public_record.find_system(slug, source=source), load_sweep()
    tools = {part["tool"] for part in standard_sweep["parts"]}
    results, left_out = public_record.take_newest(
        public_record.current_results(source=source)
        .filter(system=system, tool__in=tools)
        .annotate(label=KT("snapshot__label")),
        MOST_RESULTS,
    )
    facts_by_result = fact_index.facts_by_result([result.pk for result in results], source)
    ordered = sorted(results, key=lambda result: (series.moment_of(result) or dt.datetime.min, result.pk), reverse=True)
    runs = [_run(result, facts_by_result[result.pk], standard_sweep) for result in ordered]
    rows_by_result = metric_values.values_by_result(ordered, source=source)
    parts = [
        _part_row(part, [(run, rows_by_result[run["pk"]], facts_by_result[run["pk"]]) for run in runs])
        for part in standard_sweep["parts"]
    ]
    verdicts = Counter(cell["verdict"] for part in parts for cell in part["cells"])
    return {
        "system": {"slug": system.slug, "name": system.name, "institution": system.site.name},
        "sweep": {name: standard_sweep[name] for name in ("name", "version", "title", "source", "notes")},
        "releases": list(dict.fromkeys(run["release"] for run in runs if run["release"])),
        "results": len(results),
        "left_out": left_out,
        "cells": verdicts.total(),
        "measured": verdicts.total() - verdicts[MISSING],
        "regressed": verdicts[WORSE],
        "not_repeated": verdicts[NOT_REPEATED],
        "parts": parts,
    }


def _run(result: Any, facts: Facts, standard_sweep: Mapping[str, Any]) -> Row:
    """One result as a cell shows it; `alike` are the facts in which two that are compared agree."""
    return {
        "pk": result.pk,
        "tool": result.tool,
        "parameters": result.parameters,
        "alike": {name: facts.get(name) for name in standard_sweep["alike"]},
        "needed": [_FACTS.get(name, name) for name in alike.required_facts(result.tool)],
        "result": result.public_id,
        "label": result.label,
        "trust": result.trust,
        "trust_label": label_of(result),
        "client_nodes": result.client_nodes,
        "day": moment.date() if (moment := series.moment_of(result)) else None,
        "release": next((facts[name] for name in standard_sweep["release"] if name in facts), ""),
    }


def _part_row(part: Part, runs: Sequence[tuple[Row, Sequence[Row], Facts]]) -> Row:
    """The cells of a part; `runs` are newest first, each with its numbers and facts."""
    filled: dict[tuple[str, ...], list[Row]] = {}
    unplaced: Counter[str] = Counter()
    unplaced_rows: list[Row] = []
    for run, rows, facts in runs:
        values = _values_by_operation(part, rows) if run["tool"] == part["tool"] else {}
        if not values:
            continue
        repeating = spreads.measured_spreads(run["tool"], rows, run["parameters"], ())
        choices, open_axes = place_result(part, facts)
        unplaced.update(open_axes)
        if open_axes:
            unplaced_rows.append(_unplaced_row(part, run, facts))
        for choice in choices:
            for op, row in values.items():
                number = {
                    "value": row["value"],
                    "unit": row["unit"],
                    "quantity": row["quantity"],
                    "spread": repeating.get(spreads.measurement_key(row)),
                }
                rounding = None if number["spread"] else rounding_of_row(row, run["trust"])
                number |= {"qualifier": qualified_values.qualifier_of(row)}
                number |= dict(zip(_ROUNDING, rounding or (None, None), strict=True))
                filled.setdefault((*choice, op), []).append(run | number)
    return {
        "title": part["title"],
        "tool": part["tool"],
        "quantity": part["quantity"],
        "cells": [_cell_row(place, filled.get(place, [])) for place in cells_of(part)],
        "unplaced": [{"axis": axis, "results": count} for axis, count in unplaced.items()],
        "unplaced_results": unplaced_rows,
    }


def _unplaced_row(part: Part, run: Row, facts: Facts) -> Row:
    """A result that fills no cell: what it does not say, and on which axes it is something else than the sweep asks."""
    unsaid = explain_unplaced(part, facts)
    return {
        "result": run["result"],
        "label": run["label"],
        "not_said": list(dict.fromkeys(name for names in unsaid.values() for name in names)),
        "other": [axis for axis, names in unsaid.items() if not names],
    }


def _values_by_operation(part: Part, rows: Sequence[Row]) -> dict[str, Row]:
    """By operation the number that a part asks for, of the first statistic that is there."""
    row_by_operation: dict[str, Row] = {}
    for stat in part["stats"]:
        for row in rows:
            if row["stat"] == stat and row["quantity"] == part["quantity"] and row["op"] in part["ops"]:
                row_by_operation.setdefault(row["op"], row)
    return row_by_operation


def _cell_row(place: tuple[str, ...], runs: Sequence[Row]) -> Row:
    """The newest number of a cell beside the newest of the release before, of the same trust and run alike."""
    *choices, op = place
    if not runs:
        nothing = dict.fromkeys(("latest", "before", "ratio", "interval", "interval_basis"))
        return {"choices": choices, "op": op, "verdict": MISSING, "unit": "", "unknown": []} | nothing
    latest = runs[0]
    earlier = [(run, _compare_runs(run, latest)) for run in runs if _is_before(run, latest)]
    before = next((run for run, verdict in earlier if verdict.outcome is Likeness.ALIKE), None)
    open_ = [name for _, verdict in earlier if verdict.outcome is Likeness.UNKNOWN for name in verdict.unknown]
    times = (
        qualified_values.divide_numbers(qualified_values.number_of_row(latest), qualified_values.number_of_row(before))
        if before
        else None
    )
    ratio = None if times is None else times.value
    interval = uncertainty.ratio_interval(ratio, latest["spread"], before["spread"]) if before else None
    return {
        "choices": choices,
        "op": op,
        "verdict": UNKNOWN if _is_open(times, before, open_) else _ratio_verdict(ratio, interval, latest),
        "unit": latest["unit"],
        "unknown": [] if before else list(dict.fromkeys(open_)),
        "latest": _run_columns(latest),
        "before": before and _run_columns(before),
        "ratio": ratio,
        "interval": interval,
        "interval_basis": uncertainty.REPEATS if interval else None,
    }


def _is_before(run: Row, latest: Row) -> bool:
    """Whether a result is of another release and of the same trust as the latest; without days none is before."""
    has_release_and_day = all(candidate["release"] and candidate["day"] for candidate in (run, latest))
    return has_release_and_day and run["release"] != latest["release"] and run["trust"] == latest["trust"]


def _compare_runs(run: Row, latest: Row) -> alike.Verdict:
    """Whether two ran alike. What neither says is passed over, but for what its benchmark needs."""
    return alike.compare_configurations(
        run["alike"], latest["alike"], [name for name in run["needed"] if name in run["alike"]]
    )


def _run_columns(run: Row) -> Row:
    return {name: run[name] for name in (*_RUN_COLUMNS, *_ROUNDING)}


_RUN_COLUMNS = ("result", "release", "trust", "client_nodes", "day", "value", "qualifier")
_ROUNDING = ("rounding_low", "rounding_high")


def _is_open(times: qualified_values.Number | None, before: Row | None, open_: Sequence[str]) -> bool:
    """Whether there is a number before, and nobody knows that both ran alike, or, as they are bounds, which is more."""
    if before is None:
        return bool(open_)
    return (
        times is not None
        and times.is_bound
        and qualified_values.compare_numbers(times, qualified_values.qualified_number(1.0)) is None
    )


def _ratio_verdict(ratio: float | None, interval: uncertainty.Interval | None, latest: Row) -> str:
    if ratio is None:
        return FIRST
    if interval is None:
        return NOT_REPEATED
    if uncertainty.is_tie(interval):
        return EQUAL
    return BETTER if (ratio < 1) == lower_is_better(latest["quantity"], latest["unit"]) else WORSE
