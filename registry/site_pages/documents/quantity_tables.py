"""The tables of /docs/quantities/, in Markdown, made of the table of quantities."""

from __future__ import annotations

from validators import quantities
from validators.benchmark_docs import markdown_table
from validators.quantities import Place, Statistic


def quantity_sections() -> str:
    """What is measured, the names that it is reported under, statistics, and what contexts hold."""
    parts = {
        "What is measured": _canonical_table(),
        "Names that tools report": _reported_table(),
        "Statistics": _statistics_table(),
        "What contexts hold": _contexts_table(),
    }
    return "\n\n".join(f"## {heading}\n\n{table}" for heading, table in parts.items()) + "\n"


def _canonical_table() -> str:
    rows = [
        (f"`{row.name}`", row.label, row.dimension, row.unit, row.better, row.meaning)
        for row in quantities.canonical_quantities().values()
    ]
    return markdown_table(("quantity", "on pages", "dimension", "unit", "better", "is"), rows)


def _reported_table() -> str:
    rows = [
        (
            f"`{place.name}`",
            f"`{place.quantity.name}`" + (f", {place.window}" if place.window else ""),
            ", ".join(place.tools) or "every tool",
            _place_conditions(place),
        )
        for _, places in sorted(quantities.places_by_name().items())
        for place in places
        if place.tools
    ]
    return markdown_table(("reported", "is", "of", "where"), rows)


def _place_conditions(place: Place) -> str:
    """Of which operations, statistics and units a name is meant, where not of all."""
    named = {"operations": place.ops, "statistics": place.stats, "printed in": place.units}
    return "; ".join(f"{kind} {' '.join(f'`{name}`' for name in names)}" for kind, names in named.items() if names)


def _statistics_table() -> str:
    rows = [
        (
            _statistic_name(row),
            row.label.replace("{}", "..."),
            row.function,
            row.over,
            ", ".join(row.tools) or "every tool",
        )
        for row in quantities.list_statistics()
    ]
    return markdown_table(("statistic", "on pages", "function", "over", "of"), rows)


def _statistic_name(row: Statistic) -> str:
    return f"`{row.pattern.pattern}` (a pattern)" if row.pattern else f"`{row.name}`"


def _contexts_table() -> str:
    rows = [
        (f"`{name}`", part.label, "" if part.configuration else "says what the value is worth")
        for name, part in quantities.context_parts().items()
    ]
    return markdown_table(("part", "on pages", "remark"), rows)
