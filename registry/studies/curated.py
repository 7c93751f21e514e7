"""Curated studies: registry/studies/DOCUMENT.json, one file per document, one study per figure, table or slide.

A study is a *question* to the record, or a table of *figures* that a document states beside its results (datasheets,
configurations, counts). A figure may have a formula over named inputs, which are numbers with unit and source,
measurements of the record or their ceilings: it is computed whenever it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from django.db.models import Q
from django.http import QueryDict

from registry.models import Measurement, Result
from registry.platforms import ceilings
from registry.presentation import numbers
from registry.presentation.plots.model import Limit
from registry.query import data_files
from registry.query.public_record import NotOnRecord, Row, nearest_names
from registry.query.questions import study_query
from registry.query.values import qualified_values
from registry.query.values.formulas import evaluate_qualified
from registry.query.values.qualified_values import Number
from registry.studies import documents
from registry.studies.chart import limits
from registry.studies.chart.study_chart import make_plot
from registry.studies.table import FIGURES
from validators.units import UNITS, from_canonical, to_canonical

STUDIES = Path(__file__).parent / "data"
SCHEMA = "studies.schema.json"
FIGURE_COLUMNS = (
    *("value", "qualifier", "unit", "trust", "printed", "verdict", "formula", "inputs"),
    *("source", "source_address", "note"),
)

Study = dict[str, Any]


class RecordedValue(NamedTuple):
    """A number of the record: its canonical value, and the unit that its source prints."""

    value: float
    unit: str
    qualifier: str = ""

    @property
    def printed_value(self) -> float:
        return from_canonical(self.value, self.unit) if self.unit in UNITS else self.value


class StudyError(Exception):
    """A file of studies breaks its schema, or two studies have one slug."""


@cache
def load_studies() -> Mapping[str, Study]:
    """All curated studies by slug, each with its `document`, in the order of files and lines.

    Raises StudyError where a file is malformed or a slug is there twice.
    """
    studies_by_slug: dict[str, Study] = {}
    for name, content in data_files.valid_files(STUDIES, SCHEMA, StudyError):
        for study in content["studies"]:
            if study["slug"] in studies_by_slug:
                raise StudyError(f"{name}: {study['slug']} is there twice")
            studies_by_slug[study["slug"]] = study | {"document": content["document"]}
    return studies_by_slug


def find_study(slug: str) -> Study:
    """The curated study of a slug. Raises NotOnRecord, with the nearest slugs, where there is none."""
    matching_study = load_studies().get(slug.lower())
    if matching_study is None:
        raise NotOnRecord("study", slug, nearest_names(slug, load_studies()))
    return matching_study


def in_short(study: Study) -> Row:
    """What a list of studies says of each."""
    kind = "question" if "question" in study else "figures"
    document = study["document"]
    return {name: study[name] for name in ("slug", "title", "place")} | {"kind": kind, "document": document["title"]}


def study_answer(study: Study, assume: str = "", *, drawn: bool = True, for_people: bool = False) -> documents.Document:
    """The study as it stands today: a question asked, or its figures computed, of which nothing is assumed."""
    about = in_short(study) | {"notes": study.get("notes", []), "finding": study.get("finding", "")}
    if "question" in study:
        question = with_assumption(question_of(study), assume)
        return documents.study_document(question, study, drawn=drawn, for_people=for_people) | about
    return _computed_figures(study) | about


def with_assumption(question: study_query.StudyQuery, assume: str) -> study_query.StudyQuery:
    """The question with what a reader wants assumed of numbers that were not repeated."""
    return replace(question, assume=assume or question.assume)


def question_of(study: Study) -> study_query.StudyQuery:
    return study_query.parse_query(QueryDict(study["question"]))


def _computed_figures(study: Study) -> documents.Document:
    rows = figure_rows(study)
    units = {row["unit"] for row in rows}
    unit = next(iter(units)) if len(units) == 1 else ""
    of_figures = _figure_limits(study, unit)
    plot = make_plot(study["title"], study["axes"], unit, rows, study.get("chart", "auto"), of_figures)
    document = documents.assemble_document(study["title"], study["axes"], unit, rows, plot)
    document[documents.LIMITED] = limits.AnswerLimits([], of_figures)
    columns = [*study["axes"], *FIGURE_COLUMNS]
    blank = {
        **{name: [] for name in ("coded_notes", "unbalanced", "unknown", "matched", "splits")},
        "examined": 0,
        "unknown_values": [],
        "question": "",
        "metrics": [],
        "x": study["axes"][0],
        "series": study["axes"][1:],
        "per": None,
        "as_of": None,
        "gaps": [],
        "assumptions": [],
        "candidates": None,
        "missing_facts": [],
    }
    return document | blank | {"columns": columns, "trust": {"reported": sum(row["count"] for row in rows)}}


def _figure_limits(study: Study, unit: str) -> list[Limit | None]:
    """Of each figure that is a share of a ceiling, in per cent, the whole of it."""
    shared: Mapping[str, Any] = study.get("inputs", {})
    return [
        limits.ALL
        if unit == "%" and any("ceiling" in row for row in (shared | figure.get("inputs", {})).values())
        else None
        for figure in study["figures"]
    ]


def figure_rows(study: Study) -> list[Row]:
    """The figures of a study as rows; measurements that formulas take from the record are read in one query."""
    shared: Mapping[str, Any] = study.get("inputs", {})
    inputs = [shared | figure.get("inputs", {}) for figure in study["figures"]]
    taken = [figure_input for named in inputs for figure_input in named.values() if "result" in figure_input]
    recorded_values = input_values(taken) | input_ceilings(
        figure_input for figure_input in taken if "ceiling" in figure_input
    )
    return [
        _figure_row(study, figure, named, recorded_values)
        for figure, named in zip(study["figures"], inputs, strict=True)
    ]


def _figure_row(
    study: Study, figure: Row, inputs: Mapping[str, Row], recorded_values: Mapping[tuple[str, ...], RecordedValue]
) -> Row:
    value, unit = figure.get("value"), figure.get("unit", "")
    qualifier = None
    if "formula" in figure:
        computed_value = compute_formula(
            figure["formula"],
            unit,
            {name: input_number(figure_input, recorded_values) for name, figure_input in inputs.items()},
        )
        value, qualifier = (computed_value.value, computed_value.qualifier or None) if computed_value else (None, None)
    at = dict(zip(study["axes"], figure["at"], strict=True))
    document = study["document"]
    source = f"{document['title']} ({document['publisher']}), {figure.get('place', study['place'])}"
    annotations = {name: figure.get(name) for name in ("printed", "verdict", "formula", "note")}
    annotations["qualifier"] = qualifier
    annotations["verdict"] = annotations["verdict"] or compare_with_printed(value, annotations["printed"] or "")
    annotations["inputs"] = (
        "; ".join(_describe_input(name, figure_input, recorded_values) for name, figure_input in inputs.items()) or None
    )
    count = {"count": int(value is not None), "unit": unit, "trust": Result.Trust.REPORTED.value}
    return (
        at
        | dict.fromkeys(FIGURES, value)
        | count
        | annotations
        | {"source": source, "source_address": document.get("address", "")}
    )


def compare_with_printed(value: float | None, printed_value: str) -> str | None:
    """Whether a computed value is the printed one within one unit of its last digit; None where either is no number."""
    match = _PRINTED_NUMBER.fullmatch(printed_value)
    if value is None or not match:
        return None
    last_digit = 10 ** -len(match[2] or "")
    return "holds" if abs(value - float(match[1].replace(",", ""))) <= last_digit * (1 + 1e-9) else "differs"


_PRINTED_NUMBER = re.compile(r"([0-9,]+(?:\.([0-9]+))?) ?[^0-9 ]*")
"""A number with its unit, as in "54.1x" and "1,000,000"; the digits behind its point are its second group."""


def _describe_input(name: str, figure_input: Row, recorded_values: Mapping[tuple[str, ...], RecordedValue]) -> str:
    """ "old: 7500 MB/s (Table 1)", "new: 148,855 MiB/s (write bandwidth aggregate of cug25-table3-1)"."""
    if "result" not in figure_input:
        return (
            f"{name}: {figure_input['value']} {figure_input.get('unit', '')}".rstrip() + f" ({figure_input['source']})"
        )
    ceiling = f"{figure_input['ceiling']} ceiling of " if "ceiling" in figure_input else ""
    recorded_value = recorded_values.get(_input_key(figure_input))
    value_text = (
        qualified_values.in_words(
            recorded_value.qualifier, f"{numbers.format_digits(recorded_value.printed_value, 6)} {recorded_value.unit}"
        )
        if recorded_value
        else "not in this registry"
    )
    return f"{name}: {value_text} ({ceiling}{figure_input['metric'].replace('.', ' ')} of {figure_input['result']})"


def compute_formula(formula: str, unit: str, values: Mapping[str, Number | None]) -> Number | None:
    """The number of a formula in `unit`; None where an input is not on the record. Raises FormulaError."""
    if any(value is None for value in values.values()):
        return None
    number = evaluate_qualified(formula, {name: value for name, value in values.items() if value is not None})
    if unit not in UNITS:
        return number
    return Number(from_canonical(number.low, unit), from_canonical(number.high, unit), number.rough)


def input_number(figure_input: Row, recorded_values: Mapping[tuple[str, ...], RecordedValue]) -> Number | None:
    """An input in its canonical unit: a number with unit, or a measurement of the record."""
    if "result" in figure_input:
        recorded_value = recorded_values.get(_input_key(figure_input))
        return (
            qualified_values.qualified_number(recorded_value.value, recorded_value.qualifier)
            if recorded_value
            else None
        )
    unit = figure_input.get("unit", "")
    return qualified_values.qualified_number(
        to_canonical(figure_input["value"], unit)[0] if unit in UNITS else figure_input["value"]
    )


def _input_key(figure_input: Row) -> tuple[str, ...]:
    """What an input takes from the record: result, operation, quantity, statistic, and the layer of a ceiling."""
    ceiling = (figure_input["ceiling"],) if "ceiling" in figure_input else ()
    return (figure_input["result"], *figure_input["metric"].split("."), *ceiling)


def input_ceilings(inputs: Iterable[Row]) -> dict[tuple[str, ...], RecordedValue]:
    """The ceilings of measurements by (result, op, quantity, stat, layer); those that are not known lack."""
    limit_by_key: dict[tuple[str, ...], RecordedValue] = {}
    result_ids = {figure_input["result"] for figure_input in inputs}
    for public_id in Result.objects.filter(public_id__in=result_ids).values_list("public_id", flat=True):
        for efficiency in ceilings.efficiencies_by_id(public_id):
            metric = tuple(efficiency.measurement[name] for name in ("op", "quantity", "stat"))
            unit = efficiency.measurement["printed_unit"]
            limit_by_key |= {
                (public_id, *metric, ceiling.layer): RecordedValue(ceiling.value, unit)
                for ceiling in efficiency.ceilings
            }
    return limit_by_key


def input_values(inputs: Iterable[Row]) -> dict[tuple[str, ...], RecordedValue]:
    """Values by (result, op, quantity, stat); of several contexts the one that was asked for."""
    record_inputs: Sequence[Row] = list(inputs)
    if not record_inputs:
        return {}
    met = Q()
    for figure_input in record_inputs:
        op, quantity_, stat = figure_input["metric"].split(".")
        condition = Q(result__public_id=figure_input["result"], op=op, quantity=quantity_, stat=stat)
        met |= condition & (Q(context__contains=figure_input["context"]) if "context" in figure_input else Q())
    matching_measurements = Measurement.objects.order_by().filter(met)
    columns = ("result__public_id", "op", "quantity", "stat", "value", "printed_unit", "context__qualifier")
    rows = matching_measurements.values_list(*columns)
    return {tuple(place): RecordedValue(value, unit, word or "") for *place, value, unit, word in rows}
