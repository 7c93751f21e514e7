"""Nodes to probe: constructed ones, file by file, and the recorded ones of the shared data."""

import tarfile

import pytest

from collectors.node.commands import Recorded
from collectors.node.node_access import NodeAccess
from collectors.probe_results import Fact, Item, Missing, Section
from tests.unpacking import extract


class Node:
    """A node's files below a folder, and what a probe says of them."""

    def __init__(self, root, recording=None):
        self.root = root
        self.recording = recording

    def put(self, files):
        """Write files from {path on the node: content}."""
        for path, content in files.items():
            place = self.root / path.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def door(self):
        return NodeAccess(str(self.root), Recorded(str(self.recording)) if self.recording else None, environment={})

    def said(self, probe, door=None):
        """What the probe says of this node."""
        door = door or self.door()
        assert probe.applies(door)
        return Said(probe.parse(probe.read(door)))


class Said:
    """What a probe said, by kind."""

    def __init__(self, pieces):
        self.pieces = list(pieces)

    def values(self, parameter, key=None):
        """{value: instances} of one parameter."""
        counts = {}
        for piece in self.pieces:
            if isinstance(piece, Fact) and (piece.id, piece.key) == (parameter, key):
                counts[piece.value] = counts.get(piece.value, 0) + piece.instances
        return counts

    def value(self, parameter, key=None):
        """The one value of a parameter."""
        (value,) = self.values(parameter, key)
        return value

    def reason(self, parameter, key=None):
        """Why a parameter is missing."""
        (gap,) = [piece for piece in self.pieces if isinstance(piece, Missing) and piece[0::3] == (parameter, key)]
        return gap.reason

    def section(self, path):
        merged = {}
        for piece in self.pieces:
            if isinstance(piece, Section) and piece.path == path:
                merged.update(piece.values)
        return merged

    def items(self, path):
        return [piece.value for piece in self.pieces if isinstance(piece, Item) and piece.path == path]


@pytest.fixture
def node(tmp_path):
    (tmp_path / "node").mkdir()
    return Node(tmp_path / "node")


@pytest.fixture(scope="session")
def recorded_node(shared, tmp_path_factory):
    """A recorded node of the shared data by its name, with its commands unless it shall have none."""
    folder = tmp_path_factory.mktemp("nodes")

    def unpacked(name, commands=True):
        if not (folder / name).exists():
            with tarfile.open(shared / "data" / "collector" / "fakeroots" / (name + ".tar.gz")) as archive:
                extract(archive, folder, filter="tar")
        return Node(folder / name / "sysroot", folder / name / "commands.json" if commands else None)

    return unpacked
