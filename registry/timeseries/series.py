"""The results of one system over time: each number as a series, its steps, and what else differed at each.

A series holds results of one benchmark, mode, level of trust, kind of ranked list, scale and settings, by when they
were made: what would move it anyway is not in it. A result of which one of these is not known is in none: it may be
another experiment (registry/query/differences/alike.py). change_points.py finds the steps.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q, QuerySet
from django.http import QueryDict

from registry.comparison import compare as comparison_compare
from registry.comparison import load
from registry.comparison.spreads import NO_MEAN, measurement_key
from registry.models import ListEntry, Result, Step, System
from registry.query import public_record
from registry.query.differences import alike
from registry.query.facts import observed_parameters
from registry.query.public_record import Row
from registry.query.questions import filters, metric_values, unknown_values
from registry.query.responses.trust_levels import label_of
from registry.query.row_sources import PUBLIC, RowSource
from registry.timeseries import change_points, run_alarm, run_verdicts
from validators import catalogue, quantities
from validators.system.difference import difference
from validators.units import UNITS

MOST_RESULTS = 100
"""Newest results of a system that are looked at; each brings all its numbers."""
MOST_BEFORE = 200
"""Newest results of a system among which the one before each is looked for."""
MOST_CHANGES = 10
"""Pairs of results around steps whose configurations are compared, newest first."""
FEWEST = 2
"""One number is no series."""
NAMES = ("metric",)
FILTERS = tuple(name for name in filters.RESULT_NAMES if name != "system")
PREFIXES = (filters.PARAMETER,)

_RATES = ("B/s", "ops/s")

_TIMES = ("started", "ended")
"""Parameters of runs that begin with a date, and may go on with the time of day."""
_MOMENTS = ("started_timestamp_s", "ended_timestamp_s")
"""Parameters of runs that are seconds since 1970."""

_TEN_NODE = frozenset({"ten", "ten-production"})
_PRODUCTION = frozenset({"production", "ten-production"})

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Selection:
    """Metrics, none for all, and filters as of results/."""

    metric: tuple[str, ...] = ()
    filters: QueryDict = field(default_factory=QueryDict)
    source: RowSource = PUBLIC


def parse_selection(query: QueryDict, source: RowSource = PUBLIC) -> Selection:
    """Raises UnknownParameter and InvalidValue."""
    filters.refuse_unknown(query, (*NAMES, *FILTERS, "format"), PREFIXES)
    narrowing = filters.without_names(query, (*NAMES, "format"))
    return Selection(tuple(filters.values_of(query, "metric")), narrowing, source)


def series_document(slug: str, selection: Selection) -> Row:
    """The series of a system, those with steps first, then the longest; and `changes` around their steps.

    Three queries, and four more where there is a step. Raises NotOnRecord, UnknownMetric and InvalidValue.
    """
    source = selection.source
    system = public_record.find_system(slug, source=source)
    condition = filters.result_conditions(selection.filters, source)
    system_series = of_system(system, condition, selection.metric, source)
    rows = sorted(system_series.rows, key=lambda row: (not row["steps"], -len(row["points"])))
    pairs = dict.fromkeys((step["before"], step["after"]) for row in rows for step in row["steps"])
    if pairs:
        _add_step_records(system, rows)
    return {
        "system": {"slug": system.slug, "name": system.name, "institution": system.site.name},
        "results": system_series.results,
        "left_out": system_series.left_out,
        "undated": system_series.results - len(system_series.ordered),
        "single": system_series.single,
        "not_joined": system_series.not_joined,
        "fewest": change_points.FEWEST,
        **_judge_runs(system_series),
        "series": rows,
        "changes": _change_rows(_newest_pairs(pairs, system_series.ordered), source),
        "unknown_values": unknown_values.explain_empty(
            selection.filters, empty=not system_series.results, source=source
        ),
    }


def _judge_runs(system_series: SystemSeriesSet) -> Row:
    if not system_series.ordered:
        return {"newest": None, "newest_others": [], "unexpected": []}
    ordered, not_joined = system_series.ordered, system_series.not_joined
    last_moment = moment_of(ordered[-1]) or dt.datetime.min
    return run_verdicts.verdicts_document(system_series.rows, ordered, not_joined, last_moment.date())


@dataclass(frozen=True, slots=True)
class SystemSeriesSet:
    """What was looked at of a system: its dated results, oldest first, the series that they make, and those in none."""

    results: int
    left_out: bool
    ordered: Sequence[Any]
    rows: Sequence[Row]
    single: int
    not_joined: Sequence[Row]


def of_system(
    system: System, condition: Q | None = None, metrics: Sequence[str] = (), source: RowSource = PUBLIC
) -> SystemSeriesSet:
    """The series of the newest results of a system that meet a condition. Two queries. Raises UnknownMetric."""
    results, left_out = public_record.take_newest(_with_lists(condition, source).filter(system=system), MOST_RESULTS)
    moments = {result.pk: moment for result in results if (moment := moment_of(result))}
    ordered = sorted(
        (result for result in results if result.pk in moments), key=lambda result: (moments[result.pk], result.pk)
    )
    rows_by_result = metric_values.values_by_result(results, metrics, source)
    if not metrics:
        rows_by_result = {pk: list(_speed_rows(rows)) for pk, rows in rows_by_result.items()}
    days = {pk: moment.date() for pk, moment in moments.items()}
    return SystemSeriesSet(len(results), left_out, ordered, *join_points(ordered, rows_by_result, days))


def join_points(
    ordered: Sequence[Any], rows_by_result: Mapping[int, Iterable[Row]], days: Mapping[int, dt.date]
) -> tuple[list[Row], int, list[Row]]:
    """The series of dated results, oldest first, how many numbers stand alone, and the results that are in none.

    Numbers and days are by primary key. No query; results have `list_names`.
    """
    grouped, not_joined = _group_points(ordered, rows_by_result, days)
    rows = [_series_row(points) for points in grouped.values() if len(points) >= FEWEST]
    moving = [row for row in rows if any(point["value"] for point in row["points"])]
    return moving, len(grouped) - len(rows), not_joined


def _with_lists(condition: Q | None = None, source: RowSource = PUBLIC) -> QuerySet[Result]:
    """Standing results with the names of their ranked lists, as `kind_of_list` needs them."""
    lists = ListEntry.objects.order_by().filter(result=OuterRef("pk")).values("ranked_list__name").distinct()
    return public_record.current_results(condition, source).annotate(list_names=ArraySubquery(lists))


Standing = tuple[str, str, int]
"""System, kind of list and client nodes of a best score."""


def best_scores(condition: Q) -> dict[Standing, list[tuple[str, float, str]]]:
    """The best IO500 score of each release with its result, oldest first.

    Apart for each system, kind of list and count of clients. Without results whose count of client nodes is not known.
    One query.
    """
    scored_results = _with_lists(condition).filter(
        tool="io500", score__gt=0, release__isnull=False, client_nodes__isnull=False
    )
    best: dict[Standing, dict[str, tuple[float, str]]] = {}
    rows = scored_results.select_related("release", "system").defer("search", "snapshot", "parameters")
    for row in rows.order_by("release__held_on", "release__name", "pk"):
        if row.release and row.client_nodes and row.score:
            scores = best.setdefault((row.system.name, kind_of_list(row), row.client_nodes), {})
            if row.score > scores.get(row.release.name, (0.0, ""))[0]:
                scores[row.release.name] = (row.score, row.public_id)
    return {place: [(release, *pair) for release, pair in scores.items()] for place, scores in best.items()}


def previous_results(condition: Q) -> dict[str, str]:
    """By result the newest one before it that is known to be of the same experiment; none where that is not known.

    Two queries.
    """
    results, _ = public_record.take_newest(_with_lists(condition), MOST_BEFORE)
    moments = {result.pk: moment for result in results if (moment := moment_of(result))}
    older: dict[Place, str] = {}
    older_by_result: dict[str, str] = {}
    for newer in sorted(
        (result for result in results if result.pk in moments), key=lambda result: (moments[result.pk], result.pk)
    ):
        needed, settings = alike.required_facts(newer.tool), settings_of(newer)
        run_parameters = alike.parameters_with_scale(newer.parameters, newer.client_nodes, newer.tasks)
        same = alike.configuration_key({name: run_parameters.get(name) for name in {*needed, *settings}}, needed)
        if same is not None:
            place = (newer.system_id, newer.tool, newer.mode, newer.trust, kind_of_list(newer), same)
            if place in older:
                older_by_result[newer.public_id] = older[place]
            older[place] = newer.public_id
    return older_by_result


def moment_of(result: Any) -> dt.datetime | None:
    """When a result was made, as its run or the archive that it is derived from tells it.

    Else midnight of the day of its submission or of its release: of both the earlier one, as nothing is published that
    was not run. None where none is known. Times without a zone are as the run told them.
    """
    for name in _TIMES:
        if moment := _as_moment(str(result.parameters.get(name, ""))):
            return moment
    for name in _MOMENTS:
        seconds = result.parameters.get(name)
        if isinstance(seconds, int | float) and 0 < seconds < 1e11:
            return dt.datetime.fromtimestamp(seconds, dt.UTC).replace(tzinfo=None)
    if result.trust == Result.Trust.DERIVED:
        archive = result.snapshot.get("archive", {})
        if moment := _as_moment(str(archive.get("started") or archive.get("ended") or "")):
            return moment
    held_on = result.release.held_on if result.release else None
    days = [day for day in (result.submitted_on, held_on) if day]
    return dt.datetime.combine(min(days), dt.time()) if days else None


def _as_moment(text: str) -> dt.datetime | None:
    for date_text in (text[:19], text[:10]):
        with suppress(ValueError):
            return dt.datetime.fromisoformat(date_text)
    return None


def _speed_rows(rows: Sequence[Row]) -> Iterable[Row]:
    """Without what says how much was done, and the time of what has a rate beside it: a longer run is no slower."""
    rated = {row["op"] for row in rows if row["unit"] in _RATES}
    for row in rows:
        has_direction = quantities.better_of(row["quantity"], row["unit"]) != quantities.NONE
        if has_direction and not (row["quantity"] == "time" and row["op"] in rated):
            yield row


def settings_of(result: Any) -> Row:
    """What its benchmark's descriptor names of the settings of a run, by name: they say what is measured.

    Nothing where the benchmark's own rules say so, as they do where there is a score: there settings are tuning.
    """
    described = catalogue.descriptor(result.tool)
    if "composite" in described:
        return {}
    named = sorted(parameter["name"] for parameter in described.get("parameters", ()))
    parameters = result.parameters
    return {name: parameters[name] for name in named if isinstance(parameters.get(name), str | int | float)}


def kind_of_list(result: Any) -> str:
    """On which kind of IO500 list a result stands: "10-node", "production", both, or "" for those of any scale.

    By the lists that it was ranked on or accepted for, else by what was declared. `result` has `list_names`.
    """
    names = {*result.list_names, *result.lists}
    ten = "10-node" * bool(names & _TEN_NODE or result.ten_node)
    production = "production" * bool(names & _PRODUCTION or result.production)
    return " ".join(filter(None, [ten, production])) if result.tool == "io500" else ""


Place = tuple[Any, ...]
"""What tells a series of a system from its others."""


def name_of(row: Row) -> str:
    """A digest that tells a series from the others of its system.

    What was added to the key later is in it only where it is there: a series that stays the same keeps its name.
    """
    later = {name: row[name] for name in ("list", "scale") if row[name]}
    parts = [part for part in (row["settings"], later) if part]
    place = (row["tool"], row["mode"], row["trust"], row["client_nodes"], *parts, *measurement_key(row))
    return hashlib.md5(json.dumps(place).encode(), usedforsecurity=False).hexdigest()


def _group_points(
    ordered: Iterable[Any], rows_by_result: Mapping[int, Iterable[Row]], days: Mapping[int, dt.date]
) -> tuple[dict[Place, dict[str, Row]], list[Row]]:
    """Points by series and result, oldest first, of a number that a result has twice the first; and who is in none."""
    points_by_place: dict[Place, dict[str, Row]] = {}
    not_joined: list[Row] = []
    for result in ordered:
        needed, settings, kind = alike.required_facts(result.tool), settings_of(result), kind_of_list(result)
        run_parameters = alike.parameters_with_scale(result.parameters, result.client_nodes, result.tasks)
        lacking: dict[str, None] = {}
        left_out = 0
        for row in rows_by_result[result.pk]:
            if row["stat"] in NO_MEAN:
                continue
            configuration = {name: run_parameters[name] for name in run_parameters.keys() & {*needed, *settings}} | row[
                "context"
            ]
            same = alike.configuration_key({name: configuration.get(name) for name in {*needed, *settings}}, needed)
            if same is None:
                lacking |= dict.fromkeys(alike.missing_facts(configuration, needed))
                left_out += 1
                continue
            scale = {
                name: run_parameters[name]
                for name in alike.scale_facts(result.tool)
                if name != "client_nodes" and name in run_parameters
            }
            point = {"result": result.public_id, "day": days[result.pk], "value": row["value"], "row": row}
            point |= {
                "tool": result.tool,
                "mode": result.mode,
                "trust": result.trust,
                "client_nodes": result.client_nodes,
            }
            point |= {"list": kind, "settings": settings, "scale": _not_in(settings, scale)}
            place = (result.tool, result.mode, result.trust, kind, same, *measurement_key(row))
            points_by_place.setdefault(place, {}).setdefault(result.public_id, point)
        if left_out:
            not_joined.append(_not_joined(result, kind, days[result.pk], list(lacking), left_out))
    return points_by_place, not_joined


def _not_in(settings: Row, scale: Row) -> Row:
    return {name: value for name, value in scale.items() if name not in settings}


def _not_joined(result: Any, kind: str, day: dt.date, lacking: list[str], count: int) -> Row:
    """A result that stands alone, and what is not known of it."""
    columns = {name: getattr(result, name) for name in ("tool", "mode", "trust", "client_nodes", "tasks", "score")}
    return (
        {"result": result.public_id, "day": day}
        | columns
        | {"trust_label": label_of(result), "list": kind, "unknown": lacking, "numbers": count}
    )


def _series_row(points: Mapping[str, Row]) -> Row:
    rows = [point | {"printed_unit": point["row"]["printed_unit"]} for point in points.values()]
    first, number = rows[0], rows[0]["row"]
    return {
        **{name: first[name] for name in ("tool", "mode", "trust", "client_nodes", "list", "scale", "settings")},
        **{name: number[name] for name in ("op", "quantity", "stat", "unit", "printed_unit", "context")},
        "points": [
            {name: row[name] for name in ("result", "day", "value")}
            | {"qualifier": row["row"]["context"].get("qualifier", "")}
            for row in rows
        ],
        "resolution": _printed_resolution([row["value"] for row in rows], number),
        "steps": _steps_of(rows, number),
    }


def _printed_resolution(values: Sequence[float], number: Row) -> float:
    """The last digit that values are printed with, in their canonical unit."""
    printed_unit = number["printed_unit"]
    is_scaled = printed_unit in UNITS and UNITS[printed_unit].canonical == number["unit"]
    factor = UNITS[printed_unit].factor if is_scaled else 1.0
    return factor * run_alarm.printed_resolution([value / factor for value in values])


def _steps_of(rows: Sequence[Row], number: Row) -> list[Row]:
    """Steps of measured values; a bound ("below 200") has no level, so a series with one has no step."""
    if any(row["row"]["context"].get("qualifier") for row in rows):
        return []
    lower = quantities.lower_is_better(number["quantity"], number["unit"])
    return [_step_row(step, rows, lower) for step in change_points.find_change_points([row["value"] for row in rows])]


def _step_row(step: change_points.Step, rows: Sequence[Row], lower: bool) -> Row:
    return {
        "place": step.place,
        "day": rows[step.place]["day"],
        "before": rows[step.place - 1]["result"],
        "after": rows[step.place]["result"],
        "level_before": step.before,
        "level_after": step.after,
        "ratio": step.ratio,
        "better": (step.ratio < 1) == lower,
        "chance": step.chance,
    }


def _add_step_records(system: System, rows: Iterable[Row]) -> None:
    """To each step its id, state and note in the record; one that is not in it (yet) is new and has no id."""
    standing = Step.objects.filter(system=system, gone_at=None)
    record_by_step = {
        (name, result, better): {"id": pk, "state": state, "note": note}
        for name, result, better, pk, state, note in standing.values_list(
            "series", "after__public_id", "better", "id", "state", "note"
        )
    }
    unsaid = {"id": None, "state": Step.State.NEW.value, "note": ""}
    for row in rows:
        name = name_of(row) if row["steps"] else ""
        for step in row["steps"]:
            step.update(record_by_step.get((name, step["after"], step["better"]), unsaid))


def _newest_pairs(pairs: Iterable[Pair], ordered: Sequence[Any]) -> list[Pair]:
    places = {result.public_id: place for place, result in enumerate(ordered)}
    return sorted(pairs, key=lambda pair: (places[pair[1]], places[pair[0]]), reverse=True)[:MOST_CHANGES]


def _change_rows(pairs: Sequence[Pair], source: RowSource) -> list[Row]:
    """What differed between the results on both sides of a step, and what speaks against comparing them."""
    if not pairs:
        return []
    ids = list(dict.fromkeys(id for pair in pairs for id in pair))
    sides = dict(zip(ids, load.load_results(ids, source=source)[0], strict=True))
    documents = dict(zip(ids, observed_parameters.system_documents(ids, source), strict=True))
    return [
        {
            "before": before,
            "after": after,
            "notes": comparison_compare.compare_sides([sides[before], sides[after]])["notes"],
            "configuration": comparison_compare.group_all_differences(
                [sides[before], sides[after]], difference([documents[before], documents[after]])
            ),
        }
        for before, after in pairs
    ]
