"""The names of a formula: where the numbers of each are, and which unit comes out of them.

A name is a fact of results (an axis of studies), a metric, or a column of results.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from registry.errors import Problem
from registry.models import Measurement
from registry.query import axes, fact_index, filters, formulas, study_query
from registry.query.formulas import FormulaError
from registry.query.public_record import nearest
from registry.query.study_query import COLUMN_METRICS, Metric
from registry.studies.custom_rankings import dimensions
from registry.studies.run import known_metrics
from registry.studies.table import USUAL_UNITS
from validators.units import UNITS

MOST_INPUTS = 8
BRACKETED = re.compile(r"\[([^\[\]]+)\]")
PLACEHOLDER = "__{}"


class NotRanked(Problem):
    """The formula, its names or its unit do not fit the record."""


class BadFormula(NotRanked):
    code = "ranking.formula"
    title = "The formula can't be computed"
    hint = (
        "Known are + - * / **, sqrt, min, max, numbers and names; names with a dash or a dot stand in brackets: "
        "[ior-easy-write.bandwidth] / client_nodes."
    )


class UnknownName(NotRanked):
    code = "ranking.unknown-name"
    title = "No result has such a number"


@dataclass(frozen=True, slots=True)
class Input:
    """One name of a formula: where its numbers are, their unit, and what they are multiplied by to be canonical."""

    name: str
    kind: str
    source: tuple[str, ...]
    unit: str = ""
    shown_unit: str = ""
    factor: float = 1.0


def named(formula: str) -> tuple[str, dict[str, str]]:
    """The formula with an identifier for each name in brackets, and all names by identifier. Raises BadFormula."""
    names: dict[str, str] = {}

    def place(found: re.Match[str]) -> str:
        return names.setdefault(found[1].strip(), PLACEHOLDER.format(len(names)))

    text = BRACKETED.sub(place, formula)
    by_identifier = {identifier: name for name, identifier in names.items()}
    try:
        formulas.read(text, _Names(by_identifier))
    except FormulaError as error:
        raise BadFormula(f"{_spoken(str(error), by_identifier)}.") from error
    if not by_identifier:
        raise BadFormula("It names nothing that results have.")
    if len(by_identifier) > MOST_INPUTS:
        raise BadFormula(f"It has more than {MOST_INPUTS} names.")
    return text, by_identifier


class _Names:
    """Notes the names of a formula; what stands in brackets has an identifier already."""

    def __init__(self, by_identifier: dict[str, str]) -> None:
        self.known = by_identifier

    def number(self, value: float) -> None: ...

    def name(self, name: str) -> None:
        self.known.setdefault(name, name)

    def negative(self, value: None) -> None: ...

    def binary(self, kind: type[ast.operator], left: None, right: None) -> None: ...

    def call(self, function: str, arguments: list[None]) -> None: ...


def _spoken(text: str, by_identifier: Mapping[str, str]) -> str:
    """A message with names as they were given."""
    for identifier, name in by_identifier.items():
        text = text.replace(identifier, name)
    return text


def input_of(name: str) -> Input:
    """Where the numbers of a name are: a fact, else a metric or a column of results. Raises UnknownName."""
    known_facts = fact_index.fact_names()
    if name in known_facts or name in axes.by_name():
        unit = axes.axis(name).unit
        known = UNITS.get(unit)
        return Input(name, "fact", (name,), known.canonical if known else unit, unit, known.factor if known else 1.0)
    metrics = known_metrics()
    try:
        meant = study_query.metrics([name], metrics)
    except study_query.UnknownMetric as error:
        close = nearest(name, [*known_facts, *axes.by_name(), *map(str, metrics), *COLUMN_METRICS])
        hint = f"Nearest: {', '.join(close)}." if close else "GET study/metrics/ and study/axes/ have those there are."
        raise UnknownName(
            f"No result has {name!r}.", hint=hint, errors={"formula": [name[: filters.VALUE_LIMIT]]}
        ) from error
    if len(meant) > 1:
        several = ", ".join(f"[{one}]" for one in meant[:MOST_INPUTS])
        raise UnknownName(f"{name!r} may be any of several.", hint=f"Give one of {several}.")
    return _measured(name, meant[0])


def _measured(name: str, metric: Metric) -> Input:
    if not metric.quantity:
        canonical, shown = COLUMN_METRICS[metric.op]
        return Input(name, "column", (metric.op,), canonical or metric.op, shown, UNITS[shown].factor if shown else 1.0)
    found = Measurement.objects.order_by().filter(**metric._asdict()).values_list("unit", flat=True)
    unit = found[:1][0]
    return Input(name, "metric", tuple(metric), unit, USUAL_UNITS.get(unit, unit))


def unit_of(text: str, inputs: Mapping[str, Input]) -> str:
    units = {identifier: dimensions.of_unit(one.unit) for identifier, one in inputs.items()}
    try:
        return str(dimensions.of_formula(text, units))
    except FormulaError as error:
        spoken = _spoken(str(error), {identifier: one.name for identifier, one in inputs.items()})
        raise BadFormula(f"{spoken}.") from error
