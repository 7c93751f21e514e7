"""Curated studies: registry/studies/DOCUMENT.json, one file per document, one study per figure, table or slide.

A study is a *question* to the record, or a table of *figures* that a document states beside its results (datasheets,
configurations, counts). A figure may have a formula over named inputs, which are numbers with unit and source,
measurements of the record or their ceilings: it is computed whenever it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from django.db.models import Q
from django.http import QueryDict

from registry.models import Measurement, Result
from registry.platforms import ceilings
from registry.query import data_files, qualified_values, study_query
from registry.query.formulas import evaluate_qualified
from registry.query.public_record import NotOnRecord, Row, nearest
from registry.query.qualified_values import Number
from registry.studies import documents
from registry.studies.table import FIGURES, written
from validators.units import UNITS, from_canonical, to_canonical

STUDIES = Path(__file__).parent / "data"
SCHEMA = "studies.schema.json"
FIGURE_COLUMNS = ("value", "qualifier", "unit", "trust", "printed", "verdict", "formula", "inputs", "source", "note")

Study = dict[str, Any]


class Known(NamedTuple):
    """A number of the record: its canonical value, and the unit that its source prints."""

    value: float
    unit: str
    qualifier: str = ""

    @property
    def printed(self) -> float:
        return from_canonical(self.value, self.unit) if self.unit in UNITS else self.value


class StudyError(Exception):
    """A file of studies breaks its schema, or two studies have one slug."""


@cache
def studies() -> Mapping[str, Study]:
    """All curated studies by slug, each with its `document`, in the order of files and lines. Raises StudyError."""
    found: dict[str, Study] = {}
    for name, content in data_files.valid_files(STUDIES, SCHEMA, StudyError):
        for study in content["studies"]:
            if study["slug"] in found:
                raise StudyError(f"{name}: {study['slug']} is there twice")
            found[study["slug"]] = study | {"document": content["document"]}
    return found


def study(slug: str) -> Study:
    """Raises NotOnRecord with the nearest slugs."""
    found = studies().get(slug.lower())
    if found is None:
        raise NotOnRecord("study", slug, nearest(slug, studies()))
    return found


def in_short(one: Study) -> Row:
    """What a list of studies says of each."""
    kind = "question" if "question" in one else "figures"
    document = one["document"]
    return {name: one[name] for name in ("slug", "title", "place")} | {"kind": kind, "document": document["title"]}


def answer(one: Study) -> documents.Document:
    """The study as it stands today: a question asked, or its figures computed."""
    about = in_short(one) | {"notes": one.get("notes", []), "finding": one.get("finding", "")}
    if "question" in one:
        return documents.study_document(question_of(one), one) | about
    return _figures(one) | about


def question_of(one: Study) -> study_query.Question:
    return study_query.read(QueryDict(one["question"]))


def _figures(one: Study) -> documents.Document:
    rows = figure_rows(one)
    units = {row["unit"] for row in rows}
    unit = next(iter(units)) if len(units) == 1 else ""
    shown = documents.document(one["title"], one["axes"], unit, rows, one.get("chart", "auto"))
    columns = [*one["axes"], *FIGURE_COLUMNS]
    blank = {"question": "", "metrics": [], "x": one["axes"][0], "series": one["axes"][1:], "per": None, "as_of": None}
    return shown | blank | {"columns": columns, "trust": {"reported": sum(row["count"] for row in rows)}}


def figure_rows(one: Study) -> list[Row]:
    """The figures of a study as rows; measurements that formulas take from the record are read in one query."""
    shared: Mapping[str, Any] = one.get("inputs", {})
    inputs = [shared | figure.get("inputs", {}) for figure in one["figures"]]
    taken = [given for named in inputs for given in named.values() if "result" in given]
    known = measurements(taken) | limits(given for given in taken if "ceiling" in given)
    return [_row(one, figure, named, known) for figure, named in zip(one["figures"], inputs, strict=True)]


def _row(one: Study, figure: Row, inputs: Mapping[str, Row], known: Mapping[tuple[str, ...], Known]) -> Row:
    value, unit = figure.get("value"), figure.get("unit", "")
    qualifier = None
    if "formula" in figure:
        found = computed(figure["formula"], unit, {name: quantity(given, known) for name, given in inputs.items()})
        value, qualifier = (found.value, found.qualifier or None) if found else (None, None)
    at = dict(zip(one["axes"], figure["at"], strict=True))
    document = one["document"]
    source = f"{document['title']} ({document['publisher']}), {figure.get('place', one['place'])}"
    said = {name: figure.get(name) for name in ("printed", "verdict", "formula", "note")}
    said["qualifier"] = qualifier
    said["verdict"] = said["verdict"] or verdict(value, said["printed"] or "")
    said["inputs"] = "; ".join(_told(name, given, known) for name, given in inputs.items()) or None
    count = {"count": int(value is not None), "unit": unit, "trust": Result.Trust.REPORTED.value}
    return at | dict.fromkeys(FIGURES, value) | count | said | {"source": source}


def verdict(value: float | None, printed: str) -> str | None:
    """Whether a computed value is the printed one within one unit of its last digit; None where either is no number."""
    match = _PRINTED.fullmatch(printed)
    if value is None or not match:
        return None
    last_digit = 10 ** -len(match[2] or "")
    return "holds" if abs(value - float(match[1].replace(",", ""))) <= last_digit * (1 + 1e-9) else "differs"


_PRINTED = re.compile(r"([0-9,]+(?:\.([0-9]+))?) ?[^0-9 ]*")
"""A number with its unit, as in "54.1x" and "1,000,000"; the digits behind its point are its second group."""


def _told(name: str, given: Row, known: Mapping[tuple[str, ...], Known]) -> str:
    """ "old: 7500 MB/s (Table 1)", "new: 148,855 MiB/s (write bandwidth aggregate of cug25-table3-1)"."""
    if "result" not in given:
        return f"{name}: {given['value']} {given.get('unit', '')}".rstrip() + f" ({given['source']})"
    ceiling = f"{given['ceiling']} ceiling of " if "ceiling" in given else ""
    found = known.get(_key(given))
    shown = (
        qualified_values.in_words(found.qualifier, f"{written(found.printed, 6)} {found.unit}")
        if found
        else "not on the record"
    )
    return f"{name}: {shown} ({ceiling}{given['metric'].replace('.', ' ')} of {given['result']})"


def computed(formula: str, unit: str, values: Mapping[str, Number | None]) -> Number | None:
    """The number of a formula in `unit`; None where an input is not on the record. Raises FormulaError."""
    if any(value is None for value in values.values()):
        return None
    number = evaluate_qualified(formula, {name: value for name, value in values.items() if value is not None})
    if unit not in UNITS:
        return number
    return Number(from_canonical(number.low, unit), from_canonical(number.high, unit), number.rough)


def quantity(given: Row, known: Mapping[tuple[str, ...], Known]) -> Number | None:
    """An input in its canonical unit: a number with unit, or a measurement of the record."""
    if "result" in given:
        found = known.get(_key(given))
        return qualified_values.number(found.value, found.qualifier) if found else None
    unit = given.get("unit", "")
    return qualified_values.number(to_canonical(given["value"], unit)[0] if unit in UNITS else given["value"])


def _key(given: Row) -> tuple[str, ...]:
    """What an input takes from the record: result, operation, quantity, statistic, and the layer of a ceiling."""
    ceiling = (given["ceiling"],) if "ceiling" in given else ()
    return (given["result"], *given["metric"].split("."), *ceiling)


def limits(asked: Iterable[Row]) -> dict[tuple[str, ...], Known]:
    """The ceilings of measurements by (result, op, quantity, stat, layer); those that are not known lack."""
    found: dict[tuple[str, ...], Known] = {}
    wanted = {given["result"] for given in asked}
    for public_id in Result.objects.filter(public_id__in=wanted).values_list("public_id", flat=True):
        for one in ceilings.efficiencies_by_id(public_id):
            measured = tuple(one.measurement[name] for name in ("op", "quantity", "stat"))
            unit = one.measurement["printed_unit"]
            found |= {(public_id, *measured, ceiling.layer): Known(ceiling.value, unit) for ceiling in one.ceilings}
    return found


def measurements(asked: Iterable[Row]) -> dict[tuple[str, ...], Known]:
    """Values by (result, op, quantity, stat); of several contexts the one that was asked for."""
    wanted: Sequence[Row] = list(asked)
    if not wanted:
        return {}
    met = Q()
    for given in wanted:
        op, quantity_, stat = given["metric"].split(".")
        one = Q(result__public_id=given["result"], op=op, quantity=quantity_, stat=stat)
        met |= one & (Q(context__contains=given["context"]) if "context" in given else Q())
    found = Measurement.objects.order_by().filter(met)
    columns = ("result__public_id", "op", "quantity", "stat", "value", "printed_unit", "context__qualifier")
    rows = found.values_list(*columns)
    return {tuple(place): Known(value, unit, word or "") for *place, value, unit, word in rows}
