"""Probes and the registry of parameters know the same ids."""

from collections import Counter

import pytest

from collectors.document import assemble, parameters
from collectors.probes import all_probes

PROBES = all_probes()
PROVIDED = Counter(name for probe in PROBES for name in probe.provides)


def test_every_id_that_a_probe_provides_is_registered():
    assert set(PROVIDED) - set(parameters.registry()) == set()


def test_every_registered_parameter_has_one_probe_or_a_reason():
    for name, parameter in parameters.registry().items():
        told_elsewhere = bool(parameter["reason"]) and not parameter["paths"] and not parameter["command"]
        assert PROVIDED[name] == 1 or (PROVIDED[name] == 0 and told_elsewhere), name


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_a_probe_runs_where_its_parameters_are_found(probe):
    registry = parameters.registry()
    for name in probe.provides:
        assert set(probe.roles) & set(registry[name]["roles"]), name


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_a_probe_declares_its_reads_and_parameters(probe):
    assert probe.id and probe.reads
    assert probe.privilege in ("none", "root")
    assert probe.cost in ("cheap", "moderate")


def test_probes_have_different_names():
    assert [name for name, count in Counter(probe.id for probe in PROBES).items() if count > 1] == []


def test_no_probe_reads_a_forbidden_file():
    read = " ".join(line for probe in PROBES for line in probe.reads)
    for word in ("job_stats", "exports/", "mb_groups", "dump_page_cache", "changelog"):
        assert word not in read


@pytest.mark.parametrize(
    ("name", "role", "reason"),
    [
        ("raid.write_cache", "oss", "disabled"),
        ("fabric.topology", "client", "disabled"),
        ("drive.spec", "oss", "disabled"),
        ("drive.spec", "client", "not_applicable"),
        ("lustre.server.job_stats", "mds", "disabled"),
        ("lustre.server.job_stats", "client", "not_applicable"),
    ],
)
def test_parameters_without_a_probe_are_missing_with_the_registered_reason(name, role, reason):
    (gap,) = [gap for gap in assemble.missing_reasons([], [], parameters.registry(), role) if gap["id"] == name]
    assert gap["reason"] == reason
    assert (gap["detail"] == parameters.registry()[name]["reason"]) == (reason == "disabled")
