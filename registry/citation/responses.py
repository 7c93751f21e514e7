"""Shapes of citations."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from registry.query.responses.shapes import Shape


class Citation(Shape):
    """What may be said of a result or list, and where it stays."""

    sentence: Annotated[str, Meta(description="The citation in one sentence.")]
    title: Annotated[str, Meta(description="Title of the cited result or list.")]
    trust: Annotated[str, Meta(description="How far it may be trusted: verified, derived, imported or reported.")]
    version: Annotated[str, Meta(description="Revision of a result; day, amendments and digest of a list.")]
    published: Annotated[str, Meta(description="A day, or the month where no more is known.")]
    places: Annotated[
        list[str], Meta(description="Its places as they may be printed, one per frozen list; empty for a list.")
    ]
    rules: Annotated[list[str], Meta(description="What a public statement must and must not contain, a sentence each.")]
    status: Annotated[str, Meta(description="Withdrawn or revised; empty if neither.")]
    address: Annotated[str, Meta(description="Permanent.")]
    badge_address: Annotated[str, Meta(description="Permanent address of a badge (SVG).")]
