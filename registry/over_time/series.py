"""The results of one system over time: each number as a series, its steps, and what else differed at each.

A series holds results of one benchmark, mode, level of trust, count of client nodes and settings, by when they were
made: what would move it anyway is not in it. change_points.py finds the steps.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q
from django.http import QueryDict

from registry import filters, numbers, record, snapshots
from registry.comparing import asking, comparison
from registry.comparing.spreads import NO_MEAN, key
from registry.models import Step, System
from registry.over_time import change_points
from registry.record import Row
from validators import catalogue
from validators.system.difference import difference
from validators.units import LOWER_IS_BETTER

MOST_RESULTS = 100
"""Newest results of a system that are looked at; each brings all its numbers."""
MOST_CHANGES = 10
"""Pairs of results around steps whose configurations are compared, newest first."""
FEWEST = 2
"""One number is no series."""
NAMES = ("metric",)
FILTERS = tuple(name for name in filters.RESULT_NAMES if name != "system")
PREFIXES = (filters.PARAMETER,)

_AMOUNTS = frozenset({"volume", "ops", "count", "items", "stonewall_time"})
"""Quantities that say how much a run did, or was told to, and not how fast it was."""
_RATES = ("B/s", "ops/s")

_TIMES = ("started", "ended")
"""Parameters of runs that begin with a date, and may go on with the time of day."""
_MOMENTS = ("started_timestamp_s", "ended_timestamp_s")
"""Parameters of runs that are seconds since 1970."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Asked:
    """Metrics, none for all, and filters as of results/."""

    metric: tuple[str, ...] = ()
    filters: QueryDict = field(default_factory=QueryDict)


def read(query: QueryDict) -> Asked:
    """Raises UnknownParameter and InvalidValue."""
    filters.refuse_unknown(query, (*NAMES, *FILTERS, "format"), PREFIXES)
    return Asked(tuple(filters.given(query, "metric")), filters.without(query, (*NAMES, "format")))


def document(slug: str, asked: Asked) -> Row:
    """The series of a system, those with steps first, then the longest; and `changes` around their steps.

    Three queries, and four more where there is a step. Raises NotOnRecord, UnknownMetric and InvalidValue.
    """
    system = record.system(slug)
    seen = of_system(system, filters.result_conditions(asked.filters), asked.metric)
    rows = sorted(seen.rows, key=lambda row: (not row["steps"], -len(row["points"])))
    pairs = dict.fromkeys((step["before"], step["after"]) for row in rows for step in row["steps"])
    if pairs:
        _add_what_was_said(system, rows)
    return {
        "system": {"slug": system.slug, "name": system.name, "institution": system.site.name},
        "results": seen.results,
        "left_out": seen.left_out,
        "undated": seen.results - len(seen.ordered),
        "single": seen.single,
        "fewest": change_points.FEWEST,
        "series": rows,
        "changes": _changes(_newest(pairs, seen.ordered)),
    }


@dataclass(frozen=True, slots=True)
class Seen:
    """What was looked at of a system: its dated results, oldest first, and the series that they make."""

    results: int
    left_out: bool
    ordered: Sequence[Any]
    rows: Sequence[Row]
    single: int


def of_system(system: System, condition: Q | None = None, metrics: Sequence[str] = ()) -> Seen:
    """The series of the newest results of a system that meet a condition. Two queries. Raises UnknownMetric."""
    results, left_out = record.newest(record.standing_results(condition).filter(system=system), MOST_RESULTS)
    moments = {one.pk: moment for one in results if (moment := moment_of(one))}
    ordered = sorted((one for one in results if one.pk in moments), key=lambda one: (moments[one.pk], one.pk))
    measured = numbers.of_results(results, metrics)
    if not metrics:
        measured = {pk: list(_speeds(rows)) for pk, rows in measured.items()}
    grouped = _grouped(ordered, measured, {pk: moment.date() for pk, moment in moments.items()})
    rows = [_series(place, points) for place, points in grouped.items() if len(points) >= FEWEST]
    told = [row for row in rows if any(point["value"] for point in row["points"])]
    return Seen(len(results), left_out, ordered, told, len(grouped) - len(rows))


def moment_of(result: Any) -> dt.datetime | None:
    """When a result was made, as its run tells it; else the day of its submission, else of its release, at midnight.

    None where none is known. Times without a zone are as the run told them.
    """
    for name in _TIMES:
        if moment := _as_moment(str(result.parameters.get(name, ""))):
            return moment
    for name in _MOMENTS:
        seconds = result.parameters.get(name)
        if isinstance(seconds, int | float) and 0 < seconds < 1e11:
            return dt.datetime.fromtimestamp(seconds, dt.UTC).replace(tzinfo=None)
    day = result.submitted_on or (result.release.held_on if result.release else None)
    return dt.datetime.combine(day, dt.time()) if day else None


def _as_moment(text: str) -> dt.datetime | None:
    for told in (text[:19], text[:10]):
        with suppress(ValueError):
            return dt.datetime.fromisoformat(told)
    return None


