"""The page of a system in words and figures: what leads it, its results by benchmark, what changed. No query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from registry.presentation import numbers
from registry.presentation.charts.record_stairs import RecordPoint
from registry.query import gaps
from registry.query.axes import find_axis
from registry.query.public_record import Row
from validators import catalogue

PARTS = (
    *("platform", "servers", "server_cpu", "drives", "drive_model", "targets", "fabric", "usable_pib"),
    *("filesystem", "filesystem_version", "storage_software", "backend", "raid"),
)
"""Facts that say what a system is built of, in the order of the page."""
MACHINES = ("client_nodes", "client_cpu", "os", "kernel", "server_kernel", "lustre_version", "lustre_server_version")
"""Facts of the machines that a result was measured with."""
MOVES_ITSELF = frozenset(
    {"started", "ended", "release", "file_system_used_percent", "inodes", "shortest_write_s", "system", "institution"}
    | {"configuration", "complete", "procs", "client_nodes@archive", "tasks@archive", "started_timestamp_s"}
)
"""Facts that differ in any two runs, or say another one once more."""
CHANGES_SHOWN, COLUMNS_SHOWN = 8, 4
FIRST_CHANGES = ("client_nodes", "procs_per_node", "servers", "tool_version", "filesystem_version")
TEN_NODES = 10

Facts = Mapping[str, str]


def lead_figures(rows: Sequence[Row], place: Row | None, limit: Row | None) -> list[Row]:
    """What leads the page: {"title", "value", "unit", "about", "address"}. Rows are of one system, newest first.

    The gain since the first score stands beside the growth of the machine: a factor alone says nothing.
    """
    scored = [row for row in rows if row["score"]]
    if not scored:
        return []
    best = max(scored, key=lambda row: row["score"])
    figures = [
        {
            "title": "Highest score",
            "value": numbers.format_decimal(best["score"]),
            "unit": "",
            "about": f"rank {place['rank']}, " if place else f"{best['release_name'] or 'no release'}, on no list here",
            "link": f"{place['title']}, {place['release_name']}" if place else "",
            "address": f"/lists/{place['release']}/{place['list']}/" if place else "",
        }
    ]
    first = min(scored, key=_age_key)
    if first["id"] != best["id"] and _age_key(first) != _age_key(best):
        figures.append(
            {
                "title": f"Since the first, {first['release_name']}",
                "value": _times_text(best["score"] / first["score"]),
                "unit": "",
                "about": _growth_text(first["client_nodes"], best["client_nodes"]),
            }
        )
    per_client = _per_client(best)
    if per_client is not None:
        earlier = _per_client(first) if first["id"] != best["id"] else None
        figures.append(
            {
                "title": "Bandwidth per client node",
                "value": numbers.format_decimal(per_client),
                "unit": "GiB/s",
                "about": f"{numbers.format_decimal(earlier)} at {first['release_name']}" if earlier is not None else "",
            }
        )
    if limit:
        figures.append(
            {
                "title": "Nearest to a limit" if limit["value"] else "Limit",
                "value": limit["value"] or numbers.MISSING,
                "unit": limit["unit"],
                "about": limit["about"],
            }
        )
    return figures


def _age_key(row: Row) -> tuple[str, Any]:
    return (str(row["held_on"] or row["submitted_on"] or "9999"), 0)


def _growth_text(first: int | None, best: int | None) -> str:
    if not first or not best:
        return "growth of the machine not known"
    if first == best:
        return f"with the same {numbers.pluralize(best, 'client node')}"
    return f"with {_times_text(best / first)} client nodes"


def _times_text(factor: float) -> str:
    return f"\N{MULTIPLICATION SIGN}{numbers.NO_BREAK}{numbers.format_times(factor)}"


def _per_client(row: Row) -> float | None:
    value, clients = row["bandwidth_gib_per_s"], row["client_nodes"]
    return value / clients if value and clients else None


def group_rows(rows: Sequence[Row], lists_by_result: Mapping[str, str], leading: Mapping[str, str]) -> list[Row]:
    """Results by benchmark, those of IO500 with ten client nodes apart: {"title", "tool", "rows"}."""
    groups: dict[tuple[str, bool], list[Row]] = {}
    for row in rows:
        ten = row["tool"] == "io500" and row["client_nodes"] == TEN_NODES
        groups.setdefault((row["tool"], ten), []).append(row)
    ordered = sorted(groups.items(), key=lambda item: (item[0][0] != "io500", item[0]))
    return [
        {
            "title": f"{catalogue.descriptor(tool).get('name', tool)}{f', {TEN_NODES} client nodes' if ten else ''}",
            "tool": tool,
            "rows": [_result_words(row, lists_by_result, leading) for row in of_group],
        }
        for (tool, ten), of_group in ordered
    ]


def _result_words(row: Row, lists_by_result: Mapping[str, str], leading: Mapping[str, str]) -> Row:
    place = lists_by_result.get(row["id"], "")
    name = ", ".join(filter(None, [row["release_name"] or "", place])) or row["label"] or row["id"]
    return row | {
        "called": name,
        "score_text": numbers.format_decimal(row["score"]),
        "leading": leading.get(row["id"], ""),
        "bandwidth": numbers.format_decimal(row["bandwidth_gib_per_s"]) or numbers.MISSING,
        "rate": numbers.format_decimal(row["rate_kiops"]) or numbers.MISSING,
        "clients": numbers.format_int(row["client_nodes"]) or numbers.MISSING,
        "run_on": (row["started"] or str(row["submitted_on"] or ""))[:10],
    }


def record_points(rows: Sequence[Row]) -> list[RecordPoint]:
    """The highest IO500 score of each release, oldest first, with its client nodes.

    Results whose client nodes are not known are in no series, and so not here.
    """
    best: dict[str, Row] = {}
    for row in sorted((row for row in rows if _has_scale(row)), key=_age_key):
        if row["score"] > best.get(row["release_name"], {"score": 0.0})["score"]:
            best[row["release_name"]] = row
    return [
        RecordPoint(
            name,
            row["score"],
            numbers.pluralize(row["client_nodes"], "client node"),
        )
        for name, row in best.items()
    ]


def _has_scale(row: Row) -> bool:
    return bool(row["score"] and row["release"] and row["client_nodes"])


def stairs_title(points: Sequence[RecordPoint], rows: Sequence[Row]) -> str:
    """One sentence on the stairs: whether the machine grew with its records."""
    best: list[Row] = []
    for row in sorted((row for row in rows if _has_scale(row)), key=_age_key):
        if not best or row["score"] > best[-1]["score"]:
            best.append(row)
    clients = [row["client_nodes"] for row in best]
    if len(clients) < 2:
        return "The first score is still the highest"
    pairs = list(pairwise(clients))
    if all(after > before for before, after in pairs):
        return "Each record came with more client nodes"
    if all(after <= before for before, after in pairs):
        return "Records came without more client nodes"
    return "Some records came with more client nodes"


def _head_of(name: str) -> str:
    """The title of a fact at the head of a row."""
    title = find_axis(name).title
    return title[:1].upper() + title[1:]


def part_rows(rows: Sequence[Row], facts: Mapping[str, Facts], reason: str) -> list[Row]:
    """Each part with the newest result that says it, or why none does: {"title", "text", "since", "why"}."""
    parts = []
    for name in PARTS:
        row = next((row for row in rows if name in facts.get(row["id"], {})), None)
        part = {
            "name": name,
            "title": _head_of(name),
            "text": "",
            "since": "",
            "why": "",
            "short": find_axis(name).title,
        }
        if row is None:
            part["why"] = gaps.reason_text(reason, name) if reason else ""
        else:
            part |= {"text": facts[row["id"]][name], "result": row["id"], "since": row["release_name"] or row["id"]}
        parts.append(part)
    return parts


def change_table(rows: Sequence[Row], facts: Mapping[str, Facts]) -> Row:
    """Settings that are not the same in all of the newest scored results: {"columns", "rows", "more", "ids"}.

    Oldest first. What is not known of one of them is written so, and alone makes no row.
    """
    columns = [row for row in rows if row["score"] and row["tool"] == "io500"][:COLUMNS_SHOWN][::-1]
    if len(columns) < 2:
        return {"columns": [], "rows": [], "more": 0, "ids": ""}
    names = {name for row in columns for name in facts.get(row["id"], {})} - MOVES_ITSELF
    differing = [
        name
        for name in names
        if len({facts[row["id"]][name] for row in columns if name in facts.get(row["id"], {})}) > 1
    ]
    differing.sort(key=lambda name: (FIRST_CHANGES.index(name) if name in FIRST_CHANGES else len(FIRST_CHANGES), name))
    return {
        "columns": [row["release_name"] or row["id"] for row in columns],
        "rows": [
            (_head_of(name), [facts.get(row["id"], {}).get(name, numbers.MISSING) for row in columns])
            for name in differing[:CHANGES_SHOWN]
        ],
        "more": max(0, len(differing) - CHANGES_SHOWN),
        "ids": ",".join(row["id"] for row in columns),
    }


def machine_rows(rows: Sequence[Row], facts: Mapping[str, Facts]) -> list[Row]:
    """The machines of the newest results that say something of them: {"name", "id", "facts": [(title, text)]}."""
    machines = []
    for row in rows[:CHANGES_SHOWN]:
        of_result = facts.get(row["id"], {})
        known_facts = [(find_axis(name).title, of_result[name]) for name in MACHINES if name in of_result]
        if known_facts:
            machines.append({"name": row["release_name"] or row["id"], "id": row["id"], "facts": known_facts})
    return machines


def most_alike(rows: Sequence[Row]) -> int:
    """How many results there are of the benchmark and client nodes that most results have, both known."""
    counts: dict[tuple[str, int], int] = {}
    for row in rows:
        if row["client_nodes"]:
            place = (row["tool"], row["client_nodes"])
            counts[place] = counts.get(place, 0) + 1
    return max(counts.values(), default=0)
