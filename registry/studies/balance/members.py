"""The single measurements behind the points of a study, with the facts of their results: at most three queries.

Up to MOST_EXAMINED measurements are all read. Of more, those of each point are read evenly over them, at least two of
each: that they differ is known then, that they do not is not. Beyond MOST_WITH_ALL_FACTS only facts that move the
metric are read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from registry.models import Fact, Measurement, Result
from registry.models.snapshots import text_of
from registry.query.differences import configuration_diff
from registry.query.facts import axes
from registry.query.facts.fact_index import CONFIGURATION
from registry.query.packed_numbers import IsAmong
from registry.query.public_record import LIMITS, rows_of
from registry.query.questions import moving_facts
from registry.query.questions.study_query import CONTEXT
from registry.query.responses import declared_limits
from registry.query.responses.source_links import ADDRESS_OF_RESULT
from registry.query.row_sources import PUBLIC, RowSource
from registry.studies.table import Member
from validators import quantities

MOST_EXAMINED = 1000
MOST_WITH_ALL_FACTS = 200
ORIGIN = ("institution", "system")
"""Facts that say whose system it was."""
REPEATS = frozenset({"iter", "run", "sample"})
"""Parts of contexts by which one measurement is told from its repeats."""
IDENTITY = frozenset({CONFIGURATION, "label", "result", "trust"})
"""Facts that say which result it is, or sum up others."""

Facts = Mapping[str, str]


def choose_positions(counts: Sequence[int], most: int) -> list[list[int]]:
    """For points of so many measurements, which of them are read: all, or evenly spaced ones, at least two of each."""
    if sum(counts) <= most:
        return [list(range(count)) for count in counts]
    share = max(2, most // len(counts))
    return [
        list(range(count)) if count <= share else [place * count // share for place in range(share)] for count in counts
    ]


def load_members(
    points: Sequence[Mapping[str, Any]], names: Collection[str], *, of_column: bool, source: RowSource = PUBLIC
) -> list[tuple[Member, ...]]:
    """The members of each point (`all_values`, `all_results`, `all_measurements`: arrays of one length).

    `names` are the facts that are read of many. Of a column of results there are no
    measurements, and no contexts. Two queries, one more for contexts.
    """
    chosen = choose_positions([len(point["all_values"]) for point in points], MOST_EXAMINED)
    places = [(point, position) for point, positions in zip(points, chosen, strict=True) for position in positions]
    result_ids = {point["all_results"][position] for point, position in places}
    measured_ids = set() if of_column else {point["all_measurements"][position] for point, position in places}
    contexts = (
        dict(source.table_rows(Measurement).order_by().filter(IsAmong("id", measured_ids)).values_list("id", "context"))
        if measured_ids
        else {}
    )
    has_single = any(len(point["all_values"]) == 1 for point in points)
    results = _load_results(result_ids, source, with_address=has_single)
    facts_by_result = _load_facts(result_ids, names if len(places) > MOST_WITH_ALL_FACTS else None, source)

    def make_member(point: Mapping[str, Any], position: int) -> Member:
        result = point["all_results"][position]
        context = {} if of_column else contexts.get(point["all_measurements"][position]) or {}
        facts = {**facts_by_result.get(result, {}), **context_facts(context)}
        return Member(point["all_values"][position], **results[result], qualifier=_qualifier_of(context), facts=facts)

    return [
        tuple(make_member(point, position) for position in positions)
        for point, positions in zip(points, chosen, strict=True)
    ]


def _qualifier_of(context: Mapping[str, Any]) -> str:
    return str(context.get("qualifier") or "")


def context_facts(context: Mapping[str, Any]) -> dict[str, str]:
    """What a measurement says of its configuration, by name of an axis, else as context.NAME; not which repeat."""
    parts = quantities.context_parts()
    return {
        _context_name(name): text_of(value)
        for name, value in context.items()
        if value is not None and name not in REPEATS and (name not in parts or parts[name].configuration)
    }


def _context_name(name: str) -> str:
    axis = moving_facts.axis_name(name)
    return axis if axis in moving_facts.fact_names() or axis in axes.by_name() else f"{CONTEXT}{name}"


def _load_results(ids: Collection[int], source: RowSource, *, with_address: bool) -> dict[int, dict[str, Any]]:
    """By primary key of a result its id, its words, its source, and the limits that this sets.

    `with_address`: with that of its source, which a point of one measurement shows.
    """
    columns = {
        "pk": "pk",
        "result": "public_id",
        "label": "snapshot__label",
        "source": "source",
        "limits": "limits",
        **({"source_address": ADDRESS_OF_RESULT} if with_address else {}),
    }
    results = source.table_rows(Result).order_by().filter(IsAmong("id", ids)).annotate(limits=LIMITS)
    return {
        row.pop("pk"): row | {"limits": declared_limits.read_limits(row["limits"])} for row in rows_of(columns, results)
    }


def _load_facts(ids: Collection[int], names: Collection[str] | None, source: RowSource) -> dict[int, dict[str, str]]:
    """By primary key of a result its facts: all of its run, or some."""
    query = source.table_rows(Fact).order_by("result", "name").filter(IsAmong("result", ids))
    if names is None:  # what described nodes have is there under the names of axes; each of its parameters has an @
        query = query.exclude(name__contains="@")
    else:
        query = query.filter(name__in=[*ORIGIN, *names])
    facts_by_result: dict[int, dict[str, str]] = {}
    tools: set[str] = set()
    for pk, name, text in query.values_list("result", "name", "text"):
        facts_by_result.setdefault(pk, {})[name] = text
        if name == "tool":
            tools.add(text)
    left_out = configuration_diff.volatile_parameters(tools) | IDENTITY
    return {pk: _named_once(facts, left_out) for pk, facts in facts_by_result.items()}


def _named_once(facts: Facts, left_out: Collection[str]) -> dict[str, str]:
    """Without what is no setting, and each fact under the name of its axis alone."""
    return {
        name: text
        for name, text in facts.items()
        if name not in left_out and (moving_facts.axis_name(name) == name or moving_facts.axis_name(name) not in facts)
    }
