"""Shapes of public files and quarantine."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import Meta

from registry.query.responses.row_fields import SizeInBytes, SlugOfInstitution
from registry.query.responses.shapes import Shape
from registry.web.responses import Page


class MarkRow(Shape):
    line: Annotated[int, Meta(description="From 1.")]
    word: Annotated[str, Meta(description="The word to look at.")]
    why: Annotated[str, Meta(description="Why the mark is highlighted.")]


class OfferedFile(Shape):
    path: Annotated[str, Meta(description="Path of the file in the archive.")]
    size: SizeInBytes
    agreed: Annotated[bool, Meta(description="Whether somebody agreed that it is public.")]
    marks: Annotated[
        list[MarkRow] | None, Meta(description="Words to look at; null where the file is too large for it.")
    ]


class PublicFiles(Shape):
    """What stays private unless somebody agrees."""

    version: Annotated[int, Meta(description="Of the files; another version has to be looked at again.")]
    files: Annotated[
        list[OfferedFile], Meta(description="Texts that no benchmark read, each with whether it may be public.")
    ]


class SecretFileRow(Shape):
    id: Annotated[int, Meta(description="Number of the file.")]
    submission: Annotated[UUID, Meta(description="Id of the submission that has the file.")]
    institution: SlugOfInstitution | None
    account: Annotated[str, Meta(description="Username; this account may not send a blocked file again.")]
    result: Annotated[str | None, Meta(description="Id of the published result.")]
    sha256: Annotated[str, Meta(description="Of the stored file.")]
    outcome: Annotated[str, Meta(description="One of blocked, quarantined, reported, cleared.")]
    where: Annotated[list[str], Meta(description="Each secret: its kind and its path:line; nothing of itself.")]
    found_at: Annotated[datetime, Meta(description="When the secret was found.")]
    bytes_deleted_at: Annotated[datetime | None, Meta(description="Of a blocked file; null while others hold it.")]
    decided_at: Annotated[datetime | None, Meta(description="When it was decided; null: not yet.")]
    decided_by: Annotated[str | None, Meta(description="Username of who decided; null: nobody yet.")]
    reason: Annotated[str, Meta(description="Why it was decided so; empty: not yet.")]


class SecretFilePage(Page):
    results: Annotated[list[SecretFileRow], Meta(description="Rows of this page.")]
