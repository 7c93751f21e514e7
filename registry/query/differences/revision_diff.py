"""What a revision changed: two documents side by side, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from registry.models import Result

FACTS = (
    *("institution", "system_name", "filesystem_type", "filesystem_name", "filesystem_version", "storage_vendor"),
    *("client_nodes", "tasks", "production", "reproducibility", "lists", "tool_version"),
    *("score", "bandwidth_gib_per_s", "rate_kiops"),
)
"""Columns of a result that a revision may print otherwise; units stand in their names, a score has none."""


@dataclass(frozen=True, slots=True)
class RevisionChange:
    """One field that is not what it was; None where it was not there, or is not there any more."""

    field: str
    before: Any
    after: Any


def document_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[RevisionChange]:
    """The fields of two documents that differ, in the order of the first, then of the second."""
    fields = dict.fromkeys([*before, *after])
    changes = (RevisionChange(field, before.get(field), after.get(field)) for field in fields)
    return [change for change in changes if change.before != change.after]


def of_result(result: Result) -> list[RevisionChange]:
    """What a published revision changed of the one that it revises, with `revises` joined; [] for a first one."""
    return document_differences(_result_facts(result.revises), _result_facts(result)) if result.revises else []


def _result_facts(result: Result) -> dict[str, Any]:
    parameters = {f"parameters.{name}": value for name, value in result.parameters.items()}
    rows = result.snapshot.get("answers", {}).get("rows", [])
    answers = {f"answers.{row['question']}": row["answer"] for row in rows}
    return {name: getattr(result, name) for name in FACTS} | parameters | answers
