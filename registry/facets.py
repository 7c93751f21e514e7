"""What results can be narrowed down by, with counts: benchmarks, and within one what its descriptor names.

Counted are all results that count today, whatever else is asked for.
"""

from __future__ import annotations

import json
from typing import Any

from django.db import connection
from django.db.models import Count, Q

from registry import record
from validators import catalogue

VALUES_SHOWN = 30


Choice = tuple[str, str]
"""A value as the filter takes it, and the words that offer it."""


def benchmarks() -> list[Choice]:
    """Benchmarks with results, most results first; one query."""
    counted = record.standing_results().order_by().values("tool").annotate(count=Count("id"))
    found = sorted(counted, key=lambda row: (-row["count"], row["tool"]))
    return [
        (row["tool"], f"{catalogue.descriptor(row['tool']).get('name', row['tool'])} ({row['count']:,})")
        for row in found
    ]


def measured(tool: str) -> list[Choice]:
    """Quantities of operations that the descriptor of a tool names."""
    named = [row for row in catalogue.descriptor(tool).get("operations", ()) if "*" not in row["op"]]
    return [(f"{row['op']}/{row['quantity']}", f"{row['op']}, {row['quantity'].replace('_', ' ')}") for row in named]


def parameters(tool: str) -> list[dict[str, Any]]:
    """Parameters that the descriptor names and results have, the most frequent values first; one query.

    {"name", "description", "choices"}
    """
    described = {one["name"]: one["description"] for one in catalogue.descriptor(tool).get("parameters", ())}
    choices: dict[str, list[Choice]] = {name: [] for name in described}
    for name, value, count in _counted(tool, list(described)) if described else ():
        text = value if isinstance(value, str) else json.dumps(value)
        if len(choices[name]) < VALUES_SHOWN:
            choices[name].append((text, f"{text} ({count:,})"))
    return [
        {"name": name, "description": described[name], "choices": found} for name, found in choices.items() if found
    ]


def with_asked(choices: list[Choice], asked: str) -> list[Choice]:
    """The choices, and what was asked for where it is none of them."""
    return choices if not asked or asked in [value for value, _ in choices] else [*choices, (asked, asked)]


def _counted(tool: str, names: list[str]) -> list[tuple[str, Any, int]]:
    """(name, value, results) of scalar parameters."""
    results = record.standing_results(Q(tool=tool)).order_by().values("parameters")
    inner, given = results.query.sql_with_params()
    # The inner query is Django's own, with its values as parameters.
    sql = f"""
        SELECT each.key, each.value, count(*) FROM ({inner}) found, jsonb_each(found.parameters) each
        WHERE each.key = ANY(%s) AND jsonb_typeof(each.value) IN ('string', 'number', 'boolean')
        GROUP BY each.key, each.value ORDER BY each.key, count(*) DESC, each.value
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, [*given, names])
        return [(name, json.loads(value), count) for name, value, count in cursor.fetchall()]
