"""Conditions have names, and lists that differ in words only are rows of one table; both expand to full definitions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from registry.lists.conditions import NamedConditions, expand_definition, expand_family, fill_words, read_conditions
from registry.lists.definitions import LISTS, read_definitions, require_valid
from registry.lists.ranking import DefinitionError

NODES = {"fact": "client_nodes", "at_least": 10, "code": "few-nodes", "otherwise": "It needs ten nodes."}
ACCEPTED = {"fact": "lists", "contains": "{name}", "code": "not-accepted", "otherwise": "It was not accepted."}
NAMED = NamedConditions(
    {"nodes@1": NODES, "accepted@1": ACCEPTED},
    {"both@1": ["accepted@1", "nodes@1"], "all@1": ["both@1"]},
)
WRITTEN = {
    "name": "hundred",
    "version": 1,
    "title": "Hundred",
    "position": 9,
    "description": "Runs on many nodes.",
    "source": "Made for a test.",
    "applies_to": {"origin": "here"},
    "pool": "results",
    "eligible": ["all@1"],
    "best_per": ["system"],
    "score": "score",
    "ties": "share",
}
TINY = {"name": "tiny", "title": "Tiny", "position": 1, "versions": {"here": 3}}
TINY["words"] = {"words": "ten", "size": "nodes"}
FAMILY = {
    "shared": {name: WRITTEN[name] for name in ("source", "applies_to", "pool", "best_per", "score", "ties")},
    "forms": {"here": {"description": "Runs on {words} nodes.", "eligible": ["{size}@1"]}},
    "lists": [TINY],
}


def write(folder: Path, name: str, content: Any) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def write_conditions(folder: Path, conditions: dict[str, Any] | None = None, **sets: list[str]) -> None:
    named = {"conditions": conditions or {"nodes@1": NODES}, "sets": {f"{name}@1": sets[name] for name in sets}}
    write(folder, "conditions.json", named)


def test_sets_of_sets_expand_in_order_with_the_name_of_the_list() -> None:
    own = {"fact": "p.scc", "is": True, "code": "student", "otherwise": "It is another."}
    body = expand_definition(WRITTEN | {"eligible": [own, "all@1"]}, NAMED)
    assert body == WRITTEN | {"eligible": [own, ACCEPTED | {"contains": "hundred"}, NODES]}


def test_a_condition_costs_one_entry(tmp_path: Path) -> None:
    shutil.copytree(LISTS, tmp_path, dirs_exist_ok=True)
    named = json.loads((LISTS / "conditions.json").read_text())
    named["conditions"]["few-tasks@1"] = {"fact": "p.tasks", "is": 1, "code": "tasks", "otherwise": "One task."}
    named["sets"]["mlperf.samples-per-second@1"].append("few-tasks@1")
    write(tmp_path, "conditions.json", named)
    before = {(body["name"], body["version"]): body for body in read_definitions()}
    changed = {
        (body["name"], body["applies_to"]["origin"])
        for body in read_definitions(tmp_path)
        if body != before[body["name"], body["version"]]
    }
    assert len(changed) == 12
    assert {origin for _, origin in changed} == {"here"}


def test_every_named_condition_and_set_is_used() -> None:
    named = read_conditions(LISTS)
    texts = [path.read_text() for path in LISTS.rglob("*.*.json")]
    family = json.loads((LISTS / "families" / "mlperf-storage.json").read_text())
    texts += [json.dumps(body["eligible"]) for body in expand_family(family)]
    texts.append(json.dumps(list(named.sets.values())))
    unused = [name for name in (*named.conditions, *named.sets) if not any(f'"{name}"' in text for text in texts)]
    assert unused == []


def test_no_condition_has_two_names() -> None:
    bodies = [json.dumps(body, sort_keys=True) for body in read_conditions(LISTS).conditions.values()]
    assert len(bodies) == len(set(bodies))


def test_a_proposed_definition_may_use_the_names() -> None:
    body = require_valid(WRITTEN | {"eligible": ["common@1"]})
    assert [condition["code"] for condition in body["eligible"]] == ["not-verified", "not-accepted-for-list"]
    assert body["eligible"][1]["contains"] == "hundred"


@pytest.mark.parametrize(
    ("eligible", "why"),
    [
        (["comon@1"], "no condition is called comon@1; did you mean common@1"),
        (["common@1", "verified@1"], "verified@1 is named twice"),
        (["common"], "does not match"),
        ([7], "is not of type 'object'"),
    ],
)
def test_a_proposal_with_names_that_do_not_expand_is_refused(eligible: list[Any], why: str) -> None:
    with pytest.raises(DefinitionError, match=why):
        require_valid(WRITTEN | {"eligible": eligible})


@pytest.mark.parametrize(
    ("sets", "why"),
    [
        ({"a": ["b@1"], "b": ["a@1"]}, "the set a@1 holds itself: a@1 > b@1 > a@1"),
        ({"a": ["a@1"]}, "the set a@1 holds itself"),
        ({"a": ["node@1"]}, "no condition is called node@1; did you mean nodes@1"),
        ({"a": ["nodes@1", "b@1"], "b": ["nodes@1"]}, "nodes@1 is named twice"),
        ({"nodes": ["nodes@1"]}, "nodes@1 is a condition and a set"),
        ({"a": []}, "a@1.*should be non-empty"),
        ({"A": ["nodes@1"]}, "'A@1' does not match"),
    ],
)
def test_sets_that_do_not_expand_are_refused(tmp_path: Path, sets: dict[str, list[str]], why: str) -> None:
    write_conditions(tmp_path, **sets)
    with pytest.raises(DefinitionError, match=rf"^conditions\.json: .*{why}"):
        read_definitions(tmp_path)


def test_a_named_condition_that_breaks_the_schema_is_refused(tmp_path: Path) -> None:
    write_conditions(tmp_path, {"nodes@1": NODES | {"at_most": 3}})
    with pytest.raises(DefinitionError, match=r"conditions\.json.*at_most"):
        read_definitions(tmp_path)


def test_a_duplicate_name_in_the_file_is_refused(tmp_path: Path) -> None:
    condition = json.dumps(NODES)
    text = f'{{"conditions": {{"nodes@1": {condition}, "nodes@1": {condition}}}, "sets": {{}}}}'
    (tmp_path / "conditions.json").write_text(text)
    with pytest.raises(DefinitionError, match=r"conditions\.json: nodes@1 stands there twice"):
        read_definitions(tmp_path)


def test_a_definition_names_the_file_of_its_unknown_name(tmp_path: Path) -> None:
    write_conditions(tmp_path)
    write(tmp_path, "hundred.1.json", WRITTEN)
    with pytest.raises(DefinitionError, match=r"^hundred\.1\.json: no condition is called all@1"):
        read_definitions(tmp_path)


def test_a_row_of_a_family_is_a_definition(tmp_path: Path) -> None:
    write_conditions(tmp_path)
    write(tmp_path, "families/sizes.json", FAMILY)
    own = {"name": "tiny", "title": "Tiny", "position": 1, "version": 3}
    assert read_definitions(tmp_path) == [WRITTEN | own | {"description": "Runs on ten nodes.", "eligible": [NODES]}]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"versions": {"there": 1}}, "tiny: no form is called there"),
        ({"words": {"size": "nodes"}}, "tiny: no word is called words"),
        ({"words": {"words": "ten", "size": "node"}}, "no condition is called node@1"),
        ({"name": "Tiny List"}, "'Tiny List' does not match"),
        ({"versions": {}}, "versions.*should be non-empty"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_row_that_makes_no_definition_is_refused(tmp_path: Path, changed: dict[str, Any], why: str) -> None:
    write_conditions(tmp_path)
    write(tmp_path, "families/sizes.json", FAMILY | {"lists": [TINY | changed]})
    with pytest.raises(DefinitionError, match=rf"^sizes\.json: .*{why}"):
        read_definitions(tmp_path)


def test_a_version_that_is_defined_twice_is_refused(tmp_path: Path) -> None:
    write_conditions(tmp_path)
    write(tmp_path, "families/sizes.json", FAMILY)
    write(tmp_path, "tiny.3.json", WRITTEN | {"name": "tiny", "version": 3, "eligible": ["nodes@1"]})
    with pytest.raises(DefinitionError, match="tiny version 3 is defined twice"):
        read_definitions(tmp_path)


def test_placeholders_are_filled_in_texts_only() -> None:
    content = {"a": ["{x} of {y}", 1, None, True], "{x}": "{ x }"}
    assert fill_words(content, {"x": "2", "y": "3"}) == {"a": ["2 of 3", 1, None, True], "{x}": "{ x }"}
