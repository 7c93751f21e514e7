"""What a published archive and a list say of one result, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NAMES = {
    "score": ("Score", ""),
    "bandwidth": ("Bandwidth", "GiB/s"),
    "rate": ("Metadata", "kIOPS"),
    "client_nodes": ("Client nodes", ""),
    "tasks": ("Processes", ""),
}
_COLUMNS = {"bandwidth": "bandwidth_gib_per_s", "rate": "rate_kiops"}


def build_archive(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """Empty without an archive; else its facts, `rows` of what both say, and `disagree`, how many of them differ."""
    archive = snapshot.get("archive")
    if not archive:
        return {}
    differences = {row["what"]: row for row in archive["differences"]}
    agreeing = {what: _agreeing_values(snapshot, what) for what in _NAMES if what not in differences}
    rows = [_table_row(row["what"], row["list"], row["archive"], differs=True) for row in differences.values()]
    rows += [_table_row(what, *both, differs=False) for what, both in agreeing.items() if both]
    order = [*_NAMES, *sorted(differences)]
    rows.sort(key=lambda row: order.index(row["what"]))
    return {**archive, "rows": rows, "disagree": len(differences)}


def _agreeing_values(snapshot: Mapping[str, Any], what: str) -> tuple[float | None, float] | None:
    """What the list and the archive say of something that they do not give differently; None where no archive says."""
    archive = snapshot["archive"]
    scores = (snapshot.get("scores") or archive.get("scores") or {}).get("SCORE", {})
    values = {
        "score": scores.get("value"),
        **{name: scores.get(column) for name, column in _COLUMNS.items()},
        "client_nodes": archive.get("client_nodes"),
        "tasks": archive.get("tasks"),
    }
    value = values[what]
    return None if value is None else (snapshot.get("list", {}).get(_COLUMNS.get(what, what)), value)


def _table_row(what: str, listed: float | None, archived: float, *, differs: bool) -> dict[str, Any]:
    default = (what, "GiB/s" if what.startswith("ior-") else "kIOPS")
    name, unit = _NAMES.get(what, default)
    return {
        "what": what,
        "name": name,
        "unit": unit,
        "list": "" if listed is None else f"{listed:,.9g}",
        "archive": f"{archived:,.9g}",
        "differs": differs,
    }
