"""A ranking, asked of the record. Units are checked before anything is computed.

Two queries beside the look-ups of names: the ranking, and what is said of the results that are shown; one more for
what documents say of their numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db import DataError, connection, transaction
from django.db.models import Q, QuerySet

from registry.comparison import group_variation
from registry.models import Fact, Measurement, Result
from registry.query import public_record
from registry.query.facts.divisors import PER
from registry.query.public_record import RESULT, Row, rows_of
from registry.query.questions import filters, moving_facts, unknown_values
from registry.query.questions.missing_facts import MissingFacts, count_missing
from registry.query.questions.recorded_metrics import results_as_of
from registry.query.responses import declared_limits
from registry.query.row_sources import RowSource
from registry.query.values import formulas
from registry.query.values.qualified_values import ABOUT
from registry.studies.custom_rankings import dimensions
from registry.studies.custom_rankings.inputs import BadFormula, Input, NotRanked, input_of, replace_names, unit_of
from registry.studies.custom_rankings.ranking_query import RankingQuery
from registry.studies.table import USUAL_UNITS, lower_is_better
from validators.units import UNITS, from_canonical

INPUT, QUALIFIER = "in.", "qualifier"
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
LABEL = "trust_label"
"""The last column: the others keep the places that scripts know."""


class WrongUnit(NotRanked):
    code = "ranking.unit"
    title = "The formula does not give that unit"


@dataclass(frozen=True, slots=True)
class FormulaRanking:
    """Rows by group, best first; `counts` has, by trust, how many are ranked and how many lack something.

    A group is of one trust and one meaning: one benchmark, mode and division. `groups` say of each how many are ranked,
    what varies among its rows, and what is not known of them. `forbidden` are results whose source is against ranks.
    """

    question: RankingQuery
    inputs: list[Input]
    unit: str
    order: str
    rows: list[Row]
    counts: dict[str, dict[str, int]]
    groups: list[Row]
    forbidden: list[Row]


def run_ranking(question: RankingQuery) -> FormulaRanking:
    """Rank results by a formula.

    Raises BadFormula or UnknownName where it cannot be computed, WrongUnit where it does not give the unit,
    InvalidValue or UnknownParameter for the filters.
    """
    query = filters.as_query(question.filters)
    filters.refuse_unknown(query, filters.RESULT_NAMES, (filters.PARAMETER,))
    results = results_as_of(question.as_of, question.source).filter(filters.result_conditions(query, question.source))
    text, names = replace_names(question.formula)
    inputs = {identifier: input_of(name, question.source) for identifier, name in names.items()}
    canonical = unit_of(text, inputs)
    unit = question.unit or USUAL_UNITS.get(canonical, canonical)
    if question.unit and dimensions.dimension_unit(question.unit) != canonical:
        raise WrongUnit(f"It gives {canonical or 'no unit'}, not {question.unit}.")
    order = question.order or ("least" if lower_is_better(canonical) else "most")
    forbidden = _forbidden_results(results, list(inputs.values()))
    allowed = results.exclude(public_id__in=[row["result"] for row in forbidden]) if forbidden else results
    read_rows = _read_ranked_rows(question, allowed, text, inputs, order)
    ranked_rows = [row for row in read_rows if row["value"] is not None]
    groups = _group_rows(read_rows, ranked_rows, list(inputs.values()), question)
    rows = _result_rows(ranked_rows, inputs, unit, groups, question.source)
    return FormulaRanking(
        question, list(inputs.values()), unit, order, rows, _counts_by_trust(groups), groups, forbidden
    )


def _forbidden_results(results: QuerySet[Result], inputs: Sequence[Input]) -> list[Row]:
    """Results that their source does not let stand in an order of these numbers, with its reasons. Two queries.

    Documents forbid, and raw files of which a part was read.
    """
    limited = results.filter(
        trust__in=(Result.Trust.REPORTED, Result.Trust.DERIVED), snapshot__has_key=declared_limits.FIELD
    ).order_by("id")
    limits_by_id = {
        public_id: declared_limits.read_limits(rows)
        for public_id, rows in limited.annotate(limits=public_record.LIMITS).values_list("public_id", "limits")
    }
    named = {other for limits in limits_by_id.values() for limit in limits for other in limit.others}
    present = results.filter(public_id__in=named).values_list("public_id", flat=True) if named else ()
    numbers = [formula_input.reported_number for formula_input in inputs if formula_input.kind != "fact"]
    reasons_by_id = declared_limits.ids_out_of_order(limits_by_id, numbers, set(present))
    return [{"result": public_id, "reasons": reasons} for public_id, reasons in reasons_by_id.items()]


_GROUP = ("trust", "group_tool", "group_mode", "division")


def _group_rows(
    read_rows: Sequence[Row], ranked_rows: Sequence[Row], inputs: Sequence[Input], question: RankingQuery
) -> list[Row]:
    """Each group of a ranking in the order of its rows, with what varies among those that are listed. One query."""
    kinds = {moving_facts.kind_of_number(row.quantity) for row in inputs if row.kind != "fact"}
    used = {row.source[0] for row in inputs if row.kind == "fact"} | ({PER[question.per]} if question.per else set())
    tools = {row["group_tool"] for row in read_rows} - {""}
    names = group_variation.facts_beside(kinds, tools, used) if kinds else []
    facts: dict[int, dict[str, str]] = {row["id"]: {} for row in ranked_rows}
    matching_facts = question.source.table_rows(Fact).order_by().filter(result__in=facts, name__in=names)
    for pk, name, text in matching_facts.values_list("result", "name", "text"):
        facts[pk][name] = text
    rows_by_group: dict[tuple[str, ...], list[Row]] = {}
    for row in read_rows:
        rows_by_group.setdefault(tuple(row[name] for name in _GROUP), []).append(row)
    return [_group_row(key, rows, facts, names) for key, rows in rows_by_group.items()]


def _group_row(
    key: tuple[str, ...], rows: Sequence[Row], facts: Mapping[int, Mapping[str, str]], names: Sequence[str]
) -> Row:
    listed = [facts[row["id"]] for row in rows if row["id"] in facts]
    varies, unknown = group_variation.describe_variation(listed, names)
    counted = {"ranked": rows[0]["ranked"], "missing": rows[0]["known"] - rows[0]["ranked"]}
    described = dict(zip(("trust", "tool", "mode", "division"), key, strict=True))
    return described | counted | {"varies": varies, "unknown": unknown}


def _counts_by_trust(groups: Sequence[Row]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for group in sorted(groups, key=lambda row: row["trust"]):
        sums = counts.setdefault(group["trust"], {"ranked": 0, "missing": 0})
        for name in sums:
            sums[name] += group[name]
    return counts


# SQL

Sql = tuple[str, list[Any]]


class _Sql:
    """The SQL of a formula over columns of the query. What divides by zero is missing."""

    signs = {ast.Add: "({} + {})", ast.Sub: "({} - {})", ast.Mult: "({} * {})", ast.Div: "({} / nullif({}, 0))"}
    # Missing where one of several is: what SQL calls least and greatest would pass over it.
    extreme = "(SELECT CASE WHEN count(*) = count(x) THEN {}(x) END FROM unnest(ARRAY[{}]) AS x)"

    def __init__(self, columns: dict[str, str]) -> None:
        self.columns = columns

    def read_number(self, value: float) -> Sql:
        return "%s::float8", [float(value)]

    def read_name(self, name: str) -> Sql:
        return self.columns[name], []

    def negate_value(self, value: Sql) -> Sql:
        return f"(- {value[0]})", value[1]

    def apply_operator(self, kind: type[ast.operator], left_operand: Sql, right: Sql) -> Sql:
        form = self.signs.get(kind, "power({}, {})")
        return form.format(left_operand[0], right[0]), left_operand[1] + right[1]

    def call_function(self, function: str, arguments: list[Sql]) -> Sql:
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
                AND m.context ? 'qualifier' AND m.context ->> 'qualifier' IN ('below', 'above'))
        GROUP BY result_id""",
    "fact": "SELECT result_id, number * %s AS v FROM registry_fact WHERE name = %s AND number IS NOT NULL",
    "column": "SELECT id AS result_id, {column} * %s AS v FROM registry_result WHERE {column} IS NOT NULL",
}
_DIVISOR = "SELECT result_id, number AS v FROM registry_fact WHERE name = %s AND number > 0"

