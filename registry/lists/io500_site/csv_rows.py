"""Entries of a list in the columns of io500.org's own CSV, so that whoever reads those reads ours.

Names, order and the field of ours that fills each are `data/columns.json`. What is not known stays empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from registry.models import Result
from registry.query import public_record
from registry.query.public_record import Row
from registry.query.responses.source_links import list_acronym
from validators.units import from_canonical

_FIELDS: dict[str, str | None] = dict(
    json.loads((Path(__file__).parent / "data" / "columns.json").read_text(encoding="utf-8"))["columns"]
)
COLUMNS = tuple(_FIELDS)
"""The columns of io500.org, in its order."""
_UNITS = {"bandwidth": "GiB/s", "rate": "kIOPS"}
_OF_RESULT = ("storage_vendor", "filesystem_name", "filesystem_version", "submitted_on", "tasks")
WITHDRAWN = "WITHDRAWN"
"""The status of a run that was withdrawn and still stands on its list; of others io500.org's is not known."""
_OF_PARAMETERS = ("procs_per_node", "metadata_servers", "data_servers")


def io500_rows(entries: Sequence[Row]) -> list[Row]:
    """One row of COLUMNS for each entry of a list of IO500 (rows of `public_record.ENTRY`). Two queries.

    Bandwidths are in GiB/s, rates in kIOPS. Figures are those that the list prints; phases that it does not print are
    those of the published archive. `id` is the place on the list, as it is there.
    """
    columns = {name: name for name in ("pk", "public_id", "score", "client_nodes", "ten_node", "opted_in", "trust")}
    columns |= {name: name for name in (*_OF_RESULT, "parameters", "snapshot")}
    results = public_record.rows_of(columns, Result.objects.filter(public_id__in=[row["result"] for row in entries]))
    by_id = {row["public_id"]: row for row in results}
    measurements = public_record.measurements_by_result(row["pk"] for row in results)
    facts_of_entries = (
        _entry_facts(entry, by_id[entry["result"]], measurements[by_id[entry["result"]]["pk"]]) for entry in entries
    )
    return [
        {name: facts.get(field) if field else None for name, field in _FIELDS.items()} for facts in facts_of_entries
    ]


def _entry_facts(entry: Row, result: Row, measurements: Iterable[Row]) -> Row:
    """What is known of an entry, by name of a field of data/columns.json."""
    list_figures: Mapping[str, Any] = result["snapshot"].get("list", {})
    archive = result["snapshot"].get("archive", {}).get("address") or result["snapshot"].get("archive_url")
    own_score = result["score"] if list_figures.get("score") is None else list_figures["score"]
    acronym = list_acronym(entry["entered"] or "")
    return {
        "position": entry["position"],
        "release": acronym,
        "list_name": acronym.lower(),
        "system_name": entry["system"],
        "institution": entry["institution"],
        "filesystem_type": entry["filesystem_type"],
        "client_nodes": result["client_nodes"] if entry["client_nodes"] is None else entry["client_nodes"],
        "score": entry["score"],
        "status": WITHDRAWN if entry["withdrawn_at"] else None,
        "own_score": own_score,
        "bandwidth_gib_per_s": entry["bandwidth_gib_per_s"],
        "rate_kiops": entry["rate_kiops"],
        **{name: result[name] for name in _OF_RESULT},
        **{name: result["parameters"].get(name) for name in _OF_PARAMETERS},
        **_declared_values(result),
        **(list_figures.get("phases") or _phase_values(measurements)),
        "repository": archive,
    }


def _declared_values(result: Row) -> Row:
    """What was declared of ranking, as 1 and 0. Both come from one table: where one is not known, neither is."""
    if result["ten_node"] is None and result["trust"] != Result.Trust.VERIFIED:
        return {}
    ten_node = None if result["ten_node"] is None else int(result["ten_node"])
    return {"ten_node": ten_node, "opted_in": int(result["opted_in"])}


def _phase_values(measurements: Iterable[Row]) -> dict[str, float]:
    """By name of a phase its number: as printed where that has the unit of io500.org."""
    return {row["op"]: _in_unit(row) for row in measurements if row["stat"] == "phase" and row["quantity"] in _UNITS}


def _in_unit(row: Row) -> float:
    unit = _UNITS[row["quantity"]]
    return float(row["printed_value"] if row["printed_unit"] == unit else from_canonical(row["value"], unit))
