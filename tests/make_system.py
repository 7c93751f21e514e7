"""Make a system document (schema system.1) of machines that don't exist, in agreement with tests/make_io500.py.

make_system()                                   ten clients with Lustre, before and after a run of make_run()
make_system(job={"nodes": 9})                   with another part of the document
make_class(role=["oss"], count=4, ...)          one more class of nodes for node_classes=[...]
make_parameter("lustre.version", "2.15.4")      one parameter; several values as [(value, instances), ...]
make_bag(files, system)                         the files of a BagIt folder with the document and the results
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

STARTED, ENDED = "2025-10-01T08:58:00Z", "2025-10-01T09:54:00Z"
TIB = 2**40


def make_parameter(id: str, value: Any, *, instances: int = 1, key: str = "", unit: str = "") -> dict[str, Any]:
    values = value if isinstance(value, list) else [(value, instances)]
    parameter: dict[str, Any] = {
        "id": id,
        "values": [{"value": reading, "instances": count} for reading, count in values],
        "source": "sysfs",
    }
    return parameter | ({"key": key} if key else {}) | ({"unit": unit} if unit else {})


def make_class(**changes: Any) -> dict[str, Any]:
    """One class of nodes: clients unless told."""
    count = changes.get("count", 10)
    return {
        "class_id": "00112233445566aa",
        "name": "client",
        "role": ["client"],
        "count": count,
        "members": [f"m-{number:08x}" for number in range(min(count, 1000))],
        "source": "collected",
        "hardware": {
            "vendor": "Maker Inc.",
            "product": "Node 7",
            "bios": {"vendor": "Maker Inc.", "version": "1.4"},
            "cpu": {"model": "Processor 64", "sockets": 2, "cores": 128, "threads": 256, "numa_nodes_per_socket": 4},
            "memory": {"total_bytes": 512 * 2**30},
        },
        "os": {"id": "rhel", "version": "9.4", "kernel": "5.14.0-427.el9.x86_64", "cmdline": ["mitigations=off"]},
        "network": [
            {
                "device": "mlx5_0",
                "count": 1,
                "kind": "infiniband",
                "rate_bit_s": 200_000_000_000,
                "state": "ACTIVE",
                "pcie": {"current_width": 8, "max_width": 16},
            }
        ],
        "block": [{"count": 2, "model": "Drive X", "firmware": "1.0", "bytes": 960_197_124_096}],
        "mounts": [{"type": "lustre", "options": ["rw", "flock"]}],
        "parameters": [
            make_parameter("lustre.version", "2.15.4"),
            make_parameter("lustre.client.osc.checksums", False, instances=8),
            make_parameter("lustre.client.osc.max_rpcs_in_flight", [(64, 7), (8, 1)]),
            make_parameter("vm.sysctl", 10, key="vm.dirty_ratio"),
        ],
        "missing": [{"id": "lustre.client.llite.max_cached_mb", "reason": "permission_denied"}],
    } | changes


def make_system(**changes: Any) -> dict[str, Any]:
    captures = [
        {"id": phase, "phase": phase, "started": time, "launcher": "srun", "nodes_expected": 10, "nodes_reported": 10}
        for phase, time in (("pre", STARTED), ("post", ENDED))
    ]
    return {
        "schema_version": "1",
        "collector": {"name": "highwater", "version": "1.0.0", "redaction_profile": "default"},
        "captures": captures,
        "system": {"name": "Testbed", "exclusive_during_run": True},
        "node_classes": [make_class()],
        "storage_systems": [
            {
                "name": "scratch",
                "type": "lustre",
                "usable_bytes": 1536 * TIB,
                "data_targets": 4,
                "metadata_targets": 2,
            }
        ],
        "job": {"nodes": 10, "ranks": 160, "ranks_per_node": 16},
        "run": {
            "command": "mpirun",
            "exit_status": 0,
            "started": "2025-10-01T08:59:00Z",
            "ended": "2025-10-01T09:53:00Z",
            "duration_s": 3240,
        },
        "drift": [],
    } | changes


def make_bag(files: dict[str, bytes], system: dict[str, Any] | bytes) -> dict[str, bytes]:
    """A bag by path, its manifest in agreement with the payload."""
    content = system if isinstance(system, bytes) else json.dumps(system).encode()
    payload = {"data/system.json": content} | {f"data/results/{path}": text for path, text in files.items()}
    manifest = "".join(f"{hashlib.sha256(text).hexdigest()}  {path}\n" for path, text in payload.items())
    declaration = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
    return {"bagit.txt": declaration, "manifest-sha256.txt": manifest.encode(), **payload}
