"""One published archive as a row of facts: what it is called, where it is published, and what our reader finds in it.

Such rows are the files of registry/loading/data/derived/, and what `manage import_io500` makes of a local copy.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from registry.loading.archive_facts import read_archive
from registry.loading.archive_folders import ArchivePlace, infer_release

HISTORY = Path(__file__).parent / "data" / "history"
PREFIX = "io500-"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class History:
    """What the imported lists say: releases of submissions by number, and the month of each release as 2023-11."""

    releases: dict[int, str]
    months: dict[str, str]


def read_history() -> History:
    """The releases of the shipped history."""
    results = json.loads((HISTORY / "results.json").read_text(encoding="utf-8"))
    releases = json.loads((HISTORY / "releases.json").read_text(encoding="utf-8"))
    return History(
        {int(row["submission"]): row["release"] for row in results if row.get("submission")},
        {row["slug"]: row["month"] for row in releases},
    )


def archive_row(place: ArchivePlace, history: History) -> Row:
    """The facts of one archive, read now. Raises OSError where it cannot be read."""
    facts = read_archive(place.path, place.left_out)
    named = {
        "id": f"{PREFIX}{place.number}",
        "submission": str(place.number),
        "institution": place.institution,
        "system": place.system,
        "filesystem_type": place.filesystem_type,
        "year": place.year,
        "address": place.published_address,
        **_release_columns(place, facts, history),
    }
    left_out = sorted({PurePosixPath(path).name for path in place.left_out})
    return named | facts | ({"left_out": left_out} if left_out else {})


def _release_columns(place: ArchivePlace, facts: Row, history: History) -> Row:
    """The release of a list that has it, else the one that its number and its day tell, with how that is known."""
    if place.number in history.releases:
        return {"release": history.releases[place.number]}
    release, reason = infer_release(place.number, facts, history.releases, history.months)
    return {"release": release, "release_inferred": reason} if release else {}
