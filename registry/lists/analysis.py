"""One IO500 list over the releases: entries, institutions, bandwidth, scores, file systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from django.db.models import Value
from django.db.models.functions import Coalesce, NullIf

from registry.models import ListEntry, RankedList
from registry.query import public_record
from registry.query.kept_sums import Keep, make_anew
from registry.query.public_record import SCORED_LISTS, Columns, NotOnRecord, Row, nearest_names, rows_of

Entry = Mapping[str, Any]

FAMILY = Coalesce(NullIf("result__filesystem_family", Value("")), "filesystem_type")

LIST: Columns = {
    "pk": "pk",
    "name": "name",
    "release": "release__slug",
    "release_name": "release__name",
    "title": "title",
    "trust": "trust",
    "complete": "complete",
}
HEAD = ("release", "release_name", "title", "trust", "complete")
ENTRY: Columns = {
    "of": "ranked_list_id",
    "withdrawn_at": "result__withdrawn_at",
    "family": "family",
} | {name: public_record.ENTRY[name] for name in ("institution", "new", "score", "bandwidth_gib_per_s", "client_nodes")}


def known_lists() -> list[Row]:
    """Every published list that ranks the score of IO500, oldest release first."""
    lists = RankedList.objects.filter(SCORED_LISTS).exclude(frozen_at=None)
    return rows_of(LIST, lists.order_by("release__held_on", "release_id", "position"))


def of_list(text: str, keep: Keep = make_anew) -> tuple[str, dict[str, str], list[Row]]:
    """A list's name, the newest title of each list that there is, and what each release has of this one. Two queries.

    `keep` may know already what a list comes to.

    Raises NotOnRecord, with the nearest names, where there is no such list.
    """
    all_lists = known_lists()
    titles = {list_row["name"]: list_row["title"] for list_row in all_lists}
    name = text.lower()
    if name not in titles:
        raise NotOnRecord("list", text, nearest_names(text, titles))
    return name, titles, keep(f"analysis-1:{name}", lambda: _count_lists(name, all_lists))


def _count_lists(name: str, all_lists: list[Row]) -> list[Row]:
    """What each release has of a list. One query."""
    lists = [list_row for list_row in all_lists if list_row["name"] == name]
    entries: dict[int, list[Entry]] = {list_row["pk"]: [] for list_row in lists}
    list_entries = ListEntry.objects.filter(ranked_list__in=entries).annotate(family=FAMILY)
    for row in rows_of(ENTRY, list_entries):
        entries[row["of"]].append(row)
    slugs = {list_row["release"] for list_row in lists}
    return [
        _list_heading(list_row, slugs) | in_numbers(entries[list_row["pk"]], list_row["complete"]) for list_row in lists
    ]


def _list_heading(list_row: Row, slugs: set[str]) -> Row:
    """The head of a row; `recomputed`: the same release has its list computed anew beside it."""
    return {key: list_row[key] for key in HEAD} | {"recomputed": f"{list_row['release']}-recomputed" in slugs}


def in_numbers(entries: Sequence[Entry], complete: bool) -> Row:
    """What one list comes to. Bandwidth in GiB/s; scores have no unit, per client node neither.

    Withdrawn runs are counted apart and nowhere else. Of a list known by its first ranks only, counts and sums are
    those of the known entries, and there is no median.
    """
    standing = [entry for entry in entries if entry["withdrawn_at"] is None]
    scores = [entry["score"] for entry in standing if entry["score"] is not None]
    bandwidths = [entry["bandwidth_gib_per_s"] for entry in standing if entry["bandwidth_gib_per_s"] is not None]
    shares = [
        entry["score"] / entry["client_nodes"]
        for entry in standing
        if entry["client_nodes"] and entry["score"] is not None
    ]
    families = Counter(entry["family"] for entry in standing if entry["family"])
    return {
        "entries": len(standing),
        "institutions": len({entry["institution"] for entry in standing if entry["institution"]}),
        "new": sum(entry["new"] for entry in standing),
        "withdrawn": len(entries) - len(standing),
        "bandwidth_gib_per_s": sum(bandwidths) if bandwidths else None,
        "with_bandwidth": len(bandwidths),
        "best_score": max(scores, default=None),
        "median_score": median(scores) if complete and scores else None,
        "best_score_per_client": max(shares, default=None),
        "median_score_per_client": median(shares) if complete and shares else None,
        "with_client_nodes": len(shares),
        "filesystems": [
            {"name": name, "entries": count}
            for name, count in sorted(families.items(), key=lambda pair: (-pair[1], pair[0].casefold()))
        ],
    }
