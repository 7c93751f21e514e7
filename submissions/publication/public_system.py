"""The form of a described system that is published: no names of nodes, and every text scrubbed like a line of a bundle.

The collector leaves out what names persons and hosts; a document that somebody wrote or changed by hand may not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from validators.scrubbing import personal
from validators.system import public_view

_VERSIONED = re.compile(r"(?:version|firmware|kernel|microcode|appliance|release|rdma_stack|agesa|packages)$")
"""Names whose values are versions: 1.6.0.326 is a firmware there and no address."""


def make_public_system(document: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a document (schema system.1) that may be shown to everybody."""
    shown: dict[str, Any] = _scrubbed(public_view.public(document), "")
    return shown


def _scrubbed(value: Any, name: str) -> Any:
    """The same value with its texts scrubbed, each as what its name says it is."""
    if isinstance(value, dict):
        about = name if name == _PACKAGES else _about(value) or name
        named = {key: about if key in _VALUES or name == _PACKAGES else key for key in value}
        return {_text(key, ""): _scrubbed(item, named[key]) for key, item in value.items()}
    if isinstance(value, list):
        return [_scrubbed(item, name) for item in value]
    return _text(value, name) if isinstance(value, str) and value else value


_PACKAGES = "packages"
"""Its values are versions, whatever the packages are called."""
_VALUES = ("values", "value", "majority", "pre", "post")
"""Fields whose meaning is told by their neighbours."""


def _about(item: Mapping[str, Any]) -> str:
    """What a value beside it is of: the entry or id of a parameter, or the end of a pointer."""
    return str(item.get("key") or item.get("id") or str(item.get("pointer", "")).rpartition("/")[2])


def _text(text: str, name: str) -> str:
    before = f"{'version' if _VERSIONED.search(name) else name}=" if name else ""
    return personal.scrub_line(before + text, personal.Names(), Counter()).removeprefix(before)
