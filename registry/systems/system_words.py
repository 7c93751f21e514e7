"""The page of a system in words and figures: what leads it, its results by benchmark, what changed. No query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from registry.models import System
from registry.presentation import numbers
from registry.presentation.charts.record_stairs import RecordPoint
from registry.presentation.reproduction_words import mark_titles
from registry.presentation.words import capitalize_sentence, format_fact
from registry.query.facts import gaps
from registry.query.facts.axes import find_axis
from registry.query.public_record import Row
from registry.systems.system_totals import SystemTotals
from validators import catalogue

PARTS = (
    *("platform", "servers", "server_cpu", "drives", "drive_model", "targets", "fabric", "usable_pib"),
    *("filesystem", "filesystem_version", "storage_software", "backend", "raid"),
)
"""Facts that say what a system is built of, in the order of the page."""
ROLES = (
    ("Client", "client_nodes", ("client_cpu", "os", "kernel", "lustre_version")),
    ("Data server", "servers", ("server_cpu", "server_kernel", "lustre_server_version")),
    ("Metadata server", "metadata_servers", ()),
)
"""Machines by role: the fact that counts them, and those that describe them."""
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


def group_rows(
    rows: Sequence[Row], places: Mapping[str, Row], leading: Mapping[str, str], *, by_system: bool = False
) -> list[Row]:
    """Results by benchmark in at most two tables, of those with a score and of the others; the ten-node IO500 apart.

    A table is {"scored", "dated", "groups"}, a group {"title", "rows"}. `places` and `leading` are by result its place
    on a list and its leading numbers. With `by_system` a row is called by its system, with release and list beside it.
    """
    groups: dict[tuple[str, bool], list[Row]] = {}
    for row in rows:
        ten = row["tool"] == "io500" and row["client_nodes"] == TEN_NODES
        words = _result_words(row, places, leading, by_system=by_system)
        groups.setdefault((row["tool"], ten), []).append(words)
    tables: dict[bool, list[Row]] = {}
    for (tool, ten), of_group in sorted(groups.items(), key=lambda item: (item[0][0] != "io500", item[0])):
        name = catalogue.tool_name(tool)
        title = f"{name}{f', {TEN_NODES} client nodes' if ten else ''}"
        scored = any(row["score"] for row in of_group)
        tables.setdefault(scored, []).append({"title": title, "rows": of_group})
    return [
        {
            "scored": scored,
            "dated": any(row["run_on"] for group in tables[scored] for row in group["rows"]),
            "groups": tables[scored],
        }
        for scored in sorted(tables, reverse=True)
    ]


def _result_words(row: Row, places: Mapping[str, Row], leading: Mapping[str, str], *, by_system: bool) -> Row:
    name = _release_and_list(row, places) or row["label"] or row["id"]
    return row | {
        "marks": mark_titles(row["reproduced"]),
        "called": row["system"] or "unnamed" if by_system else name,
        "about": name if by_system else "",
        "score_text": numbers.format_decimal(row["score"]),
        "leading": leading.get(row["id"], ""),
        "bandwidth": numbers.format_decimal(row["bandwidth_gib_per_s"]) or numbers.MISSING,
        "rate": numbers.format_decimal(row["rate_kiops"]) or numbers.MISSING,
        "clients": numbers.format_int(row["client_nodes"]) or numbers.MISSING,
        "run_on": (row.get("started") or str(row["submitted_on"] or ""))[:10],
    }


def _release_and_list(row: Row, places: Mapping[str, Row]) -> str:
    place = places[row["id"]]["title"] if row["id"] in places else ""
    return ", ".join(filter(None, [row["release_name"] or "", place]))


def overview_figures(best: Row | None, places: Mapping[str, Row], counts: Counter[str], systems: int) -> list[Row]:
    """What leads the page of a site or platform, as `lead_figures` has it: its highest score, systems and results."""
    figures = []
    if best:
        place = places.get(best["id"])
        figures.append(
            {
                "title": "Highest IO500 score",
                "value": numbers.format_decimal(best["score"]),
                "about": f"{best['system'] or 'unnamed'}, " + (f"rank {place['rank']}, " if place else "not ranked"),
                "link": f"{place['title']}, {place['release_name']}" if place else "",
                "address": f"/lists/{place['release']}/{place['list']}/" if place else "",
            }
        )
    by_tool = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        *figures,
        {"title": "Systems", "value": numbers.format_int(systems), "about": ""},
        {
            "title": "Results",
            "value": numbers.format_int(counts.total()),
            "about": ", ".join(f"{catalogue.tool_name(tool)} {numbers.format_int(count)}" for tool, count in by_tool),
        },
    ]


def order_systems(systems: Iterable[System], totals: Mapping[str, SystemTotals]) -> list[System]:
    """The highest scores first, then by name."""
    scores = {slug: own.best_score for slug, own in totals.items()}
    return sorted(systems, key=lambda system: (-scores.get(system.slug, 0.0), system.name.lower(), system.slug))


class PlaceName(NamedTuple):
    """A site or a platform as a table links to it."""

    slug: str
    name: str


def system_rows(systems: Iterable[System], totals: Mapping[str, SystemTotals]) -> list[Row]:
    """Each system with its file systems, number of results, releases and highest score, in the order given."""
    table = []
    for system in systems:
        own = totals.get(system.slug, SystemTotals())
        table.append(
            {
                "slug": system.slug,
                "name": system.name,
                "site": PlaceName(system.site.slug, system.site.name),
                "platform": system.platform and PlaceName(system.platform.slug, system.platform.name),
                "filesystems": ", ".join(sorted(own.families)),
                "results": numbers.format_int(own.results.total()),
                "releases": " to ".join(own.first_and_last),
                "score": numbers.format_decimal(own.best["score"]) if own.best else "",
                "clients": numbers.format_int(own.best["client_nodes"]) if own.best else "",
                "result": own.best["id"] if own.best else "",
            }
        )
    return table


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
            f"/results/{row['id']}/",
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
    return capitalize_sentence(find_axis(name).title)


def part_rows(rows: Sequence[Row], facts: Mapping[str, Facts]) -> list[Row]:
    """Each known part with the newest result that says it: {"name", "title", "text", "result", "since"}."""
    parts = []
    for name in PARTS:
        row = next((row for row in rows if name in facts.get(row["id"], {})), None)
        if row:
            text, since = facts[row["id"]][name], row["release_name"] or row["id"]
            parts.append({"name": name, "title": _head_of(name), "text": text, "result": row["id"], "since": since})
    return parts


def missing_parts(parts: Sequence[Row]) -> list[str]:
    """Names of the facts of parts that no result says."""
    known_names = {part["name"] for part in parts}
    return [name for name in PARTS if name not in known_names]


def missing_parts_text(missing: Sequence[str], reason: str) -> str:
    """Which parts no result says, and why the newest does not; empty where none is missing.

    `reason` is a code of registry/query/facts/gaps.py, empty where there is no result.
    """
    if missing and reason:
        return gaps.reason_text(reason, *missing)
    return f"{_head_of(missing[0])}{''.join(f', {find_axis(name).title}' for name in missing[1:])}." if missing else ""


def change_table(rows: Sequence[Row], facts: Mapping[str, Facts], places: Mapping[str, Row]) -> Row:
    """Settings that are not the same in all of the newest scored results: {"columns", "rows", "more", "ids"}.

    Oldest first. What is not known of one of them is written so, and alone makes no row. A column has the list beside
    the release where several results are of one release.
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
    heads = [name for name, _ in _name_apart(columns, places)]
    return {
        "columns": heads,
        "rows": [
            (
                _head_of(name),
                [
                    {"column": head, "text": format_fact(name, facts.get(row["id"], {}).get(name, numbers.MISSING))}
                    for head, row in zip(heads, columns, strict=True)
                ],
            )
            for name in differing[:CHANGES_SHOWN]
        ],
        "more": max(0, len(differing) - CHANGES_SHOWN),
        "ids": ",".join(row["id"] for row in columns),
    }


