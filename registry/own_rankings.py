"""Rankings of one's own: results in the order of a formula over their numbers and parameters. None of them is official.

formula=[ior-easy-write.bandwidth] / client_nodes   names with a dash or a dot stand in brackets
per=drive  unit=GB/s  order=least  limit=50  as_of=2026-11-20  and every filter of results/

A name is a fact of results (an axis of studies), a metric, or a column of results. Units are checked before anything is
computed. Two queries beside the look-ups of names: the ranking, and what is said of the results that are shown.
"""

from __future__ import annotations

import ast
import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import DataError, connection, transaction
from django.http import QueryDict

from registry import axes, dimensions, facts, filters, formulas, questions
from registry.formulas import FormulaError
from registry.models import Measurement, Result
from registry.problems import Problem
from registry.questions import COLUMN_METRICS, PER, Metric
from registry.record import RESULT, Row, nearest, rows_of
from registry.studies import asking
from registry.studies.table import USUAL_UNITS, lower_is_better
from validators.units import UNITS, from_canonical

MOST_ROWS, USUAL_ROWS = 1000, 100
MOST_INPUTS = 8
ORDERS = ("most", "least")
NAMES = ("formula", "per", "unit", "order", "limit", "as_of")
INPUT = "in."
SHOWN = ("result", "institution", "system", "system_slug", "release", "filesystem_type", "client_nodes", "tool")
"""What a row says of its result, beside its rank, value and inputs."""

BRACKETED = re.compile(r"\[([^\[\]]+)\]")
PLACEHOLDER = "__{}"


class NoFormula(Problem):
    code = "ranking.no-formula"
    title = "The ranking has no formula"
    hint = "Give formula=, for example formula=score/client_nodes."


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


class WrongUnit(NotRanked):
    code = "ranking.unit"
    title = "The formula does not give that unit"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `filters` are those of results/ as they were given; empty texts mean not asked for."""

    formula: str
    per: str = ""
    unit: str = ""
    order: str = ""
    limit: int = USUAL_ROWS
    as_of: dt.datetime | None = None
    filters: dict[str, list[str]] = field(default_factory=dict)

    def query(self) -> QueryDict:
        """The question as a query string; `read` gives it back."""
        query = QueryDict(mutable=True)
        query["formula"] = self.formula
        for name in ("per", "unit", "order"):
            if value := getattr(self, name):
                query[name] = value
        if self.limit != USUAL_ROWS:
            query["limit"] = str(self.limit)
        if self.as_of:
            query["as_of"] = questions.written_time(self.as_of)
        query.update(filters.as_query(self.filters))
        return query

    def address(self) -> str:
        return self.query().urlencode(safe=",/:")


@dataclass(frozen=True, slots=True)
class Input:
    """One name of a formula: where its numbers are, their unit, and what they are multiplied by to be canonical."""

    name: str
    kind: str
    source: tuple[str, ...]
    unit: str = ""
    shown_unit: str = ""
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows by trust, best first; `counts` has, by trust, how many are ranked and how many lack something."""

    question: Question
    inputs: list[Input]
    unit: str
    order: str
    rows: list[Row]
    counts: dict[str, dict[str, int]]


def read(query: QueryDict) -> Question:
    """The question in a query string. Raises NoFormula and InvalidValue; whether it can be computed is asked later."""
    formula = " ".join(questions.single(query, "formula").split())
    if not formula:
        raise NoFormula
    return Question(
        formula,
        questions.divisor(query),
        questions.shown_unit(query),
        questions.chosen(query, "order", ORDERS),
        _limit(questions.single(query, "limit")),
        questions.time_of(questions.single(query, "as_of")),
        filters.given_beside(query, NAMES),
    )


def read_address(address: str) -> Question:
    """The question of an address that `Question.address` made."""
    return read(QueryDict(address))


def _limit(text: str) -> int:
    try:
        limit = filters.whole_number(text) if text else USUAL_ROWS
    except ValueError:
        limit = 0
    if not 1 <= limit <= MOST_ROWS:
        raise filters.InvalidValue("limit", f"a whole number from 1 to {MOST_ROWS}")
    return limit


