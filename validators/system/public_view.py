"""The form of a system document that everybody may see: what it says, without which node said it.

Pseudonyms of nodes are left out. A node that differs or failed keeps a number, so that two facts about one node can
still be told to belong together. Attached and sealed files are named in the list of published files, not here: the hash
of a file from before names were taken out would let others try names out.
"""

from __future__ import annotations

import copy
from typing import Any

from validators.system.facts import Document


def public(document: Document) -> dict[str, Any]:
    """A copy of the document without members and attachments; nodes that are singled out become "node 1", "node 2"."""
    public_document = copy.deepcopy(dict(document))
    public_document.pop("attachments", None)
    for name in ("files", "seal"):
        public_document.get("run", {}).pop(name, None)
    numbers: dict[str, str] = {}
    for capture in public_document["captures"]:
        _number(capture.get("nodes_failed", []), numbers)
    for node_class in public_document["node_classes"]:
        node_class.pop("members", None)
        _number(node_class.get("outliers", []), numbers)
    return public_document


def _number(rows: list[dict[str, Any]], numbers: dict[str, str]) -> None:
    for row in rows:
        row["member"] = numbers.setdefault(row["member"], f"node {len(numbers) + 1}")
