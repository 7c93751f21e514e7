"""Scale and options of a run: what has to be equal before two results say something of the storage. No query.

Hardware, software and tuning may differ between matched results: they are what a ratio is about. Versions of a
benchmark may, too, as long as its descriptor does not say that a number changed its meaning.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from registry.models.snapshots import text_of
from registry.query.differences import alike, configuration_diff
from registry.query.differences.alike import Verdict

CONDITIONS = "conditions"
"""The kind of facts (configuration_diff.fact_category) that scale and options are of."""
_VERSIONS = frozenset({"tool_version", "ior_version", "mdtest_version"})
_NAMES_OF_RUNS = frozenset({"io500_release"})
"""What only says which run it is."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a result says of its run; `client_nodes` and `tasks` are None where the record has none."""

    tool: str
    parameters: Mapping[str, Any]
    client_nodes: int | None = None
    tasks: int | None = None
    mode: str = ""


def conditions_of_run(run: Run, left_out: Collection[str] = ()) -> dict[str, str]:
    """The known conditions by name, as texts. `left_out` names what is compared by."""
    needed = alike.required_facts(run.tool)
    aside = {*configuration_diff.volatile_parameters([run.tool]), *_VERSIONS, *_NAMES_OF_RUNS, *left_out}
    scaled = alike.parameters_with_scale(run.parameters, run.client_nodes, run.tasks)
    described = {**scaled, **({"mode": run.mode} if run.mode else {})}
    return {
        name: text_of(value)
        for name, value in described.items()
        if alike.is_known(value)
        and name not in aside
        and (name in needed or configuration_diff.fact_category(name) == CONDITIONS)
    }


def compare_runs(first: Run, other: Run, known_apart: Collection[str] = ()) -> Verdict:
    """Whether two runs of one benchmark are alike in scale and options.

    `known_apart` are facts that the numbers themselves tell, in their contexts: they are compared there.
    """
    needed = [name for name in alike.required_facts(first.tool) if name not in known_apart]
    conditions = conditions_of_run(first, known_apart), conditions_of_run(other, known_apart)
    return alike.compare_configurations(*conditions, needed)
