"""Where the numbers of a result or of a list can be looked up: addresses of what was published, with the place in it.

What io500.org has under which address is `data/io500-site.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from django.db.models import Expression, ExpressionWrapper, JSONField
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import JSONObject
from msgspec import Meta

from registry.models import RankedList, Result
from registry.query.responses.shapes import Shape

_SITE = json.loads((Path(__file__).parent.parent / "data" / "io500-site.json").read_text(encoding="utf-8"))
IO500: str = _SITE["address"]
MLPERF = re.compile(r"MLPerf Storage v(?P<version>1\.0|3\.0), (?P<path>(Closed|Open)/.+)", re.IGNORECASE)
_MLPERF_PLACES = {
    "1.0": ("Report in the published results of MLCommons", "blob"),
    "3.0": ("Folder in the published results of MLCommons", "tree"),
}
"""By version what the place of a result is, and how its address begins at github.com."""
_SLIDE = re.compile(r"IO500 (?P<release>I?SC\d\d) slides p(?P<page>\d{1,4})")
_RELEASE = re.compile(r"I?SC\d\d")

Facts = Mapping[str, Any]


class SourceLink(Shape):
    """Where a number is from."""

    text: Annotated[str, Meta(description="Text of the link.")]
    address: Annotated[str, Meta(description="Address; empty where none is known.")]
    place: Annotated[str, Meta(description="Slide, table, section or path in it; may be empty.")]


# Addresses


def list_acronym(release: str) -> str:
    """What IO500 calls a release: SC18* is what is SC18-recomputed here."""
    return str(_SITE["recomputed"].get(release, release))


def list_address(release: str, name: str) -> str:
    """Where IO500 shows a list; empty where it shows none under these names."""
    acronym = list_acronym(release)
    is_shown = (acronym != release or _RELEASE.fullmatch(release)) and name in _SITE["lists"]
    return f"{IO500}/list/{acronym}/{name}" if is_shown else ""


def slide_address(source: str) -> str:
    """The page of the slides that a list or result is copied from; empty where the source names none."""
    match = _SLIDE.fullmatch(source)
    file = _SITE["slides"].get(match["release"]) if match else None
    return f"{IO500}/{file}#page={match['page']}" if match and file else ""


def result_address(facts: Facts) -> str:
    """Where the numbers of a result stand: of a derived one in the raw files, of a copy in what was copied.

    `facts` are those of `RESULT_FACTS`. Empty for what was uploaded here, and for a document that is nowhere public.
    """
    if facts["trust"] == Result.Trust.VERIFIED:
        return ""
    copied_from = facts["document"] or slide_address(facts["source"]) or _table_address(facts["source"])
    archive = facts["archive"] or facts["archive_url"] or ""
    if facts["trust"] == Result.Trust.DERIVED:
        return archive or copied_from
    return copied_from or _submission_address(facts) or archive


def entry_address(facts: Facts) -> str:
    """Where the numbers of an entry stand: on the published list, else where those of its result are.

    `facts` are those of `RESULT_FACTS` and `LIST_FACTS`.
    """
    return published_list_address(facts) or result_address(facts)


def entry_source(facts: Facts) -> str:
    """What `entry_address` leads to, in words."""
    return str(facts["list_source"] if published_list_address(facts) else facts["source"] or facts["list_source"])


def address_of_list(ranked_list: RankedList) -> str:
    """Where a list is published, of which the release is joined; empty for one that was made or ordered here."""
    return published_list_address(
        {
            "list_trust": ranked_list.trust,
            "list_source": ranked_list.source,
            "release": ranked_list.release.slug,
            "list": ranked_list.name,
        }
    )


def links_of_list(ranked_list: RankedList) -> list[SourceLink]:
    """What an imported list is copied from; empty for one that was made here."""
    address = address_of_list(ranked_list)
    return [SourceLink(ranked_list.source, address, "")] if ranked_list.source else []


def published_list_address(facts: Facts) -> str:
    """Of an imported list the slide that it is copied from, else its page at io500.org; empty for other lists.

    `facts` are those of `LIST_FACTS`.
    """
    if facts["list_trust"] != Result.Trust.IMPORTED:
        return ""
    return slide_address(facts["list_source"]) or list_address(facts["release"], facts["list"])


def _table_address(source: str) -> str:
    match = MLPERF.fullmatch(source)
    if match is None:
        return ""
    view = _MLPERF_PLACES[match["version"]][1]
    return f"https://github.com/mlcommons/storage_results_v{match['version']}/{view}/main/{quote(match['path'])}"


def _submission_address(facts: Facts) -> str:
    is_submission = facts["tool"] == "io500" and facts["origin_id"].isdigit()
    return f"{IO500}/submissions/view/{facts['origin_id']}" if is_submission else ""


# Addresses as columns of queries


class _TextOfFacts(JSONField):
    """Facts in the database, a text that follows from them in Python."""

    def __init__(self, make_text: Callable[[Facts], str]) -> None:
        super().__init__()
        self.make_text = make_text

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> str:
        return self.make_text(super().from_db_value(value, expression, connection))


def _result_facts(prefix: str = "") -> dict[str, Any]:
    snapshot = f"{prefix}snapshot"
    columns = {name: f"{prefix}{name}" for name in ("trust", "tool", "origin_id", "source")}
    parts = {
        "archive": KeyTextTransform("address", KeyTransform("archive", snapshot)),
        "archive_url": KeyTextTransform("archive_url", snapshot),
        "document": KeyTextTransform("address", KeyTransform("document", snapshot)),
    }
    return columns | parts


def _text_of(make_text: Callable[[Facts], str], facts: Mapping[str, Any]) -> Expression:
    return ExpressionWrapper(JSONObject(**facts), output_field=_TextOfFacts(make_text))


RESULT_FACTS = _result_facts()
LIST_FACTS = {
    "list_trust": "ranked_list__trust",
    "list_source": "ranked_list__source",
    "release": "ranked_list__release__slug",
    "list": "ranked_list__name",
}
ADDRESS_OF_RESULT = _text_of(result_address, RESULT_FACTS)
"""Of a result: where its numbers can be looked up."""
ADDRESS_OF_MEMBERSHIP = _text_of(published_list_address, LIST_FACTS)
"""Of an entry: where its list can be looked up."""
_ENTRY_FACTS = _result_facts("result__") | LIST_FACTS
SOURCE_OF_ENTRY = _text_of(entry_source, _ENTRY_FACTS)
"""Of an entry: what its numbers are from."""
ADDRESS_OF_ENTRY = _text_of(entry_address, _ENTRY_FACTS)
"""Of an entry: where its numbers can be looked up."""


# Links of one result


def list_source_links(result: Result, memberships: Iterable[Mapping[str, Any]]) -> list[SourceLink]:
    """The sources of a result, that of its numbers first. Of a result that was uploaded here, none.

    `memberships` are the lists that it stands on, newest first; one of its own release is named, else the oldest.
    """
    if result.trust == Result.Trust.VERIFIED:
        return []
    raw = _archive_link(result.snapshot)
    copied = [*_document_link(result.snapshot), *_slide_link(result.source), *_table_link(result.source)]
    if submission := _submission_address({"tool": result.tool, "origin_id": result.origin_id}):
        copied.append(SourceLink("Submission page at io500.org", submission, f"submission {result.origin_id}"))
    copied += _list_link(result, memberships)
    return raw + copied if result.trust == Result.Trust.DERIVED else copied + raw


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


def _slide_link(source: str) -> list[SourceLink]:
    address, match = slide_address(source), _SLIDE.fullmatch(source)
    return [SourceLink(f"Slides of IO500 at {match['release']}", address, f"page {match['page']}")] if match else []


def _table_link(source: str) -> list[SourceLink]:
    address, match = _table_address(source), MLPERF.fullmatch(source)
    return [SourceLink(_MLPERF_PLACES[match["version"]][0], address, match["path"])] if match else []


def _list_link(result: Result, memberships: Iterable[Mapping[str, Any]]) -> list[SourceLink]:
    """The first list of the release of a result that IO500 shows, else the oldest one, with what was copied."""
    release = result.release.slug if result.release else ""
    rows = [(row, address) for row in memberships if (address := list_address(row["release"], row["list"]))]
    own = [(row, address) for row, address in rows if row["release"] == release]
    return [
        SourceLink(f"{row['title']} list of {row['release']} at io500.org", address, row["source"])
        for row, address in own[:1] or rows[-1:]
    ]
