"""Make registry/loading/data/history/*.json, the record of SC17 to SC25 as facts, from the collected tables.

    ./dev.py exec python tools/make_history.py [FOLDER]

FOLDER (default: $HIGHWATER_SHARED/data/io500, else ../shared/data/io500) holds official_lists.csv (the ranking truth),
official_submissions.csv (official values and declared facts) and index.csv (what the archived runs say). The same
input gives the same bytes. Only facts are kept: no text, no file and no personal data of the source.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from registry.lists.definitions import imported_definition, read_definitions  # noqa: E402
from registry.lists.ranking import (  # noqa: E402
    EXCLUDE,
    INCLUDE,
    Entry,
    Override,
    PublishedRow,
    compare_lists,
    natural_key,
    rank_entries,
)
from tools import fact_files  # noqa: E402
from tools.fact_files import line, read_table  # noqa: E402

HISTORY = ROOT / "registry" / "loading" / "data" / "history"
LIST_ORDER = ("io500", "ten", "production", "ten-production", "full", "historical", "scc")
COMMITTEE = "IO500 committee"

ALL_LISTS = "All lists are known in full."
SLIDES = "Copied from the slides of the release: {}."
TEN = "only the first ten ranks of each list"

# Slug -> (name, month of the conference, completeness, note, lists that existed but are not known).
# Months: the conferences' own dates. Completeness: what the tables hold, said in words.
RELEASES: dict[str, tuple[str, str, str, str, dict[str, str]]] = {
    "SC17": ("SC17", "2017-11", "complete", ALL_LISTS, {}),
    "ISC18": ("ISC18", "2018-06", "complete", ALL_LISTS, {}),
    "SC18": (
        "SC18",
        "2018-11",
        "complete",
        ALL_LISTS + " Scores as first published; where a run was corrected later, its bandwidth and rate are the "
        "corrected ones.",
        {},
    ),
    "SC18-recomputed": (
        "SC18*",
        "2018-11",
        "complete",
        ALL_LISTS + " The lists of SC18 with corrected metadata rates and recomputed scores.",
        {},
    ),
    "ISC19": ("ISC19", "2019-06", "complete", ALL_LISTS, {}),
    "SC19": ("SC19", "2019-11", "complete", ALL_LISTS, {}),
    "ISC20": ("ISC20", "2020-06", "complete", ALL_LISTS, {}),
    "SC20": ("SC20", "2020-11", "complete", ALL_LISTS, {}),
    "ISC21": ("ISC21", "2021-06", "complete", ALL_LISTS, {}),
    "SC21": ("SC21", "2021-11", "top10", SLIDES.format(TEN), {}),
    "ISC22": ("ISC22", "2022-05", "top10", SLIDES.format(TEN), {}),
    "SC22": ("SC22", "2022-11", "top10", SLIDES.format(TEN), {}),
    "ISC23": (
        "ISC23",
        "2023-05",
        "partial",
        SLIDES.format("the two production lists in full, the first ten ranks of the research lists")
        + " The production list was changed on 2023-08-01, after these slides: 603 dropped, 600 and 616 moved to "
        "research, 597 added to the 10-node list.",
        {},
    ),
    "SC23": (
        "SC23",
        "2023-11",
        "partial",
        SLIDES.format("the 10-node production list in full, the first ten ranks of the others"),
        {},
    ),
    "ISC24": ("ISC24", "2024-05", "missing", "No list is known: the slides of this release were not available.", {}),
    "SC24": (
        "SC24",
        "2024-11",
        "top10",
        SLIDES.format(TEN),
        {
            "io500": "The slide of the research list repeats the one of ISC23, so it was not used.",
            "ten": "The slide of the 10-node research list was not available.",
        },
    ),
    "ISC25": (
        "ISC25",
        "2025-06",
        "top10",
        SLIDES.format(TEN),
        {
            "io500": "The slide of the research list was not available.",
            "ten": "The slide of the 10-node research list was not available.",
        },
    ),
    "SC25": ("SC25", "2025-11", "top10", SLIDES.format(TEN), {}),
}

# Column of official_submissions.csv -> phase of the benchmark and unit as printed.
PHASES = {
    "ior_easy_write": "ior-easy-write",
    "mdtest_easy_write": "mdtest-easy-write",
    "ior_hard_write": "ior-hard-write",
    "mdtest_hard_write": "mdtest-hard-write",
    "find": "find",
    "ior_easy_read": "ior-easy-read",
    "mdtest_easy_stat": "mdtest-easy-stat",
    "ior_hard_read": "ior-hard-read",
    "mdtest_hard_stat": "mdtest-hard-stat",
    "mdtest_easy_delete": "mdtest-easy-delete",
    "mdtest_hard_read": "mdtest-hard-read",
    "mdtest_hard_delete": "mdtest-hard-delete",
}

Row = dict[str, str]
Record = dict[str, Any]


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else fact_files.collected("io500")
    fact_files.write({HISTORY / name: text for name, text in make_history(folder).items()})
    return 0


def make_history(folder: Path) -> dict[str, str]:
    """The text of every history file by its name, made from the three tables in `folder`."""
    listed = read_table(folder / "official_lists.csv")
    submissions = {row["id"]: row for row in read_table(folder / "official_submissions.csv")}
    archives = {row["id"]: row for row in read_table(folder / "index.csv")}
    results = _results(listed, submissions, archives)
    lists = _lists(listed, results)
    files = {
        "releases.json": _array(_releases(lists)),
        "results.json": _array(results[key] for key in sorted(results, key=natural_key)),
        "overrides.json": _array(_overrides(lists, results)),
    }
    for slug, of_release in lists.items():
        files[f"lists/{slug.lower()}.json"] = _list_file(slug, of_release)
    return files


def release_slug(printed_name: str) -> str:
    """`SC18*` cannot stand in an address; its slug says what the star means."""
    return "SC18-recomputed" if printed_name == "SC18*" else printed_name


def result_id(row: Row) -> str:
    """The public id of a listed row: io500-46 where IO500 numbers it, else made of its own facts.

    Facts (release of entry, name, score) rather than a place on a list: the same run stands on several lists, and an
    id must not move when another list becomes known.
    """
    if row["submission_id"]:
        return f"io500-{row['submission_id']}"
    name = row["system"] or row["institution"]
    return "io500-" + re.sub(r"[^a-z0-9]+", "-", f"{row['entry_release']} {name} {row['score']}".lower()).strip("-")


def _results(listed: list[Row], submissions: dict[str, Row], archives: dict[str, Row]) -> dict[str, Record]:
    results = {f"io500-{number}": _submitted_result(row, archives.get(number)) for number, row in submissions.items()}
    for row in listed:
        identifier = result_id(row)
        if identifier not in results:
            results[identifier] = _listed_result(identifier, row)
        elif not row["submission_id"]:
            _expect_same(results[identifier], row)
    return results


def _submitted_result(row: Row, archive: Row | None) -> Record:
    phases = {phase: float(row[column]) for column, phase in PHASES.items() if row[column]}
    return _without_blanks(
        {
            "id": f"io500-{row['id']}",
            "submission": row["id"],
            "release": release_slug(row["release"]),
            "institution": row["institution"],
            "system": row["system"],
            "storage_vendor": row["storage_vendor"],
            "filesystem_type": row["filesystem_type"],
            "filesystem_name": row["filesystem_name"],
            "filesystem_version": row["filesystem_version"],
            "client_nodes": _integer(row["client_nodes"]),
            "tasks": _integer(row["client_total_procs"]),
            "procs_per_node": _integer(row["client_procs_per_node"]),
            "metadata_servers": _integer(row["md_nodes"]) or None,
            "data_servers": _integer(row["ds_nodes"]) or None,
            "ten_node": _flag(row["ten_node_flag"]),
            "opted_in": _flag(row["include_in_io500"]),
            "status": row["status"] if row["status"] not in ("VALID", "listed") else "",
            "submitted_on": row["submission_date"],
            "score": _number(row["official_score"]),
            "bandwidth_gib_per_s": _number(row["official_bw"]),
            "rate_kiops": _number(row["official_md"]),
            "phases": phases,
            "benchmark_version": _version(archive),
            "measured_client_nodes": _integer(archive["nodes_measured"]) if archive else None,
            "measured_tasks": _integer(archive["tasks_measured"]) if archive else None,
            "archive_url": row["repository_url"],
            "source": "IO500 database" if row["source"] == "sql" else "IO500 slides",
        }
    )


def _version(archive: Row | None) -> str:
    version = archive["benchmark_version"] if archive else ""
    return "" if version.startswith("(") else version


def _listed_result(identifier: str, row: Row) -> Record:
    deleted = "The row was later deleted from the database as a duplicate." if row["submission_id"] else ""
    return _without_blanks(
        {
            "id": identifier,
            "submission": row["submission_id"],
            "release": release_slug(row["entry_release"]),
            "institution": row["institution"],
            "system": row["system"],
            "filesystem_type": row["filesystem_type"],
            "client_nodes": _integer(row["client_nodes"]),
            "score": _number(row["score"]),
            "bandwidth_gib_per_s": _number(row["bw_gib_s"]),
            "rate_kiops": _number(row["md_kiops"]),
            "source": "IO500 database" if row["source"] == "sql" else f"IO500 {row['source']}",
            "note": deleted,
        }
    )


def _expect_same(result: Record, row: Row) -> None:
    other = _listed_result(result["id"], row)
    if {**other, "source": ""} != {**result, "source": ""}:
        raise SystemExit(f"two different runs would share the id {result['id']}: {result} and {other}")


def _lists(listed: list[Row], results: dict[str, Record]) -> dict[str, dict[str, Record]]:
    """Release slug -> list name -> list with its entries in order of rank."""
    lists: dict[str, dict[str, Record]] = {}
    rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in listed:
        rows[release_slug(row["release"]), row["list"]].append(row)
    for slug in RELEASES:
        names = [name for name in LIST_ORDER if (slug, name) in rows]
        lists[slug] = {name: _list_record(slug, rows[slug, name], results) for name in names}
    if rows.keys() - {(slug, name) for slug in lists for name in lists[slug]}:
        raise SystemExit("a release or list of official_lists.csv is not known here")
    return {slug: of_release for slug, of_release in lists.items() if of_release}


def _list_record(slug: str, rows: list[Row], results: dict[str, Record]) -> Record:
    first = rows[0]
    database = first["source"] == "sql"
    return {
        "complete": first["list_complete"] == "yes",
        "source": f"IO500 database, list of {first['release']}" if database else f"IO500 {first['source']}",
        "entries": [_entry(row, results[result_id(row)]) for row in sorted(rows, key=lambda row: int(row["rank"]))],
    }


def _entry(row: Row, result: Record) -> list[Any]:
    """[rank, result, score, bandwidth_gib_per_s, rate_kiops, what this list prints otherwise than the result]."""
    differences: Record = {
        name: row[name] for name in ("institution", "system", "filesystem_type") if row[name] != result.get(name, "")
    }
    if row["client_nodes"] and _integer(row["client_nodes"]) != result.get("client_nodes"):
        raise SystemExit(f"{row} and {result} differ in client nodes")
    if row["note"].startswith("table score differs"):
        differences["note"] = f"Score as first published; later corrected to {result['score']:g}."
    entry = [int(row["rank"]), result["id"], float(row["score"]), float(row["bw_gib_s"]), float(row["md_kiops"])]
    return [*entry, differences] if differences else entry


def _releases(lists: dict[str, dict[str, Record]]) -> Iterable[Record]:
    for slug, (name, month, completeness, note, unknown) in RELEASES.items():
        yield {
            "slug": slug,
            "name": name,
            "month": month,
            "completeness": completeness,
            "note": note,
            "lists": list(lists.get(slug, {})),
            "unknown_lists": unknown,
        }


def _overrides(lists: dict[str, dict[str, Record]], results: dict[str, Record]) -> Iterable[Record]:
    """Each difference between a published list and its definition, where the full pool is known."""
    definitions = read_definitions()
    slugs = list(RELEASES)
    for slug, of_release in lists.items():
        for name, ranked_list in of_release.items():
            definition = imported_definition(definitions, name, slug, slugs)
            if definition is None:
                raise SystemExit(f"no definition for {name} of {slug}")
            if definition["pool"] == "full" and "full" in of_release:
                for override in _decisions(ranked_list, of_release["full"], definition, results):
                    yield {
                        "release": slug,
                        "list": name,
                        "result": override.entry,
                        "action": override.action,
                        "reason": override.reason,
                        "decided_by": COMMITTEE,
                    }


def _decisions(ranked_list: Record, full: Record, definition: Record, results: dict[str, Record]) -> list[Override]:
    """The decisions that turn the definition's list into the published one: one for each difference."""
    published = [PublishedRow(*entry[:3]) for entry in ranked_list["entries"]]
    pool = {entry[1]: pool_entry(results[entry[1]], entry[2]) for entry in full["entries"]}
    overrides: dict[str, Override] = {}
    for row in published:
        if row.entry not in pool:
            pool[row.entry] = pool_entry(results[row.entry], row.score)
            reason = "On the published list although it is not on the full list of this release."
            overrides[row.entry] = Override(row.entry, INCLUDE, reason)
    computed = rank_entries(pool.values(), definition, overrides.values())
    whys = {exclusion.entry: exclusion.why for exclusion in computed.exclusions}
    differences = compare_lists(published, computed)
    for entry in differences.surplus:
        overrides[entry] = Override(entry, EXCLUDE, _why_excluded(results[entry]))
    for entry in differences.missing:
        overrides[entry] = Override(entry, INCLUDE, _why_included(results[entry], whys[entry]))
    if differences := compare_lists(published, rank_entries(pool.values(), definition, overrides.values())):
        raise SystemExit(f"overrides do not explain {differences}")
    return sorted(overrides.values(), key=lambda override: natural_key(override.entry))