def _speeds(rows: Sequence[Row]) -> Iterable[Row]:
    """Without amounts, and without the time of an operation whose rate stands beside it: a longer run is no slower."""
    rated = {row["op"] for row in rows if row["unit"] in _RATES}
    for row in rows:
        if row["quantity"] not in _AMOUNTS and not (row["quantity"] == "time" and row["op"] in rated):
            yield row


def settings_of(result: Any) -> Row:
    """What its benchmark's descriptor names of the settings of a run, by name: they say what is measured.

    Nothing where the benchmark's own rules say so, as they do where there is a score: there settings are tuning.
    """
    described = catalogue.descriptor(result.tool)
    if "composite" in described:
        return {}
    named = sorted(one["name"] for one in described.get("parameters", ()))
    known = result.parameters
    return {name: known[name] for name in named if isinstance(known.get(name), str | int | float)}


Place = tuple[Any, ...]
"""Benchmark, mode, trust, client nodes, settings, then as spreads.key."""


def name_of(row: Row) -> str:
    """A digest that tells a series from the others of its system."""
    settings = [row["settings"]] if row["settings"] else []
    place = (row["tool"], row["mode"], row["trust"], row["client_nodes"], *settings, *key(row))
    return hashlib.md5(json.dumps(place).encode(), usedforsecurity=False).hexdigest()


def _grouped(
    ordered: Iterable[Any], measured: Mapping[int, Iterable[Row]], days: Mapping[int, dt.date]
) -> dict[Place, dict[str, Row]]:
    """Points by series and result, oldest first; of a number that a result has twice the first."""
    found: dict[Place, dict[str, Row]] = {}
    for one in ordered:
        settings = tuple(settings_of(one).items())
        for row in measured[one.pk]:
            if row["stat"] not in NO_MEAN:
                place = (one.tool, one.mode, one.trust, one.client_nodes, settings, *key(row))
                point = {"result": one.public_id, "day": days[one.pk], "value": row["value"]}
                point |= {"printed_unit": row["printed_unit"], "context": row["context"]}
                found.setdefault(place, {}).setdefault(one.public_id, point)
    return found


def _series(place: Place, points: Mapping[str, Row]) -> Row:
    tool, mode, trust, client_nodes, settings, op, quantity, stat, unit, _ = place
    rows = list(points.values())
    return {
        "tool": tool,
        "mode": mode,
        "trust": trust,
        "client_nodes": client_nodes,
        "settings": dict(settings),
        "op": op,
        "quantity": quantity,
        "stat": stat,
        "unit": unit,
        "printed_unit": rows[0]["printed_unit"],
        "context": rows[0]["context"],
        "points": [{name: row[name] for name in ("result", "day", "value")} for row in rows],
        "steps": [_step(step, rows, unit) for step in change_points.steps([row["value"] for row in rows])],
    }


def _step(step: change_points.Step, rows: Sequence[Row], unit: str) -> Row:
    return {
        "place": step.place,
        "day": rows[step.place]["day"],
        "before": rows[step.place - 1]["result"],
        "after": rows[step.place]["result"],
        "level_before": step.before,
        "level_after": step.after,
        "ratio": step.ratio,
        "better": (step.ratio < 1) == (unit in LOWER_IS_BETTER),
        "chance": step.chance,
    }


def _add_what_was_said(system: System, rows: Iterable[Row]) -> None:
    """To each step its id, state and note in the record; one that is not in it (yet) is new and has no id."""
    standing = Step.objects.filter(system=system, gone_at=None)
    said = {
        (name, result, better): {"id": pk, "state": state, "note": note}
        for name, result, better, pk, state, note in standing.values_list(
            "series", "after__public_id", "better", "id", "state", "note"
        )
    }
    unsaid = {"id": None, "state": Step.State.NEW.value, "note": ""}
    for row in rows:
        name = name_of(row) if row["steps"] else ""
        for step in row["steps"]:
            step.update(said.get((name, step["after"], step["better"]), unsaid))


def _newest(pairs: Iterable[Pair], ordered: Sequence[Any]) -> list[Pair]:
    places = {one.public_id: place for place, one in enumerate(ordered)}
    return sorted(pairs, key=lambda pair: (places[pair[1]], places[pair[0]]), reverse=True)[:MOST_CHANGES]


def _changes(pairs: Sequence[Pair]) -> list[Row]:
    """What differed between the results on both sides of a step, and what speaks against comparing them."""
    if not pairs:
        return []
    ids = list(dict.fromkeys(id for pair in pairs for id in pair))
    sides = dict(zip(ids, asking.sides(ids)[0], strict=True))
    documents = dict(zip(ids, snapshots.documents(ids), strict=True))
    return [
        {
            "before": before,
            "after": after,
            "notes": comparison.compare([sides[before], sides[after]])["notes"],
            "configuration": comparison.what_differed(
                [sides[before], sides[after]], difference([documents[before], documents[after]])
            ),
        }
        for before, after in pairs
    ]
