"""What a page shows of ceilings: the measurements of a result in % of each layer, and what the layers rest on."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.presentation import numbers
from registry.presentation.measurement_tables import Table
from registry.presentation.words import (
    Cell,
    Head,
    best_unit,
    capitalize_sentence,
    describe_context,
    format_in_unit,
    humanize,
)
from registry.query.values import qualified_values
from registry.web.caching import public_page
from validators import hardware
from validators.ceilings import LAYERS, Ceiling
from validators.ceilings.ceiling_fraction import Efficiency

ROWS_SHOWN = 20
ABOVE = "above its ceiling"
UNTOLD = ("qualifier", "start", "seconds")
"""Parts of contexts that tell no measurement from another."""
KINDS = {"drives": "Drives", "nics": "Network adapters", "cpus": "Processors", "enclosures": "Enclosures"}


class Factor(NamedTuple):
    name: str
    value: str
    source: str
    estimated: bool


class CeilingDerivation(NamedTuple):
    """One ceiling in words: which, how much, what it is the product of."""

    title: str
    value: str
    observed: str
    factors: list[Factor]


class CeilingTable(NamedTuple):
    """Measurements in % of their layers; `above` says how many pass a ceiling, which nothing can."""

    table: Table
    bases: list[CeilingDerivation]
    above: int
    estimated: bool


def ceiling_table(efficiencies: Sequence[Efficiency]) -> CeilingTable | None:
    """None where no ceiling is known."""
    if not efficiencies:
        return None
    rows = efficiencies[:ROWS_SHOWN]
    layers = [layer for layer in LAYERS if any(ceiling.layer == layer for row in rows for ceiling in row.ceilings)]
    heads = [Head("Measured", n=False), Head("value"), Head("lowest ceiling"), Head("limited by", n=False)]
    heads += [Head("of it", "%"), *(Head(layer, "%") for layer in layers)]
    contexts = [row.measurement["context"] for row in rows]
    shared = {name for name, value in contexts[0].items() if all(context.get(name) == value for context in contexts)}
    cells = [_efficiency_cells(row, layers, {*shared, *UNTOLD}) for row in rows]
    table = Table("", "", heads, cells, max(0, len(efficiencies) - ROWS_SHOWN))
    bases = dict.fromkeys((row.measurement["unit"], row.direction, row.over, ceiling) for row in rows
                          for ceiling in row.ceilings)  # fmt: skip
    return CeilingTable(
        table,
        [_ceiling_derivation(*key) for key in bases],
        sum(bool(efficiency.above) for efficiency in efficiencies),
        any(ceiling.estimated for row in rows for ceiling in row.ceilings),
    )


def limit_derivations(efficiencies: Sequence[Efficiency]) -> list[CeilingDerivation]:
    """How the lowest ceiling of each measurement is made, each ceiling once."""
    keys = dict.fromkeys((row.measurement["unit"], row.direction, row.over, row.limit) for row in efficiencies)
    return [_ceiling_derivation(*key) for key in keys]


def _efficiency_cells(efficiency: Efficiency, layers: Sequence[str], untold: Set[str]) -> list[Cell]:
    row = efficiency.measurement
    context_words = describe_context({name: value for name, value in row["context"].items() if name not in untold})
    name = ", ".join(
        filter(None, [f"{humanize(row['op'])} {humanize(row['quantity'])}", humanize(row["stat"]), context_words])
    )
    shares = {ceiling.layer: _format_percent(efficiency, ceiling) for ceiling in efficiency.ceilings}
    return [
        Cell(name, n=False),
        Cell(
            qualified_values.in_words(
                efficiency.qualifier, _format_amount(row["value"], row["unit"], row["printed_unit"])
            )
        ),
        Cell(_format_amount(efficiency.limit.value, row["unit"], row["printed_unit"])),
        Cell(efficiency.limit.words, n=False),
        Cell(_format_percent(efficiency, efficiency.limit), note=ABOVE if efficiency.above else ""),
        *(Cell(shares.get(layer, "")) for layer in layers),
    ]


def _format_percent(efficiency: Efficiency, ceiling: Ceiling) -> str:
    return qualified_values.in_words(efficiency.qualifier, f"{efficiency.percent(ceiling):.1f}")


def _ceiling_derivation(canonical: str, direction: str, over: str, ceiling: Ceiling) -> CeilingDerivation:
    of_one = f" of one {over}" if over != "system" else ""
    what = "operations" if canonical == "ops/s" else "bandwidth"
    return CeilingDerivation(
        f"{capitalize_sentence(LAYERS[ceiling.layer])}, {direction} {what}{of_one}",
        _format_amount(ceiling.value, canonical),
        _format_amount(ceiling.observed, canonical) if ceiling.observed else "",
        [Factor(name, _format_figure(figure), figure.source, figure.estimated) for name, figure in ceiling.factors],
    )


def _format_amount(value: float, canonical: str, printed_unit: str = "") -> str:
    """A value with the unit in which it is read: decimal, as datasheets have it, unless printed otherwise."""
    unit = best_unit(
        [{"value": value, "printed_unit": printed_unit or {"B/s": "GB/s"}.get(canonical, "ops/s")}], canonical
    )
    return f"{format_in_unit(value, unit)}{numbers.NO_BREAK}{unit}"


def _format_figure(figure: hardware.Figure) -> str:
    if figure.unit != "count":
        return _format_amount(figure.value, figure.unit)
    return (
        numbers.format_int(int(figure.value))
        if figure.value == int(figure.value)
        else numbers.format_significant(figure.value)
    )


@public_page
def catalogue_page(request: HttpRequest) -> HttpResponse:
    """The hardware catalogue: every number with its source."""
    kinds = [
        {"title": title, "entries": [_entry_row(entry) for entry in hardware.entries(kind).values()]}
        for kind, title in KINDS.items()
    ]
    assumptions = [hardware.assumption(assumption["slug"]) for assumption in hardware.load_catalogue()["assumptions"]]
    return render(request, "platforms/hardware.html", {"section": "docs", "kinds": kinds, "assumptions": assumptions})


def _entry_row(entry: hardware.Entry) -> dict[str, Any]:
    parts = entry.get("rates", [entry])
    figures = [row for part in parts for name in part if (row := _factor_row(part, name))]
    links = [f"PCIe generation {entry['generation']}"] if "generation" in entry else []
    with_parts = [
        hardware.entries(f"{kind}s")[entry[kind]]["model"] for kind in ("drive", "cpu", "nic") if kind in entry
    ]
    return {"slug": entry["slug"], "model": entry["model"], "of": ", ".join([*links, *with_parts]), "figures": figures}


def _factor_row(part: hardware.Entry, name: str) -> Factor | None:
    """A figure of an entry in the unit of its source; None for what is no figure."""
    figure = hardware.figure(part, name) if isinstance(part[name], dict) else None
    if figure is None:
        return None
    link = f", PCIe generation {part['generation']} x{part['lanes']}" if isinstance(part.get("lanes"), int) else ""
    entry = part[name]
    unit = "" if entry["unit"] == "count" else numbers.NO_BREAK + entry["unit"]
    return Factor(
        capitalize_sentence(humanize(name)) + link,
        numbers.format_printed(entry["value"]) + unit,
        figure.source,
        figure.estimated,
    )
