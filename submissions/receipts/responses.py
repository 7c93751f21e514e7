"""Shapes of receipts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from registry.log.responses import PlacedProof
from registry.query.responses.row_fields import SubmissionId
from registry.query.responses.shapes import Shape
from registry.web.responses import Page
from submissions import models


class ReceiptText(Shape):
    """What is signed: this object as JSON with sorted keys and without spaces."""

    registry: Annotated[str, Meta(description="Address of the registry.")]
    id: SubmissionId
    sha256: Annotated[str, Meta(description="Of the bytes as received.")]
    size_bytes: Annotated[int, Meta(description="Size in bytes.")]
    received_at: Annotated[datetime, Meta(description="When the bytes were received.")]
    state: Annotated[models.State, Meta(description="State of the submission when it was signed.")]
    checked_at: Annotated[datetime | None, Meta(description="When it was last checked; null before the first check.")]
    rules_version: Annotated[str | None, Meta(description="Of the rules and parsers that checked it; null: not yet.")]
    issued_at: Annotated[datetime, Meta(description="When it was signed.")]
    issued_by: Annotated[str, Meta(description="Name and version of the program that signed it.")]


class SignedReceipt(Shape):
    receipt: Annotated[ReceiptText, Meta(description="The object that is signed.")]
    signature: Annotated[str, Meta(description="Ed25519, as ssh-keygen -Y sign writes it.")]
    public_key: Annotated[str, Meta(description="As in authorized_keys.")]
    proof: Annotated[
        PlacedProof | None,
        Meta(description="That the transparency log has the receipt of these bytes; null for a draft."),
    ]


class PrivateRecordRow(Shape):
    """A record of a submission in the transparency log, with what opens it."""

    record: Annotated[dict[str, Any], Meta(description="The record, as JSON; docs/log.md names its fields.")]
    canonical: Annotated[str, Meta(description="The same as one text by RFC 8785, of which the digest is.")]
    salt: Annotated[str, Meta(description="32 random bytes, in hex.")]
    leaf: Annotated[str, Meta(description="sha256 of the salt and the canonical text, in hex: the entry of the log.")]
    leaf_index: Annotated[int | None, Meta(description="Place in the log, from 0; null: it waits for the next minute.")]


class PrivateRecordPage(Page):
    results: Annotated[list[PrivateRecordRow], Meta(description="Every record, the oldest first.")]


class ReceiptKeys(Shape):
    namespace: Annotated[str, Meta(description="Namespace of the signatures, for ssh-keygen -Y verify.")]
    public_keys: Annotated[list[str], Meta(description="Public keys, as in authorized_keys.")]
