"""What is served of a public record: the record, what opens its leaf, and what shows that the leaf is in the log."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from registry.errors import Problem
from registry.log import log_files, tiles
from registry.log.canonical_form import read_record
from registry.log.merkle_tree import inclusion_proof
from registry.log.signed_note import BadNote, open_checkpoint
from registry.log.signing import verifier_keys
from registry.models import LogCheckpoint, LogLeaf, LogOpening


class NotRecorded(Problem):
    status = 404
    code = "log.not-recorded"
    title = "The log has no record of it yet"
    hint = "What is published is recorded within a minute. What is not published, or made up for the tour, never is."


class LogAway(Problem):
    status = 503
    code = "log.away"
    title = "The files of the log can't be read now"
    hint = "Ask again in a minute."
    retry_after_s = 60


class MalformedRecord(Problem):
    status = 503
    code = "log.malformed-record"
    title = "What stands as a record of it in the log is no record"
    hint = "It was written past the registry. Report it to the operator, to whom `verify_record` names it."


def subject_proof(subject: str, leaf: str = "") -> dict[str, Any]:
    """The proof of the newest record of a subject, or of its record with that leaf.

    Raises NotRecorded where there is none, MalformedRecord where it is no record, LogAway where the files of the log
    cannot be read.
    """
    openings = LogOpening.objects.filter(subject=subject).order_by("-leaf").select_related("leaf")
    rows = list(openings.defer("canonical", "salt"))
    chosen = next((row for row in rows if row.erased_at is None and leaf in ("", str(row.leaf))), None)
    if chosen is not None:
        chosen.refresh_from_db(fields=["canonical", "salt"])
    if chosen is None or chosen.canonical is None or chosen.salt is None:
        raise NotRecorded(f"There is no record of {subject} with the leaf {leaf}." if leaf else "")
    if read_record(chosen.canonical) is None:
        raise MalformedRecord(f"{subject}: its record {chosen.leaf} is none in its form.{_name_earlier(rows, chosen)}")
    return opened_proof(chosen.leaf, bytes(chosen.salt), chosen.canonical) | {
        "records": [
            {
                "leaf": str(row.leaf),
                "leaf_index": row.leaf.index,
                "act": row.act,
                "recorded_at": row.recorded_at.replace(microsecond=0),  # as the record has it
                "erased_at": row.erased_at,
            }
            for row in rows
        ]
    }


def _name_earlier(rows: Iterable[LogOpening], malformed: LogOpening) -> str:
    """A sentence that says which record can be asked for in place of one that is none; "" where there is no earlier."""
    earlier = (row for row in rows if row.erased_at is None and row.leaf_id < malformed.leaf_id)
    for row in earlier:
        row.refresh_from_db(fields=["canonical"])
        if read_record(row.canonical or "") is not None:
            return f" The record before it: ?leaf={row.leaf}."
    return ""


def opened_proof(leaf: LogLeaf, salt: bytes, canonical: str) -> dict[str, Any]:
    """A record with its salt and its place in the log: whoever has them can check all of it offline.

    `leaf_index` is null and `inclusion_proof` empty while the leaf waits for the next checkpoint. Raises LogAway, and
    MalformedRecord for a text that is no record.
    """
    return {
        "record": stated_record(leaf, canonical),
        "canonical": canonical,
        "digest": hashlib.sha256(canonical.encode()).hexdigest(),
        "salt": salt.hex(),
        "leaf": str(leaf),
        **placed_proof(leaf),
    }


def stated_record(leaf: LogLeaf, canonical: str) -> dict[str, Any]:
    """The record that a canonical text says. Raises MalformedRecord where it says none."""
    record = read_record(canonical)
    if record is None:
        raise MalformedRecord(f"The record {leaf} is none in its form.")
    return record


def placed_proof(leaf: LogLeaf) -> dict[str, Any]:
    """Where a leaf is in the log of the newest checkpoint, with the hashes that show it. Raises LogAway."""
    checkpoint = LogCheckpoint.objects.order_by("-size").first()
    size = checkpoint.size if checkpoint else 0
    index = leaf.index if leaf.index is not None and leaf.index < size else None
    hashes = [] if index is None else inclusion_proof(index, size, tiles.node_reader(size, read_hashes))
    return {
        "leaf_index": index,
        "tree_size": size,
        "inclusion_proof": [node.hex() for node in hashes],
        "checkpoint": checkpoint.note if checkpoint else "",
        "verifier_key": _signer_of(checkpoint.note) if checkpoint else "",
    }


def _signer_of(note: str) -> str:
    """The verifier key of the key that signed a checkpoint of ours, of those that this registry had."""
    for key in verifier_keys():
        try:
            open_checkpoint(note, [key])
        except BadNote:
            continue
        return key
    return ""


def read_hashes(level: int, index: int, width: int) -> list[bytes]:
    """The hashes of a tile out of the storage. Raises LogAway where it is not there."""
    content = log_files.read_tile(level, index, width)
    if content is None:
        raise LogAway
    return tiles.split_hashes(content)
