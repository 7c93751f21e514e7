"""Studies as they are shown: one document for pages, API and files, of a question or of a curated study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.query.axes import find_axis
from registry.query.study_query import StudyQuery, UnknownAxis, UnknownMetric
from registry.studies import run
from registry.studies.study_chart import draw_chart
from registry.studies.table import COLUMNS, Row, in_words
from validators.quantities import canonical_quantities

Document = dict[str, Any]


def study_document(question: StudyQuery, about: Document | None = None) -> Document:
    """The answer to a question with table and chart. Raises what asking.ask raises.

    A curated study (`about`) has its own title and order, and no points where the record has nothing of its metric yet.
    """
    about = about or {}
    try:
        answer = run.run_study(question, about.get("order", ()))
    except (UnknownMetric, UnknownAxis):
        if not about:
            raise
        answer = run.StudyTable(question, [], list(question.axes), question.unit, [], {})
    title = about.get("title") or run.study_title(question)
    answer_document = assemble_document(title, answer.axes, answer.unit, answer.rows, question.chart, question.per)
    if answer.mixed:
        answer_document["chart"] = None
    return answer_document | {
        "coded_notes": [_mixed_note(name, canonical) for name, canonical in answer.mixed.items()],
        "question": question.address(),
        "metrics": [str(metric) for metric in answer.metrics],
        "x": question.x,
        "series": list(question.series),
        "per": question.per or None,
        "as_of": question.as_of,
        "trust": answer.trust,
    }


def _mixed_note(name: str, canonical_names: Sequence[str]) -> dict[str, str]:
    labels = [canonical_quantities()[text].label if text else "something that is not known" for text in canonical_names]
    message = f"{name} is {' and '.join(labels)} here, which do not compare. Ask for one of them, or for one benchmark."
    return {"code": "study.mixed-quantities", "message": message}


def assemble_document(
    title: str, axes: list[str], unit: str, rows: list[Row], kind: str = "auto", per: str = ""
) -> Document:
    """What every study has: axes, unit, rows under columns, and its chart; null where nothing can be drawn."""
    return {
        "title": title,
        "axes": [{"name": name, "title": find_axis(name).title, "unit": find_axis(name).unit} for name in axes],
        "unit": unit,
        "points": len(rows),
        "missing": sum(row["value"] is None or row[axes[0]] is None for row in rows),
        "columns": [*axes, *(name for name in COLUMNS if name not in axes)],
        "rows": rows,
        "chart": draw_chart(title, axes, in_words(unit, per), rows, kind),
    }