def _name_apart(rows: Sequence[Row], places: Mapping[str, Row]) -> list[tuple[str, str]]:
    """By result its release and its id; its list, too, where another result is of that release."""
    counts = Counter(row["release_name"] for row in rows)
    names = [_release_and_list(row, places) if counts[row["release_name"]] > 1 else row["release_name"] for row in rows]
    return [(name or row["id"], row["id"]) for name, row in zip(names, rows, strict=True)]


def machine_rows(rows: Sequence[Row], facts: Mapping[str, Facts], places: Mapping[str, Row]) -> list[Row]:
    """Machines by role, as the newest results tell of them: {"role", "nodes", "about", "seen"}.

    Results that tell the same of a role share one row; `seen` has (name, id) of each.
    """
    machines: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, str]]] = {}
    newest = rows[:CHANGES_SHOWN]
    for row, named in zip(newest, _name_apart(newest, places), strict=True):
        of_result = facts.get(row["id"], {})
        for role, count, names in ROLES:
            about = tuple(of_result[name] for name in names if name in of_result)
            if about or count in of_result:
                sources = machines.setdefault((role, of_result.get(count, ""), about), [])
                sources.append(named)
    order = [role for role, _, _ in ROLES]
    return [
        {"role": role, "nodes": nodes or numbers.MISSING, "about": ", ".join(about), "seen": sources}
        for (role, nodes, about), sources in sorted(machines.items(), key=lambda item: order.index(item[0][0]))
    ]


def most_alike(rows: Sequence[Row]) -> int:
    """How many results there are of the benchmark and client nodes that most results have, both known."""
    counts: dict[tuple[str, int], int] = {}
    for row in rows:
        if row["client_nodes"]:
            place = (row["tool"], row["client_nodes"])
            counts[place] = counts.get(place, 0) + 1
    return max(counts.values(), default=0)
