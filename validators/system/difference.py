"""What differs between systems: their sections laid side by side, row by row.

What is not known of a system is no difference, and what is of one moment is left out. A parameter that has the same
values on 7 targets here and on 70 there is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from validators.system import sections
from validators.system.facts import Document
from validators.system.sections import Row

NONE = "none"
"""What stands for a device or mount that is not there, where all that are there are listed."""
Place = tuple[str, str, str]
"""Whose row it is ("Clients", "" of the run as a whole), title of its section, name."""


def difference(documents: Sequence[Document | None]) -> dict[str, Any]:
    """Rows that differ among the systems that are described, in the order in which they are read.

    {"described": [bool], "differences": [{"subject", "section", "name", "parameter", "key", "values": [[text] | None],
    "differs_from_default": [bool | None], "defaults": [text]}], "equal": count, "unknown": count of rows that are known
    of some only}. `values` has one entry for each document, None where it is not known.
    """
    laid_out = [_rows(document) if document else {} for document in documents]
    listed = [{place[:2] for place in rows if place[1] in sections.LISTED} for rows in laid_out]
    compared = [rows for rows, document in zip(laid_out, documents, strict=True) if document]
    comparison: dict[str, Any] = {"described": [bool(document) for document in documents], "differences": []}
    equal = unknown = 0
    for place in dict.fromkeys(place for rows in compared for place in rows):
        values = [_values(rows, all_of, place) for rows, all_of in zip(laid_out, listed, strict=True)]
        present = [value for value in values if value is not None]
        if len(present) < len(compared):
            unknown += 1
        if any(sorted(value) != sorted(present[0]) for value in present):
            comparison["differences"].append(_difference(place, [rows.get(place) for rows in laid_out], values))
        elif len(present) == len(compared):
            equal += 1
    return comparison | {"equal": equal, "unknown": unknown}


def _rows(document: Document) -> dict[Place, Row]:
    return {place: row for place, row in _placed(document) if not row.volatile}


def _placed(document: Document) -> Iterator[tuple[Place, Row]]:
    of_nodes = [section for subject in sections.subjects(document) for section in subject.sections]
    for section in [*of_nodes, *sections.of_the_run(document)]:
        for row in section.rows:
            yield (section.subject, section.title, row.name), row


def _values(rows: dict[Place, Row], listed: set[tuple[str, str]], place: Place) -> list[str] | None:
    """The distinct values of a row, most instances first; None where it is not known.

    `listed` are the sections (subject, title) that list all there is.
    """
    if place in rows:
        return [*dict.fromkeys(value.text for value in rows[place].seen)]
    return [NONE] if place[:2] in listed else None


def _difference(place: Place, rows: list[Row | None], values: list[list[str] | None]) -> dict[str, Any]:
    subject, title, name = place
    first = next(row for row in rows if row)
    return {
        "subject": subject,
        "section": title,
        "name": name,
        "parameter": first.parameter,
        "key": first.key,
        "values": values,
        "differs_from_default": [row.differs if row else None for row in rows],
        "defaults": [row.default if row else "" for row in rows],
    }
