"""Where the numbers of a result can be looked up: addresses of what was published, with the place in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any
from urllib.parse import quote

from msgspec import Meta

from registry.models import Result
from registry.query.shapes import Shape

IO500 = "https://io500.org"
MLPERF = re.compile(r"MLPerf Storage v(?P<version>1\.0|3\.0), (?P<path>(Closed|Open|closed|open)/.+)")
_MLPERF_PLACES = {
    "1.0": ("Report in the published results of MLCommons", "blob"),
    "3.0": ("Folder in the published results of MLCommons", "tree"),
}
"""By version what the place of a result is, and how its address begins at github.com."""
_RELEASE = re.compile(r"(SC|ISC)\d\d")
_PUBLISHED_LISTS = frozenset({"io500", "ten", "full", "historical", "production", "ten-production", "scc"})


class SourceLink(Shape):
    """Where a number is from."""

    text: Annotated[str, Meta(description="What stands there.")]
    address: Annotated[str, Meta(description="Address; empty where none is known.")]
    place: Annotated[str, Meta(description="Slide, table, section or path in it; may be empty.")]


def list_source_links(result: Result, memberships: Iterable[Mapping[str, Any]]) -> list[SourceLink]:
    """The sources of a result, raw files first. Of a result that was uploaded here, none.

    `memberships` are the lists that it stands on; one of its own release is named.
    """
    if result.trust == Result.Trust.VERIFIED:
        return []
    links = [*_archive_link(result.snapshot), *_document_link(result.snapshot), *_table_link(result.source)]
    if result.tool == "io500" and result.origin_id.isdigit():
        address = f"{IO500}/submissions/view/{result.origin_id}"
        links.append(SourceLink("Submission page at io500.org", address, f"submission {result.origin_id}"))
    return [*links, *_list_link(result, memberships)]


def list_address(release: str, name: str) -> str:
    """Where IO500 shows a list; empty where it shows none under these names."""
    is_shown = _RELEASE.fullmatch(release) and name in _PUBLISHED_LISTS
    return f"{IO500}/list/{release}/{name}" if is_shown else ""


def _archive_link(snapshot: Mapping[str, Any]) -> list[SourceLink]:
    archive = snapshot.get("archive", {})
    address = archive.get("address") or snapshot.get("archive_url")
    return [SourceLink("Raw files, published by IO500", address, archive.get("run", ""))] if address else []


def _document_link(snapshot: Mapping[str, Any]) -> list[SourceLink]:
    document = snapshot.get("document")
    if not document:
        return []
    text = f"{document['title']} ({document['publisher']})"
    return [SourceLink(text, document.get("address", ""), snapshot.get("place", ""))]


def _table_link(source: str) -> list[SourceLink]:
    match = MLPERF.fullmatch(source)
    if match is None:
        return []
    text, view = _MLPERF_PLACES[match["version"]]
    base = f"https://github.com/mlcommons/storage_results_v{match['version']}/{view}/main/"
    return [SourceLink(text, base + quote(match["path"]), match["path"])]


def _list_link(result: Result, memberships: Iterable[Mapping[str, Any]]) -> list[SourceLink]:
    """The first list of the release of a result that IO500 shows, with the slide that was copied."""
    release = result.release.slug if result.release else ""
    listed = result.snapshot.get("list", {})
    source = listed.get("source", result.source)
    for row in memberships:
        if row["release"] == release and (address := list_address(row["release"], row["list"])):
            return [SourceLink(f"{row['title']} list of {row['release']} at io500.org", address, source)]
    return []
