"""Nodes with devices: constructed file by file, and the recorded ones of the shared data."""

import os

from tests.collectors.machine.conftest import node, recorded_node

__all__ = ["attributes", "link", "node", "recorded_node"]


def attributes(folder, **values):
    """{path: content} of files below a folder of /sys; `__` in a name stands for a slash."""
    return {f"{folder}/{name.replace('__', '/')}": f"{value}\n" for name, value in values.items()}


def link(node, path, target):
    """A symbolic link on the node, as sysfs has them; the target is made where it is not there."""
    place = node.root / path.lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    goal = node.root / target.lstrip("/")
    goal.mkdir(parents=True, exist_ok=True)
    place.symlink_to(os.path.relpath(goal, place.parent))
    return node
