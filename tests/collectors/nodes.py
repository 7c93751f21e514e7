"""Node documents made for tests: a client with two adapters, drives, a Lustre mount and a few tunables."""

import copy
import json

CLIENT = {
    "schema_version": "1",
    "collector": {"name": "highwater", "version": "1.0.0", "redaction_profile": "default"},
    "captures": [
        {
            "id": "static",
            "phase": "static",
            "started": "2026-11-21T10:00:00Z",
            "duration_s": 0.5,
            "launcher": "local",
            "nodes_expected": 1,
            "nodes_reported": 1,
        }
    ],
    "node_classes": [
        {
            "class_id": "0" * 16,
            "role": ["client"],
            "count": 1,
            "source": "collected",
            "members": ["m-00000001"],
            "hardware": {
                "vendor": "Example",
                "cpu": {"model": "Example CPU", "sockets": 2, "cores": 48, "governor": {"performance": 48}},
                "memory": {"total_bytes": 270000000000},
                "numa": [
                    {"node": "node0", "cpus": "0-23", "total_bytes": 135000000000},
                    {"node": "node1", "cpus": "24-47", "total_bytes": 135000000000},
                ],
            },
            "os": {"id": "rhel", "kernel": "4.18.0-553", "cmdline": ["mitigations=off", "quiet"]},
            "network": [
                {
                    "count": 2,
                    "kind": "infiniband",
                    "model": "MT4123",
                    "firmware": "20.35",
                    "rate_bit_s": 200000000000,
                    "state": "active",
                }
            ],
            "block": [{"count": 24, "model": "Example SSD", "firmware": "1.1", "queue": {"scheduler": "none"}}],
            "mounts": [{"type": "lustre", "options": ["rw", "flock"], "filesystem": "f-00000001", "count": 1}],
            "parameters": [
                {
                    "id": "lustre.client.osc.active",
                    "values": [{"value": True, "instances": 7}],
                    "unit": "bool",
                    "source": "sysfs",
                },
                {
                    "id": "lustre.client.osc.max_rpcs_in_flight",
                    "values": [{"value": 8, "instances": 7}],
                    "unit": "count",
                    "source": "sysfs",
                },
                {
                    "id": "lustre.client.osc.grant",
                    "values": [{"value": 1048576, "instances": 7}],
                    "unit": "bytes",
                    "source": "sysfs",
                },
                {"id": "mem.total", "values": [{"value": 263671875, "instances": 1}], "source": "procfs"},
                {
                    "id": "node.load_before",
                    "key": "load_1min",
                    "values": [{"value": 0.5, "instances": 1}],
                    "source": "procfs",
                },
                {
                    "id": "vm.sysctl",
                    "key": "vm.dirty_ratio",
                    "values": [{"value": 20, "instances": 1}],
                    "source": "procfs",
                },
            ],
            "missing": [{"id": "lustre.client.llite.max_cached_mb", "reason": "permission_denied"}],
        }
    ],
    "layouts": [{"phase": "ior-easy", "stripe_count": 1}],
}


def client(number=1, phase="static"):
    """The document of one client, to be changed at will."""
    document = copy.deepcopy(CLIENT)
    node(document)["members"] = [f"m-{number:08x}"]
    document["captures"][0].update(id=phase, phase=phase)
    return document


def node(document):
    return document["node_classes"][0]


def set_parameter(document, name, *values):
    """Give a parameter other values: (value, instances), ..."""
    entry = next(entry for entry in node(document)["parameters"] if entry["id"] == name)
    entry["values"] = [{"value": value, "instances": instances} for value, instances in values]
    return document


def emitted(document):
    """The line that `collect --emit` prints."""
    return json.dumps(document, sort_keys=True, separators=(",", ":")).replace(" ", "\\u0020")
