"""The recipe of a run as it stands in a report, before anything of it is published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validators import recipes
from validators.recipes import conditions


def write_run_recipe(run: Mapping[str, Any], document: Mapping[str, Any] | None) -> dict[str, Any]:
    """The recipe of a run of a report; `document` is its described system. Reports of before have no options."""
    facts = recipes.Facts(
        run["tool"],
        run.get("version") or "",
        run.get("mode") or "",
        run.get("client_nodes"),
        run.get("tasks"),
        run.get("parameters") or {},
        run.get("tests") or [],
    )
    return conditions.add_conditions(
        recipes.write_recipe(facts, run.get("given_options")), dict(document) if document else None
    )
