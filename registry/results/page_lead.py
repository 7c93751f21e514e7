"""What leads the page of a result: how near it came to a limit, and one line of what was checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from registry.presentation import numbers
from registry.presentation.charts import list_charts
from registry.presentation.charts.model import Chart
from registry.presentation.words import best_unit, label_phase
from registry.query import public_record
from registry.query.public_record import Row
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import qualified_values
from registry.results.run_page import leading, with_tool
from validators.ceilings.ceiling_fraction import Efficiency
from validators.units import UNITS

GIB = 2**30
MOST_COLUMNS = 8
NO_CEILING = "no ceiling is known"
NOT_RECOMPUTED = {
    "imported": "copied from a published list, nothing was recomputed",
    "reported": "a number from a paper or slide, nothing was checked",
}
"""What the line says where no rule, hash or evidence is in the record, by trust."""


class NearestLimit(NamedTuple):
    """How near a run came to a limit: the value with its unit, and of which phase and layer. `value` may be empty."""

    value: str
    unit: str
    about: str
    section: str


def nearest_limit(efficiencies: Sequence[Efficiency], phases: Row | None) -> NearestLimit:
    """The highest share of a ceiling in %; else the phase that limits the score; else why neither is known.

    `phases` is the answer of results/ID/phases/, None where nothing was read of the phases. What is only known to be
    below a number is passed over: how near it came is not known.
    """
    exact = [row for row in efficiencies if row.qualifier != qualified_values.BELOW]
    if exact:
        nearest = max(exact, key=lambda row: row.percent(row.limit))
        share = qualified_values.in_words(nearest.qualifier, f"{nearest.percent(nearest.limit):.1f}")
        return NearestLimit(
            share, "%", f"{label_phase(nearest.measurement['op'])}, of {nearest.limit.words}", "ceilings"
        )
    if phases and phases["limiting_phase"]:
        rise = numbers.format_significant(phases["score_rise_percent"], 2)
        return NearestLimit(
            label_phase(phases["limiting_phase"]),
            "",
            f"score +{rise} % at the median of {phases['systems']} similar systems",
            "why",
        )
    return NearestLimit("", "", NO_CEILING, "")


class CeilingColumns(NamedTuple):
    """Bandwidths under their ceilings as a picture, and the unit in which it shows them."""

    chart: Chart
    unit: str


def draw_ceiling_columns(efficiencies: Sequence[Efficiency]) -> CeilingColumns | None:
    """Of each operation the bandwidth that is nearest to its lowest ceiling; None where no ceiling is known.

    What is only below a number is left out, and what is of one server or drive.
    """
    nearest: dict[str, Efficiency] = {}
    for row in efficiencies:
        op, is_exact = row.measurement["op"], row.qualifier != qualified_values.BELOW
        is_nearer = op not in nearest or row.percent(row.limit) > nearest[op].percent(nearest[op].limit)
        if row.measurement["unit"] == "B/s" and row.over == "system" and is_exact and is_nearer:
            nearest[op] = row
    rows = list(nearest.values())[:MOST_COLUMNS]
    if not rows:
        return None
    unit = best_unit((row.measurement for row in rows), "B/s")
    factor = UNITS[unit].factor
    names = [", ".join(filter(None, [label_phase(row.measurement["op"]), row.qualifier])) for row in rows]
    chart = list_charts.draw_columns(
        [(name, row.measurement["value"] / factor) for name, row in zip(names, rows, strict=True)],
        {name: row.limit.value / factor for name, row in zip(names, rows, strict=True)},
        unit=unit,
        decimals=1 if max(row.limit.value for row in rows) >= 100 * factor else 2,
        width=130 * max(2, len(rows)),
    )
    return CeilingColumns(chart, unit) if chart else None


def leading_texts(rows: Sequence[Row], source: RowSource = PUBLIC) -> dict[str, str]:
    """By public id the leading numbers of results without a score, in words; rows have `pk`. One query at most."""
    unscored = {row["pk"]: row for row in rows if not row["score"]}
    if not unscored:
        return {}
    texts = {}
    for pk, measurements in public_record.measurements_by_result(unscored, source=source).items():
        tool = unscored[pk]["tool"]
        texts[unscored[pk]["id"]] = leading_text(measurements, tool)
    return texts


def leading_text(measurements: Sequence[Row], tool: str) -> str:
    """The two leading numbers of a run without a score, in words; "" where it has none."""
    figures = leading(with_tool(measurements, tool), {})
    return "; ".join(f"{row['name']} {row['value']} {row['unit']}".strip() for row in figures[:2])


def phase_ceilings(efficiencies: Sequence[Efficiency]) -> dict[str, float]:
    """Phase -> the lowest ceiling of its bandwidth, in GiB/s. Phases without a known ceiling are left out."""
    return {
        row.measurement["op"]: row.limit.value / GIB
        for row in efficiencies
        if row.measurement["stat"] == "phase" and row.measurement["unit"] == "B/s"
    }


def add_shares(phases: list[dict[str, Any]], ceilings: Mapping[str, float]) -> dict[str, Any]:
    """Give each phase its `share` of its ceiling, in % and as text; say which columns the table of phases needs.

    A column that would be empty for every phase is left out; `width` counts those that stay; a median has two.
    """
    for row in phases:
        limit = ceilings.get(row["name"]) if row["quantity"] == "bandwidth" else None
        row["share"] = f"{100 * row['value'] / limit:.1f}" if limit else ""
    needed = {name: any(row[name] for row in phases) for name in ("share", "start", "seconds", "median")}
    return {**needed, "width": 2 + sum(needed.values()) + needed["median"]}


def check_line(trust: str, checks: Mapping[str, Any]) -> str:
    """What was checked, in one line without its trust: "14 of 21 rules, none violated; evidence 11 of 14".

    Every part is counted from the checks of the published revision; a part that nobody looked at is left out.
    """
    parts = [_rules_part(checks), _hashes_part(checks["hashes"]), _evidence_part(checks["evidence"].get("rows", []))]
    if trust == "derived" and any(parts) and not parts[0]:
        parts[0] = "read from published files, so the rules for uploads were not applied"
    return "; ".join(filter(None, parts)) or NOT_RECOMPUTED.get(trust, "no checks of it are recorded")


def _rules_part(checks: Mapping[str, Any]) -> str:
    if not checks["rules"]:
        return ""
    counted, rules = checks["counted"], len(checks["rules"])
    return f"{counted['satisfied']} of {rules} rule{'s' * (rules != 1)}, {counted['violated'] or 'none'} violated"


def _hashes_part(hashes: Sequence[Mapping[str, Any]]) -> str:
    """Hashes that were printed and computed; one that could not be computed agrees with nothing."""
    if not hashes:
        return ""
    agreeing = sum(pair["same"] for pair in hashes)
    return f"{agreeing} of {len(hashes)} hash{'es' * (len(hashes) != 1)} agree{'s' * (len(hashes) == 1)}"


def _evidence_part(kinds: Sequence[Mapping[str, Any]]) -> str:
    if not kinds:
        return ""
    against = sum(row["outcome"] == "contradicts" for row in kinds)
    words = f"evidence {sum(row['outcome'] == 'agrees' for row in kinds)} of {len(kinds)}"
    return f"{words}, {against} contradict{'s' * (against == 1)}" if against else words