_RANKED = """
    WITH found AS ({found}), {sources}, valued AS (
        SELECT found.id, found.trust, {tool} AS group_tool, CASE found.mode WHEN 'standard' THEN '' ELSE found.mode END
            AS group_mode, coalesce(d.text, '') AS division, {inputs}, {value} AS value
        FROM found LEFT JOIN registry_fact d ON d.result_id = found.id AND d.name = 'division' {joins} WHERE {known}
    ), again AS (
        SELECT copy.id FROM registry_result copy JOIN valued counted ON counted.id = copy.same_as_id
        WHERE copy.same_as_id IS NOT NULL AND copy.trust = counted.trust AND counted.value IS NOT NULL
    ), ranked AS (
        SELECT *, rank() OVER (g ORDER BY value {direction} NULLS LAST) AS rank,
            row_number() OVER (g ORDER BY value {direction} NULLS LAST, id) AS line,
            count(value) OVER g AS ranked, count(*) OVER g AS known
        FROM valued WHERE id NOT IN (SELECT id FROM again)
        WINDOW g AS (PARTITION BY trust, group_tool, group_mode, division)
    )
    SELECT * FROM ranked WHERE line <= %s ORDER BY trust, ranked DESC, group_tool, group_mode, division, line
"""
"""Results of one trust and meaning have ranks of their own; a formula of facts alone means the same of every tool.
What is printed once more (`again`) has none beside the result whose measurement it is."""


