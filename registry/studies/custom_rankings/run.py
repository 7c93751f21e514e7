"""A ranking, asked of the record. Units are checked before anything is computed.

Two queries beside the look-ups of names: the ranking, and what is said of the results that are shown.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DataError, connection, transaction

from registry.models import Result
from registry.query import filters, formulas
from registry.query.divisors import PER
from registry.query.public_record import RESULT, Row, rows_of
from registry.studies.custom_rankings.inputs import BadFormula, Input, NotRanked, input_of, replace_names, unit_of
from registry.studies.custom_rankings.ranking_query import RankingQuery
from registry.studies.run import results_as_of
from registry.studies.table import USUAL_UNITS, lower_is_better
from validators.units import UNITS, from_canonical

INPUT = "in."
RESULT_COLUMNS = (
    "result",
    "institution",
    "system",
    "system_slug",
    "release",
    "filesystem_type",
    "client_nodes",
    "tool",
)
"""What a row says of its result, beside its rank, value and inputs."""


class WrongUnit(NotRanked):
    code = "ranking.unit"
    title = "The formula does not give that unit"


@dataclass(frozen=True, slots=True)
class FormulaRanking:
    """Rows by trust, best first; `counts` has, by trust, how many are ranked and how many lack something."""

    question: RankingQuery
    inputs: list[Input]
    unit: str
    order: str
    rows: list[Row]
    counts: dict[str, dict[str, int]]


def run_ranking(question: RankingQuery) -> FormulaRanking:
    """Rank results by a formula.

    Raises BadFormula or UnknownName where it cannot be computed, WrongUnit where it does not give the unit,
    InvalidValue or UnknownParameter for the filters.
    """
    query = filters.as_query(question.filters)
    filters.refuse_unknown(query, filters.RESULT_NAMES, (filters.PARAMETER,))
    results = results_as_of(question.as_of).filter(filters.result_conditions(query))
    text, names = replace_names(question.formula)
    inputs = {identifier: input_of(name) for identifier, name in names.items()}
    canonical = unit_of(text, inputs)
    unit = question.unit or USUAL_UNITS.get(canonical, canonical)
    if question.unit and UNITS[question.unit].canonical != canonical:
        raise WrongUnit(f"It gives {canonical or 'no unit'}, not {question.unit}.")
    order = question.order or ("least" if lower_is_better(canonical) else "most")
    read_rows = _read_ranked_rows(question, results, text, inputs, order)
    counts = {
        row["trust"]: {"ranked": row["ranked"], "missing": row["known"] - row["ranked"]} for row in reversed(read_rows)
    }
    rows = _result_rows([row for row in read_rows if row["value"] is not None], inputs, unit)
    return FormulaRanking(question, list(inputs.values()), unit, order, rows, dict(sorted(counts.items())))


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

    def binary(self, kind: type[ast.operator], left_operand: Sql, right: Sql) -> Sql:
        form = self.signs.get(kind, "power({}, {})")
        return form.format(left_operand[0], right[0]), left_operand[1] + right[1]

    def call(self, function: str, arguments: list[Sql]) -> Sql:
        arguments_text = ", ".join(text for text, _ in arguments)
        values = [value for _, several in arguments for value in several]
        return (
            f"sqrt({arguments_text})" if function == "sqrt" else self.extreme.format(function, arguments_text)
        ), values


# A number that is only below or above something has no place in an order. Only documents have such numbers; of all
# others the index tells the value alone, without the row.
_FROM = {
    "metric": """SELECT result_id, {extreme}(value) * %s AS v FROM registry_measurement
        WHERE op = %s AND quantity = %s AND stat = %s AND unit = %s AND result_id NOT IN (
            SELECT m.result_id FROM registry_result r JOIN registry_measurement m ON m.result_id = r.id
            WHERE r.trust = 'reported' AND m.op = %s AND m.quantity = %s AND m.stat = %s AND m.unit = %s
                AND m.context ->> 'qualifier' IN ('below', 'above'))
        GROUP BY result_id""",
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


def _read_ranked_rows(
    question: RankingQuery, results: Any, text: str, inputs: dict[str, Input], order: str
) -> list[Row]:
    """The first rows of each level of trust. Raises BadFormula where the numbers can't be computed with."""
    standing, query_parameters = results.order_by().values("id", "trust").query.sql_with_params()
    sources = {f"n{place}": _input_sql(formula_input) for place, formula_input in enumerate(inputs.values())}
    columns = dict(zip(inputs, (f"{alias}.v" for alias in sources), strict=True))
    value, constants = formulas.interpret_formula(text, _Sql(columns))
    if question.per:
        sources["divisor"] = (_DIVISOR, [PER[question.per]])
        value = f"({value} / divisor.v)"
    needed = " AND ".join(f"{column} IS NOT NULL" for column in columns.values())
    measured_columns = [
        column
        for column, formula_input in zip(columns.values(), inputs.values(), strict=True)
        if formula_input.kind != "fact"
    ]
    statement = _RANKED.format(
        found=standing,
        sources=", ".join(f"{alias} AS ({source})" for alias, (source, _) in sources.items()),
        inputs=", ".join(f"{column} AS v{place}" for place, column in enumerate(columns.values())),
        value=f"CASE WHEN {needed} THEN {value} END",
        joins=" ".join(f"LEFT JOIN {alias} ON {alias}.result_id = found.id" for alias in sources),
        known=" OR ".join(f"{column} IS NOT NULL" for column in measured_columns or columns.values()),
        direction="ASC" if order == "least" else "DESC",
    )
    values = [
        *query_parameters,
        *(argument for _, several in sources.values() for argument in several),
        *constants,
        question.limit,
    ]
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, values)
            names = [column.name for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except DataError as error:
        raise BadFormula(f"{str(error).splitlines()[0].capitalize()}, of some result.") from error


def _input_sql(formula_input: Input) -> Sql:
    """Of several measurements of one metric the best counts."""
    extreme = "min" if lower_is_better(formula_input.unit) else "max"
    column = formula_input.source[0] if formula_input.kind == "column" else ""
    text = _FROM[formula_input.kind].format(extreme=extreme, column=column)
    return text, [
        formula_input.factor,
        *(
            {"metric": (*formula_input.source, formula_input.unit) * 2, "fact": formula_input.source}.get(
                formula_input.kind, ()
            )
        ),
    ]


def _result_rows(ranked: Sequence[Row], inputs: dict[str, Input], unit: str) -> list[Row]:
    """Rows with their result; values in `unit`, inputs in the unit that each is shown in."""
    columns = (
        {"pk": "pk"} | {name: RESULT[name] for name in RESULT_COLUMNS if name != "result"} | {"result": "public_id"}
    )
    results = Result.objects.order_by().filter(pk__in=[row["id"] for row in ranked])
    by_pk = {row.pop("pk"): row for row in rows_of(columns, results)}
    return [
        {"rank": row["rank"], "value": _in_unit(row["value"], unit), "trust": row["trust"]}
        | {name: by_pk[row["id"]][name] for name in RESULT_COLUMNS}
        | {
            INPUT + formula_input.name: _in_unit(row[f"v{place}"], formula_input.shown_unit)
            for place, formula_input in enumerate(inputs.values())
        }
        for row in ranked
    ]


def _in_unit(value: float, unit: str) -> float:
    return from_canonical(value, unit) if unit in UNITS else value


def ranking_document(question: RankingQuery) -> Row:
    """The answer as pages and API show it. Raises what `run_ranking` raises."""
    answer = run_ranking(question)
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
        "inputs": [
            {"name": formula_input.name, "kind": formula_input.kind, "unit": formula_input.shown_unit}
            for formula_input in answer.inputs
        ],
        "counts": answer.counts,
        "columns": [
            "rank",
            "value",
            "trust",
            *RESULT_COLUMNS,
            *(INPUT + formula_input.name for formula_input in answer.inputs),
        ],
        "rows": answer.rows,
    }
