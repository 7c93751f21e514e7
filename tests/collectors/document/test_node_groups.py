"""Nodes are held against a reference: what differs is checked, and nothing of it is lost or made equal."""

import copy
import random
from itertools import pairwise

import pytest

from collectors.document import compare, fold, node_groups
from collectors.document.node_groups import Reference
from collectors.document.node_parts import NodeParts, PartsSchema
from collectors.document.parameters import registry
from tests.collectors.document.test_fold import folded, shape
from tests.collectors.nodes import client, node, set_parameter

VOLATILE = compare.volatile_of(registry())
OSC = "lustre.client.osc.max_rpcs_in_flight"


def reference_of(document):
    return Reference(document, NodeParts(document, VOLATILE), VOLATILE, PartsSchema())


def change_kernel(document, dice):
    node(document)["os"]["kernel"] = f"5.14.{dice.randrange(3)}"


def change_adapter(document, dice):
    for adapter in node(document)["network"]:
        adapter["rate_bit_s"] = dice.choice([1, 2 * 10**11])


def remove_adapters(document, dice):
    node(document)["network"] = []


def change_memory(document, dice):
    node(document)["hardware"]["memory"]["total_bytes"] -= 4096 * dice.randrange(10**6)


def change_tunable(document, dice):
    set_parameter(document, OSC, (dice.choice([1, 8, 8.5, "8", True, None]), 7))


def split_tunable(document, dice):
    set_parameter(document, OSC, (8, 6), (dice.randrange(3), 1))


def change_instances(document, dice):
    set_parameter(document, OSC, (8, dice.randrange(1, 9)))


def change_volatile(document, dice):
    set_parameter(document, "node.load_before", (dice.random(), 1))


def remove_parameter(document, dice):
    name = dice.choice(["lustre.client.osc.active", "lustre.client.osc.grant"])
    node(document)["parameters"] = [entry for entry in node(document)["parameters"] if entry["id"] != name]


def add_section(document, dice):
    document["layouts"] = [{"phase": "ior-hard", "stripe_count": dice.randrange(1, 5)}]


def change_mount(document, dice):
    node(document)["mounts"][0]["type"] = dice.choice(["lustre", "nfs"])


CHANGES = [
    *(change_kernel, change_adapter, remove_adapters, change_memory, change_tunable, split_tunable),
    *(change_instances, change_volatile, remove_parameter, add_section, change_mount),
]


def changed_clients(count):
    dice = random.Random(20261124)
    for number in range(count):
        document = client(number)
        for change in dice.sample(CHANGES, dice.randrange(4)):
            change(document, dice)
        yield document


def test_a_group_gives_back_the_document_and_the_facts_of_its_node():
    reference = reference_of(client())
    compared = 0
    for document in changed_clients(400):
        parts = NodeParts(copy.deepcopy(document), VOLATILE)
        group = reference.group_of(parts)
        if group is None or group.members:
            continue
        compared += 1
        group.members.append("seen")
        again = group.document
        node(again).pop("members", None)
        node(document).pop("members", None)
        assert again == document
        expected = compare.node_facts(parts.node, VOLATILE)
        expected.update(parts.sizes)
        assert group.facts == {pointer: value for pointer, value in expected.items() if value is not None}
        assert group.number == node_groups.sum_of_facts(expected.items())
    assert compared > 40


def test_groups_differ_in_what_their_whole_facts_differ_in():
    reference = reference_of(client())
    groups = [reference.group_of(NodeParts(document, VOLATILE)) for document in changed_clients(60)]
    groups = [group for group in groups if group is not None]
    for first, second in pairwise(groups):
        assert first.differences_from(second) == compare.differences(first.facts, second.facts)
        assert first.distance_from(second) == compare.distance(first.facts, second.facts)


@pytest.mark.parametrize(("value", "other"), [(True, 1), (False, 0), (1, True), (0, False), (0.0, False)])
def test_a_boolean_tunable_is_no_number(value, other):
    documents = [set_parameter(client(number), OSC, (value, 7)) for number in range(20)]
    set_parameter(documents[3], OSC, (other, 7))
    (node_class,) = folded(documents)["node_classes"]
    (outlier,) = node_class["outliers"]
    assert (outlier["member"], str(outlier["value"]), str(outlier["majority"])) == (
        "m-00000003",
        str(other),
        str(value),
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda document: node(document)["parameters"][0].update(source="hearsay"),
        lambda document: node(document)["parameters"][0].update(extra=1),
        lambda document: node(document)["os"].update(kernel=["5.14"]),
        lambda document: node(document)["missing"].append({"id": "x"}),
        lambda document: document["layouts"].append({"stripe_count": "all"}),
        lambda document: document.update(job={"nodes": "many"}),
        lambda document: set_parameter(document, OSC, (float("inf"), 7)),
        lambda document: node(document)["hardware"]["numa"].append({"node": "node1"}),
    ],
)
def test_a_differing_part_is_checked_against_the_schema(change):
    documents = [client(number) for number in range(5)]
    change(documents[3])
    document = folded(documents)
    assert shape(document) == [(4, 0)]
    assert len(document["captures"][0]["nodes_failed"]) == 1


def test_a_record_is_without_volatile_parameters_that_are_not_valid():
    documents = [client(number) for number in range(4)]
    for document in documents[1:]:
        node(document)["os"]["kernel"] = "5.14.0"
        set_parameter(document, "node.load_before", ("x" * 5000, 1))
    largest = folded(documents)["node_classes"][0]
    assert (largest["count"], largest["os"]["kernel"]) == (3, "5.14.0")
    assert "node.load_before" not in [entry["id"] for entry in largest["parameters"]]


def test_a_record_has_the_volatile_values_of_its_own_nodes():
    documents = [client(number) for number in range(4)]
    for document in documents[1:]:
        node(document)["os"]["kernel"] = "5.14.0"
        set_parameter(document, "node.load_before", (7.25, 1))
    largest = folded(documents)["node_classes"][0]
    (load,) = [entry for entry in largest["parameters"] if entry["id"] == "node.load_before"]
    assert load["values"][0]["value"] == 7.25


def test_nodes_of_many_kinds_are_folded_beyond_the_references(monkeypatch):
    monkeypatch.setattr(node_groups, "MOST_DIFFERENT_PARTS", 0)
    monkeypatch.setattr(fold, "MOST_REFERENCES", 2)
    documents = []
    for number in range(12):
        documents.append(client(number))
        node(documents[-1])["os"].update(kernel=f"5.{number % 4}", cmdline=[f"{number % 4}"])
    taken = fold.Fold(registry())
    for document in documents:
        taken.add(document)
    assert (
        sorted(
            group.count for near in taken.references.values() for reference in near for group in reference.all_groups()
        )
        == [3] * 4
    )
    assert shape(taken.document()) == [(3, 0)] * 4


def test_large_systems_are_folded_from_compressed_groups(monkeypatch):
    monkeypatch.setattr(node_groups, "MOST_UNCOMPRESSED", 2)
    documents = [client(number) for number in range(40)]
    for number, document in enumerate(documents):
        set_parameter(document, OSC, (100 + number, 7))
    (node_class,) = folded(documents)["node_classes"]
    assert node_class["count"] == 40
    assert len({outlier["value"] for outlier in node_class["outliers"]}) == 39
