"""Rows of MLPerf Storage v3.0 in the form of a table of results: registry/loading/data/tables/mlperf-storage-v3.0.json.

The names of the rows are a reconstruction: from the folders of the published tree and from the text of its review.
Figures stand only where our own reader found them in raw files. `published_row` of a row keeps which of this is known:

    division, submitter, system, kind, model   its folder in the tree; `model_basis` how the model is known
    id, id_inferred, id_basis                  the public id of MLCommons, stated or inferred; part of no address here
    figures                                    whole, one_run or none, with `runs_read` and `runs_counted`
    described                                  what the description of its system says, with units in the names
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from registry.loading.mlperf_facts import COUNTED_RUNS, RUN, keep_single_run
from registry.loading.mlperf_folders import Key, published_folder
from registry.query.responses import declared_limits
from validators import VERSION
from validators.units import to_canonical

TABLE = Path(__file__).parent / "data" / "tables" / "mlperf-storage-v3.0.json"
ROW = "published_row"
DERIVED = "derived"
"""The trust of a row with figures: written out, since scripts read this module without a database."""
ALL_RUNS, ONE_RUN, NONE = "whole", "one_run", "none"
LISTED = "listing"
"""The basis of a model whose folder was seen."""
ONE_RUN_REASON = (
    "The figures are those of one of five measured runs. What is published is the mean of the five, which was not read."
)
_RANKS_MISSING = "mlperf-storage.ranks-missing"
_TOLERANCE = 1e-6

Row = dict[str, Any]


def read_table() -> list[Row]:
    """The rows that are shipped."""
    rows: list[Row] = json.loads(TABLE.read_text(encoding="utf-8"))["results"]
    return rows


def row_key(row: Row) -> Key:
    """Division, submitter, system, kind and model; the model is empty where its folder was not seen."""
    published = row[ROW]
    model = published["model"] if published["model_basis"] == LISTED else ""
    return (published["division"], published["submitter"], published["system"], published["kind"], model)


def with_folder(row: Row, key: Key) -> Row:
    """The row with its folder as source, and the model of that folder."""
    published = row[ROW] | {"model": key[4], "model_basis": LISTED}
    return row | {ROW: published, "source": f"MLPerf Storage v3.0, {published_folder(key)}"}


def without_figures(row: Row) -> Row:
    """The row with what its names say, as it stands where nothing was read."""
    division, _, _, kind, model = row_key(row)
    parameters = {"division": division} | ({"model": model} if model else {})
    return row | {"mode": kind, "parameters": parameters, ROW: row[ROW] | {"figures": NONE}}


def with_figures(row: Row, facts: Row, runs: int, figures: str) -> Row:
    """The row with the facts that `read_workload` found in `runs` run folders; `figures` is whole or one_run."""
    counted = facts["parameters"].get("runs", 1)
    if figures == ONE_RUN:
        facts, counted = keep_single_run(facts), COUNTED_RUNS
    published = row[ROW] | {"figures": figures, "runs_read": runs, "runs_counted": counted}
    published |= {"read_by": f"validators {VERSION}"}
    published |= {name: facts[name] for name in ("started", "ended") if name in facts}
    limits = _find_limits(facts, figures)
    columns = {name: facts[name] for name in ("client_nodes", "measurements", "findings") if name in facts}
    parameters = without_figures(row)["parameters"] | facts["parameters"]
    trusted = {"trust": DERIVED, ROW: published, "parameters": parameters}
    return row | trusted | columns | ({declared_limits.FIELD: limits} if limits else {})


def _find_limits(facts: Row, figures: str) -> list[Row]:
    """What the figures may not be compared for, and why: each operation that the row has."""
    reasons = [ONE_RUN_REASON] if figures == ONE_RUN else []
    reasons += [finding["message"] for finding in facts.get("findings", ()) if finding["code"] == _RANKS_MISSING]
    ops = sorted({row["op"] for row in facts["measurements"]})
    return [{"reason": reason[:300], "op": op} for reason in reasons for op in ops]


def figure_differences(recorded: list[Row], read: list[Row]) -> list[Row]:
    """Figures that two readings of one row give differently: `what`, `record`, `copy` in canonical `unit`.

    Only what both have is compared, a run with the same run. Raises UnitError for an unknown unit.
    """
    values, others = _canonical_figures(recorded), _canonical_figures(read)
    return [
        {"what": " ".join(filter(None, key[:4])), "record": values[key], "copy": others[key], "unit": key[4]}
        for key in sorted(values.keys() & others.keys())
        if not math.isclose(values[key], others[key], rel_tol=_TOLERANCE)
    ]


def _canonical_figures(rows: list[Row]) -> dict[tuple[str, str, str, str, str], float]:
    figures = {}
    for row in rows:
        value, unit = to_canonical(row["value"], row["unit"])
        figures[row["op"], row["quantity"], row["stat"], str(_make_context(row).get(RUN, "")), unit] = value
    return figures


def _make_context(row: Mapping[str, Any]) -> Mapping[str, Any]:
    context = row.get("context")
    return context if isinstance(context, dict) else {}
