"""What changed while the benchmark ran, and how much it matters."""

import pytest

from collectors.document import drift, fold, schema
from collectors.document.parameters import registry
from tests.collectors.nodes import client, node, set_parameter


def drifted(before, after):
    """The drift of two documents, held against the schema, as (severity, pointer, pre, post, members)."""
    drift_entries = drift.drift(before, after, registry())
    assert list(schema.errors(dict(before, drift=drift_entries))) == []
    return [
        (entry["severity"], entry["pointer"], entry["pre"], entry["post"], entry["members"]) for entry in drift_entries
    ]


def folded(documents):
    taken = fold.Fold(registry())
    for document in documents:
        taken.add(document)
    return taken.document()


def test_an_unchanged_node_has_no_drift():
    assert drifted(client(), client()) == []


def test_load_and_grants_are_no_drift():
    after = set_parameter(client(), "node.load_before", (64.0, 1))
    set_parameter(after, "lustre.client.osc.grant", (0, 7))
    assert drifted(client(), after) == []


def test_drift_is_sorted_by_severity():
    after = set_parameter(client(), "lustre.client.osc.max_rpcs_in_flight", (8, 6), (256, 1))
    set_parameter(after, "lustre.client.osc.active", (True, 6), (False, 1))
    node(after)["network"][0]["rate_bit_s"] = 100000000000
    assert drifted(client(), after) == [
        ("invalidating", "/parameters/lustre.client.osc.active", True, "true x6, false x1", 1),
        ("warning", "/network/MT4123 20.35/rate_bit_s", 200000000000, 100000000000, 1),
        ("warning", "/parameters/lustre.client.osc.max_rpcs_in_flight", 8, "8 x6, 256 x1", 1),
    ]


def test_memory_that_moves_between_numa_nodes_of_a_virtual_machine_is_info():
    """A balloon does that: two of three runs on one were called invalid for it."""
    before, after = client(), client()
    node(before)["hardware"]["numa"] = [{"node": "node0", "total_bytes": 18213982208}]
    node(after)["hardware"]["numa"] = [{"node": "node0", "total_bytes": 18616635392}]
    (change,) = drifted(before, after)
    assert change == ("info", "/hardware/numa/node0/total_bytes", 18213982208, 18616635392, 1)


def kernel(after):
    node(after)["os"]["kernel"] = "5.14.0"


def memory(after):
    node(after)["hardware"]["memory"]["total_bytes"] //= 2


def governor(after):
    node(after)["hardware"]["cpu"]["governor"] = {"powersave": 48}


def link_down(after):
    node(after)["network"][0]["state"] = "down"


def drive_gone(after):
    node(after)["block"][0]["count"] = 23


def scheduler(after):
    node(after)["block"][0]["queue"]["scheduler"] = "mq-deadline"


def unmounted(after):
    node(after)["mounts"] = []


def remounted(after):
    node(after)["mounts"][0]["options"] = ["rw", "localflock"]


def target_gone(after):
    set_parameter(after, "lustre.client.osc.active", (True, 6))
    set_parameter(after, "lustre.client.osc.max_rpcs_in_flight", (8, 6))
    set_parameter(after, "lustre.client.osc.grant", (8, 6))


@pytest.mark.parametrize(
    ("change", "severity"),
    [
        (kernel, "invalidating"),
        (memory, "invalidating"),
        (governor, "warning"),
        (link_down, "invalidating"),
        (drive_gone, "invalidating"),
        (scheduler, "warning"),
        (unmounted, "invalidating"),
        (remounted, "warning"),
        (target_gone, "invalidating"),
    ],
)
def test_each_changed_parameter_has_its_severity(change, severity):
    after = client()
    change(after)
    assert drifted(client(), after)[0][0] == severity


def test_a_value_that_became_unreadable_is_info():
    after = client()
    entries = [entry for entry in node(after)["parameters"] if entry["id"] != "vm.sysctl"]
    node(after)["parameters"] = entries
    node(after)["missing"].append({"id": "vm.sysctl", "reason": "timeout"})
    assert ("info", "/parameters/vm.sysctl/vm.dirty_ratio", 20, None, 1) in drifted(client(), after)


def test_a_removed_value_is_a_change():
    after = client()
    node(after)["parameters"] = [entry for entry in node(after)["parameters"] if entry["id"] != "vm.sysctl"]
    assert ("warning", "/parameters/vm.sysctl/vm.dirty_ratio", 20, None, 1) in drifted(client(), after)


def test_many_nodes_that_changed_alike_are_one_entry():
    after = [client(number) for number in range(50)]
    for document in after:
        set_parameter(document, "vm.sysctl", (40, 1))
    assert drifted(folded(client(number) for number in range(50)), folded(after)) == [
        ("warning", "/parameters/vm.sysctl/vm.dirty_ratio", 20, 40, 50)
    ]


def test_one_node_of_many_that_changed_is_found_by_its_name():
    after = [client(number) for number in range(50)]
    node(after[7])["network"][0]["state"] = "down"
    assert drifted(folded(client(number) for number in range(50)), folded(after)) == [
        ("invalidating", "/network/MT4123 20.35/state", "active", "down", 1)
    ]


def test_an_unchanged_outlier_has_no_drift():
    def made():
        documents = [client(number) for number in range(50)]
        node(documents[7])["os"]["kernel"] = "5.14.0"
        return folded(documents)

    assert drifted(made(), made()) == []


def test_nodes_without_a_second_document_have_no_drift():
    assert drifted(folded(client(number) for number in range(5)), folded([client(2)])) == []


def nameless(documents):
    for document in documents:
        node(document).pop("members", None)
        yield document


def test_nodes_without_names_are_paired_class_by_class():
    before = [client(number) for number in range(20)]
    after = [client(number) for number in range(20)]
    node(before[3])["os"]["kernel"] = "5.14.0"
    node(after[11])["os"]["kernel"] = "5.14.0"
    assert drifted(folded(nameless(before)), folded(nameless(after))) == []
    node(after[12])["network"][0]["state"] = "down"
    changed = drifted(folded(nameless(client(number) for number in range(20))), folded(nameless(after)))
    assert ("invalidating", "/network/MT4123 20.35/state", "active", "down", 1) in changed


def test_a_change_is_a_sentence():
    after = set_parameter(client(), "vm.sysctl", (40, 1))
    (entry,) = drift.drift(client(), after, registry())
    assert drift.sentence(entry) == "warning      /parameters/vm.sysctl/vm.dirty_ratio: 20 before, 40 after (1 node)"
