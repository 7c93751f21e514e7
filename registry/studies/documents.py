"""Studies as they are shown: one document for pages, API and files, of a question or of a curated study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from registry.comparison import assumptions
from registry.presentation.plots.model import Limit, Plot
from registry.query.facts.axes import find_axis
from registry.query.facts.divisors import PER
from registry.query.questions import filters, moving_facts
from registry.query.questions.missing_facts import MissingFacts, count_missing
from registry.query.questions.study_query import StudyQuery, UnknownAxis, UnknownMetric
from registry.studies import run
from registry.studies.balance import pooling
from registry.studies.chart import limits
from registry.studies.chart.study_chart import make_plot, plot_measurements
from registry.studies.missing_facts import gaps_of_study
from registry.studies.table import COLUMNS, FIGURES, Member, Row, in_words
from registry.studies.unknown_places import explain_study
from validators.quantities import canonical_quantities
from validators.units import UNITS

Document = dict[str, Any]
LIMITED = "limited"
"""Of a document its limits.AnswerLimits, for pages; no field of the API."""


def study_document(
    question: StudyQuery, about: Document | None = None, *, drawn: bool = True, for_people: bool = False
) -> Document:
    """The answer to a question with table and chart. Raises what asking.ask raises.

    A curated study (`about`) has its own title and order, and no points where the record has nothing of its metric yet.
    `chart` is a Plot, which edges write as SVG or Vega-Lite; a table alone (`drawn` is false) reads no ceilings for it.
    Pages ask for it `for_people`: in a unit that they read, where the question asks for none.
    """
    about = about or {}
    try:
        answer = run.run_study(question, about.get("order", ()), for_people=for_people)
    except (UnknownMetric, UnknownAxis, filters.UnknownParameter):
        if not about:
            raise
        answer = run.StudyTable(question, [], list(question.axes), question.unit, [], {})
    missing = _count_missing(question, answer)
    title = about.get("title") or run.study_title(question)
    is_drawn = drawn and not answer.mixed
    known_limits = limits.find_limits(answer) if is_drawn else {}
    by_row = [limits.shared_limit(known_limits, group, answer.unit) for group in answer.groups] if is_drawn else []
    plot = _plot_answer(title, question, answer, known_limits, by_row) if is_drawn else None
    document = assemble_document(title, answer.axes, answer.unit, answer.rows, plot)
    document[LIMITED] = limits.AnswerLimits(list(limits.used_efficiencies(known_limits, answer)), by_row)
    return document | {
        "coded_notes": [
            *(_mixed_note(name, canonical) for name, canonical in answer.mixed.items()),
            *_balance_notes(answer),
            *(_lacking_note(name, count) for name, count in answer.lacking.items()),
        ],
        **pooling.pooling_document(question, answer.pooling, answer.rows, answer.unit),
        "unknown_values": explain_study(question, answer.metrics, empty=not answer.rows),
        "question": question.address(),
        "metrics": [str(metric) for metric in answer.metrics],
        "x": question.x,
        "series": list(question.series),
        "per": question.per or None,
        "as_of": question.as_of,
        "assumptions": list(map(assumptions.describe_class, answer.assumed)),
        "trust": answer.trust,
        "gaps": gaps_of_study(question, answer),
        "candidates": missing.candidates,
        "missing_facts": missing.list_rows(),
    }


def _plot_answer(
    title: str,
    question: StudyQuery,
    answer: run.StudyTable,
    known_limits: limits.FoundLimits,
    by_row: Sequence[Limit | None],
) -> Plot | None:
    """The chart of an answer, with the ceilings of its points; each measurement by itself where medians say nothing."""
    unit = in_words(answer.unit, question.per)
    if not is_unlike(answer):
        return make_plot(title, answer.axes, unit, answer.rows, question.chart, by_row)
    points = measurement_points(answer, known_limits)
    rows, of_rows = [row for row, _ in points], [limit for _, limit in points]
    return plot_measurements(title, answer.axes, unit, rows, of_rows)


def _count_missing(question: StudyQuery, answer: run.StudyTable) -> MissingFacts:
    """What results do not say that a condition needs, and without any row that the divisor does; rows have `gaps`."""
    needed = [PER[question.per]] if question.per and not answer.rows else []
    return count_missing(filters.as_query(question.filters), needed, question.as_of, question.source)


def is_unlike(answer: run.StudyTable) -> bool:
    """Whether the rows hold, or differ in, facts that move the metric: then every measurement is drawn, and no bar."""
    return bool(answer.pooling.unbalanced) or any(group.unlike for group in answer.groups)


def measurement_points(
    answer: run.StudyTable, known_limits: limits.FoundLimits | None = None
) -> list[tuple[Row, Limit | None]]:
    """The rows of an answer, those of several measurements as one row for each measurement, with their ceilings."""
    factor, limit_by_key = UNITS[answer.unit].factor if answer.unit in UNITS else 1.0, known_limits or {}
    points: list[tuple[Row, Limit | None]] = []
    for row, group in zip(answer.rows, answer.groups, strict=True):
        if row["count"] < 2:
            points.append((row, limits.shared_limit(limit_by_key, group, answer.unit)))
            continue
        for member in group.members:
            if member.value is not None:
                limit = limits.member_limit(limit_by_key, group, member, answer.unit)
                points.append((_member_row(row, member, factor), limit))
    return points


def _member_row(row: Row, member: Member, factor: float) -> Row:
    """One measurement of a point, without saying how well it repeats."""
    own_fields = dict.fromkeys(("interval_low", "interval_high", "interval_basis", "interval_runs", "divisor"))
    value = 0.0 if member.value is None else member.value / factor
    return (
        row
        | own_fields
        | dict.fromkeys(FIGURES, value)
        | {"count": 1, "result": member.result, "label": member.label, "qualifier": member.qualifier or None}
        | {"among": row["count"]}
    )


def _balance_notes(answer: run.StudyTable) -> list[dict[str, str]]:
    """What keeps the values of rows from being one number, or from being compared."""
    notes = []
    unlike = [group for group in answer.groups if group.unlike]
    if unlike:
        facts = _fact_list(name for group in unlike for name in group.unlike)
        message = f"{len(unlike)} of {len(answer.groups)} points hold measurements that differ in {facts}."
        notes.append(("study.unlike", f"{message} These facts change the number, so such a point has no single value."))
    if answer.pooling.unbalanced:
        facts = _fact_list(fact.fact for fact, _ in answer.pooling.unbalanced)
        axis = find_axis(answer.question.x).title
        message = f"The points differ in {facts} too, and these facts change the number."
        notes.append(("study.unbalanced", f"{message} A difference between points need not come from {axis}."))
    total = sum(len(group.values) for group in answer.groups)
    if answer.pooling.examined < total:
        message = f"Of {total:,} measurements {answer.pooling.examined:,} were examined, evenly over each point."
        notes.append(
            ("study.sampled", f"{message} Only these are drawn, and nothing is matched. Add conditions to examine all.")
        )
    return [{"code": code, "message": message} for code, message in notes]


def _fact_list(names: Iterable[str]) -> str:
    titles = [moving_facts.fact_title(name) for name in dict.fromkeys(names)]
    return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"


def _mixed_note(name: str, canonical_names: Sequence[str]) -> dict[str, str]:
    labels = [canonical_quantities()[text].label if text else "something that is not known" for text in canonical_names]
    message = f"{name} is {' and '.join(labels)} here, which do not compare. Ask for one of them, or for one benchmark."
    return {"code": "study.mixed-quantities", "message": message}


def _lacking_note(name: str, count: int) -> dict[str, str]:
    results = "1 result lacks" if count == 1 else f"{count:,} results lack"
    return {"code": "study.formula-input-missing", "message": f"{results} {name}: the formula gives no value there."}


def assemble_document(title: str, axes: list[str], unit: str, rows: list[Row], plot: Plot | None) -> Document:
    """What every study has: axes, unit, rows under columns, and its chart; null where nothing can be drawn."""
    return {
        "title": title,
        "axes": [{"name": name, "title": find_axis(name).title, "unit": find_axis(name).unit} for name in axes],
        "unit": unit,
        "points": len(rows),
        "missing": sum(not row["count"] or row[axes[0]] is None for row in rows),
        "columns": [*axes, *(name for name in COLUMNS if name not in axes)],
        "rows": rows,
        "chart": plot,
    }
