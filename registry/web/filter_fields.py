"""Fields of a page for the filters of registry/query/filters.py, for filter_field.html."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from registry.query.facets import Choice
from registry.query.filters import FILTERS


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form. `choices` are offered below `every`, which stands for no value; None: it is typed."""

    name: str
    label: str
    value: str
    input: str = "text"
    placeholder: str = "any"
    title: str = ""
    choices: Iterable[Choice] | None = None
    every: str = "any"


def filter_fields(
    names: Iterable[str],
    values: Mapping[str, str],
    choices: Mapping[str, Iterable[Choice]],
    texts: Mapping[str, Mapping[str, str]] | None = None,
) -> list[Field]:
    """The fields that a page shows of the filters of these names, in their order.

    `values` are those of the query. `texts` replaces label, placeholder or `every` where a page says it otherwise.
    """
    inputs = {"q": "search"} | {row.name: "number" for row in FILTERS if row.kind is int}
    return [
        Field(
            row.name,
            value=values.get(row.name, ""),
            input=inputs.get(row.name, "text"),
            choices=choices.get(row.name),
            **{"label": row.label, "placeholder": row.placeholder, **(texts or {}).get(row.name, {})},
        )
        for row in FILTERS
        if row.has_field and row.name in names
    ]
