"""Whether two configurations are known to be alike: one rule for all that puts results in a row. No query.

There are three outcomes. What is not known of both is not equal: it makes them neither alike nor different.
Which facts have to be known of a run before it is held for the same experiment as another, the descriptor of its
benchmark says (`experiment`); `registry/query/facts/fact_index.py` has the same rule in SQL for repeats.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from validators import catalogue

CLIENTS, TASKS, PER_NODE = "client_nodes", "tasks", "procs_per_node"
LEAST = {"scale": [CLIENTS], "settings": []}
"""What has to be known of a benchmark whose descriptor names nothing."""

Configuration = Mapping[str, Any]
Key = tuple[tuple[str, str], ...]


class Likeness(StrEnum):
    ALIKE = "alike"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


class Verdict(NamedTuple):
    """`differs` names what is known of both and not equal, `unknown` what is not known of both."""

    outcome: Likeness
    differs: tuple[str, ...]
    unknown: tuple[str, ...]


def is_known(value: Any) -> bool:
    """Whether a fact is there: not None, no empty text, list or mapping, no NaN."""
    if isinstance(value, bool | int):
        return True
    if isinstance(value, float):
        return not math.isnan(value)
    return bool(value.strip() if isinstance(value, str) else value)


def compare_configurations(first: Configuration, other: Configuration, needed: Collection[str] = ()) -> Verdict:
    """Whether two configurations are alike in every fact that either has, and in all that are `needed`.

    A fact that only one of them has is unknown; one that neither has is so where it is needed.
    """
    differs, unknown = [], []
    for name in dict.fromkeys((*needed, *first, *other)):
        values = [configuration.get(name) for configuration in (first, other)]
        known_values = [value for value in values if is_known(value)]
        if len(known_values) == 2:
            if _comparable_text(known_values[0]) != _comparable_text(known_values[1]):
                differs.append(name)
        elif known_values or name in needed:
            unknown.append(name)
    outcome = Likeness.DIFFERENT if differs else Likeness.UNKNOWN if unknown else Likeness.ALIKE
    return Verdict(outcome, tuple(differs), tuple(unknown))


def missing_facts(configuration: Configuration, needed: Sequence[str]) -> list[str]:
    """What is needed and not known: with any of it a configuration is known to be like no other."""
    return [name for name in needed if not is_known(configuration.get(name))]


def configuration_key(configuration: Configuration, needed: Sequence[str] = ()) -> Key | None:
    """What configurations that are alike, and no others, share; None where something needed is not known.

    Two that have a key have the same one exactly where `compare_configurations` finds them alike.
    """
    if missing_facts(configuration, needed):
        return None
    return tuple(sorted((name, _comparable_text(value)) for name, value in configuration.items() if is_known(value)))


def _comparable_text(value: Any) -> str:
    """1, 1.0 and "1" are the same, and so are true and "true"; 1 and true are not."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Mapping):
        return repr(sorted((str(name), _comparable_text(part)) for name, part in value.items()))
    if isinstance(value, list | tuple):
        return repr([_comparable_text(part) for part in value])
    return str(value)


# Of runs


def scale_facts(tool: str) -> list[str]:
    """How large a run was: client nodes, and the processes where their count matters."""
    return list(_experiment_facts(tool)["scale"])


def required_facts(tool: str) -> list[str]:
    """What has to be known of a run of a benchmark: its scale and the settings that make another experiment."""
    experiment = _experiment_facts(tool)
    return list(dict.fromkeys((*experiment["scale"], *experiment["settings"])))


def _experiment_facts(tool: str) -> Mapping[str, Sequence[str]]:
    described: Mapping[str, Sequence[str]] = catalogue.descriptor(tool).get("experiment", LEAST)
    return described


def parameters_with_scale(parameters: Configuration, client_nodes: int | None, tasks: int | None) -> dict[str, Any]:
    """The parameters of a run with its scale as the record has it; processes are those of a node times the nodes."""
    counted = {CLIENTS: client_nodes, TASKS: tasks}
    scaled_parameters = {**parameters, **{name: value for name, value in counted.items() if is_known(value)}}
    counts = [scaled_parameters.get(name) for name in (CLIENTS, PER_NODE)]
    if not is_known(scaled_parameters.get(TASKS)) and all(isinstance(count, int) for count in counts):
        scaled_parameters[TASKS] = math.prod(count for count in counts if isinstance(count, int))
    return scaled_parameters
