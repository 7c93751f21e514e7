"""What probes say of whole nodes has the kind, the type and the unit that the registry of parameters promises."""

import math

import pytest

from collectors.document import parameters
from collectors.node.node_access import NodeAccess
from collectors.probe_results import REASONS, Fact, Missing
from collectors.probes import BAD_TEXT, all_probes

NODES = ("lustre-client-rhel8", "lustre-oss-e1000", "plain-debian-nfs", "hostile")
TYPES = {"integer": (int,), "number": (int, float), "boolean": (bool,), "string": (str,), "enum": (str,)}
TYPES["mixed"] = TYPES["number"] + TYPES["boolean"] + TYPES["string"]


def pieces(door):
    """Everything that all probes say of a node; text that is no good is the caller's affair, as in `collect`."""
    for probe in all_probes():
        if probe.applies(door):
            try:
                yield from list(probe.parse(probe.read(door)))
            except BAD_TEXT:
                continue


def complaints(all_pieces):
    return [piece for piece in all_pieces if isinstance(piece, (Fact, Missing)) and not is_registered(piece)]


def is_registered(piece):
    parameter = parameters.registry().get(piece.id)
    if isinstance(piece, Missing):
        return parameter is not None and piece.reason in REASONS
    return parameter is not None and fits(piece, parameter)


def fits(fact, parameter):
    typed = isinstance(fact.value, TYPES[parameter["value_type"]])
    # A truth value is a number to Python.
    as_said = isinstance(fact.value, bool) <= (parameter["value_type"] in ("boolean", "mixed"))
    finite = not isinstance(fact.value, float) or math.isfinite(fact.value)
    keyed = (fact.key is not None) == (parameter["kind"] in ("map", "histogram"))
    return typed and as_said and finite and keyed and fact.instances >= 1


@pytest.mark.parametrize("name", NODES)
def test_facts_of_a_recorded_node_are_as_registered(recorded_node, name):
    all_pieces = list(pieces(recorded_node(name).door()))
    assert complaints(all_pieces) == []
    assert sum(isinstance(piece, Fact) for piece in all_pieces) > (4 if name == "hostile" else 40)


def test_facts_of_this_machine_are_as_registered():
    all_pieces = list(pieces(NodeAccess()))
    assert complaints(all_pieces) == []
    assert sum(isinstance(piece, Fact) for piece in all_pieces) > 20


@pytest.mark.parametrize(
    "fact",
    [
        Fact("kernel.version", 6, "procfs"),
        Fact("kernel.version", "6.1", "procfs", "key"),
        Fact("vm.sysctl", 10, "procfs"),
        Fact("cpu.smt", 1, "sysfs"),
        Fact("lustre.client.osc.max_rpcs_in_flight", True, "sysfs"),
        Fact("lustre.client.osc.max_rpcs_in_flight", 8, "sysfs", None, 0),
        Fact("nic.rate", math.inf, "sysfs"),
        Fact("no.such.parameter", 1, "sysfs"),
        Missing("no.such.parameter", "timeout"),
        Missing("nic.rate", "no reason"),
    ],
)
def test_a_fact_of_an_unregistered_type_fails_the_check(fact):
    assert complaints([fact]) == [fact]
