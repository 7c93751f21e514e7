"""A recipe as a file, and as a part of the page of its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from registry.models import PublicSystemSnapshot, Result
from registry.results.recipes.recipe import read_recipe, write_recipe
from validators.recipes.data_set import data_set_words
from validators.recipes.script import command_line, write_script


@require_safe
def recipe_script(request: HttpRequest, public_id: str) -> HttpResponse:
    """The recipe of a result as a script for a shell."""
    recipe = read_recipe(public_id)
    response = HttpResponse(write_script(f"result {recipe['result']}", recipe), content_type="text/x-shellscript")
    response["Content-Disposition"] = f'attachment; filename="{recipe["result"]}.sh"'
    return response


def recipe_section(result: Result, system: PublicSystemSnapshot | None) -> dict[str, Any]:
    """The recipe of a result as its page shows it. No query."""
    recipe = write_recipe(result, system.document if system else None)
    commands: Sequence[Mapping[str, Any]] = recipe["commands"]
    steps = (
        [("", recipe["arguments"])] if recipe["arguments"] else [(row["step"], row["arguments"]) for row in commands]
    )
    return {
        "commands": [(step, command_line(arguments)) for step, arguments in steps],
        "files": recipe["files"],
        "data_set": data_set_words(recipe["data_set"]) if recipe["data_set"] else "",
        "tunables": recipe["tunables"],
        "layout": recipe["layout"],
        "environment": recipe["environment"],
        "variables": [row for row in recipe["variables"] if row["value"] is not None],
        "missing": recipe["missing"],
    }
