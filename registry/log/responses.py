"""Shapes of the transparency log."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from registry.models import IdentityChange
from registry.query.responses.shapes import Shape
from registry.web.responses import Page


class RecordOfSubject(Shape):
    """One record of a result, a list, a release or a change of names."""

    leaf: Annotated[str, Meta(description="Its leaf in hex; `?leaf=` asks for its proof.")]
    leaf_index: Annotated[int | None, Meta(description="Its place in the log, from 0; null: it waits.")]
    act: Annotated[str, Meta(description="Why it was recorded: published, amended, withdrawn, ... (docs/log.md).")]
    recorded_at: Annotated[datetime, Meta(description="When it was recorded.")]
    erased_at: Annotated[datetime | None, Meta(description="When its text was erased; null: it is there.")]


class PlacedProof(Shape):
    """A record that can be checked without this registry."""

    record: Annotated[dict[str, Any], Meta(description="The record, as JSON; docs/log.md names its fields.")]
    canonical: Annotated[str, Meta(description="The same as one text by RFC 8785, of which the digest is.")]
    digest: Annotated[str, Meta(description="sha256 of the canonical text in UTF-8, in hex.")]
    salt: Annotated[str, Meta(description="32 random bytes, in hex.")]
    leaf: Annotated[str, Meta(description="sha256 of the salt and the canonical text, in hex: the entry of the log.")]
    leaf_index: Annotated[int | None, Meta(description="Place in the log, from 0; null: not in this checkpoint yet.")]
    tree_size: Annotated[int, Meta(description="Entries of the log that the checkpoint signs.")]
    inclusion_proof: Annotated[
        list[str], Meta(description="Hashes from the leaf to the root, in hex (RFC 9162); empty while it waits.")
    ]
    checkpoint: Annotated[str, Meta(description="The signed checkpoint; empty before the first.")]
    verifier_key: Annotated[str, Meta(description="The key that signed it, NAME+ID+KEY; empty before the first.")]


class Proof(PlacedProof):
    """The newest record of a thing, or the one that was asked for, with the list of all."""

    records: Annotated[list[RecordOfSubject], Meta(description="Every record of the same thing, the newest first.")]


class NameChange(Shape):
    """A merging or splitting of institutions, systems or platforms."""

    id: Annotated[int, Meta(description="Its number; `name-changes/ID/proof/` has its proof.")]
    kind: Annotated[IdentityChange.Kind, Meta(description="What was merged or split.")]
    act: Annotated[IdentityChange.Action, Meta(description="Which of the two.")]
    from_slug: Annotated[str, Meta(description="Where what moved was before.")]
    from_name: Annotated[str, Meta(description="Its name then.")]
    to_slug: Annotated[str, Meta(description="Where it went.")]
    to_name: Annotated[str, Meta(description="Its name then.")]
    reason: Annotated[str, Meta(description="Why the names were merged or split.")]
    source: Annotated[str, Meta(description="What proves it; may be empty.")]
    made_at: Annotated[datetime, Meta(description="When they were merged or split.")]
    part_of: Annotated[int | None, Meta(description="Number of the change that it is a part of; null: none.")]
    undone_at: Annotated[datetime | None, Meta(description="When it was taken back; null: it stands.")]
    undone_reason: Annotated[str, Meta(description="Why it was taken back; empty: it stands.")]


class NameChangePage(Page):
    """A page of changes of names, the newest first."""

    results: Annotated[list[NameChange], Meta(description="The changes.")]
