"""A proof as the registry gives it: a record, the leaf that is made of it, and the way from there to a signed root."""

import binascii
import hashlib
import json
import re
from collections import namedtuple

from collectors.server.log import merkle, signed_note

MOST_HASHES = 64
"""Levels of a tree of 2^63 leaves, and one more."""
HEX = re.compile(r"(?:[0-9a-f]{2})*\Z")

Proof = namedtuple("Proof", "record canonical digest salt leaf index size hashes checkpoint key")
Proof.__doc__ = "Bytes are bytes. `index` is None and `checkpoint` may be None while the leaf waits to be appended."


class ProofError(ValueError):
    """The document is no proof; the message says why."""


def read_proof(document):
    """The Proof of a JSON document. Raises ProofError where a field is missing or of another kind."""
    if not isinstance(document, dict):
        raise ProofError("It is not a JSON object.")
    canonical = require_field(document, "canonical", str)
    index = document.get("leaf_index")
    hashes = require_field(document, "inclusion_proof", list)
    if index is not None and not is_count(index) or not is_count(document.get("tree_size")):
        raise ProofError("`leaf_index` and `tree_size` are not numbers of leaves.")
    if len(hashes) > MOST_HASHES:
        raise ProofError("`inclusion_proof` has more hashes than any log needs.")
    return Proof(
        record=record_of(canonical),
        canonical=encode_text(canonical),
        digest=read_hash(document.get("digest"), "digest"),
        salt=read_hash(document.get("salt"), "salt"),
        leaf=read_hash(document.get("leaf"), "leaf"),
        index=index,
        size=document["tree_size"],
        hashes=[read_hash(text, "inclusion_proof") for text in hashes],
        checkpoint=read_note_by(signed_note.read_checkpoint, document.get("checkpoint")),
        key=read_note_by(signed_note.read_key, document.get("verifier_key")),
    )


def read_note_by(reader, text):
    """What a reader of the note formats makes of a text; None for no text. Raises ProofError where it makes nothing."""
    if text in (None, ""):
        return None
    try:
        return reader(text)
    except (signed_note.NoteError, AttributeError, TypeError) as error:
        raise ProofError(str(error) if isinstance(error, signed_note.NoteError) else "A note is not a text.")


def require_field(document, name, kind):
    """The value of a name. Raises ProofError where it is missing or of another kind."""
    if not isinstance(document.get(name), kind):
        raise ProofError("It has no `%s`." % name)
    return document[name]


def is_count(number):
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < signed_note.MAX_SIZE


def read_hash(text, name):
    """The 32 bytes of a hash or salt. Raises ProofError where there are not as many."""
    if not isinstance(text, str) or len(text) != 64 or not HEX.match(text):
        raise ProofError("`%s` is not 32 bytes in hexadecimal digits." % name)
    return binascii.unhexlify(text)


def encode_text(text):
    """A text as UTF-8. Raises ProofError where it holds half of a character."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise ProofError("`canonical` is not a text of Unicode.")


def record_of(canonical):
    """The record that a canonical text says, with its type. Raises ProofError where it says none, or a name twice."""
    try:
        record = json.loads(canonical, object_pairs_hook=unique_names, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise ProofError("`canonical` is not JSON that says each name once.")
    if not isinstance(record, dict) or not isinstance(record.get("type"), str):
        raise ProofError("`canonical` is not a JSON object with a type.")
    return record


def unique_names(pairs):
    """A dictionary of name and value pairs. Raises ValueError for a name that stands twice."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def refuse_constant(constant):
    """Raises ValueError for NaN and infinities, which JSON does not have."""
    raise ValueError(constant)


def is_made_of_record(proof):
    """Whether the digest and the leaf are those of the record and its salt."""
    return (
        hashlib.sha256(proof.canonical).digest() == proof.digest
        and hashlib.sha256(proof.salt + proof.canonical).digest() == proof.leaf
    )


def implied_root(proof):
    """The root hash that the log must have if the leaf lies where the proof says; None where the proof has no such."""
    return merkle.root_by_inclusion(proof.index, proof.size, merkle.leaf_hash(proof.leaf), proof.hashes)
