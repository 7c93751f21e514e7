"""Questions to the record: metric, x axis, series, divisor and filters, read from a query string or refused.

metric=write.bandwidth.max  OP.QUANTITY.STAT, or fewer of its parts: write.bandwidth, bandwidth, score
metric=io_rate  a canonical quantity that no tool reports by that name: all names that tools report it under
x=targets  series=op,fabric  per=drive  unit=GB/s  chart=lines  as_of=2026-11-20  assume=prior
and every filter of results/, p.NAME=VALUE and context.NAME=VALUE among them
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.http import QueryDict
from django.utils.dateparse import parse_datetime

from registry.errors import Problem
from registry.query.facts import axes, fact_index, known_names
from registry.query.facts.divisors import PER
from registry.query.public_record import nearest_names
from registry.query.questions import filters
from registry.query.row_sources import PUBLIC, RowSource
from validators.quantities import context_parts, tools_by_canonical
from validators.units import UNITS

CHARTS = ("auto", "bars", "lines", "points", "box", "heat", "radar")
COLUMN_METRICS = {"score": ("", ""), "bandwidth_gib_per_s": ("B/s", "GiB/s"), "rate_kiops": ("ops/s", "kIOPS")}
"""Metrics that are columns of a result: canonical unit and the unit of the column. A score has none."""

NAMES = ("metric", "x", "series", "per", "unit", "chart", "as_of", "assume")
PRIOR = "prior"
"""The value of `assume`: numbers that were not repeated get an interval of what their class is assumed to vary."""
CONTEXT = "context."
PREFIXES = (filters.PARAMETER, CONTEXT)
MOST_SERIES = 4


class NoMetric(Problem):
    code = "study.no-metric"
    title = "The question names no metric"
    hint = "Give metric= and x=, for example metric=ior-easy-write.bandwidth&x=client_nodes."


class UnknownMetric(Problem):
    code = "study.unknown-metric"
    title = "The registry has no such metric"


class UnknownAxis(Problem):
    code = "study.unknown-axis"
    title = "No result has such a fact"


class Metric(NamedTuple):
    """One kind of number. Of a column of results only `op` is set."""

    op: str
    quantity: str = ""
    stat: str = ""

    def __str__(self) -> str:
        return ".".join(part for part in self if part)


@dataclass(frozen=True, slots=True)
class StudyQuery:
    """What is asked. `filters` are those of results/ as they were given; empty texts mean not asked for."""

    metric: tuple[str, ...]
    x: str
    series: tuple[str, ...] = ()
    per: str = ""
    unit: str = ""
    chart: str = "auto"
    as_of: dt.datetime | None = None
    assume: str = ""
    filters: dict[str, list[str]] = field(default_factory=dict)
    source: RowSource = field(default=PUBLIC, compare=False, repr=False)
    """Whose rows are asked; no address has it."""

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.x, *self.series)))

    def query(self) -> QueryDict:
        """The question as a query string; `parse_query` gives it back."""
        query = QueryDict(mutable=True)
        query.setlist("metric", list(self.metric))
        query["x"] = self.x
        if self.series:
            query["series"] = ",".join(self.series)
        for name in ("per", "unit"):
            if value := getattr(self, name):
                query[name] = value
        if self.chart != "auto":
            query["chart"] = self.chart
        if self.as_of:
            query["as_of"] = written_time(self.as_of)
        if self.assume:
            query["assume"] = self.assume
        filters.put_values(query, self.filters)
        return query

    def address(self) -> str:
        return self.query().urlencode(safe=",/:")


def parse_query(query: QueryDict, source: RowSource = PUBLIC) -> StudyQuery:
    """The question in a query string; whether the names exist is asked later.

    Raises NoMetric where `metric` or `x` is missing, InvalidValue for a wrong value.
    """
    metric, x = tuple(filters.values_of(query, "metric")), single_value(query, "x")
    if not metric or not x:
        raise NoMetric(f"{'x' if metric else 'metric'}= is missing.")
    series = tuple(dict.fromkeys(name for text in filters.values_of(query, "series") for name in _split_names(text)))
    if len(series) > MOST_SERIES:
        raise filters.InvalidValue("series", f"at most {MOST_SERIES} axes")
    chart, as_of = single_choice(query, "chart", CHARTS) or "auto", time_of(single_value(query, "as_of"))
    filter_values = filters.other_values(query, NAMES)
    return StudyQuery(
        metric,
        x,
        series,
        parse_divisor(query),
        shown_unit(query),
        chart,
        as_of,
        parse_assumption(query),
        filters=filter_values,
        source=source,
    )


def parse_divisor(query: QueryDict) -> str:
    """`per=`: what numbers are divided by; empty where nothing was asked. Raises InvalidValue."""
    return single_choice(query, "per", PER)


def parse_assumption(query: QueryDict) -> str:
    """`assume=`: what is assumed of numbers that were not repeated; empty: nothing. Raises InvalidValue."""
    return single_choice(query, "assume", [PRIOR])


def shown_unit(query: QueryDict) -> str:
    """`unit=`: in what values are shown; empty where nothing was asked.

    Raises InvalidValue for a unit that is not in UNITS.
    """
    unit = single_value(query, "unit")
    if unit and unit not in UNITS:
        raise filters.InvalidValue("unit", f"one of {', '.join(UNITS)}")
    return unit


def _split_names(text: str) -> list[str]:
    return [name for part in text.split(",") if (name := part.strip())]


def single_value(query: QueryDict, name: str) -> str:
    """The one value of a name; empty where it is not given. Raises InvalidValue where it is given several times."""
    values = filters.values_of(query, name)
    if len(values) > 1:
        raise filters.InvalidValue(name, "once")
    return values[0] if values else ""


def single_choice(query: QueryDict, name: str, choices: Iterable[str]) -> str:
    """As `single`, one of the choices. Raises InvalidValue for anything else."""
    value = single_value(query, name)
    try:
        return filters.parse_choice(choices, value) if value else ""
    except ValueError as error:
        raise filters.InvalidValue(name, str(error)) from error


def time_of(text: str) -> dt.datetime | None:
    """A moment in UTC; of a day its end; None for an empty text. Raises InvalidValue for what is no date or time."""
    if not text:
        return None
    try:
        moment = parse_datetime(text if "T" in text else f"{text}T23:59:59")
    except ValueError:
        moment = None
    if moment is None:
        raise filters.InvalidValue("as_of", "a date (2026-11-20) or a time (2026-11-20T12:00:00Z)")
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def written_time(moment: dt.datetime) -> str:
    """As `time_of` reads it."""
    return moment.isoformat().replace("+00:00", "Z")


def parse_metrics(words: Sequence[str], known_metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics that the words of a question mean: of a record's `known_metrics`, or columns of results.

    Raises UnknownMetric with the nearest names, and for a column asked for together with something else.
    """
    selected_metrics = list(
        dict.fromkeys(metric for word in words for metric in _matching_metrics(word, known_metrics))
    )
    columns = [metric for metric in selected_metrics if metric.op in COLUMN_METRICS and not metric.quantity]
    if columns and len(selected_metrics) > 1:
        raise UnknownMetric(f"{columns[0]} is asked for alone.", hint="Ask for one metric at a time.")
    return selected_metrics


