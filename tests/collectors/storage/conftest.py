"""Clients of other file systems and jobs: constructed files, recorded commands, an environment, a command line."""

import json

import pytest

from collectors.node.commands import Recorded
from collectors.node.node_access import NodeAccess
from collectors.probe_results import Fact, Missing
from tests.collectors.machine.conftest import Node, Said, recorded_node  # noqa: F401  (a fixture)


class Client(Node):
    """A node of which a test also says what commands print, what is set and what `run` was given."""

    def __init__(self, root):
        super().__init__(root)
        self.commands, self.environment = [], {}
        self.test_directory = self.benchmark_argv = None

    def command(self, argv, output="", status=0, error=""):
        self.commands.append({"argv": argv.split(), "rc": status, "stdout": output, "stderr": error})
        return self

    def mounted(self, *lines):
        return self.put({"/proc/mounts": "".join(line + " 0 0\n" for line in lines)})

    def door(self):
        recording = self.root.parent / "commands.json"
        recording.write_text(json.dumps({"commands": self.commands}))
        recorded = Recorded(str(recording))
        return NodeAccess(str(self.root), recorded, self.environment, self.test_directory, self.benchmark_argv)


@pytest.fixture
def client(tmp_path):
    (tmp_path / "client").mkdir()
    return Client(tmp_path / "client")


@pytest.fixture
def sample(shared):
    def text(name):
        return (shared / "data" / "collector" / "samples" / name).read_text(errors="replace")

    return text


def facts(output, parameter):
    """{key: value} of a map parameter, each entry of which has one value."""
    values = {}
    for piece in output.pieces:
        if isinstance(piece, Fact) and piece.id == parameter:
            assert piece.key not in values or values[piece.key] == piece.value
            values[piece.key] = piece.value
    return values


def gaps(output):
    return {piece.id: piece.reason for piece in output.pieces if isinstance(piece, Missing)}


__all__ = ["Client", "Said", "facts", "gaps"]
