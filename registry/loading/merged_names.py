"""Institutions, systems and platforms that sources prove to be one, from registry/query/data/aliases/merged.json.

They are merged by the same act as an editor's, with its trace. What an editor undid stays undone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from registry.identity.merging import Decision, merge_names
from registry.models import IdentityChange, Result, System
from registry.models.identities import MODELS
from registry.query.names import canonical_names

FILE = canonical_names.ALIASES / "merged.json"

Row = Mapping[str, Any]


def read_merged() -> list[Row]:
    """Rows {kind, former, name, into, why, source}: slugs, and the name that `former` had."""
    rows: list[Row] = json.loads(FILE.read_text(encoding="utf-8"))
    return rows


def merge_listed() -> None:
    """Merge what the file names and no act decided on yet; rows whose sites or systems are not in the record wait."""
    decided = set(IdentityChange.objects.filter(action="merge").values_list("kind", "from_slug"))
    for row in read_merged():
        standing: QuerySet[Any] = MODELS[row["kind"]]._default_manager.filter(merged_into=None)
        names = dict(standing.filter(slug__in=(row["former"], row["into"])).values_list("slug", "name"))
        is_there = row["into"] in names and names.get(row["former"]) == row["name"]
        if is_there and (row["kind"], row["former"]) not in decided:
            merge_names(row["kind"], row["former"], row["into"], Decision(row["why"], source=row["source"]))


def split_off_systems() -> dict[str, System]:
    """By public id the system of each result that a standing act split off: names in files don't lead it back."""
    acts = IdentityChange.objects.filter(action=IdentityChange.Action.SPLIT, undone_at=None)
    ids = [public_id for moved in acts.values_list("moved", flat=True) for public_id in moved.get("results", ())]
    results = Result.objects.filter(public_id__in=ids).select_related("system__site", "system__platform")
    return {result.public_id: result.system for result in results.defer("search", "snapshot")}
