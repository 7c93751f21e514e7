"""Columns of the tables of a registry: the fields that every row of a table has, in the registry's order."""

from __future__ import annotations

from highwater import rows


def _always_given(row: type) -> tuple[str, ...]:
    """Names of a row's fields, but those that an answer may leave out."""
    required: frozenset[str] = getattr(row, "__required_keys__")  # noqa: B009 - type checkers know no such name
    return tuple(name for name in row.__annotations__ if name in required)


RESULTS = _always_given(rows.Result)
MEASUREMENTS = _always_given(rows.Measurement)
STUDIES = _always_given(rows.StudyListed)
AXES = _always_given(rows.AxisRow)
METRICS = _always_given(rows.MetricRow)
LISTS = _always_given(rows.RankedList)
ENTRIES = _always_given(rows.Entry)
RELEASES = _always_given(rows.Release)
SYSTEMS = _always_given(rows.System)
SITES = _always_given(rows.Site)
PLATFORMS = _always_given(rows.Platform)
LINES = _always_given(rows.LineShape)
CEILINGS = _always_given(rows.Efficiency)
DISTRIBUTIONS = _always_given(rows.Distribution)
CHANCES = _always_given(rows.Chance)
