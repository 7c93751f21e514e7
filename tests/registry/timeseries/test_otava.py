"""Steps against those of Apache Otava 0.8.0 in the same constructed series (tools/otava_change_points.py).

Where the level truly moved, both find it at the same run. Each difference that is left has its reason here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from registry.timeseries.change_points import find_change_points
from tests.registry.timeseries import noise

DOCUMENT = json.loads((Path(__file__).parent / "otava.json").read_text(encoding="utf-8"))
SERIES = {row["name"]: row for row in DOCUMENT["series"]}
TRUE_PLACES = {
    **{"fall-25": [30], "rise-15": [30], "fall-10": [30], "fall-5": [30], "late-fall-25": [52], "last-three-25": [57]},
    **{"repaired-fall-20": [25, 35], "stairs-20": [20, 40], "short-fall-25": [6], "noise": [], "short-noise": []},
    **{"outlier": [], "two-outliers": []},
}
NEAR = 1
"""A fall of 5 % in 3 % noise may be seen a run late."""

ONLY_OTAVA = {
    "noise.2": "its chance is of each place, without regard to how many places were tried: a false one",
    "fall-10.2": "as above, beside the true one",
    "late-fall-25.1": "as above, beside the true one",
}
ONLY_OURS = {"two-outliers.2": "a stretch in the middle of two outliers and a low run counts as a level from three on"}


def places(name: str) -> tuple[list[int], list[int]]:
    """Of Otava, and of ours."""
    return SERIES[name]["change_points"], [step.place for step in find_change_points(SERIES[name]["values"])]


@pytest.mark.parametrize("name", [name for name in SERIES if name.rpartition(".")[0] in TRUE_PLACES])
def test_otava_and_highwater_find_the_same_clear_steps(name: str) -> None:
    by_otava, ours = places(name)
    truth = TRUE_PLACES[name.rpartition(".")[0]]
    if name in ONLY_OTAVA:
        assert set(truth) == set(ours) < set(by_otava)
    elif name in ONLY_OURS:
        assert set(truth) == set(by_otava) < set(ours)
    else:
        assert by_otava == ours
        assert len(ours) == len(truth)
        assert all(abs(place - true_place) <= NEAR for place, true_place in zip(ours, truth, strict=True))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_single_last_run_is_a_change_point_only_for_otava(seed: int) -> None:
    """A level needs three runs here. Of the one run that is there yet, the alarm speaks the same night."""
    by_otava, ours = places(f"last-one-25.{seed}")
    assert (by_otava, ours) == ([59], [])
    assert noise.judge_newest([SERIES[f"last-one-25.{seed}"]["values"]])["verdict"] == "lower"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_drift_is_several_steps_for_both(seed: int) -> None:
    """Neither knows of slopes. Otava cuts finer, as it does not pay for the places that it tries."""
    by_otava, ours = places(f"drift-1.{seed}")
    assert len(by_otava) >= len(ours) >= 4


@pytest.mark.parametrize(("seed", "otava_only"), [(1, [13]), (2, []), (3, [])])
def test_correlated_runs_mislead_both(seed: int, otava_only: list[int]) -> None:
    """Both take runs for independent: stretches of serial noise may be steps to either."""
    by_otava, ours = places(f"serial-0.5.{seed}")
    assert sorted(set(by_otava) - set(ours)) == otava_only
    assert set(ours) <= set(by_otava)


def test_every_explained_difference_to_otava_exists() -> None:
    same_kind: Any = [name for name in SERIES if name.rpartition(".")[0] in TRUE_PLACES]
    different = {name for name in same_kind if len(places(name)[0]) != len(places(name)[1])}
    assert different == {*ONLY_OTAVA, *ONLY_OURS}


def test_stored_answers_name_the_version_of_otava() -> None:
    assert DOCUMENT["otava"] == "0.8.0"
    assert DOCUMENT["options"] == {"window": 50, "max_pvalue": 0.001, "min_magnitude": 0.01}
