"""What public rows have that no public record has, held against what the log has of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import Model

from registry.log import recording
from registry.log.canonical_form import canonical_text, read_record
from registry.log.verification import differing_values
from registry.models import Override
from submissions.lifecycle import withheld_facts
from submissions.models import PrivateRecord

AT_ONCE = 500
Kind = PrivateRecord.Kind


def withheld_breaks() -> Iterator[str]:
    """Deciders, reasons and members in common that are not as they were recorded last, a sentence for each.

    The newest record of each row is in memory. That a name change or a mark of reproduction is gone, its public record
    tells.
    """
    for kind in map(Kind, withheld_facts.MODELS):
        newest = dict[int, dict[str, Any] | None]()
        for record in PrivateRecord.objects.filter(kind=kind).order_by("leaf").select_related("leaf").iterator(AT_ONCE):
            newest[record.row] = None
            if record.canonical is None or record.salt is None:
                if kind != Kind.RANKING or not _is_of_erased(record.row):
                    yield f"The record of the {kind} {record.row} was emptied, and nothing was erased."
            elif recording.entry_of(bytes(record.salt), record.canonical) != bytes(record.leaf.entry):
                yield f"The record of the {kind} {record.row} was changed since."
            elif (stored := read_record(record.canonical)) is None:
                yield f"The record of the {kind} {record.row} is none in its form."
            else:
                newest[record.row] = stored.get(kind, {})
        rows = withheld_facts.MODELS[kind]._default_manager.in_bulk(list(newest))
        facts_by_row = dict(zip(rows, withheld_facts.rows_facts(kind, list(rows.values())), strict=True))
        for number, recorded in newest.items():
            if number not in rows and kind == Kind.RANKING:
                yield f"The log has {kind} {number}, and it is gone."
            elif number in rows and recorded is not None:
                current = json.loads(canonical_text(facts_by_row[number]))
                for name, before, now in differing_values(recorded, current, ""):
                    yield f"The {kind} {number} has {_in_words(name, now, rows[number])}, the log {before!r:.80}."


def _in_words(name: str, value: Any, row: Model) -> str:
    """A name and its value; of somebody who is no account, as the row calls them."""
    if value is None and (called := getattr(row, name, None)):
        return f"{name} {called!r:.80}, which is no account"
    return f"{name} {value!r:.80}"


def _is_of_erased(decision: int) -> bool:
    return Override.objects.filter(pk=decision, result__erasure__isnull=False).exists()
