"""`diff A B`: what differs between two described systems, by section."""

import json

import pytest

from tests.collectors.nodes import client, node, set_parameter


@pytest.fixture
def diff(collector, tmp_path):
    def run(first, second, *options, python=None, status=1):
        for name, document in (("a.json", first), ("b.json", second)):
            (tmp_path / name).write_text(json.dumps(document))
        started = {} if python is None else {"python": python}
        done = collector("diff", tmp_path / "a.json", tmp_path / "b.json", *options, **started)
        assert done.returncode == status, done.stderr + done.stdout
        return json.loads(done.stdout) if "--json" in options else done.stdout

    return run


def test_the_same_system_is_exit_status_0(oldest_and_this_python, diff):
    assert "nothing differs" in diff(client(1), client(2), python=oldest_and_this_python, status=0)


def test_volatile_values_are_left_out(diff):
    other = set_parameter(client(2), "node.load_before", (99.0, 1))
    set_parameter(other, "lustre.client.osc.grant", (5, 7))
    node(other)["mounts"][0]["filesystem"] = "f-99999999"
    other["collector"]["version"] = "9.9"
    assert diff(client(1), other, "--json", status=0) == {
        "node_classes": [
            {
                "role": ["client"],
                "a": {"class_id": "0" * 16, "count": 1},
                "b": {"class_id": "0" * 16, "count": 1},
                "differences": [],
            }
        ],
        "document": [],
    }


def test_differences_are_listed_by_section_with_both_values(diff):
    other = set_parameter(client(), "lustre.client.osc.max_rpcs_in_flight", (256, 7))
    node(other)["os"]["kernel"] = "5.14.0"
    other["layouts"][0]["stripe_count"] = -1
    text = diff(client(), other)
    assert "client: 1 node in A, 1 node in B" in text
    assert text.index("  os\n") < text.index("kernel") < text.index("  parameters\n")
    rows = [line.split() for line in text.splitlines()]
    assert ["kernel", "4.18.0-553", "5.14.0"] in rows
    assert ["lustre.client.osc.max_rpcs_in_flight", "8", "256"] in rows
    assert ["ior-easy/stripe_count", "1", "-1"] in rows


def test_json_has_pointer_values_and_unit(diff):
    document = diff(client(), set_parameter(client(), "lustre.client.osc.max_rpcs_in_flight", (256, 7)), "--json")
    assert document["node_classes"][0]["differences"] == [
        {
            "section": "parameters",
            "pointer": "/parameters/lustre.client.osc.max_rpcs_in_flight",
            "a": 8,
            "b": 256,
            "unit": "count",
        }
    ]


def test_a_value_of_one_document_only_is_shown_with_a_dash(diff):
    other = client()
    node(other)["mounts"] = []
    rows = [line.split() for line in diff(client(), other).splitlines()]
    assert ["lustre/count", "1", "-"] in rows


def test_a_class_is_compared_with_the_nearest_of_its_role(diff):
    def both():
        document = client()
        other = client(2)
        node(other)["hardware"]["cpu"]["model"] = "Other CPU"
        node(other)["class_id"] = "1" * 16
        document["node_classes"].append(node(other))
        return document

    turned = both()
    turned["node_classes"].reverse()
    assert [pair["differences"] for pair in diff(both(), turned, "--json", status=0)["node_classes"]] == [[], []]


def test_servers_are_not_compared_with_clients(diff):
    server = client()
    node(server)["role"] = ["oss"]
    text = diff(client(), server)
    assert "client: 1 node in A, none in B" in text
    assert "oss: none in A, 1 node in B" in text


def test_another_number_of_nodes_is_a_difference(diff):
    other = client()
    node(other).update(count=2, members=["m-00000001", "m-00000002"])
    assert "client: 1 node in A, 2 nodes in B" in diff(client(), other)


def test_values_that_would_move_the_cursor_are_shown_escaped(diff):
    other = client()
    node(other)["os"]["kernel"] = "5.14\x1b[2J\x07"
    assert "\x1b" not in diff(client(), other)


@pytest.mark.parametrize("junk", ["", "{", "[]", '{"schema_version": "1"}', "[" * 100000])
def test_a_file_that_is_no_system_document_is_refused(collector, tmp_path, junk):
    (tmp_path / "a.json").write_text(json.dumps(client()))
    (tmp_path / "b.json").write_text(junk)
    done = collector("diff", tmp_path / "a.json", tmp_path / "b.json")
    assert done.returncode == 1
    assert "[system." in done.stderr
    assert done.stdout == ""


def test_a_missing_file_is_a_usage_error(collector, tmp_path):
    done = collector("diff", tmp_path / "a.json", tmp_path / "b.json")
    assert done.returncode == 2
