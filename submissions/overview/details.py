"""What is said beside the files of a run: each field with what the files already say, and where that was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from submissions.checks import questionnaire
from submissions.models import Submission
from submissions.overview.forms import MetadataForm

DECLARED = "entered with the upload, or since"
DESCRIBED = "from the described system"


def details_form(submission: Submission, run: Mapping[str, Any] | None = None) -> MetadataForm:
    """The form of the metadata, filled with what was declared, else with what the files and the account say.

    Each filled field says where its value comes from. `run` is the one that counts in the latest check.
    """
    if run is None:
        run = questionnaire.primary_run(submission, None) or {}
    found = _found_values(submission, run)
    declared = submission.metadata
    form = MetadataForm(initial={name: value for name, (value, _) in found.items()} | declared)
    for name, field in form.fields.items():
        if name in declared:
            field.help_text = DECLARED
        elif name in found:
            field.help_text = found[name][1]
    return form


def _found_values(submission: Submission, run: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """Value and origin of each field that the files or the account answer."""
    found: dict[str, tuple[Any, str]] = {}
    if submission.institution is not None:
        found["institution"] = submission.institution.name, "from your account"
    described = run.get("described_parameters", {})
    if described.get("filesystem_type"):
        found["filesystem_type"] = _one(described["filesystem_type"]), DESCRIBED
    for name in ("client_nodes", "tasks"):
        if run.get(name):
            found[name] = run[name], f"from the {run.get('extent_sources', {}).get(name, 'files')} of the run"
    return {name: (value, words) for name, (value, words) in found.items() if value not in (None, "")}


def _one(value: Any) -> Any:
    """The only one of several values; None where they differ."""
    if isinstance(value, list):
        return value[0] if len(value) == 1 else None
    return value
