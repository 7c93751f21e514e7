"""The five screens: their order, and for each what its template shows. Runs in, plain values out.

Each sentence is computed; where a number or its cause cannot be told, the sentence says so.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from registry.comparison import load
from registry.distributions import distributions, stragglers
from registry.models import DemonstrationRun
from registry.presentation import numbers
from registry.presentation.charts import repeat_columns, result_charts
from registry.presentation.charts.repeat_columns import CeilingMark, RepeatColumn
from registry.presentation.system_description import what_differed
from registry.presentation.words import capitalize_sentence, format_in_unit
from registry.query import demonstration
from registry.query.public_record import Row
from registry.site_pages.tour.measured_write import FACTOR, UNIT, is_written, measured_write
from registry.timeseries import series
from validators.ceilings import Ceiling

Screen = DemonstrationRun.Screen
Context = dict[str, Any]
MOST_NAMED = 3
"""Slow targets that the sentence names."""
LINES_AROUND = 1
"""Lines of a file that stand before and after the one that a finding names."""


@dataclass(frozen=True, slots=True)
class TourScreen:
    """One screen: its address below /tour/, its name and what it is about in the list of steps, and its runs."""

    path: str
    name: str
    about: str
    template: str
    runs_of: Screen
    build: Callable[[Sequence[DemonstrationRun]], Context]

    @property
    def address(self) -> str:
        return f"/tour/{self.path}/" if self.path else "/tour/"


def build_tunable(runs: Sequence[DemonstrationRun]) -> Context:
    """Two runs of one machine: the ratio of their writes with its range, and the settings that differ."""
    before, after = runs
    document = load.comparison_document([before.public_id, after.public_id])
    row = next(row for row in document["measurements"] if is_written(row))
    differences = _differing_facts(document)
    equal = _count_equal(document)
    written = [measured_write(run) for run in runs]
    settings = [_one_setting(differences, side) for side in (0, 1)]
    columns = [
        RepeatColumn(run.public_id, setting, write.values)
        for run, setting, write in zip(runs, settings, written, strict=True)
    ]
    return {
        "finding": _ratio_sentence(row["ratios"][1], differences, equal),
        "range": _range_sentence(row["intervals"][1], [len(write.values) for write in written]),
        "charts": repeat_columns.draw_repeat_columns(columns, _ceiling_mark(written[0].lowest), UNIT),
        "lowest": written[0].lowest.words,
        "table": [
            {"run": run.public_id, "values": [numbers.format_decimal(value) for value in write.values]}
            for run, write in zip(runs, written, strict=True)
        ],
        "unit": UNIT,
        "system": what_differed(document["configuration"], [_keep_together(run.public_id) for run in runs]),
        "equal": equal,
        "runs": runs,
        "comparison": f"/compare/?results={before.public_id},{after.public_id}",
        "commanded": after,
    }


def _keep_together(public_id: str) -> str:
    """An id as the head of a column, which may be narrow."""
    return public_id.replace("-", "\N{NON-BREAKING HYPHEN}")


def _differing_facts(document: Row) -> list[Row]:
    """What differs between the runs of a comparison, over all groups."""
    return [fact for group in document["configuration"] for fact in group["differences"]]


def _count_equal(document: Row) -> int:
    """How many facts the runs of a comparison have alike."""
    return int(document["equal"] + document["system"]["equal"])


def _one_setting(differences: Sequence[Row], side: int) -> str:
    """The setting of a side where it alone differs."""
    return f"{_short_name(differences[0])} {_value_text(differences[0], side)}" if len(differences) == 1 else ""


def _short_name(fact: Row) -> str:
    return str(fact["name"]).rpartition(".")[2]


def _value_text(fact: Row, side: int) -> str:
    return ", ".join(fact["values"][side] or [numbers.MISSING])


def _ratio_sentence(ratio: float | None, differences: Sequence[Row], equal: int) -> str:
    if ratio is None:
        return "Whether writes are faster cannot be told."
    times = f"Writes are {numbers.format_times(ratio)} times as fast"
    if len(differences) != 1:
        return f"{times}. {numbers.pluralize(len(differences), 'fact differs', 'facts differ')}, not one alone."
    (fact,) = differences
    changed = f"with {_short_name(fact)} {_value_text(fact, 1)} instead of {_value_text(fact, 0)}"
    return f"{times} {changed}. No other of the {equal + 1} facts known of both runs differs."


def _range_sentence(interval: tuple[float, float] | None, repeats: Sequence[int]) -> str:
    if interval is None:
        return "Too few repeats: whether it is more than chance cannot be told."
    low, high = (numbers.format_times(end) for end in interval)
    counts = f"{repeats[0]} repeats of each" if len(set(repeats)) == 1 else f"Repeats: {repeats[0]} and {repeats[1]}"
    return f"{counts}, so the ratio has a 95 % range: {low} to {high}."


def _ceiling_mark(ceiling: Ceiling) -> CeilingMark:
    factors = " \N{MULTIPLICATION SIGN} ".join(_factor_text(name, figure) for name, figure in ceiling.factors)
    return CeilingMark(ceiling.value / FACTOR, ceiling.words, factors)


def _factor_text(name: str, figure: Any) -> str:
    if figure.unit == "count":
        return f"{name} {figure.value:g}"
    return f"{name} {numbers.format_significant(figure.value / FACTOR)}\N{NO-BREAK SPACE}{UNIT}"


def build_ceiling(runs: Sequence[DemonstrationRun]) -> Context:
    """The repeats of the second run, each in % of the lowest ceiling, and every ceiling with what it is made of."""
    run = runs[-1]
    written = measured_write(run)
    lowest, repeats = written.lowest, len(written.values)
    limit = lowest.value / FACTOR
    columns = [RepeatColumn(f"repeat {number}", "", [value]) for number, value in enumerate(written.values, 1)]
    percent = f"{100 * written.mean / limit:.0f}\N{NO-BREAK SPACE}%"
    levels = f"{numbers.format_decimal(written.mean)} of {numbers.format_decimal(limit)} {UNIT}"
    return {
        "finding": f"{repeats} repeats reach {percent} of what the {lowest.words} can write: {levels}.",
        "range": f"It is the lowest of {len(written.ceilings)} ceilings that follow from the described parts.",
        "charts": repeat_columns.draw_repeat_columns(columns, _ceiling_mark(lowest), UNIT),
        "lowest": lowest.words,
        "table": [
            {"number": number, "value": numbers.format_decimal(value), "percent": f"{100 * value / limit:.1f}"}
            for number, value in enumerate(written.values, 1)
        ],
        "unit": UNIT,
        "ceilings": [_ceiling_row(ceiling, written.mean) for ceiling in written.ceilings],
        "runs": [run],
        "commanded": run,
    }


def _ceiling_row(ceiling: Ceiling, mean: float) -> Context:
    return {
        "name": capitalize_sentence(ceiling.words),
        "value": numbers.format_decimal(ceiling.value / FACTOR),
        "percent": f"{100 * mean * FACTOR / ceiling.value:.1f}",
        "factors": [{"text": _factor_text(name, figure), "source": figure.source} for name, figure in ceiling.factors],
    }


def build_rejected(runs: Sequence[DemonstrationRun]) -> Context:
    """The findings of a run that cannot be submitted, worst first, each with the lines of the file that it names."""
    (run,) = runs
    findings = run.snapshot["findings"]
    counted = Counter(finding["level"] for finding in findings)
    counts = [numbers.pluralize(counted[level], level) for level in ("error", "warning") if counted[level]]
    refused = "so this run can be submitted to no list" if counted["error"] else "and none keeps it from a list"
    rows = [finding | {"lines": _quoted_lines(finding["where"], run.files)} for finding in findings]
    with_line = sum(bool(row["lines"]) for row in rows)
    return {
        "finding": f"The check finds {' and '.join(counts) or 'nothing'}, {refused}.",
        "range": f"{with_line} of {numbers.pluralize(len(rows), 'finding')} with a line of a file, shown below.",
        "findings": rows,
        "runs": [run],
        "commanded": run,
    }


def _quoted_lines(where: str, files: dict[str, str]) -> list[Context]:
    """The line that a place names, between its neighbours; none for a place without a line."""
    path, _, number = where.rpartition(":")
    if path not in files or not number.isdigit():
        return []
    lines, line = files[path].splitlines(), int(number)
    around = range(max(1, line - LINES_AROUND), min(len(lines), line + LINES_AROUND) + 1)
    return [{"number": place, "text": lines[place - 1], "is_named": place == line} for place in around]


def build_change(runs: Sequence[DemonstrationRun]) -> Context:
    """The nights as a series with its steps, and what differs between the runs on both sides of the last step."""
    results: list[Any] = [demonstration.as_result(run) for run in runs]
    for result in results:
        result.list_names = []
    days = {result.pk: dt.datetime.fromisoformat(run.started).date() for result, run in zip(results, runs, strict=True)}
    rows = {
        result.pk: [row for row in run.measurements if is_written(row)]
        for result, run in zip(results, runs, strict=True)
    }
    ((row,), _, _) = series.join_points(results, rows, days)
    steps, points = row["steps"], row["points"]
    step = steps[-1] if steps else None
    document = load.comparison_document([step["before"], step["after"]]) if step else None
    edges = [0, *(step["place"] for step in steps), len(points)]
    levels = [steps[0]["level_before"], *(step["level_after"] for step in steps)] if steps else []
    stretches = [(low, high, level / FACTOR) for (low, high), level in zip(pairwise(edges), levels, strict=False)]
    values = [point["value"] / FACTOR for point in points]
    return {
        "finding": _step_sentence(step, len(steps), len(points)),
        "range": _cause_sentence(document) if document else "",
        "chart": result_charts.draw_levels([point["day"] for point in points], values, stretches),
        "table": [
            {"day": point["day"], "run": point["result"], "value": format_in_unit(point["value"], UNIT)}
            for point in points
        ],
        "unit": UNIT,
        "step": step,
        "system": what_differed(
            document["configuration"], [_keep_together(step["before"]), _keep_together(step["after"])]
        )
        if document and step
        else None,
        "equal": _count_equal(document) if document else 0,
        "comparison": f"/compare/?results={step['before']},{step['after']}" if step else "",
        "runs": [run for run in runs if step and run.public_id in (step["before"], step["after"])],
        "commanded": runs[-1],
    }


def _step_sentence(step: Row | None, steps: int, nights: int) -> str:
    """The last of the steps, and how many there are where there are several."""
    if step is None:
        return f"Nothing changed in {nights} nights beyond chance."
    moved = "rose" if step["ratio"] > 1 else "fell"
    levels = [format_in_unit(step[name], UNIT) for name in ("level_before", "level_after")]
    ratio = f"\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}{numbers.format_times(step['ratio'])}"
    which = f" That is the last of {steps} steps." if steps > 1 else ""
    return f"Writes {moved} from {levels[0]} to {levels[1]} {UNIT} on {step['day']}, {ratio}.{which}"


def _cause_sentence(document: Row) -> str:
    """What differs between both sides of a step. That it is the cause only another run would show."""
    differences = _differing_facts(document)
    if len(differences) != 1:
        return f"{numbers.pluralize(len(differences), 'fact differs', 'facts differ')} between the nights around it."
    (fact,) = differences
    values = [_value_text(fact, side) for side in (0, 1)]
    return f"Between the nights around it one fact differs: {_short_name(fact)} went from {values[0]} to {values[1]}."


def build_targets(runs: Sequence[DemonstrationRun]) -> Context:
    """The targets of a survey: how many lie where, which are slow, and how likely a file meets one of them."""
    (run,) = runs
    surveyed = distributions.with_all_targets(run.snapshot["distributions"], run.snapshot["tests"])
    fastest = [distribution for distribution in surveyed if distribution["stat"] == "fastest_second"]
    (row,) = distributions.component_distributions(fastest, stragglers.SHARE)
    factor, unit = FACTOR, UNIT
    bins = [(part["low"], part["high"], part["count"]) for part in row["histogram"]]
    slow = [
        {
            "number": target["number"],
            "value": format_in_unit(target["value"], unit),
            "percent": f"{target['percent']:.1f}",
        }
        for target in row["slow"]
    ]
    limit = row["best"] * stragglers.SHARE / 100
    share = f"{stragglers.SHARE:g}\N{NO-BREAK SPACE}%"
    counted = f"{row['slow_count']} of {numbers.format_int(row['count'])} targets"
    return {
        "finding": f"{counted} reach {share} of the best or less{_slow_names(slow, row['slow_count'])}."
        if slow
        else f"None of {numbers.format_int(row['count'])} targets is slow at {share} of the best.",
        "range": " ".join(filter(None, [_silent_sentence(len(row["silent"])), _meeting_sentence(row["meeting"])])),
        "chart": result_charts.draw_histogram(bins, limit, factor),
        "bins": [(format_in_unit(low, unit), format_in_unit(high, unit), count) for low, high, count in bins],
        "slow": slow,
        "meeting": [(chance["stripes"], f"{chance['percent']:.2f}") for chance in row["meeting"]],
        "unit": unit,
        "runs": [run],
        "commanded": run,
    }


def _slow_names(slow: Sequence[Row], count: int) -> str:
    """The numbers of slow targets where they are few; the table has the others."""
    if count > MOST_NAMED:
        return ""
    return f": {'number' if count == 1 else 'numbers'} {' and '.join(str(target['number']) for target in slow)}"


def _silent_sentence(silent: int) -> str:
    return f"Not known: {numbers.pluralize(silent, 'target')} without a number." if silent else ""


def _meeting_sentence(meeting: Sequence[Row]) -> str:
    chance = next((row for row in meeting if row["stripes"] == 64), None)
    if chance is None:
        return ""
    return f"A file over {chance['stripes']} of them meets a slow one in {chance['percent']:.1f} % of cases."


CEILING_SCREEN = TourScreen(
    "ceiling", "A ceiling", "repeats, under what the parts can do", "ceiling", Screen.TUNABLE, build_ceiling
)
SCREENS = (
    TourScreen("", "One tunable", "same machine, two runs", "tunable", Screen.TUNABLE, build_tunable),
    CEILING_SCREEN,
    TourScreen("rejected", "A rejected run", "findings by line", "rejected", Screen.REJECTED, build_rejected),
    TourScreen("change", "A change", "nights, and what differs", "change", Screen.CHANGE, build_change),
    TourScreen("slow-targets", "Slow targets", "each target of a survey", "targets", Screen.TARGETS, build_targets),
)
