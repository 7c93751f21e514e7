"""The imported record, as files: what the collected tables say, no more, and what the definitions explain of it."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from registry.lists.definitions import imported_definition, read_definitions
from registry.lists.ranking import Entry, Override, PublishedRow, compare_lists, rank_entries

ROOT = Path(__file__).resolve().parents[3]
HISTORY = ROOT / "registry" / "loading" / "data" / "history"
SCRIPT = ROOT / "tools" / "make_history.py"

RELEASES = json.loads((HISTORY / "releases.json").read_text(encoding="utf-8"))
RESULTS = {row["id"]: row for row in json.loads((HISTORY / "results.json").read_text(encoding="utf-8"))}
OVERRIDES = json.loads((HISTORY / "overrides.json").read_text(encoding="utf-8"))
LISTS = {
    (release_lists["release"], name): ranked_list
    for path in HISTORY.glob("lists/*.json")
    for release_lists in [json.loads(path.read_text(encoding="utf-8"))]
    for name, ranked_list in release_lists["lists"].items()
}


def table(shared: Path, name: str) -> list[dict[str, str]]:
    with (shared / "data" / "io500" / name).open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_history", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pool(release: str, name: str = "full") -> list[Entry]:
    """The entries of a list with their declared facts, as a definition sees them."""
    return [
        Entry(
            row[1],
            {"score": row[2]},
            {
                fact: RESULTS[row[1]].get(fact)
                for fact in ("institution", "system", "filesystem_type", "client_nodes", "ten_node", "opted_in")
            },
        )
        for row in LISTS[release, name]["entries"]
    ]


def published(release: str, name: str) -> list[PublishedRow]:
    return [PublishedRow(*row[:3]) for row in LISTS[release, name]["entries"]]


@pytest.mark.real_data
def test_the_files_are_what_the_script_makes(shared: Path, script: ModuleType) -> None:
    generated = script.make_history(shared / "data" / "io500")
    stored = {
        path.relative_to(HISTORY).as_posix(): path.read_text(encoding="utf-8") for path in HISTORY.rglob("*.json")
    }
    assert generated.keys() == stored.keys()
    for name, text in generated.items():
        assert text == stored[name], f"{name} is not what tools/make_history.py makes"


@pytest.mark.real_data
def test_every_published_row_is_there_as_published(shared: Path) -> None:
    expected: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in table(shared, "official_lists.csv"):
        expected[row["release"].replace("SC18*", "SC18-recomputed"), row["list"]].append(row)
    assert expected.keys() == LISTS.keys()
    for key, rows in expected.items():
        entries = LISTS[key]["entries"]
        assert len(entries) == len(rows), key
        for row, entry in zip(sorted(rows, key=lambda row: int(row["rank"])), entries, strict=True):
            result = RESULTS[entry[1]]
            published_row = {**result, **(entry[5] if len(entry) > 5 else {})}
            assert entry[0] == int(row["rank"])
            assert entry[2:5] == [float(row["score"]), float(row["bw_gib_s"]), float(row["md_kiops"])]
            assert result.get("submission", "") == row["submission_id"]
            assert result["release"] == row["entry_release"]
            for name in ("institution", "system", "filesystem_type"):
                assert published_row.get(name, "") == row[name], (key, entry)
            if row["client_nodes"]:
                assert result["client_nodes"] == int(row["client_nodes"])
        assert LISTS[key]["complete"] == (rows[0]["list_complete"] == "yes")


@pytest.mark.real_data
def test_official_values_of_every_submission_are_there(shared: Path) -> None:
    for row in table(shared, "official_submissions.csv"):
        result = RESULTS[f"io500-{row['id']}"]
        assert result.get("score") == (float(row["official_score"]) if row["official_score"] else None)
        assert result["bandwidth_gib_per_s"] == float(row["official_bw"])
        for phase in ("ior_easy_write", "mdtest_hard_read", "find"):
            assert result.get("phases", {}).get(phase.replace("_", "-")) == (float(row[phase]) if row[phase] else None)


def test_all_releases_are_in_order_and_missing_ones_are_marked() -> None:
    slugs = [release["slug"] for release in RELEASES]
    assert slugs[:4] == ["SC17", "ISC18", "SC18", "SC18-recomputed"]
    assert slugs[-1] == "SC25"
    assert [release["month"] for release in RELEASES] == sorted(release["month"] for release in RELEASES)
    isc24 = next(release for release in RELEASES if release["slug"] == "ISC24")
    assert (isc24["completeness"], isc24["lists"]) == ("missing", [])
    assert "not available" in isc24["note"]


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release["slug"])
def test_a_release_is_called_as_complete_as_its_lists_are(release: dict[str, Any]) -> None:
    complete = {LISTS[release["slug"], name]["complete"] for name in release["lists"]}
    words = {frozenset({True}): "complete", frozenset({False}): "top10", frozenset({True, False}): "partial"}
    assert release["completeness"] == words.get(frozenset(complete), "missing")
    assert release["note"]
    assert all(release["unknown_lists"].values())


@pytest.mark.parametrize(
    ("release", "name", "rows"),
    [
        ("SC17", "io500", 9),
        ("SC18", "io500", 26),
        ("SC18-recomputed", "io500", 25),
        ("ISC19", "full", 99),
        ("SC19", "ten", 25),
        ("SC19", "scc", 14),
        ("SC20", "ten", 45),
        ("ISC21", "historical", 257),
        ("ISC23", "ten-production", 2),
        ("SC25", "io500", 10),
    ],
)
def test_list_lengths(release: str, name: str, rows: int) -> None:
    assert len(LISTS[release, name]["entries"]) == rows


def test_ranks_are_positions_and_no_result_is_listed_twice() -> None:
    for key, ranked_list in LISTS.items():
        assert [row[0] for row in ranked_list["entries"]] == list(range(1, len(ranked_list["entries"]) + 1)), key
        assert len({row[1] for row in ranked_list["entries"]}) == len(ranked_list["entries"]), key


def test_the_same_run_without_a_number_is_one_result_on_all_its_lists() -> None:
    parastor = "io500-sc22-parastor-8726-42"
    assert sum(row[1] == parastor for ranked_list in LISTS.values() for row in ranked_list["entries"]) == 8
    assert sum("submission" not in result for result in RESULTS.values()) == 16


def test_two_runs_of_one_system_stay_two_results() -> None:
    assert {"io500-isc22-supermuc-ng-phase2-1371-3", "io500-isc22-supermuc-ng-phase2-1034-55"} <= RESULTS.keys()


def test_the_recomputation_of_sc18_changes_the_score_of_a_run() -> None:
    scores = {
        release: next(row[2] for row in LISTS[release, "ten"]["entries"] if row[1] == "io500-92")
        for release in ("SC18", "SC18-recomputed")
    }
    assert scores == {"SC18": 70.63, "SC18-recomputed": 44.3}


def test_deleted_rows_are_kept_and_marked() -> None:
    for number in (222, 225, 234, 243, 259, 313):
        assert "deleted" in RESULTS[f"io500-{number}"]["note"]


def test_a_tied_pair_keeps_the_ranks_it_was_published_with() -> None:
    ranks = {row[1]: row[0] for row in LISTS["ISC19", "full"]["entries"]}
    assert (ranks["io500-198"], ranks["io500-199"]) == (81, 82)


def test_no_personal_data() -> None:
    for path in HISTORY.rglob("*.json"):
        assert not re.search(r"[\w.+-]+@[\w-]+\.\w", path.read_text(encoding="utf-8")), path
    assert not any("submitter" in key for result in RESULTS.values() for key in result)


def test_data_files_are_small_with_one_fact_in_a_line() -> None:
    assert sum(path.stat().st_size for path in HISTORY.rglob("*.json")) < 1_000_000
    assert len((HISTORY / "results.json").read_text(encoding="utf-8").splitlines()) == len(RESULTS) + 2


@pytest.mark.parametrize(("release", "rows"), [("SC19", 25), ("SC20", 45)])
def test_the_definition_rebuilds_the_ten_node_list_exactly(release: str, rows: int) -> None:
    definition = next(
        candidate for candidate in read_definitions() if (candidate["name"], candidate["version"]) == ("ten", 1)
    )
    computed = rank_entries(pool(release), definition)
    assert len(computed.rows) == rows
    assert not compare_lists(published(release, "ten"), computed)
    assert [row.entry for row in computed.rows] == [row.entry for row in published(release, "ten")]


@pytest.mark.parametrize("name", ["io500", "ten"])
@pytest.mark.parametrize("release", ["ISC19", "SC19", "ISC20", "SC20", "ISC21"])
def test_each_difference_from_the_definition_is_one_override(release: str, name: str) -> None:
    definition = imported_definition(read_definitions(), name, release, [release["slug"] for release in RELEASES])
    assert definition is not None
    differences = compare_lists(published(release, name), rank_entries(pool(release), definition))
    decided = {row["result"]: row["action"] for row in OVERRIDES if (row["release"], row["list"]) == (release, name)}
    assert decided == {
        **dict.fromkeys(differences.missing, "include"),
        **dict.fromkeys(differences.surplus, "exclude"),
    }
    assert not differences.scores


@pytest.mark.parametrize("name", ["io500", "ten"])
@pytest.mark.parametrize("release", ["ISC19", "SC19", "ISC20", "SC20", "ISC21"])
def test_with_its_overrides_a_definition_gives_the_published_list(release: str, name: str) -> None:
    definition = imported_definition(read_definitions(), name, release, [release["slug"] for release in RELEASES])
    assert definition is not None
    entries = {entry.id: entry for entry in [*pool(release, name), *pool(release)]}
    overrides = [
        Override(row["result"], row["action"], row["reason"])
        for row in OVERRIDES
        if (row["release"], row["list"]) == (release, name)
    ]
    full = {entry.id for entry in pool(release)} | {override.entry for override in overrides}
    candidates = [entry for entry in entries.values() if entry.id in full]
    assert not compare_lists(published(release, name), rank_entries(candidates, definition, overrides))


def test_overrides_have_a_reason() -> None:
    counts = Counter((row["release"], row["list"]) for row in OVERRIDES)
    assert counts["ISC19", "io500"] == 20
    assert counts["ISC21", "ten"] == 16
    assert counts["SC19", "ten"] == counts["SC20", "ten"] == 0
    assert all(row["reason"].endswith(".") and row["decided_by"] for row in OVERRIDES)


@pytest.mark.parametrize("change", ["id", "score"])
def test_the_script_refuses_tables_that_contradict_themselves(tmp_path: Path, script: ModuleType, change: str) -> None:
    """Two unnumbered rows that would share an id though they differ, or a list of an unknown release."""
    columns = (
        "release,list,rank,submission_id,score,bw_gib_s,md_kiops,entry_release,institution,system,filesystem_type,"
        "client_nodes,list_complete,source,in_archive,note"
    )
    second = "SC99" if change == "id" else "SC22"
    rows = [
        "SC22,io500,1,,5,4,6.25,SC22,Site,Sys,FS,,top10-only,SC22 slides p1,no,",
        f"{second},ten,1,,5,5,5,SC22,Site,Sys,FS,,top10-only,SC22 slides p2,no,",
    ]
    (tmp_path / "official_lists.csv").write_text("\n".join([columns, *rows]) + "\n", encoding="utf-8")
    for name in ("official_submissions.csv", "index.csv"):
        (tmp_path / name).write_text("id\n", encoding="utf-8")
    with pytest.raises(SystemExit):
        script.make_history(tmp_path)
