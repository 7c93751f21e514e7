"""Runs of the demonstration, read: told by their ids, asked for by them alone, and in no answer to anything else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from registry.errors import Problem
from registry.models import DemonstrationRun, Result, Site, System
from registry.query.public_record import NotOnRecord

TRUST = "demonstration"
LEVELS_AND_TRUST = (*Result.Trust.values, TRUST)
"""What stands as the trust of a result that is asked for by its id."""
NOTICE = "Runs of our own, made for this tour. They are on no list, in no study and in no export."
INSTITUTION, SYSTEM = "Highwater, for demonstration", "Demonstration machine"
_ID = re.compile(r"demo-[1-9][0-9]{0,8}")


class MixedWithDemonstration(Problem):
    """Made-up runs and results of the record are asked for side by side."""

    code = "compare.demonstration"
    title = "A demonstration is not compared with results"
    hint = "Name only runs of the demonstration, or only results."


def is_demonstration(public_id: str) -> bool:
    """Whether an id is one that only a run of the demonstration may have."""
    return _ID.fullmatch(public_id) is not None


def are_demonstrations(public_ids: Sequence[str]) -> bool:
    """Whether all ids are of the demonstration, or none is. Raises MixedWithDemonstration where only some are."""
    made_up = [public_id for public_id in public_ids if is_demonstration(public_id)]
    if made_up and len(made_up) < len(public_ids):
        raise MixedWithDemonstration(f"{', '.join(made_up)}: made up to show the product, not a result.")
    return bool(made_up)


def read_runs(public_ids: Sequence[str]) -> list[DemonstrationRun]:
    """Runs in the order of their ids. One query. Raises NotOnRecord for the first that is not there."""
    run_by_id = {run.public_id: run for run in DemonstrationRun.objects.filter(public_id__in=public_ids).defer("files")}
    missing = [public_id for public_id in public_ids if public_id not in run_by_id]
    if missing:
        raise NotOnRecord("result", missing[0])
    return [run_by_id[public_id] for public_id in public_ids]


def read_screen(screens: Iterable[str]) -> list[DemonstrationRun]:
    """The runs of some screens of the tour, in the order of their numbers. One query."""
    return list(DemonstrationRun.objects.filter(screen__in=screens).order_by("pk"))


def is_loaded() -> bool:
    """Whether this registry holds the demonstration. One query."""
    return DemonstrationRun.objects.exists()


def as_result(run: DemonstrationRun) -> Result:
    """A run in the form of a result, for code that shows results; the database refuses to save it.

    Its primary key is below zero, so that nothing of the record belongs to it.
    """
    facts: dict[str, Any] = {name: getattr(run, name) for name in ("tool", "tool_version", "mode", "parameters")}
    return Result(
        pk=-run.pk,
        public_id=run.public_id,
        trust=TRUST,
        source=NOTICE,
        site=Site(name=INSTITUTION, slug=""),
        system=System(name=SYSTEM, slug=""),
        institution=INSTITUTION,
        system_name=SYSTEM,
        client_nodes=run.client_nodes,
        tasks=run.tasks,
        snapshot=run.snapshot | {"started": run.started, "status": run.status, "commands": run.commands},
        **facts,
        **run.scores,
    )