def _read_ranked_rows(
    question: RankingQuery, results: Any, text: str, inputs: dict[str, Input], order: str
) -> list[Row]:
    """The first rows of each group. Raises BadFormula where the numbers can't be computed with."""
    standing, query_parameters = results.order_by().values("id", "trust", "tool", "mode").query.sql_with_params()
    sources = {f"n{place}": _input_sql(formula_input) for place, formula_input in enumerate(inputs.values())}
    columns = dict(zip(inputs, (f"{alias}.v" for alias in sources), strict=True))
    value, constants = formulas.interpret_formula(text, _Sql(columns))
    if question.per:
        sources["divisor"] = (_DIVISOR, [PER[question.per]])
        value = f"({value} / divisor.v)"
    # Of all results each source is read once. The planner expects fewer, and would look up the number of each.
    readings = dict.fromkeys(sources, "" if question.filters else "MATERIALIZED") | {
        alias: "" for alias, each in zip(sources, inputs.values(), strict=False) if each.kind == "column"
    }
    needed = " AND ".join(f"{column} IS NOT NULL" for column in columns.values())
    measured_columns = [
        column
        for column, formula_input in zip(columns.values(), inputs.values(), strict=True)
        if formula_input.kind != "fact"
    ]
    statement = _RANKED.format(
        found=standing,
        sources=", ".join(f"{alias} AS {readings[alias]} ({source})" for alias, (source, _) in sources.items()),
        inputs=", ".join(f"{column} AS v{place}" for place, column in enumerate(columns.values())),
        value=f"CASE WHEN {needed} THEN {value} END",
        joins=" ".join(f"LEFT JOIN {alias} ON {alias}.result_id = found.id" for alias in sources),
        tool="found.tool" if measured_columns else "''",
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
            cursor.execute(question.source.source_statement(statement), values)
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


def _result_rows(
    ranked: Sequence[Row], inputs: dict[str, Input], unit: str, groups: Sequence[Row], source: RowSource
) -> list[Row]:
    """Rows with their result and the place of their group; values in `unit`, inputs in the unit of each."""
    places = {
        tuple(group[name] for name in ("trust", "tool", "mode", "division")): place
        for place, group in enumerate(groups)
    }
    facts = {name: RESULT[name] for name in (*RESULT_COLUMNS, LABEL) if name != "result"}
    columns = {"pk": "pk"} | facts | {"result": "public_id"}
    results = source.table_rows(Result).order_by().filter(pk__in=[row["id"] for row in ranked])
    by_pk = {row.pop("pk"): row for row in rows_of(columns, results)}
    rough = _rough_results(ranked, list(inputs.values()))
    return [
        {"rank": row["rank"], "value": _in_unit(row["value"], unit), "trust": row["trust"]}
        | {name: by_pk[row["id"]][name] for name in (*RESULT_COLUMNS, LABEL)}
        | {
            INPUT + formula_input.name: _in_unit(row[f"v{place}"], formula_input.shown_unit)
            for place, formula_input in enumerate(inputs.values())
        }
        | {"group": places[tuple(row[name] for name in _GROUP)], QUALIFIER: ABOUT if row["id"] in rough else None}
        for row in ranked
    ]


def _rough_results(ranked: Sequence[Row], inputs: Sequence[Input]) -> set[int]:
    """Of ranked results those whose source says of a number of the formula that it is about so much.

    Only documents do, so only reported results are read.
    """
    reported = [row["id"] for row in ranked if row["trust"] == Result.Trust.REPORTED]
    metrics = [each for each in inputs if each.kind == "metric"]
    if not reported or not metrics:
        return set()
    sources = [dict(zip(("op", "quantity", "stat"), each.source, strict=True), unit=each.unit) for each in metrics]
    named = reduce(or_, (Q(**source) for source in sources))
    rough = Measurement.objects.order_by().filter(named, result__in=reported, context__qualifier=ABOUT)
    return set(rough.values_list("result", flat=True))


def _in_unit(value: float, unit: str) -> float:
    return from_canonical(value, unit) if unit in UNITS else value


def _count_missing(question: RankingQuery, answer: FormulaRanking) -> MissingFacts:
    """What results do not say that a condition, the divisor or the formula needs; asked only where some lack it."""
    query = filters.as_query(question.filters)
    lacking = not answer.rows or any(row["missing"] for row in answer.counts.values())
    facts = [each.name for each in answer.inputs if each.kind == "fact"]
    needed = [*facts, *([PER[question.per]] if question.per else [])] if lacking else []
    return count_missing(query, list(dict.fromkeys(needed)), question.as_of, question.source)


def ranking_document(question: RankingQuery) -> Row:
    """The answer as pages and API show it. Raises what `run_ranking` raises."""
    answer = run_ranking(question)
    per = f", per {question.per.replace('_', ' ')}" if question.per else ""
    missing = _count_missing(question, answer)
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
        "groups": answer.groups,
        "not_comparable": answer.forbidden,
        "candidates": missing.candidates,
        "missing_facts": missing.list_rows(),
        "columns": [
            "rank",
            "value",
            "trust",
            *RESULT_COLUMNS,
            *(INPUT + formula_input.name for formula_input in answer.inputs),
            "group",
            QUALIFIER,
            LABEL,
        ],
        "rows": answer.rows,
        "unknown_values": unknown_values.explain_empty(
            filters.as_query(question.filters), empty=not answer.rows, source=question.source
        ),
    }
