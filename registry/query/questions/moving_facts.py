"""Which facts of a result are known to move a number, by kind of number: data with reason and source.

data/moving_facts.json names each fact as an axis of studies, the kinds of numbers that it moves, why, and who measured
it. It also says what comes with an axis: who compares fabrics compares their drivers, and who compares platforms their
drives. What comes with an axis keeps no two rows apart; where it varies inside a row, it does.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from registry.query.differences import alike
from registry.query.facts.axes import by_name, find_axis, list_axes
from registry.query.questions.study_query import CONTEXT

FILE = Path(__file__).parent.parent / "data" / "moving_facts.json"
ALL = "all"


@dataclass(frozen=True, slots=True)
class MovingFact:
    """A fact that moves numbers of these kinds (`moves`), with the reason and the source that measured it.

    `title` is what it is called where no axis has its name.
    """

    fact: str
    moves: tuple[str, ...]
    why: str
    source: str
    title: str = ""


@cache
def load_table() -> Mapping[str, Any]:
    """The file as it stands: `kinds`, `facts`, `come_with`."""
    table: Mapping[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return table


@cache
def list_moving_facts() -> tuple[MovingFact, ...]:
    """All facts that are known to move a number, in the order of the file."""
    return tuple(MovingFact(**row | {"moves": tuple(row["moves"])}) for row in load_table()["facts"])


@cache
def kind_of_number(name: str) -> str:
    """The kind of a canonical quantity or of a column of results: bandwidth, metadata, ...; "" where none has it."""
    return next((str(kind) for kind, row in load_table()["kinds"].items() if name in row["numbers"]), "")


def facts_moving(kinds: Iterable[str], tools: Iterable[str] = ()) -> list[str]:
    """Names of the facts that move numbers of any of these kinds; of an unknown kind ("") all might.

    Settings that make another experiment of a benchmark, as its descriptor says, move its numbers too.
    """
    wanted_kinds = set(kinds)
    by_kind = (
        row.fact
        for row in list_moving_facts()
        if "" in wanted_kinds or ALL in row.moves or wanted_kinds.intersection(row.moves)
    )
    return list(dict.fromkeys([*by_kind, *facts_of_tools(tools)]))


def facts_of_tools(tools: Iterable[str]) -> list[str]:
    """What has to be known of runs of these benchmarks before they are alike, by name of axes."""
    return list(dict.fromkeys(axis_name(fact) for tool in sorted(tools) for fact in alike.required_facts(tool)))


@cache
def axis_name(fact: str) -> str:
    """The axis that reads a fact: `targets` of `osts`; else the fact itself."""
    if fact in by_name():
        return fact
    return next((axis.name for axis in list_axes() if fact in axis.reads), fact)


def fact_title(name: str) -> str:
    """What a fact is called: "direct I/O"; of a measurement's own context "iteration of the measurement"."""
    title = next((row.title for row in list_moving_facts() if row.fact == name), "")
    if not title and name.startswith(CONTEXT):
        title = f"{name.removeprefix(CONTEXT).replace('_', ' ')} of the measurement"
    return title or find_axis(name).title


@cache
def fact_names() -> frozenset[str]:
    """All facts of the file."""
    return frozenset(row.fact for row in list_moving_facts())


def on_axes(axes: Collection[str]) -> frozenset[str]:
    """Facts that stand on axes, under whatever name: who asks by `osts` or `context.osts` asks by `targets`."""
    asked_names = {name.removeprefix(CONTEXT) for name in axes}
    return frozenset(axes).union(asked_names, map(axis_name, asked_names))


def come_with(axes: Collection[str]) -> frozenset[str]:
    """Facts that come with axes, and the axes themselves: where rows differ in these, they are what is compared."""
    axis_names, rows = on_axes(axes), load_table()["come_with"]
    if is_of_results(axes):
        return axis_names.union(fact_names())
    return axis_names.union(fact for name in axis_names for fact in rows.get(name, ()))


def is_of_results(axes: Iterable[str]) -> bool:
    """Whether an axis has a place for each result: then nothing else is compared."""
    return any(load_table()["come_with"].get(name) == [ALL] for name in axes)
