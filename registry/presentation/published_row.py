"""One row of a published round, such as MLPerf Storage v3.0: what is known of it, how, and what was not read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from registry.presentation import numbers

KINDS = {
    "training": "training",
    "checkpointing": "checkpointing",
    "kv_cache": "key-value cache",
    "vector_database": "vector database",
}
ID_BASES = {
    "stated": "named with this row in the text of the review",
    "order": "inferred from the order of folders, in which ids were given; no file that was read names it",
    "order of a pair uncertain": "inferred from the order of folders; it may be that of the neighbour whose system "
    "has nearly the same name",
}
MODEL_BASES = {
    "listing": "",
    "name": "inferred from the name of the system; its folder was not seen",
    "sisters": "inferred from the other systems of the submitter; its folder was not seen",
    "not seen": "assumed, as the other rows of this kind have it; its folder was not seen",
}
FIGURES = {
    "none": "Its raw files were not read here, so the record has no number of it. That says nothing of the result.",
    "whole": "Computed here from the published files of its runs.",
    "one_run": "Those of one of five measured runs, the second of six run folders. What is published is the mean of "
    "the five, which was not read: nothing is compared or ranked with these figures.",
}
POWER_BASES = {
    "description": "rated watts of all supplies, added up from the description of the system",
    "review": "as the text of the review says",
}
_DESCRIBED = (
    ("availability", "Availability", ""),
    ("deployment", "Deployment", ""),
    ("usable_capacity_TiB", "Usable capacity", "TiB"),
    ("storage_nodes", "Storage nodes", ""),
    ("storage_drives", "Drives", ""),
    ("rack_units", "Rack units", "U"),
    ("provisioned_power_W", "Provisioned power", "W"),
    ("client_hosts", "Client hosts that are described", ""),
)


def build_published_row(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """Empty without such a row; else `rows` of name, value and how it is known, `statement`, `notes` and `beside`.

    `beside` are figures that a copy gives otherwise than the record, each in its canonical `unit`.
    """
    published = snapshot.get("published_row")
    if not published:
        return {}
    id_basis, model_basis = published["id_basis"], published["model_basis"]
    rows = [
        ("Division", published["division"], ""),
        ("Kind", KINDS.get(published["kind"], published["kind"]), ""),
        ("Model", published["model"], MODEL_BASES[model_basis]),
        ("Public id of MLCommons", _write_id(published["id"], id_basis), ID_BASES[id_basis]),
    ]
    return {
        "rows": [*rows, *_described_rows(published.get("described", {}))],
        "figures": published["figures"],
        "statement": FIGURES[published["figures"]],
        "notes": list(dict.fromkeys(limit["reason"] for limit in snapshot.get("not_comparable_for", ()))),
        "beside": [_write_difference(row) for row in published.get("copy", ())],
    }


def _write_id(public_id: str, basis: str) -> str:
    return public_id if basis == "stated" else f"{public_id} (inferred)"


def _described_rows(described: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    rows = []
    for name, title, unit in _DESCRIBED:
        if name in described:
            value = described[name]
            written = value if isinstance(value, str) else numbers.format_printed(value)
            basis = POWER_BASES.get(described.get("power_basis", ""), "") if name == "provisioned_power_W" else ""
            rows.append((title, f"{written} {unit}".strip(), basis))
    return rows


def _write_difference(row: Mapping[str, Any]) -> dict[str, str]:
    figures = {name: numbers.format_significant(row[name], 9) for name in ("record", "copy")}
    return figures | {"what": row["what"], "unit": row["unit"]}
