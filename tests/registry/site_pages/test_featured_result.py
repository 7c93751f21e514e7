"""Which result leads the first page, with which checks, and under which ceiling."""

from __future__ import annotations

from typing import Any

import pytest

from registry.models import Measurement, PublicSystemSnapshot, Result
from registry.site_pages.featured_result import draw_charts, featured_result, leading_sentence, list_checks
from tests.html import page_source
from tests.registry.record import GIB, make_release, make_result
from validators.ceilings import Ceiling
from validators.ceilings.ceiling_fraction import Efficiency
from validators.hardware import Figure

HASHES = {"config": {"printed": "AA", "computed": "AA"}, "score": {"printed": "BB", "computed": "BB"}}
SCORES = {"SCORE": {"printed": 12.5, "value": 12.5}}
EVIDENCE = {"of": 3, "agree": 2, "kinds": [{"outcome": "agrees"}, {"outcome": "agrees"}, {"outcome": "absent"}]}
SNAPSHOT: dict[str, Any] = {"hashes": HASHES, "scores": SCORES, "evidence": EVIDENCE}


def row(op: str, gib: float) -> dict[str, Any]:
    return {"op": op, "quantity": "bandwidth", "stat": "phase", "value": gib * GIB, "unit": "B/s", "context": {}}


def under(op: str, gib: float, limit: float) -> Efficiency:
    ceiling = Ceiling("network", (("ports", Figure(limit * GIB, "B/s", "datasheet")),), "B/s")
    return Efficiency(row(op, gib), "read", "system", [ceiling])


def test_three_checks_prove_a_result() -> None:
    outcomes = [(check["outcome"], check["code"]) for check in list_checks(SNAPSHOT)]
    assert outcomes == [("✓ same", "12.5000000"), ("✓ same", "AA BB"), ("✓ 2 of 3", "")]


def test_rules_count_before_evidence_and_violations_are_named() -> None:
    rules = [{"outcome": name} for name in ("satisfied", "satisfied", "violated", "not_evaluated")]
    third = list_checks({**SNAPSHOT, "rules": rules})[2]
    assert (third["sign"], third["outcome"]) == ("no", "✕ 2 of 4")
    assert third["words"] == "rules satisfied, 1 violated, 1 undecided"


@pytest.mark.parametrize("changed", [
    {"scores": {}},
    {"scores": {"SCORE": {"printed": 12.5, "value": 12.6}}},
    {"scores": {"SCORE": {"printed": None, "value": 12.5}}},
    {"hashes": {}},
    {"hashes": {**HASHES, "score": {"printed": "BB", "computed": "CC"}}},
])  # fmt: skip
def test_results_with_differing_scores_are_not_featured(changed) -> None:
    assert list_checks({**SNAPSHOT, **changed}) == []


def test_a_ceiling_is_drawn_and_its_nearest_phase_named() -> None:
    limited = [under("ior-easy-write", 50, 200), under("ior-easy-read", 150, 200)]
    assert leading_sentence("Sea", [], limited).startswith(
        "Sea: easy read reaches 75.0\N{NO-BREAK SPACE}% of its ceiling"
    )
    charts = draw_charts([], limited)
    assert [chart.kind for chart in charts] == ["wide", "thin"]
    assert "ceiling 200.00" in charts[0].words


def test_phases_with_different_ceilings_have_separate_charts() -> None:
    limited = [under("ior-easy-write", 50, 100), under("ior-easy-read", 150, 200)]
    assert len(draw_charts([], limited)) == 4


def test_without_a_ceiling_none_is_drawn() -> None:
    measurements = [row("ior-easy-write", 50), row("ior-hard-read", 20)]
    charts = draw_charts(measurements, [])
    assert [(chart.kind, chart.width) for chart in charts] == [("wide", 596), ("thin", 358)]
    assert not any("ceiling" in chart.words for chart in charts)
    assert leading_sentence("Sea", measurements, []) == "Sea: easy write at 50.00\N{NO-BREAK SPACE}GiB/s"


@pytest.mark.django_db
def test_the_best_derived_result_of_the_newest_release_is_featured(client) -> None:
    old, new = make_release("T1", "2025-05-01"), make_release("T2", "2026-05-01")
    facts = {"trust": Result.Trust.DERIVED, "snapshot": SNAPSHOT}
    make_result(old, "io500-1", 99.0, **facts)
    make_result(new, "io500-2", 12.0, **facts)
    leading = make_result(new, "io500-3", 12.5, system_name="Leading system", **facts)
    make_result(new, "io500-4", 50.0, trust=Result.Trust.DERIVED, snapshot={**SNAPSHOT, "hashes": {}})
    Measurement.objects.filter(result=leading).delete()
    example = featured_result()
    assert example is not None
    assert (example["id"], example["has_ceiling"]) == ("io500-3", False)
    page = page_source(client.get("/"))
    assert "Leading system" in page
    assert "no ceiling is drawn, because the files do not describe servers and drives" in page


@pytest.mark.django_db
def test_a_verified_result_without_a_ceiling_is_featured_last() -> None:
    release = make_release("T1", "2025-05-01")
    facts = {"trust": Result.Trust.VERIFIED, "snapshot": SNAPSHOT, "bundle_sha256": "0" * 64}
    verified = make_result(release, "io500-1", 99.0, **facts)
    PublicSystemSnapshot.objects.create(result=verified, document={"node_classes": []}, summary={}, sha256="0" * 64)
    lone = featured_result()
    assert lone is not None
    assert (lone["id"], lone["has_ceiling"]) == ("io500-1", False)
    make_result(release, "io500-2", 12.0, trust=Result.Trust.DERIVED, snapshot=SNAPSHOT)
    second = featured_result()
    assert second is not None
    assert second["id"] == "io500-2"


@pytest.mark.django_db
def test_an_imported_result_is_never_featured() -> None:
    make_result(make_release("T1"), "io500-1", 99.0, trust=Result.Trust.IMPORTED, snapshot=SNAPSHOT)
    assert featured_result() is None
