"""Descriptions of a system as other programmes ask for them, made from the system document of a bundle.

An export holds what was observed. What its form demands and the document does not tell is left out and named in
`missing`, for a person to add: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Conversion:
    """The document of the other form, and the places of it that have to be filled by hand."""

    document: dict[str, Any]
    missing: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Supplement:
    """What is known beside the description: of the run, and of the submission. Empty or None where it is not."""

    institution: str = ""
    tool_version: str = ""
    client_nodes: int | None = None
    procs_per_node: int | None = None


def names() -> tuple[str, ...]:
    return ("io500", "mlperf-storage")


def export(name: str, document: Mapping[str, Any], supplement: Supplement) -> Conversion:
    """Return the description in the form `name`. Raises LookupError where there is no such form."""
    from validators.exports import cdcl, mlperf

    forms = {"io500": cdcl.export, "mlperf-storage": mlperf.export}
    if name not in forms:
        raise LookupError(f"no form {name!r}; there are {', '.join(forms)}")
    return forms[name](document, supplement)


FILENAMES = {"io500": "system-information.json", "mlperf-storage": "system-description.json"}
"""What the programmes call the file."""
