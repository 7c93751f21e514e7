"""The recipe of a result, from what is stored of it: its options, else its parameters; and its described system.

Options of derived results are in data/io500.json, which tools/make_given_options.py makes from the published archives.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from registry.models import Result
from registry.query import demonstration, public_record
from registry.query.facts import observed_parameters
from validators import recipes
from validators.recipes import conditions

GIVEN_OPTIONS = "given_options"
"""Under which a snapshot has the options of its run."""
DATA = Path(__file__).parent / "data" / "io500.json"
COPIED = recipes.Missing(
    "raw files", "The numbers are copied, not read from files of the run.", "Everything but what is shown here."
).as_json()


def read_recipe(public_id: str) -> dict[str, Any]:
    """The recipe of a result, or of a run of the demonstration. Raises NotOnRecord."""
    if demonstration.is_demonstration(public_id):
        (run,) = demonstration.read_runs([public_id])
        return write_recipe(demonstration.as_result(run), None)
    result = public_record.find_result(public_id)
    snapshot = observed_parameters.snapshot_of(result)
    return write_recipe(result, snapshot.document if snapshot else None)


def write_recipe(result: Result, document: dict[str, Any] | None) -> dict[str, Any]:
    """The recipe of a result; `document` is its described system in public form, if it has one. No query."""
    facts = recipes.Facts(
        result.tool,
        result.tool_version,
        result.mode,
        result.client_nodes,
        result.tasks,
        result.parameters,
        result.snapshot.get("tests", []),
    )
    recipe = conditions.add_conditions(recipes.write_recipe(facts, _given_options(result)), document)
    if result.trust in (Result.Trust.IMPORTED, Result.Trust.REPORTED):
        recipe["missing"] = [COPIED, *recipe["missing"]]
    return {"result": result.public_id, **recipe}


def _given_options(result: Result) -> dict[str, Any] | None:
    if GIVEN_OPTIONS in result.snapshot:
        given_options: dict[str, Any] | None = result.snapshot[GIVEN_OPTIONS]
        return given_options
    return _archived_options().get(result.public_id) if result.trust == Result.Trust.DERIVED else None


@cache
def _archived_options() -> dict[str, dict[str, Any]]:
    """By public id, the options that the archive of a derived result tells."""
    options: dict[str, dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))
    return options