def _matching_metrics(word: str, known_metrics: Sequence[Metric]) -> list[Metric]:
    if word in COLUMN_METRICS:
        return [Metric(word)]
    matches = [metric for metric in known_metrics if _is_named(word, metric, tools_by_canonical(metric.quantity))]
    if not matches:
        canonical_names = {name for metric in known_metrics for name in tools_by_canonical(metric.quantity)}
        others = [*(metric.op for metric in known_metrics), *sorted(canonical_names), *COLUMN_METRICS]
        close = nearest_names(word, [*map(str, known_metrics), *others])
        hint = f"Nearest: {', '.join(close)}." if close else "GET study/metrics/ has those that there are."
        raise UnknownMetric(f"No result has {word!r}.", hint=hint, errors={"metric": [word]})
    return matches


def _is_named(word: str, metric: Metric, canonical_names: Collection[str]) -> bool:
    """Whether a word of a question is of a metric, under its reported quantity or one of these canonical names."""
    parts = word.split(".")
    names = (metric.quantity, *canonical_names)
    return any(_starts_with_parts(parts, metric._replace(quantity=name)) for name in names)


def tools_of(words: Sequence[str], metric: Metric) -> frozenset[str]:
    """The tools whose numbers of a metric the words of a question mean; empty for all tools."""
    if any(_is_named(word, metric, ()) for word in words):
        return frozenset()
    tools = {name: of for name, of in tools_by_canonical(metric.quantity).items() if _any_named(words, metric, name)}
    return frozenset().union(*tools.values()) if all(tools.values()) else frozenset()


def is_meant(words: Sequence[str], metric: Metric, canonical: str) -> bool:
    """Whether the words of a question mean a number of this metric, which is of a canonical quantity."""
    return any(_is_named(word, metric, ()) for word in words) or (
        canonical in tools_by_canonical(metric.quantity) and _any_named(words, metric, canonical)
    )


def _any_named(words: Sequence[str], metric: Metric, canonical: str) -> bool:
    return any(_is_named(word, metric, [canonical]) for word in words)


def _starts_with_parts(parts: list[str], metric: Metric) -> bool:
    """Whether a metric begins with these parts, its operation left out or not."""
    return list(metric[: len(parts)]) == parts or list(metric[1 : 1 + len(parts)]) == parts


def check_contexts(names: Iterable[str]) -> None:
    """Raises UnknownParameter, with the nearest names, for a `context.NAME` that no measurement can have. No query."""
    for name in names:
        part = name.removeprefix(CONTEXT)
        if part != name and part not in context_parts():
            hint = known_names.nearest_hint(CONTEXT, nearest_names(part, context_parts()))
            raise filters.UnknownParameter(f"No measurement has {name}.", hint=hint, errors={name: [hint]})


def check_axes(names: Iterable[str], source: RowSource = PUBLIC) -> None:
    """Raises UnknownAxis for a name under which no result has a fact; one query where the vocabulary lacks one."""
    unnamed = [name for name in names if name not in axes.by_name()]
    fact_names = fact_index.fact_names(source) if unnamed else []
    for name in unnamed:
        if name not in fact_names:
            close = nearest_names(name, {*fact_names, *axes.by_name()})
            hint = f"Nearest: {', '.join(close)}." if close else "GET study/axes/ has those that there are."
            raise UnknownAxis(f"No result has {name!r}.", hint=hint, errors={"axis": [name]})
