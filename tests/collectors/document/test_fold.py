"""Many node documents folded into classes, outliers and failures."""

import pytest

from collectors.document import fold, schema
from collectors.document.parameters import registry
from collectors.errors import NothingCollected, UsageError
from tests.collectors.nodes import client, node, set_parameter


def folded(documents):
    """The folded document, held against the schema."""
    taken = fold.Fold(registry())
    for document in documents:
        taken.add(document)
    system_document = taken.document()
    assert list(schema.errors(system_document)) == []
    return system_document


def shape(document):
    return [(node_class["count"], len(node_class.get("outliers", ()))) for node_class in document["node_classes"]]


def test_nodes_that_are_alike_are_one_class_with_all_its_members():
    document = folded(client(number) for number in (3, 1, 2))
    assert shape(document) == [(3, 0)]
    assert document["node_classes"][0]["members"] == ["m-00000001", "m-00000002", "m-00000003"]
    assert document["captures"][0]["nodes_reported"] == 3


def test_one_node_of_twenty_that_is_tuned_is_an_outlier_of_the_class():
    documents = [client(number) for number in range(20)]
    set_parameter(documents[7], "lustre.client.osc.max_rpcs_in_flight", (256, 7))
    document = folded(documents)
    assert shape(document) == [(20, 1)]
    assert document["node_classes"][0]["outliers"] == [
        {
            "member": "m-00000007",
            "pointer": "/parameters/lustre.client.osc.max_rpcs_in_flight",
            "value": 256,
            "majority": 8,
        }
    ]


def test_one_node_of_four_is_a_class_of_its_own():
    documents = [client(number) for number in range(4)]
    node(documents[0])["os"]["kernel"] = "5.14.0"
    document = folded(documents)
    assert shape(document) == [(3, 0), (1, 0)]
    assert document["node_classes"][0]["os"]["kernel"] == "4.18.0-553"
    assert document["node_classes"][0]["class_id"] != document["node_classes"][1]["class_id"]


def test_a_node_with_many_differences_is_its_own_class():
    documents = [client(number) for number in range(100)]
    node(documents[5])["hardware"] = {"cpu": {"model": "Other", "cores": 8}, "memory": {"total_bytes": 1000}}
    node(documents[5])["os"] = {"id": "sles", "kernel": "6.4.0", "cmdline": ["iommu=pt", "nosmt"]}
    assert shape(folded(documents)) == [(99, 0), (1, 0)]


def test_the_order_in_which_nodes_answer_does_not_matter():
    documents = [client(number) for number in range(30)]
    node(documents[3])["os"]["kernel"] = "5.14.0"
    assert folded(documents)["node_classes"] == folded(reversed(documents))["node_classes"]


def test_memory_that_differs_by_pages_makes_no_classes():
    documents = [client(number) for number in range(50)]
    for number, document in enumerate(documents):
        node(document)["hardware"]["memory"]["total_bytes"] -= 4096 * number
        set_parameter(document, "mem.total", (263671875 - 4 * number, 1))
    assert shape(folded(documents)) == [(50, 0)]


def test_roles_are_never_folded_into_each_other():
    documents = [client(number) for number in range(30)]
    node(documents[0])["role"] = ["oss"]
    document = folded(documents)
    assert [(node_class["role"], node_class["count"]) for node_class in document["node_classes"]] == [
        (["client"], 29),
        (["oss"], 1),
    ]


def test_an_outlier_belongs_to_the_class_that_it_is_nearest_to():
    documents = [client(number) for number in range(40)]
    for document in documents[20:]:
        node(document)["hardware"]["cpu"].update(model="Other CPU", cores=64, sockets=1)
    node(documents[39])["os"]["kernel"] = "5.14.0"
    system_document = folded(documents)
    other = next(
        node_class
        for node_class in system_document["node_classes"]
        if node_class["hardware"]["cpu"]["model"] == "Other CPU"
    )
    assert [(outlier["member"], outlier["pointer"]) for outlier in other["outliers"]] == [("m-00000027", "/os/kernel")]


def test_nodes_without_names_are_counted():
    documents = [client(number) for number in range(20)]
    for document in documents:
        del node(document)["members"]
    node(documents[4])["os"]["kernel"] = "5.14.0"
    system_document = folded(documents)
    assert shape(system_document) == [(20, 1)]
    assert "members" not in system_document["node_classes"][0]
    assert system_document["node_classes"][0]["outliers"][0]["member"].startswith("unnamed-")


def test_layouts_of_several_documents_are_merged():
    documents = [client(number) for number in range(3)]
    node(documents[1])["os"]["kernel"] = "5.14.0"
    documents[1]["layouts"] = [{"phase": "ior-hard", "stripe_count": 7}]
    phases = [layout["phase"] for layout in folded(documents)["layouts"]]
    assert sorted(phases) == ["ior-easy", "ior-hard"]


def without(name):
    document = client(5)
    del document[name]
    return document


def changed(**fields):
    document = client(5)
    node(document).update(fields)
    return document


@pytest.mark.parametrize(
    "junk",
    [
        None,
        [],
        "text",
        {},
        without("schema_version"),
        without("captures"),
        without("node_classes"),
        changed(count=2),
        changed(count="1"),
        changed(members=["m-00000005", "m-00000006"]),
        changed(members="m-00000005"),
        changed(members=[{"a": 1}]),
        changed(members=["x" * 1000]),
        changed(role=["king"]),
        changed(hardware=None),
        changed(hardware={"cpu": {}, "memory": {"total_bytes": "much"}}),
        changed(hardware={"cpu": {}, "memory": {}, "numa": [3]}),
        changed(parameters=[3]),
        changed(parameters=[{"id": ["a"]}]),
        changed(serial="S-123"),
        dict(client(5), schema_version="2"),
        dict(client(5), captures=[{"id": "x", "phase": "pre", "started": "yesterday"}]),
        dict(client(5), captures=client(5)["captures"] * 2),
        dict(client(5), captures=[dict(client(5)["captures"][0], duration_s=float("inf"))]),
        set_parameter(client(5), "vm.sysctl", (float("nan"), 1)),
    ],
)
def test_junk_is_a_failed_node_and_the_others_are_kept(junk):
    document = folded([client(1), junk, client(2)])
    capture = document["captures"][0]
    assert shape(document) == [(2, 0)]
    assert (capture["nodes_expected"], capture["nodes_reported"]) == (3, 2)
    assert [entry["reason"] for entry in capture["nodes_failed"]] == ["invalid_output"]


def test_a_node_that_answers_twice_counts_once():
    document = folded([client(1), client(2), client(1)])
    assert shape(document) == [(2, 0)]
    assert len(document["captures"][0]["nodes_failed"]) == 1


def test_junk_alone_ends_with_no_nodes():
    with pytest.raises(NothingCollected) as caught:
        folded(["junk"])
    assert caught.value.code == "collector.no-nodes"
    assert "1 invalid_output" in caught.value.message


def test_more_failures_than_any_machine_has_nodes_are_refused(monkeypatch):
    monkeypatch.setattr(fold, "MAX_NODES", 10)
    taken = fold.Fold(registry())
    with pytest.raises(UsageError, match="More than 10 nodes"):
        for _ in range(20):
            taken.add("junk")