def ask(question: Question) -> Answer:
    """Raises BadFormula, UnknownName, WrongUnit, InvalidValue, UnknownParameter."""
    query = filters.as_query(question.filters)
    filters.refuse_unknown(query, filters.RESULT_NAMES, (filters.PARAMETER,))
    found = asking.standing(question.as_of).filter(filters.result_conditions(query))
    text, names = named(question.formula)
    inputs = {identifier: _input(name) for identifier, name in names.items()}
    canonical = _unit(text, inputs)
    unit = question.unit or USUAL_UNITS.get(canonical, canonical)
    if question.unit and UNITS[question.unit].canonical != canonical:
        raise WrongUnit(f"It gives {canonical or 'no unit'}, not {question.unit}.")
    order = question.order or ("least" if lower_is_better(canonical) else "most")
    read_rows = _ranked(question, found, text, inputs, order)
    counts = {
        row["trust"]: {"ranked": row["ranked"], "missing": row["known"] - row["ranked"]} for row in reversed(read_rows)
    }
    rows = _told([row for row in read_rows if row["value"] is not None], inputs, unit)
    return Answer(question, list(inputs.values()), unit, order, rows, dict(sorted(counts.items())))


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


# Names


def _input(name: str) -> Input:
    """Where the numbers of a name are: a fact, else a metric or a column of results. Raises UnknownName."""
    known_facts = facts.names()
    if name in known_facts or name in axes.by_name():
        unit = axes.axis(name).unit
        known = UNITS.get(unit)
        return Input(name, "fact", (name,), known.canonical if known else unit, unit, known.factor if known else 1.0)
    known_metrics = asking.known_metrics()
    try:
        meant = questions.metrics([name], known_metrics)
    except questions.UnknownMetric as error:
        close = nearest(name, [*known_facts, *axes.by_name(), *map(str, known_metrics), *COLUMN_METRICS])
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


def _unit(text: str, inputs: Mapping[str, Input]) -> str:
    units = {identifier: dimensions.of_unit(one.unit) for identifier, one in inputs.items()}
    try:
        return str(dimensions.of_formula(text, units))
    except FormulaError as error:
        spoken = _spoken(str(error), {identifier: one.name for identifier, one in inputs.items()})
        raise BadFormula(f"{spoken}.") from error


# SQL

Sql = tuple[str, list[Any]]


class _Sql:
    """The SQL of a formula over columns of the query. What divides by zero is missing."""

    signs = {ast.Add: "({} + {})", ast.Sub: "({} - {})", ast.Mult: "({} * {})", ast.Div: "({} / nullif({}, 0))"}
    # Missing where one of several is: what SQL calls least and greatest would pass over it.
    extreme = "(SELECT CASE WHEN count(*) = count(x) THEN {}(x) END FROM unnest(ARRAY[{}]) AS x)"

    def __init__(self, columns: dict[str, str]) -> None:
        self.columns = columns

    def number(self, value: float) -> Sql:
        return "%s::float8", [float(value)]

    def name(self, name: str) -> Sql:
        return self.columns[name], []

    def negative(self, value: Sql) -> Sql:
        return f"(- {value[0]})", value[1]

    def binary(self, kind: type[ast.operator], left: Sql, right: Sql) -> Sql:
        form = self.signs.get(kind, "power({}, {})")
        return form.format(left[0], right[0]), left[1] + right[1]

    def call(self, function: str, arguments: list[Sql]) -> Sql:
        given = ", ".join(text for text, _ in arguments)
        values = [value for _, several in arguments for value in several]
        return (f"sqrt({given})" if function == "sqrt" else self.extreme.format(function, given)), values


_FROM = {
    "metric": """SELECT result_id, {extreme}(value) * %s AS v FROM registry_measurement
        WHERE op = %s AND quantity = %s AND stat = %s AND unit = %s GROUP BY result_id""",
    "fact": "SELECT result_id, number * %s AS v FROM registry_fact WHERE name = %s AND number IS NOT NULL",
    "column": "SELECT id AS result_id, {column} * %s AS v FROM registry_result WHERE {column} IS NOT NULL",
}
_DIVISOR = "SELECT result_id, number AS v FROM registry_fact WHERE name = %s AND number > 0"

