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
from registry.query.facts import axes, fact_index
from registry.query.public_record import nearest_names
from registry.query.questions import filters, study_query
from registry.query.questions.recorded_metrics import known_metrics
from registry.query.questions.study_query import COLUMN_METRICS, Metric
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import formulas
from registry.query.values.formulas import FormulaError
from registry.studies.custom_rankings import dimensions
from registry.studies.table import USUAL_UNITS
from validators.quantities import canonical_name
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
        "Use + - * / **, sqrt, min, max, numbers and names; names with a dash or a dot stand in brackets: "
        "[ior-easy-write.bandwidth] / client_nodes."
    )


class UnknownName(NotRanked):
    code = "ranking.unknown-name"
    title = "No result has such a number"


@dataclass(frozen=True, slots=True)
class Input:
    """One name of a formula: where its numbers are, their unit, and what they are multiplied by to be canonical.

    `quantity` is the canonical quantity of a metric, or the name of a column; `counted_unit` is its unit
    with what is counted, as in samples per second.
    """

    name: str
    kind: str
    source: tuple[str, ...]
    unit: str = ""
    shown_unit: str = ""
    factor: float = 1.0
    quantity: str = ""

    @property
    def counted_unit(self) -> str:
        return dimensions.counted_unit(self.quantity, self.unit)

    @property
    def reported_number(self) -> tuple[str, str]:
        """Operation and quantity as they are reported; of what is no measurement its name."""
        return (self.source[0], self.source[1]) if self.kind == "metric" else (self.source[0], "")


def replace_names(formula: str) -> tuple[str, dict[str, str]]:
    """The formula with an identifier for each name in brackets, and all names by identifier.

    Raises BadFormula for no name, too many, or what is no formula.
    """
    names: dict[str, str] = {}

    def place(match: re.Match[str]) -> str:
        return names.setdefault(match[1].strip(), PLACEHOLDER.format(len(names)))

    text = BRACKETED.sub(place, formula)
    by_identifier = {identifier: name for name, identifier in names.items()}
    try:
        formulas.interpret_formula(text, _Names(by_identifier))
    except FormulaError as error:
        raise BadFormula(f"{_with_names(str(error), by_identifier)}.") from error
    if not by_identifier:
        raise BadFormula("It names nothing that results have.")
    if len(by_identifier) > MOST_INPUTS:
        raise BadFormula(f"It has more than {MOST_INPUTS} names.")
    return text, by_identifier


class _Names:
    """Notes the names of a formula; what stands in brackets has an identifier already."""

    def __init__(self, by_identifier: dict[str, str]) -> None:
        self.by_identifier = by_identifier

    def read_number(self, value: float) -> None: ...

    def read_name(self, name: str) -> None:
        self.by_identifier.setdefault(name, name)

    def negate_value(self, value: None) -> None: ...

    def apply_operator(self, kind: type[ast.operator], left_operand: None, right: None) -> None: ...

    def call_function(self, function: str, arguments: list[None]) -> None: ...


def _with_names(text: str, by_identifier: Mapping[str, str]) -> str:
    """A message with names as they were given."""
    for identifier, name in by_identifier.items():
        text = text.replace(identifier, name)
    return text


def input_of(name: str, source: RowSource = PUBLIC) -> Input:
    """Where the numbers of a name are: a fact, else a metric or a column of results.

    Raises UnknownName where no result has it, or it may be any of several.
    """
    known_facts = fact_index.fact_names(source)
    if name in known_facts or name in axes.by_name():
        unit = axes.find_axis(name).unit
        unit_entry = UNITS.get(unit)
        return Input(
            name,
            "fact",
            (name,),
            unit_entry.canonical if unit_entry else unit,
            unit,
            unit_entry.factor if unit_entry else 1.0,
        )
    metrics = known_metrics(source)
    try:
        candidates = study_query.parse_metrics([name], metrics)
    except study_query.UnknownMetric as error:
        close = nearest_names(name, [*known_facts, *axes.by_name(), *map(str, metrics), *COLUMN_METRICS])
        hint = f"Nearest: {', '.join(close)}." if close else "GET study/metrics/ and study/axes/ have those there are."
        raise UnknownName(
            f"No result has {name!r}.", hint=hint, errors={"formula": [name[: filters.VALUE_LIMIT]]}
        ) from error
    if len(candidates) > 1 or study_query.tools_of([name], candidates[0]):
        several = ", ".join(f"[{metric}]" for metric in candidates[:MOST_INPUTS])
        raise UnknownName(f"{name!r} may be any of several.", hint=f"Give one of {several}.")
    return _metric_input(name, candidates[0], source)


def _metric_input(name: str, metric: Metric, source: RowSource) -> Input:
    if not metric.quantity:
        canonical, shown_unit = COLUMN_METRICS[metric.op]
        return Input(
            name,
            "column",
            (metric.op,),
            canonical or metric.op,
            shown_unit,
            UNITS[shown_unit].factor if shown_unit else 1.0,
            metric.op,
        )
    measurements = (
        source.table_rows(Measurement).order_by().filter(**metric._asdict()).values_list("unit", "result__tool")
    )
    unit, tool = measurements.values_list("unit", "result__tool")[:1][0]
    quantity = canonical_name(tool, metric._asdict() | {"unit": unit})
    counted = dimensions.counted_unit(quantity, unit)
    return Input(name, "metric", tuple(metric), unit, USUAL_UNITS.get(counted, counted), quantity=quantity)


def unit_of(text: str, inputs: Mapping[str, Input]) -> str:
    """Return the unit of a formula over inputs. Raises BadFormula where their units do not go together."""
    units = {identifier: dimensions.of_unit(formula_input.counted_unit) for identifier, formula_input in inputs.items()}
    try:
        return str(dimensions.of_formula(text, units))
    except FormulaError as error:
        spoken = _with_names(
            str(error), {identifier: formula_input.name for identifier, formula_input in inputs.items()}
        )
        raise BadFormula(f"{spoken}.") from error
