"""The result that leads the first page: its bandwidth under its ceiling, and the checks that it passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import F, Q

from registry.models import Result
from registry.presentation import numbers
from registry.presentation.charts import list_charts
from registry.presentation.charts.model import Chart
from registry.presentation.charts.repeat_columns import CeilingMark, RepeatColumn, draw_repeat_columns
from registry.query import public_record
from registry.query.kept_sums import Keep, make_anew
from registry.query.public_record import Row
from registry.query.responses.rule_outcomes import count_outcomes
from registry.query.responses.trust_levels import label_of
from validators import catalogue
from validators.ceilings import Ceiling
from validators.ceilings.ceiling_fraction import Efficiency, efficiencies
from validators.system.parts import of_document

GIB = 2**30
UNIT = "GiB/s"
PHASES = {
    "ior-easy-write": ("easy write", "own pattern"),
    "ior-easy-read": ("easy read", "own pattern"),
    "ior-hard-write": ("hard write", "47,008 B"),
    "ior-hard-read": ("hard read", "47,008 B"),
}
MOST_CANDIDATES = 8
WIDTHS = {"wide": 596, "thin": 358}
Checks = Sequence[dict[str, str]]


def featured_result(keep: Keep = make_anew) -> dict[str, Any] | None:
    """The newest verified IO500 result under a known ceiling, else the best derived one of the newest release.

    Without either the newest verified one leads, without a ceiling. Score and both hashes were recomputed with equal
    outcome in each. None where there is none. Looks at `MOST_CANDIDATES` results; `keep` may know which.
    """
    fallback = None
    for result in _load_candidates(keep("featured-1", _candidate_ids)):
        checks = list_checks(result.snapshot)
        if not checks:
            continue
        example = _describe(result, checks)
        if example["has_ceiling"] or result.trust == Result.Trust.DERIVED:
            return example
        fallback = fallback or example
    return fallback


def _candidate_ids() -> list[int]:
    described = Q(trust=Result.Trust.VERIFIED, system_snapshot__isnull=False)
    recomputed = Q(trust=Result.Trust.DERIVED, score__isnull=False)
    results = public_record.current_results((described | recomputed) & Q(tool="io500", erasure=None))
    ordered = results.exclude(system_name="").order_by(
        "-trust", F("release__held_on").desc(nulls_last=True), F("score").desc(nulls_last=True), "id"
    )
    return list(ordered.values_list("pk", flat=True)[:MOST_CANDIDATES])


def _load_candidates(ids: Sequence[int]) -> Sequence[Result]:
    """These results in their order. No query without any."""
    loaded = Result.objects.select_related("system_snapshot", "site").in_bulk(ids) if ids else {}
    return [loaded[pk] for pk in ids if pk in loaded]


def list_checks(snapshot: Mapping[str, Any]) -> Checks:
    """Three checks in words, each with its `outcome`; empty unless score and hashes came out as they are printed."""
    score = snapshot.get("scores", {}).get("SCORE", {})
    printed_score, computed_score = (
        numbers.format_significant(score[key], 9) if score.get(key) else "" for key in ("printed", "value")
    )
    pairs = snapshot.get("hashes", {})
    hashes = [pairs.get(name, {}).get("printed", "") for name in ("config", "score")]
    if not printed_score or printed_score != computed_score or not all(hashes):
        return []
    if any(pair["printed"] != pair.get("computed") for pair in pairs.values()):
        return []
    third = _count_rules(snapshot.get("rules", [])) or _count_evidence(snapshot.get("evidence") or {})
    return [
        {
            "sign": "yes",
            "outcome": "✓ same",
            "words": "Score recomputed from the raw output, as printed:",
            "code": printed_score,
        },
        {
            "sign": "yes",
            "outcome": "✓ same",
            "words": "Hashes of the configuration and of the score:",
            "code": " ".join(hashes),
        },
        *third,
    ]


def _count_rules(rules: Sequence[Mapping[str, Any]]) -> Checks:
    if not rules:
        return []
    counted = count_outcomes(rules)
    satisfied, violated = counted["satisfied"], counted["violated"]
    words = f"rules satisfied, {violated or 'none'} violated, {len(rules) - satisfied - violated} undecided"
    return [_counted_check(violated, f"{satisfied} of {len(rules)}", words)]


def _count_evidence(evidence: Mapping[str, Any]) -> Checks:
    if not evidence.get("of"):
        return []
    outcomes = [kind.get("outcome") for kind in evidence.get("kinds", [])]
    contradicted, absent = outcomes.count("contradicts"), outcomes.count("absent")
    words = f"kinds of evidence agree, {contradicted or 'none'} contradicted, {absent} absent"
    return [_counted_check(contradicted, f"{evidence.get('agree', 0)} of {evidence['of']}", words)]


def _counted_check(failures: int, share: str, words: str) -> dict[str, str]:
    sign, mark = ("no", "✕") if failures else ("yes", "✓")
    return {"sign": sign, "outcome": f"{mark} {share}", "words": words, "code": ""}


def _describe(result: Result, checks: Checks) -> dict[str, Any]:
    measurements = [row for row in public_record.list_measurements(result) if _is_bandwidth(row)]
    snapshot = getattr(result, "system_snapshot", None)
    crossing = catalogue.crossings().get(result.tool)
    limited = (
        efficiencies(crossing, measurements, result.parameters, of_document(snapshot.document)) if snapshot else []
    )
    return {
        "id": result.public_id,
        "trust": result.trust,
        "trust_label": label_of(result),
        "institution": result.institution or result.site.name,
        "filesystem": result.filesystem_type,
        "client_nodes": result.client_nodes,
        "checks": checks,
        "sentence": leading_sentence(result.system_name, measurements, limited),
        "has_ceiling": bool(limited),
        "charts": draw_charts(measurements, limited),
    }


def _is_bandwidth(row: Row) -> bool:
    return row["op"] in PHASES and row["quantity"] == "bandwidth" and not row["context"].get("invalid")


def leading_sentence(name: str, measurements: Sequence[Row], limited: Sequence[Efficiency]) -> str:
    """How near the nearest phase comes to its ceiling; without a ceiling, the highest bandwidth in GiB/s."""
    if limited:
        nearest = max(limited, key=lambda efficiency: efficiency.percent(efficiency.limit))
        phase, _ = PHASES[nearest.measurement["op"]]
        percent = numbers.format_decimal(nearest.percent(nearest.limit), 1)
        return f"{name}: {phase} reaches {percent}\N{NO-BREAK SPACE}% of its ceiling, {nearest.limit.words}"
    if not measurements:
        return name
    highest = max(measurements, key=lambda row: float(row["value"]))
    phase, _ = PHASES[highest["op"]]
    return f"{name}: {phase} at {numbers.format_decimal(highest['value'] / GIB)}\N{NO-BREAK SPACE}{UNIT}"


def draw_charts(measurements: Sequence[Row], limited: Sequence[Efficiency]) -> list[Chart]:
    """Columns in GiB/s from zero: charts for each ceiling, or without a ceiling where none is known.

    Each is drawn for wide pages and for phones.
    """
    if not limited:
        values = [(PHASES[row["op"]][0], row["value"] / GIB) for row in measurements]
        both = [list_charts.draw_columns(values, width=width, kind=kind) for kind, width in WIDTHS.items()]
        return [chart for chart in both if chart]
    by_limit: dict[tuple[float, str], list[Efficiency]] = {}
    for efficiency in limited:
        by_limit.setdefault((efficiency.limit.value, efficiency.limit.words), []).append(efficiency)
    charts: list[Chart] = []
    for group in by_limit.values():
        columns = [RepeatColumn(*PHASES[row.measurement["op"]], [row.measurement["value"] / GIB]) for row in group]
        charts += draw_repeat_columns(columns, _mark(group[0].limit), UNIT)
    return charts


def _mark(ceiling: Ceiling) -> CeilingMark:
    return CeilingMark(ceiling.value / GIB, ceiling.words, "computed from the described parts")
