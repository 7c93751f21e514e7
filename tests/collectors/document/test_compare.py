"""Facts of nodes under readable pointers, and where they differ."""

import pytest

from collectors.document import compare, schema
from tests.collectors.nodes import client, node, set_parameter

VOLATILE = frozenset(["lustre.client.osc.grant", "node.load_before"])


def facts(document):
    return compare.node_facts(node(document), VOLATILE)


def differences(document, other):
    return [tuple(difference) for difference in compare.differences(facts(document), facts(other))]


def test_the_documents_of_these_tests_fit_the_schema():
    assert list(schema.errors(client())) == []


def test_a_pointer_has_names_instead_of_positions():
    facts_by_pointer = facts(client())
    assert facts_by_pointer["/hardware/numa/node1/cpus"] == "24-47"
    assert facts_by_pointer["/network/MT4123 20.35/rate_bit_s"] == 200000000000
    assert facts_by_pointer["/block/Example SSD 1.1/queue/scheduler"] == "none"
    assert facts_by_pointer["/os/cmdline/mitigations"] == "off"
    assert facts_by_pointer["/os/cmdline/quiet"] is True
    assert facts_by_pointer["/mounts/lustre/options/flock"] is True
    assert facts_by_pointer["/parameters/lustre.client.osc.max_rpcs_in_flight"] == 8
    assert facts_by_pointer["/parameters/vm.sysctl/vm.dirty_ratio"] == 20


def test_a_pointer_names_a_device_that_has_a_name():
    document = client()
    node(document)["network"] = [{"device": "mlx5_0", "kind": "infiniband", "rate_bit_s": 100}]
    assert facts(document)["/network/mlx5_0/rate_bit_s"] == 100


def test_slash_and_tilde_in_a_name_are_escaped():
    document = client()
    node(document)["block"] = [{"count": 1, "model": "A/B~C", "bytes": 7}]
    assert facts(document)["/block/A~1B~0C/bytes"] == 7


def test_identities_and_volatile_values_have_no_pointer():
    document, other = client(1), client(2)
    node(other)["mounts"][0]["filesystem"] = "f-00000002"
    set_parameter(other, "lustre.client.osc.grant", (0, 7))
    set_parameter(other, "node.load_before", (9.5, 1))
    assert differences(document, other) == []


def test_the_order_of_items_makes_no_difference():
    document, other = client(), client()
    second = {"count": 1, "model": "Other", "bytes": 5}
    node(document)["block"].append(second)
    node(other)["block"].insert(0, second)
    assert differences(document, other) == []


def test_one_slow_port_of_two_is_one_difference():
    document, other = client(), client()
    fast = node(other)["network"][0]
    node(other)["network"] = [dict(fast, count=1), dict(fast, count=1, rate_bit_s=100000000000)]
    ((pointer, before, after),) = differences(document, other)
    assert (pointer, before) == ("/network/MT4123 20.35/rate_bit_s", 200000000000)
    assert after == "100000000000 x1, 200000000000 x1"


def test_a_lost_drive_is_its_count():
    document, other = client(), client()
    node(other)["block"][0]["count"] = 23
    assert differences(document, other) == [("/block/Example SSD 1.1/count", 24, 23)]


def test_a_missing_item_is_one_difference():
    document, other = client(), client()
    node(other)["mounts"] = []
    assert differences(document, other) == [("/mounts/lustre/count", 1, None)]
    node(other)["block"] = []
    assert differences(other, document) == [
        ("/block/Example SSD 1.1/count", None, 24),
        ("/mounts/lustre/count", None, 1),
    ]


def test_a_difference_of_one_instance_gives_counts():
    document, other = client(), set_parameter(client(), "lustre.client.osc.active", (True, 6), (False, 1))
    assert differences(document, other) == [("/parameters/lustre.client.osc.active", True, "true x6, false x1")]


def test_a_lost_target_is_one_difference():
    document, other = client(), client()
    for name in ("lustre.client.osc.active", "lustre.client.osc.max_rpcs_in_flight"):
        value = next(entry for entry in node(other)["parameters"] if entry["id"] == name)["values"][0]
        value["instances"] = 6
    assert differences(document, other) == [("/parameters/lustre.client.osc/instances", 7, 6)]


def test_a_tunable_missing_on_one_instance_is_a_difference():
    document, other = client(), set_parameter(client(), "lustre.client.osc.active", (True, 6))
    assert differences(document, other) == [("/parameters/lustre.client.osc.active/instances", None, 6)]


@pytest.mark.parametrize(("bytes_less", "differs"), [(8192, False), (34359738368, True)])
def test_only_a_lost_module_is_a_difference_of_memory(bytes_less, differs):
    document, other = client(), client()
    node(other)["hardware"]["memory"]["total_bytes"] -= bytes_less
    assert bool(differences(document, other)) is differs


def test_one_cause_is_one_difference():
    document, other = client(), client()
    node(other)["hardware"]["memory"]["total_bytes"] //= 2
    set_parameter(other, "mem.total", (131835937, 1))
    assert [pointer for pointer, _before, _after in differences(document, other)] == ["/hardware/memory/total_bytes"]


def test_one_and_true_are_two_values():
    document = set_parameter(client(), "lustre.client.osc.max_rpcs_in_flight", (1, 7))
    other = set_parameter(client(), "lustre.client.osc.max_rpcs_in_flight", (True, 7))
    assert len(differences(document, other)) == 1


def test_a_fact_without_a_section_is_compared_as_a_parameter():
    document = client()
    del node(document)["hardware"]["memory"]["total_bytes"]
    assert facts(document)["/parameters/mem.total"] == 263671875


def test_long_texts_are_cut_to_what_the_schema_takes():
    assert len(compare.limit_length("x" * 5000)) == 1024
    assert compare.limit_length(5) == 5
