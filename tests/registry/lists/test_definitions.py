"""List definitions are data: each keeps to the schema, and a newcomer adds a list by adding a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from registry.lists.definitions import (
    current_definitions,
    imported_definition,
    lower_is_better,
    name_lists,
    ranked_measure,
    read_definitions,
    tool_of,
)
from registry.lists.ranking import DefinitionError, Entry, rank_entries
from registry.query import data_files
from validators.rules import only_for

PUBLIC_NAMES = {"full", "historical", "io500", "ten", "production", "ten-production", "scc"}


def facts(**changed: Any) -> dict[str, Any]:
    """An accepted, verified run on ten client nodes of a system that is not in production."""
    return {
        "trust": "verified",
        "client_nodes": 10,
        "opted_in": True,
        "production": False,
        "reproducibility": "fully",
        "lists": sorted(PUBLIC_NAMES),
    } | changed


def why_not(name: str, **changed: Any) -> str | None:
    """The code for which the current definition of `name` leaves such a run out, or None."""
    definition = current_definitions(read_definitions())[name]
    exclusions = rank_entries(
        [Entry("a", {"score": 1.0}, facts(**{"p.scc": name == "scc"} | changed))], definition
    ).exclusions
    return exclusions[0].code if exclusions else None


def definition_of(name: str, version: int) -> dict[str, Any]:
    return next(body for body in read_definitions() if (body["name"], body["version"]) == (name, version))


def write(folder: Path, file: str, /, **changed: Any) -> Path:
    definition = definition_of("ten", 2) | changed
    path = folder / file
    path.write_text(json.dumps(definition), encoding="utf-8")
    return path


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(data_files.load_schema(data_files.LIST_DEFINITION))


def test_every_public_list_has_one_definition_for_releases_run_here() -> None:
    current = current_definitions(read_definitions())
    assert {name for name, body in current.items() if tool_of(body) == "io500"} == PUBLIC_NAMES


@pytest.mark.parametrize(
    ("name", "release", "version"),
    [("io500", "SC17", 1), ("io500", "ISC20", 1), ("io500", "SC20", 2), ("io500", "SC25", 2), ("ten", "SC19", 1)],
)
def test_the_definition_of_an_imported_release(name: str, release: str, version: int) -> None:
    releases = ["SC17", "ISC18", "SC18", "SC19", "ISC20", "SC20", "ISC21", "ISC23", "SC25"]
    definition = imported_definition(read_definitions(), name, release, releases)
    assert definition is not None
    assert definition["version"] == version


def test_a_list_that_did_not_exist_yet_has_no_definition() -> None:
    releases = ["SC17", "SC18", "ISC19", "SC19", "ISC20", "SC20", "ISC21", "ISC23", "SC25"]
    assert imported_definition(read_definitions(), "production", "SC17", releases) is None


@pytest.mark.parametrize("name", ["ten", "ten-production"])
@pytest.mark.parametrize("nodes", [None, 9, 11])
def test_the_ten_node_lists_take_exactly_ten(name: str, nodes: int | None) -> None:
    production = name == "ten-production"
    assert why_not(name, client_nodes=nodes, production=production) == "not-ten-client-nodes"
    assert why_not(name, client_nodes=10, production=production) is None


@pytest.mark.parametrize("name", ["io500", "production"])
def test_the_ranked_lists_take_ten_or_more(name: str) -> None:
    production = name == "production"
    assert why_not(name, client_nodes=9, production=production) == "fewer-than-ten-client-nodes"
    assert why_not(name, client_nodes=300, production=production) is None


@pytest.mark.parametrize(("research", "production"), [("io500", "production"), ("ten", "ten-production")])
def test_a_run_is_on_research_or_production_never_both(research: str, production: str) -> None:
    for awarded in (True, False, None):
        on = [name for name in (research, production) if why_not(name, production=awarded) is None]
        assert on == [production if awarded else research]


@pytest.mark.parametrize(
    ("level", "listed"),
    [
        ("undefined", {"full", "historical", "scc"}),
        ("limited", {"full", "historical", "scc"}),
        ("proprietary", {"full", "historical", "scc", "io500", "ten"}),
        ("fully", PUBLIC_NAMES - {"production", "ten-production"}),
    ],
)
def test_the_awarded_level_caps_the_list(level: str, listed: set[str]) -> None:
    assert {name for name in PUBLIC_NAMES if why_not(name, reproducibility=level) is None} == listed
    for name in ("production", "ten-production"):
        expected = None if level == "fully" else "reproducibility-too-low"
        assert why_not(name, reproducibility=level, production=True) == expected


@pytest.mark.parametrize("name", ["io500", "ten", "production", "ten-production"])
def test_a_student_run_ranks_only_on_the_student_list(name: str) -> None:
    production = "production" in name
    assert why_not(name, production=production, **{"p.scc": True}) == "student-run"
    assert why_not(name, production=production, **{"p.scc": None}) is None
    assert why_not("scc", **{"p.scc": True}) is None
    for not_said in (False, None):
        assert why_not("scc", **{"p.scc": not_said}) == "not-a-student-run"


def test_the_best_run_of_a_system_ranks_and_the_others_have_a_reason() -> None:
    definition = current_definitions(read_definitions())["io500"]
    same = facts(institution="North Lab", system="Fjord", filesystem_type="Lustre")
    ranking = rank_entries(
        [Entry(name, {"score": score}, same) for name, score in (("slow", 1.0), ("fast", 2.0))], definition
    )
    assert [row.entry for row in ranking.rows] == ["fast"]
    assert [row.entry for row in ranking.exclusions] == ["slow"]


@pytest.mark.parametrize("name", sorted(PUBLIC_NAMES))
@pytest.mark.parametrize("trust", ["imported", "reported"])
def test_only_verified_results_are_ranked_here(name: str, trust: str) -> None:
    assert why_not(name, trust=trust) == "not-verified"


@pytest.mark.parametrize("name", sorted(PUBLIC_NAMES - {"historical"}))
def test_a_list_takes_only_what_was_accepted_for_it(name: str) -> None:
    assert why_not(name, lists=["another"]) == "not-accepted-for-list"


def test_a_newcomer_adds_a_list_with_one_file(tmp_path: Path) -> None:
    write(tmp_path, "hundred.1.json", name="hundred", version=1)
    assert set(current_definitions(read_definitions(tmp_path))) == {"hundred"}


@pytest.mark.parametrize(
    "changed",
    [
        {"ties": "coin"},
        {"score": "reputation"},
        {"name": "Ten Nodes"},
        {"version": 0},
        {"pool": "everything"},
        {"best_per": ["colour"]},
        {"eligible": [{"fact": "client_nodes", "code": "x", "otherwise": "No."}]},
        {"eligible": [{"fact": "client_nodes", "is": 1, "at_least": 1, "code": "x", "otherwise": "No."}]},
        {"eligible": [{"fact": "client_nodes", "is": 1, "code": "x", "otherwise": "no sentence"}]},
        {"applies_to": {"origin": "imported"}},
        {"colour": "red"},
    ],
)
def test_a_definition_that_breaks_the_schema_is_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    write(tmp_path, "ten.2.json", **changed)
    with pytest.raises(DefinitionError, match=r"ten\.2\.json"):
        read_definitions(tmp_path)


def test_a_file_must_be_called_by_its_name_and_version(tmp_path: Path) -> None:
    write(tmp_path, "ten.3.json")
    with pytest.raises(DefinitionError, match="ten version 2"):
        read_definitions(tmp_path)


def test_the_newest_version_makes_the_lists_of_releases_run_here(tmp_path: Path) -> None:
    for version in (9, 10, 2):
        write(tmp_path, f"ten.{version}.json", version=version)
    assert current_definitions(read_definitions(tmp_path))["ten"]["version"] == 10


# Lists that rank a measurement of another tool


def ranking(folder: Path, **changed: Any) -> None:
    definition = definition_of("fio-seq-write", 1)
    definition["ranks"] |= changed
    (folder / "fio-seq-write.1.json").write_text(json.dumps(definition), encoding="utf-8")


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"tool": "dd"}, "no benchmark 'dd'"),
        ({"quantity": "happiness"}, "fio has no happiness of write"),
        ({"unit": "furlong"}, "furlong is no unit of bandwidth"),
        ({"unit": "s"}, "s is no unit of bandwidth"),
    ],
)
def test_quantities_without_a_descriptor_cannot_be_ranked(tmp_path: Path, changed: dict[str, Any], why: str) -> None:
    ranking(tmp_path, **changed)
    with pytest.raises(DefinitionError, match=why):
        read_definitions(tmp_path)


def test_the_better_direction_comes_from_the_descriptor() -> None:
    bandwidth = current_definitions(read_definitions())["fio-seq-write"]
    assert not lower_is_better(bandwidth)
    assert lower_is_better(bandwidth | {"ranks": bandwidth["ranks"] | {"quantity": "latency", "unit": "us"}})


def test_a_definition_ranks_a_score_or_a_measurement_never_both(tmp_path: Path) -> None:
    write(tmp_path, "ten.2.json", ranks=current_definitions(read_definitions())["fio-seq-write"]["ranks"])
    with pytest.raises(DefinitionError, match=r"ten\.2\.json"):
        read_definitions(tmp_path)


@pytest.mark.parametrize("body", current_definitions(read_definitions()).values(), ids=lambda body: body["name"])
def test_a_list_of_another_tool_has_its_conditions(body: dict[str, Any]) -> None:
    if tool_of(body) != "io500":
        assert "Comparable:" in body["description"]
        assert ranked_measure(body)["unit"]


@pytest.mark.parametrize(
    ("lists", "sentence"),
    [
        (["scc"], "Only for the list Student Cluster Competition."),
        (["ten", "ten-production"], "Only for the lists 10-node Research and 10-node Production."),
    ],
)
def test_rules_of_lists_have_titles_on_pages(lists: list[str], sentence: str) -> None:
    assert name_lists(only_for(lists)) == sentence


def test_other_reasons_name_no_list() -> None:
    assert name_lists("tasks is not known.") == "tasks is not known."