def pool_entry(result: Record, score: float) -> Entry:
    """A full list's entry as ranking takes it: the list's own score, the declared facts of the result."""
    facts = {name: result.get(name) for name in ("institution", "system", "filesystem_type", "client_nodes")}
    facts |= {"ten_node": result.get("ten_node"), "opted_in": result.get("opted_in"), "trust": "imported"}
    return Entry(result["id"], {"score": score}, facts, result.get("submitted_on", ""))


def _why_excluded(result: Record) -> str:
    reason = "The definition ranks it, the published list leaves it out; no reason is published."
    return reason + (f" The database marks it {result['status']}." if "status" in result else "")


def _why_included(result: Record, why: str) -> str:
    reason = "On the published list although the definition leaves it out: "
    if why.startswith("io500-"):
        return reason + why
    nodes = f" It declares {result['client_nodes']} client nodes." if "client_nodes" in result else ""
    return reason + why[0].lower() + why[1:] + nodes


def _integer(text: str) -> int | None:
    return int(text) if text else None


def _number(text: str) -> float | None:
    return float(text) if text else None


def _flag(text: str) -> bool | None:
    return text == "1" if text else None


def _without_blanks(record: Record) -> Record:
    return {key: value for key, value in record.items() if value not in (None, "", {})}


def _array(records: Iterable[Any], indent: str = "") -> str:
    """A JSON array with one record per line, so that a change of one fact is a change of one line."""
    return "[\n" + ",\n".join(indent + line(record) for record in records) + "\n" + indent + "]\n"


def _list_file(slug: str, of_release: dict[str, Record]) -> str:
    parts = []
    for name, ranked_list in of_release.items():
        head = f'"complete":{line(ranked_list["complete"])},"source":{line(ranked_list["source"])}'
        parts.append(f'{line(name)}:{{{head},"entries":{_array(ranked_list["entries"]).rstrip()}}}')
    return f'{{"release":{line(slug)},"lists":{{\n' + ",\n".join(parts) + "\n}}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
