"""One document of clients' and servers': what they say of one storage system is said of one."""

from collectors.document import merge

CLIENT = {
    "captures": [],
    "node_classes": [{"class_id": "a" * 16}],
    "storage_systems": [{"name": "lustre", "type": "lustre", "usable_bytes": 9}],
}


def servers(**system):
    return {"captures": [], "node_classes": [{"class_id": "b" * 16}], "storage_systems": [system]}


def test_clients_and_servers_of_one_file_system_describe_it_together():
    server = servers(name="lustre", type="lustre", targets=[{"kind": "data", "count": 8}])
    merged = merge.merge_documents(CLIENT, [("oss.json", server)])
    assert merged["storage_systems"] == [
        {"name": "lustre", "type": "lustre", "usable_bytes": 9, "targets": [{"kind": "data", "count": 8}]}
    ]
    assert len(merged["node_classes"]) == 2
    assert CLIENT["storage_systems"] == [{"name": "lustre", "type": "lustre", "usable_bytes": 9}]


def test_contradicting_systems_are_both_kept():
    merged = merge.merge_documents(CLIENT, [("oss.json", servers(name="lustre", type="lustre", usable_bytes=10))])
    assert [system["usable_bytes"] for system in merged["storage_systems"]] == [9, 10]


def test_another_system_is_appended():
    merged = merge.merge_documents(CLIENT, [("weka.json", servers(name="weka", type="weka"))])
    assert [system["name"] for system in merged["storage_systems"]] == ["lustre", "weka"]
