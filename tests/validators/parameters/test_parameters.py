"""The registry of parameters: one file, complete, in words of its schema, equal to the list that was agreed.

What was added since then is named here.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from validators import schema
from validators.parameters import Place, groups, load_document, parameters
from validators.units import UNITS

# Words for what has no unit, and units that only configuration has.
OTHER_UNITS = {"none", "mixed", "bool", "pages", "kHz", "Gbit/s", "rpm"}
NEVER_READ = {"lustre.server.job_stats", "lustre.server.exports"}
# What collector.md calls run-critical, but the fill level, which every run changes itself.
INVALIDATING = {
    "lustre.client.osc.active",
    "lnet.ni_status",
    "lustre.server.degraded",
    "lustre.server.ha_state",
    "raid.state",
    "bench.exclusive",
    "beegfs.connections",
}
ADDED = {"bench.program": ("benchmark", "job"), "cpu.cores_per_l3": ("cpu", "client+server")}
"""Group and scope of the parameters that were added after the list had been agreed."""


@pytest.fixture(scope="module")
def agreed(shared: Path) -> dict[str, dict[str, str]]:
    with (shared / "reference" / "parameters.csv").open(newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def test_the_registry_is_valid_by_its_schema() -> None:
    assert [(error.json_path, error.message) for error in schema.errors(load_document(), "parameters.1")] == []


def test_the_ids_are_those_that_were_agreed(agreed: dict[str, dict[str, str]]) -> None:
    assert len(agreed) == 196
    assert not ADDED.keys() & agreed.keys()
    assert set(parameters()) == agreed.keys() | ADDED.keys()


def test_group_and_scope_are_those_that_were_agreed(agreed: dict[str, dict[str, str]]) -> None:
    assert {id: (p.group, p.scope) for id, p in parameters().items()} == ADDED | {
        id: (row["group"], row["scope"]) for id, row in agreed.items()
    }


def test_agreed_privileges_are_kept(agreed: dict[str, dict[str, str]]) -> None:
    """A privilege of "none" was agreed without root, and the other way round."""
    for id, row in agreed.items():
        word = row["privilege"]
        if word in ("none", "root"):
            assert parameters()[id].privilege == word, id


def test_no_id_is_defined_twice() -> None:
    ids = [entry["id"] for entry in load_document()["parameters"]]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("id", list(parameters()))
def test_every_parameter_has_a_group_unit_privilege_and_source(id: str) -> None:
    parameter = parameters()[id]
    assert parameter.group in groups()
    assert parameter.unit in UNITS or parameter.unit in OTHER_UNITS
    assert parameter.privilege
    assert parameter.paths or parameter.command or parameter.reason


@pytest.mark.parametrize("id", list(parameters()))
def test_the_words_of_a_parameter_agree_with_each_other(id: str) -> None:
    parameter = parameters()[id]
    assert parameter.roles or (parameter.scope in ("fabric", "array") and parameter.reason)
    assert (parameter.value_type == "boolean") == (parameter.unit == "bool")
    assert (parameter.value_type not in ("string", "enum")) or parameter.unit == "none"
    assert parameter.unit != "mixed" or parameter.kind == "map"
    assert parameter.value_type != "mixed" or parameter.kind == "map"
    assert parameter.redaction == "keep" or parameter.redaction_note or parameter.reason
    assert parameter.privilege == "none" or not parameter.readable_unprivileged
    for place in parameter.paths:
        assert place.path.startswith(
            {"debugfs": "/sys/kernel/debug/", "module": "/sys/module/", "sysfs": "/sys/", "procfs": "/proc/"}.get(
                place.root, "/"
            )
        )


def test_groups_are_contiguous_and_not_empty() -> None:
    group_order = list(dict.fromkeys(parameter.group for parameter in parameters().values()))
    runs = [
        p.group
        for p, q in zip(parameters().values(), [None, *parameters().values()], strict=False)
        if q is None or p.group != q.group
    ]
    assert runs == group_order == list(groups())


def test_parameters_that_are_never_read_have_a_reason_and_no_source() -> None:
    never = {id: p for id, p in parameters().items() if p.redaction == "never"}
    assert set(never) == NEVER_READ
    for parameter in never.values():
        assert (parameter.paths, parameter.command) == ((), "")
        assert parameter.reason.startswith("Never read")


def test_invalidating_parameters_are_the_agreed_ones() -> None:
    assert {id for id, p in parameters().items() if p.run_critical == "invalidating"} == INVALIDATING


def test_volatile_parameters_neither_invalidate_nor_warn() -> None:
    assert [id for id, p in parameters().items() if p.volatile and p.run_critical != "info"] == []


def test_parameters_moved_between_releases_of_lustre(shared: Path) -> None:
    """Where a parameter of a client device lies in each release is what the source code of the release says."""
    with (shared / "reference" / "lustre-param-location.csv").open(newline="") as file:
        located = {(row["device"], row["parameter"]): row for row in csv.DictReader(file)}
    checked = 0
    for id, parameter in parameters().items():
        for place in parameter.paths:
            parts = place.path.split("/lustre/", 1)[-1].split("/")
            row = located.get((parts[0], parts[-1])) if len(parts) == 3 else None
            if row is None or (place.from_release or place.to_release) == "":
                continue
            for minor in range(10, 18):
                here = int((place.from_release or "2.0")[2:]) <= minor <= int((place.to_release or "2.99")[2:])
                root = row[f"b2_{minor}"]
                if root and parts[-1] != "rpc_stats":
                    assert (root == place.root) == here, (id, minor)
                    checked += 1
    assert checked > 300


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("", "", ""),
        ("", "2.11", "up to 2.11"),
        ("2.12", "", "from 2.12 on"),
        ("2.12", "2.16", "2.12 to 2.16"),
        ("2.13", "2.13", "2.13"),
    ],
)
def test_releases_of_a_path_are_written_in_words(first: str, last: str, words: str) -> None:
    assert Place("/proc/x", "procfs", first, last).releases == words


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("unit", "bananas"),
        ("meaning", "no capital and no stop"),
        ("roles", ["ost"]),
        ("paths", [{"path": "relative", "root": "sysfs"}]),
        ("id", "With.Capitals"),
        ("privilege", ""),
        ("extra", 1),
    ],
)
def test_the_schema_refuses(field: str, wrong: object) -> None:
    changed = json.loads(json.dumps(load_document()))
    changed["parameters"][0][field] = wrong
    assert len(schema.errors(changed, "parameters.1")) == 1
