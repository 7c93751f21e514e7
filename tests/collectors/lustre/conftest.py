"""Lustre nodes: constructed ones with any file and any command's output, and the recorded ones."""

import json

import pytest

from collectors.node.commands import Recorded
from collectors.node.node_access import NodeAccess
from collectors.probe_results import Fact, Missing
from tests.collectors.machine.conftest import Node, Said, node, recorded_node  # noqa: F401  (fixtures)

MOUNT = "ffff88105db50000"


class LustreNode(Node):
    """A node of which tests also write what commands print."""

    commands: list = []

    def command(self, argv, output="", status=0, error=""):
        entry = {"argv": argv.split(), "rc": status, "stdout": output, "stderr": error}
        self.commands = [*self.commands, entry]
        self.recording = self.root.parent / "commands.json"
        self.recording.write_text(json.dumps({"commands": self.commands}))
        return self

    def door_at(self, test_directory):
        recorded = Recorded(str(self.recording)) if self.recording else None
        return NodeAccess(str(self.root), recorded, environment={}, test_directory=test_directory)

    def said_of(self, probes, door=None):
        """What several probes say, those that apply here."""
        door = door or self.door()
        return Said(piece for probe in probes if probe.applies(door) for piece in probe.parse(probe.read(door)))


@pytest.fixture
def lustre(tmp_path):
    (tmp_path / "lustre").mkdir()
    return LustreNode(tmp_path / "lustre")


def osc(target, mount=MOUNT):
    return f"fs-OST{target:04x}-osc-{mount}"


def everything(output):
    """All facts as {(id, key, value, instances)}, without their source."""
    values = {}
    for piece in output.pieces:
        if isinstance(piece, Fact):
            name = (piece.id, piece.key, type(piece.value).__name__, piece.value)
            values[name] = values.get(name, 0) + piece.instances
    return values


def gaps(output):
    return {piece.id: piece.reason for piece in output.pieces if isinstance(piece, Missing)}
