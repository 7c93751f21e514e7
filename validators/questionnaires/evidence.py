"""Where the facts that a questionnaire names stand: in a described system (system.1) or in the run of a report.

What is not told has no evidence; nothing is guessed. Texts are bounded: a description may hold thousands of values.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from validators.parameters import parameters
from validators.system import facts, formatting

COLLECTED, BENCHMARK, SUBMITTER = "collected", "benchmark", "submitter"
SOURCES = (COLLECTED, BENCHMARK, SUBMITTER)
"""Who tells a fact, the surest first."""
_MOST = 60
_TEXT_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Evidence:
    """One fact: what it is called, its values (most frequent first) and their text, where it stands, who tells it."""

    label: str
    text: str
    where: str
    source: str
    values: tuple[Any, ...]

    def as_json(self) -> dict[str, str]:
        return {"label": self.label, "text": self.text, "where": self.where, "source": self.source}


def evidence_for(
    fact: Mapping[str, Any], document: Mapping[str, Any] | None, run: Mapping[str, Any] | None
) -> Evidence | None:
    """The evidence for one fact of a questionnaire; None where it is not told."""
    if "run" in fact:
        return _of_run(fact, run or {})
    if document is None:
        return None
    if "nodes" in fact:
        return _nodes(fact, document)
    return _at_pointer(fact, document) if "pointer" in fact else _of_parameters(fact, document)


def all_evidence(
    fact_rows: Iterable[Mapping[str, Any]], document: Mapping[str, Any] | None, run: Mapping[str, Any] | None
) -> list[Evidence]:
    """The evidence for those facts that are told."""
    return [evidence for fact in fact_rows if (evidence := evidence_for(fact, document, run))]


def is_server(node_class: Mapping[str, Any]) -> bool:
    """Whether a class of nodes stores data for others."""
    return bool(set(node_class["role"]) - {facts.CLIENT, "admin", "other"})


def classes(document: Mapping[str, Any], role: str | None) -> list[Mapping[str, Any]]:
    """Classes of the clients, of the servers, or all."""
    if role == "server":
        return [node_class for node_class in document["node_classes"] if is_server(node_class)]
    return facts.classes(document, role) if role else list(document["node_classes"])


def _of_run(fact: Mapping[str, Any], run: Mapping[str, Any]) -> Evidence | None:
    value: Any = run
    for name in fact["run"].split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if value in (None, "", [], {}) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return _evidence(fact, _text(value, fact.get("unit", "")), f"run.{fact['run']}", BENCHMARK, [value])


def _nodes(fact: Mapping[str, Any], document: Mapping[str, Any]) -> Evidence | None:
    count = sum(node_class["count"] for node_class in classes(document, fact["nodes"]))
    return _evidence(fact, formatting.number(count), "/node_classes", COLLECTED, [count]) if count else None


def _at_pointer(fact: Mapping[str, Any], document: Mapping[str, Any]) -> Evidence | None:
    values = list(islice(_values_at(document, fact["pointer"].split("/")[1:]), _MOST))
    if not values:
        return None
    unit = fact.get("unit") or formatting.unit_of(fact["pointer"])[1]
    text = "; ".join(_text(value, unit) for value in values)
    return _evidence(fact, text, fact["pointer"], SUBMITTER if fact.get("declared") else COLLECTED, values)


def _values_at(part: Any, way: list[str]) -> Iterator[Any]:
    """What lies at a way of names and places, * being every item; nothing for what is absent, null or empty."""
    if not way:
        if part not in (None, "", [], {}):
            yield part
    elif isinstance(part, list):
        items = part if way[0] == "*" else part[int(way[0]) : int(way[0]) + 1]
        for item in items:
            yield from _values_at(item, way[1:])
    elif isinstance(part, dict):
        yield from _values_at(part.get(way[0]), way[1:])


def _of_parameters(fact: Mapping[str, Any], document: Mapping[str, Any]) -> Evidence | None:
    """One parameter, or all whose ids begin alike; entries of a map are told by their keys."""
    counted: dict[tuple[str, str], Counter[tuple[str, Any]]] = {}
    declared = True
    for node_class in classes(document, fact.get("role")):
        for entry in node_class.get("parameters", []):
            if _matches_fact(fact, entry):
                values = counted.setdefault((entry["id"], entry.get("key", "")), Counter())
                for row in entry["values"]:
                    # 1, 1.0 and true are one key of a dict, and three values.
                    values[repr(row["value"]), row["value"]] += row["instances"] * node_class["count"]
                declared = declared and entry["source"] == "declared"
    if not counted:
        return None
    ordered = {name: [value for (_, value), _ in values.most_common(_MOST)] for name, values in counted.items()}
    texts = [_of_parameter(fact, *name, values) for name, values in islice(ordered.items(), _MOST)]
    text = "; ".join(texts) + (f"; and {len(counted) - _MOST} more" if len(counted) > _MOST else "")
    where = fact.get("parameter") or f"{fact['parameters']}*"
    every = [value for some in ordered.values() for value in some]
    return _evidence(fact, text, where, SUBMITTER if declared else COLLECTED, every)


def _matches_fact(fact: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    if "parameter" in fact:
        return entry["id"] == fact["parameter"] and ("key" not in fact or entry.get("key") == fact["key"])
    parameter = parameters().get(entry["id"])
    return entry["id"].startswith(fact["parameters"]) and parameter is not None and not parameter.volatile


def _of_parameter(fact: Mapping[str, Any], name: str, key: str, values: list[Any]) -> str:
    """ "max_dirty_mb 2,000 MiB", or the values alone where the label says it all."""
    parameter = parameters().get(name)
    joint = ", " if parameter and parameter.kind == "list" else " or "
    text = joint.join(formatting.quantity(value, parameter.unit if parameter else "") for value in values)
    label = " ".join(filter(None, [name.removeprefix(fact.get("parameters", name)), "" if "key" in fact else key]))
    return f"{label} {text}".strip()


def _text(value: Any, unit: str) -> str:
    if isinstance(value, dict):
        return formatting.format_fields(value)
    if isinstance(value, list):
        return ", ".join(formatting.format_json_value(item) for item in value[:_MOST])
    return formatting.quantity(round(value, 3) if isinstance(value, float) else value, unit)


def _evidence(fact: Mapping[str, Any], text: str, where: str, source: str, values: list[Any]) -> Evidence:
    short = text if len(text) <= _TEXT_CHARACTERS else f"{text[: _TEXT_CHARACTERS - 1]}…"
    return Evidence(fact["label"], short, where, source, tuple(values))