_RANKED = """
    WITH found AS ({found}), {sources}, valued AS (
        SELECT found.id, found.trust, {inputs}, {value} AS value FROM found {joins} WHERE {known}
    ), ranked AS (
        SELECT *, rank() OVER (PARTITION BY trust ORDER BY value {direction} NULLS LAST) AS rank,
            row_number() OVER (PARTITION BY trust ORDER BY value {direction} NULLS LAST, id) AS line,
            count(value) OVER (PARTITION BY trust) AS ranked, count(*) OVER (PARTITION BY trust) AS known
        FROM valued
    )
    SELECT * FROM ranked WHERE line <= %s ORDER BY trust, line
"""


def _ranked(question: Question, found: Any, text: str, inputs: dict[str, Input], order: str) -> list[Row]:
    """The first rows of each level of trust. Raises BadFormula where the numbers can't be computed with."""
    standing, given = found.order_by().values("id", "trust").query.sql_with_params()
    sources = {f"n{place}": _source(one) for place, one in enumerate(inputs.values())}
    columns = dict(zip(inputs, (f"{alias}.v" for alias in sources), strict=True))
    value, constants = formulas.read(text, _Sql(columns))
    if question.per:
        sources["divisor"] = (_DIVISOR, [PER[question.per]])
        value = f"({value} / divisor.v)"
    needed = " AND ".join(f"{column} IS NOT NULL" for column in columns.values())
    measured = [column for column, one in zip(columns.values(), inputs.values(), strict=True) if one.kind != "fact"]
    statement = _RANKED.format(
        found=standing,
        sources=", ".join(f"{alias} AS ({source})" for alias, (source, _) in sources.items()),
        inputs=", ".join(f"{column} AS v{place}" for place, column in enumerate(columns.values())),
        value=f"CASE WHEN {needed} THEN {value} END",
        joins=" ".join(f"LEFT JOIN {alias} ON {alias}.result_id = found.id" for alias in sources),
        known=" OR ".join(f"{column} IS NOT NULL" for column in measured or columns.values()),
        direction="ASC" if order == "least" else "DESC",
    )
    values = [*given, *(one for _, several in sources.values() for one in several), *constants, question.limit]
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, values)
            names = [column.name for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except DataError as error:
        raise BadFormula(f"{str(error).splitlines()[0].capitalize()}, of some result.") from error


def _source(one: Input) -> Sql:
    """Of several measurements of one metric the best counts."""
    extreme = "min" if lower_is_better(one.unit) else "max"
    column = one.source[0] if one.kind == "column" else ""
    text = _FROM[one.kind].format(extreme=extreme, column=column)
    return text, [one.factor, *({"metric": (*one.source, one.unit), "fact": one.source}.get(one.kind, ()))]


def _told(ranked: Sequence[Row], inputs: dict[str, Input], unit: str) -> list[Row]:
    """Rows with their result; values in `unit`, inputs in the unit that each is shown in."""
    columns = {"pk": "pk"} | {name: RESULT[name] for name in SHOWN if name != "result"} | {"result": "public_id"}
    found = Result.objects.order_by().filter(pk__in=[row["id"] for row in ranked])
    by_pk = {row.pop("pk"): row for row in rows_of(columns, found)}
    return [
        {"rank": row["rank"], "value": _in(row["value"], unit), "trust": row["trust"]}
        | {name: by_pk[row["id"]][name] for name in SHOWN}
        | {INPUT + one.name: _in(row[f"v{place}"], one.shown_unit) for place, one in enumerate(inputs.values())}
        for row in ranked
    ]


def _in(value: float, unit: str) -> float:
    return from_canonical(value, unit) if unit in UNITS else value


def document(question: Question) -> Row:
    """The answer as pages and API show it. Raises what `ask` raises."""
    answer = ask(question)
    per = f", per {question.per.replace('_', ' ')}" if question.per else ""
    return {
        "title": f"{question.formula}{per}",
        "official": False,
        "formula": question.formula,
        "unit": answer.unit,
        "per": question.per or None,
        "order": answer.order,
        "as_of": question.as_of,
        "question": question.address(),
        "inputs": [{"name": one.name, "kind": one.kind, "unit": one.shown_unit} for one in answer.inputs],
        "counts": answer.counts,
        "columns": ["rank", "value", "trust", *SHOWN, *(INPUT + one.name for one in answer.inputs)],
        "rows": answer.rows,
    }
