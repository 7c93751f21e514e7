"""The form of a system document that everybody may see: what it says, without which node said it.

Pseudonyms of nodes are left out. A node that differs or failed keeps a number, so that two facts about one node can
still be told to belong together. Attached files are named in the list of published files, not here.
"""

from __future__ import annotations

import copy
from typing import Any

from validators.system.facts import Document


def public(document: Document) -> dict[str, Any]:
    """A copy of the document without members and attachments; nodes that are singled out become "node 1", "node 2"."""
    shown = copy.deepcopy(dict(document))
    shown.pop("attachments", None)
    numbers: dict[str, str] = {}
    for capture in shown["captures"]:
        _number(capture.get("nodes_failed", []), numbers)
    for one in shown["node_classes"]:
        one.pop("members", None)
        _number(one.get("outliers", []), numbers)
    return shown


def _number(rows: list[dict[str, Any]], numbers: dict[str, str]) -> None:
    for row in rows:
        row["member"] = numbers.setdefault(row["member"], f"node {len(numbers) + 1}")
