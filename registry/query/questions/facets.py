"""What results can be narrowed down by, with counts: benchmarks, and within one what its descriptor names.

Counted are all results that count today, whatever else is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import Count, Max, Q, QuerySet, Subquery
from django.http import QueryDict

from registry.models import CatalogueLoad, RankedList, Result, System
from registry.query import public_record
from registry.query.names import release_order
from registry.query.questions import filters
from registry.query.row_sources import PUBLIC, RowSource
from validators import catalogue

VALUES_SHOWN = 30
OF_SYSTEMS = ("institution", "platform")
OF_THEIR_RESULTS = ("q", "tool", "filesystem_type", "vendor", "trust")
SYSTEM_NAMES = (*OF_SYSTEMS, *OF_THEIR_RESULTS)
"""Filters of systems: what they are, and what some result of theirs that counts today is."""


Choice = tuple[str, str]
"""A value as the filter takes it, and the words that offer it."""


def count_benchmarks(source: RowSource = PUBLIC) -> list[tuple[str, int]]:
    """Benchmarks with how many results they have, most results first; one query."""
    counted = public_record.current_results(source=source).order_by().values("tool").annotate(count=Count("id"))
    return sorted(((row["tool"], row["count"]) for row in counted), key=lambda pair: (-pair[1], pair[0]))


def offer_benchmarks(counts: Iterable[tuple[str, int]]) -> list[Choice]:
    """Counted benchmarks as a form offers them."""
    return [(tool, f"{catalogue.tool_name(tool)} ({count:,})") for tool, count in counts]


def list_benchmarks(source: RowSource = PUBLIC) -> list[Choice]:
    """Benchmarks with results as a form offers them, most results first; one query."""
    return offer_benchmarks(count_benchmarks(source))


def trust_choices() -> list[Choice]:
    """Levels of trust, each under its own name."""
    return [(trust, trust) for trust in Result.Trust.values]


def list_choices() -> list[Choice]:
    """Names of lists that results stand on, each with the title of its newest; one query."""
    lists = RankedList.objects.order_by("position", "name", "-release__held_on").values_list("name", "title")
    titles: dict[str, str] = {}
    for name, title in lists:
        titles.setdefault(name, title)
    return list(titles.items())


def quantity_choices(tool: str) -> list[Choice]:
    """Quantities of operations that the descriptor of a tool names."""
    named = [row for row in catalogue.descriptor(tool).get("operations", ()) if "*" not in row["op"]]
    return [(f"{row['op']}/{row['quantity']}", f"{row['op']}, {row['quantity'].replace('_', ' ')}") for row in named]


def list_parameters(tool: str) -> list[dict[str, Any]]:
    """Parameters that the descriptor names and results have, the most frequent values first, releases by
    date; one query, and one more where a parameter may be a release.

    {"name", "description", "choices"}
    """
    described = {entry["name"]: entry["description"] for entry in catalogue.descriptor(tool).get("parameters", ())}
    choices: dict[str, list[Choice]] = {name: [] for name in described}
    for name, value, count in _count_values(tool, list(described)) if described else ():
        text = value if isinstance(value, str) else json.dumps(value)
        if len(choices[name]) < VALUES_SHOWN:
            choices[name].append((text, f"{text} ({count:,})"))
    dated = release_order.order_values(
        (name, [value for value, _ in offered]) for name, offered in choices.items() if name.endswith("release")
    )
    places = {value: place for place, value in enumerate(dated)}
    for offered in choices.values():
        offered.sort(key=lambda choice: places.get(choice[0], len(places)))
    return [
        {"name": name, "description": described[name], "choices": parameter_choices}
        for name, parameter_choices in choices.items()
        if parameter_choices
    ]


def filter_systems(query: QueryDict) -> QuerySet[System]:
    """The systems that a query asks for. Raises InvalidValue."""
    table = filters.RESULT_FILTERS
    matching_systems = public_record.current_systems().filter(
        filters.parse_conditions(query, {name: table[name] for name in OF_SYSTEMS})
    )
    met = filters.parse_conditions(query, {name: table[name] for name in OF_THEIR_RESULTS})
    return (
        matching_systems.filter(pk__in=public_record.current_results(met).order_by().values("system"))
        if met
        else matching_systems
    )


_SYSTEM_CHOICES = """
    SELECT tool, filesystem_family, vendor, count(DISTINCT system_id) FROM ({inner}) found
    GROUP BY GROUPING SETS ((tool), (filesystem_family), (vendor)) ORDER BY 4 DESC, 1, 2, 3
"""


def system_choices() -> dict[str, list[Choice]]:
    """What systems can be narrowed down by, with how many there are; one query.

    {"tool", "filesystem_type", "vendor": choices}, the most frequent first.
    """
    results = public_record.current_results().order_by().values("tool", "filesystem_family", "vendor", "system_id")
    inner, sql_params = results.query.sql_with_params()
    choices: dict[str, list[Choice]] = {"tool": [], "filesystem_type": [], "vendor": []}
    with connection.cursor() as cursor:
        cursor.execute(_SYSTEM_CHOICES.format(inner=inner), sql_params)
        for *values, count in cursor.fetchall():
            for name, value in zip(choices, values, strict=True):
                if value and len(choices[name]) < VALUES_SHOWN:
                    words = catalogue.tool_name(value) if name == "tool" else value
                    choices[name].append((value, f"{words} ({count:,})"))
    return choices


def record_version() -> str:
    """What changes whenever a result is added or withdrawn, names are merged or split, or the catalogue is loaded.

    One query.
    """
    load = Subquery(CatalogueLoad.objects.order_by("-id").values("id")[:1])
    newest = Result.objects.aggregate(
        last=Max("id"),
        withdrawn=Max("withdrawn_at"),
        load=Max(load),
        identity=Max(public_record.last_identity_change()),
    )
    return ":".join(map(str, newest.values())).replace(" ", "T")


def include_selected(choices: list[Choice], selected: str) -> list[Choice]:
    """The choices, and what was asked for where it is none of them."""
    return choices if not selected or selected in [value for value, _ in choices] else [*choices, (selected, selected)]


def _count_values(tool: str, names: list[str]) -> list[tuple[str, Any, int]]:
    """(name, value, results) of scalar parameters."""
    results = public_record.current_results(Q(tool=tool)).order_by().values("parameters")
    inner, sql_params = results.query.sql_with_params()
    # The inner query is Django's own, with its values as parameters.
    sql = f"""
        SELECT each.key, each.value, count(*) FROM ({inner}) found, jsonb_each(found.parameters) each
        WHERE each.key = ANY(%s) AND jsonb_typeof(each.value) IN ('string', 'number', 'boolean')
        GROUP BY each.key, each.value ORDER BY each.key, count(*) DESC, each.value
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, [*sql_params, names])
        return [(name, json.loads(value), count) for name, value, count in cursor.fetchall()]
