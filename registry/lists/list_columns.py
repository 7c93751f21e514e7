"""Which columns of a ranked list a reader wants to see: in the address as `columns=NAME,NAME`.

Rank, system and what the list ranks always stay: without them a row says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.http import QueryDict

from registry.query.filters import InvalidValue, values_of
from registry.query.public_record import nearest_names

NAME = "columns"
ALWAYS = "score"
"""Also sent by the form, so that a form with nothing ticked differs from one that was never opened."""


class Column(NamedTuple):
    """A column that can be left out: its name in the address and its words."""

    name: str
    title: str


_FIRST = (
    Column("institution", "Institution"),
    Column("filesystem_type", "File system"),
    Column("client_nodes", "Client nodes"),
)
_HALVES = (Column("bandwidth_gib_per_s", "Bandwidth"), Column("rate_kiops", "Metadata"))
_LAST = (Column("entered", "Entered"),)


def offered_columns(parameters: Sequence[Mapping[str, str]], *, ranks_measurement: bool) -> list[Column]:
    """The columns of a list that can be left out, in their order; `parameters` as in its definition."""
    of_runs = [Column(row["parameter"], row["title"]) for row in parameters]
    return [*_FIRST, *(of_runs if ranks_measurement else _HALVES), *_LAST]


def chosen_columns(query: QueryDict, offered: Iterable[Column]) -> frozenset[str]:
    """The names of the columns to show: all, where the query names none. Raises InvalidValue for an unknown name."""
    names = [column.name for column in offered]
    asked = [name.strip() for text in values_of(query, NAME) for name in text.split(",") if name.strip()]
    for name in asked:
        if name not in (*names, ALWAYS):
            nearest = nearest_names(name, names, 1)
            meant = f"did you mean {nearest[0]}? " if nearest else ""
            raise InvalidValue(NAME, f"{name} is no column of this list; {meant}known are {', '.join(names)}")
    return frozenset(asked) & frozenset(names) if asked else frozenset(names)


def written_choice(chosen: frozenset[str], offered: Sequence[Column]) -> str:
    """The one way to write a choice in an address: names in the order of the list; empty where all are shown."""
    if len(chosen) == len(offered):
        return ""
    return ",".join(column.name for column in offered if column.name in chosen) or ALWAYS
