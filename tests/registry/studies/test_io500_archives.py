"""Where the time of an IO500 run goes: the sentences of four studies are what the record says."""

from __future__ import annotations

from typing import Any

import pytest

from registry.models import Measurement, Result
from registry.studies import curated

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

SCORED = ("ior-easy-write", "ior-hard-write", "ior-easy-read", "ior-hard-read")
WRITES = ("ior-easy-write", "ior-hard-write", "mdtest-easy-write", "mdtest-hard-write")
NAMES = dict(zip(WRITES, ("IOR easy write", "IOR hard write", "mdtest easy write", "mdtest hard write"), strict=True))


def percents(quantity: str, *ops: str) -> list[float]:
    """Shares of derived results, by the record."""
    rows = Measurement.objects.filter(result__trust=Result.Trust.DERIVED, quantity=quantity, op__in=ops, stat="phase")
    return list(rows.values_list("value", flat=True))


def count_from(least: float, quantity: str) -> str:
    """By write phase how many runs reach a share, of those that have one: "IOR easy write in 92 of 260 runs"."""
    values = {op: percents(quantity, op) for op in WRITES}
    counts = {op: sum(value >= least for value in of_op) for op, of_op in values.items()}
    return ", ".join(f"{NAMES[op]} in {counts[op]} of {len(values[op])} runs" for op in WRITES)


def test_every_sentence_agrees_with_the_stored_results() -> None:
    closing = percents("close_share", *SCORED)
    searches = percents("rank_imbalance", "find")
    sentences = {
        "io500-closing": "Closing takes less than 1 % of the time in "
        f"{sum(value < 1 for value in closing):,} of the {len(closing):,} scored phases that tell it.",
        "io500-after-stonewall": "A quarter of the time and more lies after the stonewall: "
        f"{count_from(25, 'wear_out_share')}.",
        "io500-late-work": "A tenth of the work and more is done after the stonewall: "
        f"{count_from(10, 'wear_out_work')}.",
        "io500-imbalance": f"In {sum(value >= 90 for value in searches)} of the {len(searches)} runs that tell it, "
        "one rank of find searched at least ten times the files of the mean.",
    }
    assert {slug: curated.find_study(slug)["finding"] for slug in sentences} == sentences


@pytest.mark.parametrize("slug", ["io500-closing", "io500-after-stonewall", "io500-late-work", "io500-imbalance"])
def test_a_study_over_all_archives_pools_only_similar_results(client: Any, slug: str) -> None:
    answer = client.get(f"/api/v1/studies/{slug}/").json()
    assert answer["unit"] == "%"
    assert answer["coded_notes"], "systems differ in more than the axis, and it is said in what"
    assert [row for row in answer["rows"] if row["varies"] and row["value"] is not None] == []
    assert sum(row["count"] for row in answer["rows"]) > 700
    page = client.get(f"/studies/{slug}/")
    assert page.status_code == 200
    assert answer["finding"] in page.content.decode()


def test_a_share_is_selected_by_name_and_by_quantity(client: Any) -> None:
    """`time_share` is a reported name of another tool, and finds what is reported under it."""
    named = client.get("/api/v1/study/?metric=ior-easy-write.close_share.phase&x=release&tool=io500").json()
    assert (named["unit"], {row["trust"] for row in named["rows"]}) == ("%", {"derived"})
    work = client.get("/api/v1/study/?metric=work_share&x=op&tool=io500").json()
    assert {row["op"] for row in work["rows"]} >= {"ior-easy-write", "mdtest-hard-write"}
