"""Shapes of receipts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from registry.query.row_fields import SubmissionId
from registry.query.shapes import Shape
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


class ReceiptKeys(Shape):
    namespace: Annotated[str, Meta(description="Namespace of the signatures, for ssh-keygen -Y verify.")]
    public_keys: Annotated[list[str], Meta(description="Public keys, as in authorized_keys.")]
