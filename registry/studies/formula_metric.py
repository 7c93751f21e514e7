"""A formula over numbers of one result as the metric of a study.

    metric=[ior-hard-write.bandwidth]/[ior-easy-write.bandwidth]

Names, units and arithmetic are those of rankings. Each result gives one value, computed of its own numbers alone, so
that the values of a study are pooled as measured ones are. A number that its source only bounds is computed with as an
interval; where an input is missing there is no value, and the study counts it as missing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

from django.db import DataError, transaction
from django.db.models import (
    Case,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    FloatField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.functions import Cast, Greatest, Least, NullIf, Power, Sqrt
from django.db.models.lookups import IsNull

from registry.errors import Problem
from registry.models import Fact, Measurement, Result
from registry.query.questions.study_query import Metric
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import formulas, qualified_values
from registry.query.values.qualified_values import Number
from registry.studies.custom_rankings.inputs import BRACKETED, Input, NotRanked, input_of, replace_names, unit_of
from registry.studies.table import USUAL_UNITS, Group, lower_is_better

SIGNS = frozenset("[]+*/()")
"""What no name of a metric has: a metric with one of these is a formula. A dash alone may stand in a name."""


class UnfitFormula(Problem):
    """A formula that rankings refuse, too; said with the same words."""

    code = "study.formula"
    title = "The formula of the study can't be computed"
    hint = "Check what the formula divides by and raises to powers, or narrow the results down by filters."


@dataclass(frozen=True, slots=True)
class FormulaMetric:
    """A formula as it was asked for; `expression` has an identifier for each name, `unit` is canonical, as of B/s."""

    text: str
    expression: str
    inputs: Mapping[str, Input]
    unit: str

    @property
    def metric(self) -> Metric:
        """The formula as a kind of number that is a column of results."""
        return Metric(self.text)

    @property
    def shown_unit(self) -> str:
        return USUAL_UNITS.get(self.unit, self.unit)

    @property
    def measured_inputs(self) -> list[Input]:
        """Inputs that were measured; of a formula of facts alone these."""
        return [each for each in self.inputs.values() if each.kind != "fact"] or list(self.inputs.values())


def is_formula(word: str) -> bool:
    """Whether a word of `metric=` is a formula and no name."""
    return not SIGNS.isdisjoint(word)


def formula_title(word: str) -> str:
    """A formula in words: "[ior-hard-write.bandwidth] / 2" -> "ior-hard-write bandwidth / 2"."""
    return BRACKETED.sub(lambda match: match[1].replace(".", " "), " ".join(word.split()))


def read_formula(words: Sequence[str], source: RowSource = PUBLIC) -> FormulaMetric | None:
    """The formula that a question asks for; None where it asks for metrics by their names.

    Raises UnfitFormula for a formula beside another metric, one that cannot be read, names that no result has, and
    units that do not go together.
    """
    if not any(map(is_formula, words)):
        return None
    if len(words) > 1:
        raise UnfitFormula("A formula is asked for alone.", hint="Ask for one metric at a time.")
    text = " ".join(words[0].split())
    try:
        expression, names = replace_names(text)
        inputs = {identifier: input_of(name, source) for identifier, name in names.items()}
        return FormulaMetric(text, expression, inputs, unit_of(expression, inputs))
    except NotRanked as problem:
        raise UnfitFormula(problem.detail, hint=problem.hint, errors=problem.errors) from problem


def with_formula(results: QuerySet[Result], formula: FormulaMetric, bounded: Mapping[int, Number]) -> QuerySet[Result]:
    """Results that have some measured input, with the columns that a study reads a metric from.

    `of_value` is canonical and null where an input lacks or the formula divides by zero; `bounded` are results whose
    number is known by intervals (`qualified_results`). Nothing of it is printed anywhere. No query.
    """
    computed = formulas.interpret_formula(formula.expression, _Columns(formula.inputs))
    cases = [When(pk=pk, then=Value(number.value, FloatField())) for pk, number in bounded.items()]
    value = Case(*cases, default=computed, output_field=FloatField()) if cases else computed
    return results.filter(reduce(or_, map(_has_input, formula.measured_inputs))).annotate(
        of_op=Value(formula.text, TextField()),
        of_quantity=Value(""),
        of_stat=Value(""),
        of_unit=Value(formula.unit, TextField()),
        of_value=ExpressionWrapper(value, FloatField()),
        of_printed=Cast(Value(None), FloatField()),
        of_printed_unit=Value(formula.shown_unit, TextField()),
    )


def qualified_results(results: QuerySet[Result], formula: FormulaMetric) -> dict[int, Number]:
    """By primary key what the formula gives for results some of whose inputs are about, below or above so much.

    Only documents qualify numbers. Left out are results without all inputs. One query, two where there are any.
    """
    metrics = [each for each in formula.inputs.values() if each.kind == "metric"]
    if not metrics:
        return {}
    named = reduce(or_, map(_is_metric, metrics))
    of_documents = Measurement.objects.order_by().filter(named, result__trust=Result.Trust.REPORTED)
    qualified = of_documents.filter(context__has_key="qualifier", result__in=results.values("pk"))
    pks = list(qualified.values_list("result_id", flat=True).distinct())
    if not pks:
        return {}
    values = {f"v{place}": _value_of(each) for place, each in enumerate(formula.inputs.values())}
    numbers = {pk: dict(zip(formula.inputs, row, strict=True)) for pk, *row in _read_inputs(pks, values)}
    for pk, identifier, number in _qualified_inputs(pks, formula.inputs):
        numbers[pk][identifier] = number
    return {
        pk: _evaluate(formula.expression, by_name)
        for pk, by_name in numbers.items()
        if all(value is not None for value in by_name.values())
    }


def _read_inputs(pks: Sequence[int], values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    rows = Result.objects.order_by().filter(pk__in=pks).annotate(**values).values_list("pk", *values)
    return [(pk, *(None if value is None else Number(value, value) for value in row)) for pk, *row in rows]


def _qualified_inputs(pks: Sequence[int], inputs: Mapping[str, Input]) -> list[tuple[int, str, Number]]:
    """Inputs whose source qualifies them; of several numbers of one metric the best, as everywhere."""
    numbered: list[tuple[int, str, Number]] = []
    for identifier, each in inputs.items():
        if each.kind != "metric":
            continue
        rows = Measurement.objects.order_by().filter(_is_metric(each), result__in=pks)
        by_result: dict[int, list[Number]] = {}
        for pk, value, word in rows.values_list("result_id", "value", "context__qualifier"):
            number = qualified_values.qualified_number(value * each.factor, word or "")
            by_result.setdefault(pk, []).append(number)
        choose = qualified_values.least_number if _is_least_best(each) else qualified_values.largest_number
        numbered += [(pk, identifier, choose(numbers)) for pk, numbers in by_result.items()]
    return numbered


def _evaluate(expression: str, values: Mapping[str, Number]) -> Number:
    """What a formula gives; not known where a bound leaves nothing to say, or it divides by zero."""
    try:
        return formulas.evaluate_qualified(expression, values)
    except formulas.FormulaError:
        return qualified_values.qualified_number(0.0, qualified_values.UNKNOWN)


def qualifiers_by_id(bounded: Mapping[int, Number]) -> dict[str, str]:
    """By public id what qualifies the numbers of some results; numbers without qualifier left out. One query."""
    qualifiers = {pk: number.qualifier for pk, number in bounded.items() if number.qualifier}
    ids = Result.objects.order_by().filter(pk__in=qualifiers).values_list("pk", "public_id")
    return {public_id: qualifiers[pk] for pk, public_id in ids}


def with_qualifiers(groups: Sequence[Group], qualifiers: Mapping[str, str]) -> list[Group]:
    """Groups whose members, and points of one member, say how their numbers are qualified, by public id. No query."""
    return [
        replace(
            group,
            members=tuple(replace(row, qualifier=qualifiers.get(row.result, "")) for row in group.members),
            facts={**group.facts, "qualifier": qualifiers.get(group.facts["result"])} if group.facts else group.facts,
        )
        for group in groups
    ]


@contextmanager
def refuse_bad_numbers() -> Iterator[None]:
    """Raises UnfitFormula where the database cannot compute with the numbers of some result."""
    try:
        with transaction.atomic():
            yield
    except DataError as error:
        raise UnfitFormula(f"{str(error).splitlines()[0].capitalize()}, of some result.") from error


def count_lacking(results: QuerySet[Result], formula: FormulaMetric) -> dict[str, int]:
    """By name of an input how many results of `with_formula` lack it; those that none lacks left out. One query."""
    aliases = {f"lack{place}": each for place, each in enumerate(formula.inputs.values())}
    counts = results.aggregate(**{alias: Count("pk", filter=~Q(_has_input(each))) for alias, each in aliases.items()})
    return {each.name: counts[alias] for alias, each in aliases.items() if counts[alias]}


# Where the numbers of an input are


def _is_least_best(each: Input) -> bool:
    return lower_is_better(each.unit)


def _is_metric(each: Input) -> Q:
    op, quantity, stat = each.source
    return Q(op=op, quantity=quantity, stat=stat, unit=each.unit)


def _has_input(each: Input) -> Q:
    """Of results those that have a number of an input."""
    if each.kind == "column":
        return Q(**{f"{each.source[0]}__isnull": False})
    if each.kind == "fact":
        return Q(Exists(Fact.objects.filter(result=OuterRef("pk"), name=each.source[0], number__isnull=False)))
    return Q(pk__in=Measurement.objects.order_by().filter(_is_metric(each)).values("result_id"))


def _value_of(each: Input) -> Any:
    """The one canonical number that a result has of an input; of several measurements of one metric the best."""
    if each.kind == "column":
        return ExpressionWrapper(F(each.source[0]) * Value(each.factor), FloatField())
    if each.kind == "fact":
        fact = Fact.objects.order_by().filter(result=OuterRef("pk"), name=each.source[0]).values("number")[:1]
        return ExpressionWrapper(Cast(Subquery(fact), FloatField()) * Value(each.factor), FloatField())
    best = Min("value") if _is_least_best(each) else Max("value")
    measurements = Measurement.objects.order_by().filter(_is_metric(each), result=OuterRef("pk"))
    chosen = measurements.values("result").annotate(best=best).values("best")
    return ExpressionWrapper(Subquery(chosen, FloatField()) * Value(each.factor), FloatField())


class _Columns:
    """A formula as an expression over results, null where an input is null. What divides by zero is null."""

    def __init__(self, inputs: Mapping[str, Input]) -> None:
        self.inputs = inputs

    def read_number(self, value: float) -> Any:
        return Value(float(value), FloatField())

    def read_name(self, name: str) -> Any:
        return _value_of(self.inputs[name])

    def negate_value(self, value: Any) -> Any:
        return _as_float(value * Value(-1.0))

    def apply_operator(self, kind: type[ast.operator], left_operand: Any, right: Any) -> Any:
        if kind is ast.Add:
            return _as_float(left_operand + right)
        if kind is ast.Sub:
            return _as_float(left_operand - right)
        if kind is ast.Mult:
            return _as_float(left_operand * right)
        if kind is ast.Div:
            return _as_float(left_operand / NullIf(right, Value(0.0)))
        return Power(left_operand, right, output_field=FloatField())

    def call_function(self, function: str, arguments: list[Any]) -> Any:
        """What PostgreSQL calls least passes over null; a formula with a number missing has none."""
        if function == "sqrt":
            return Sqrt(arguments[0], output_field=FloatField())
        all_there = Q(*(Q(IsNull(argument, False)) for argument in arguments))
        extreme = (Least if function == "min" else Greatest)(*arguments, output_field=FloatField())
        return Case(When(all_there, then=extreme), output_field=FloatField())


def _as_float(expression: Any) -> Any:
    return ExpressionWrapper(expression, FloatField())
