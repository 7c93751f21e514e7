"""Official values against archives: rounding is no difference, another run or a corrected value is."""

from __future__ import annotations

import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from registry.lists.official import ListDifference, archived_values, may_be_same, value_differences
from registry.models import Result


@pytest.mark.parametrize(
    ("official", "archived"),
    [(131.39, 131.387), (0.01, 0.0149), (12.0, 12.004), (210255.0, 210254.987233), (3748.85, 3748.8451), (0.0, 0.0)],
)
def test_a_value_agrees_with_what_it_was_rounded_to(official: float, archived: float) -> None:
    assert may_be_same(official, archived)


@pytest.mark.parametrize(
    ("official", "archived"),
    [(152.41, 214.564), (5.32, 5.346), (0.0, 0.5), (12.0, 12.02), (float("nan"), 1.0), (1.0, float("inf"))],
)
def test_a_value_beyond_rounding_differs(official: float, archived: float) -> None:
    assert not may_be_same(official, archived)


def test_find_may_be_printed_in_whole_kiops() -> None:
    assert not value_differences({"find": 849.0}, {"find": 848.59})
    assert value_differences({"ior-easy-read": 849.0}, {"ior-easy-read": 848.59})


def test_only_values_of_both_sides_are_compared() -> None:
    assert value_differences({"score": 2.0, "rate": 3.0}, {"score": 1.0, "bandwidth": 9.0}) == [
        ListDifference("score", 2.0, 1.0)
    ]


def test_a_report_is_read_in_the_units_of_the_record() -> None:
    run = {
        "measurements": [
            {"op": "ior-easy-write", "quantity": "bandwidth", "stat": "phase", "value": 2.0 * 2**30},
            {"op": "ior-easy-write", "quantity": "time", "stat": "phase", "value": 300.0},
            {"op": "ior-easy-write", "quantity": "bandwidth", "stat": "max", "value": 9.0 * 2**30},
            {"op": "find", "quantity": "rate", "stat": "phase", "value": 5000.0},
        ],
        "scores": {"SCORE": {"value": 4.0, "bandwidth_gib_per_s": 2.0, "rate_kiops": None, "printed": 4.1}},
    }
    assert archived_values(run) == {"ior-easy-write": 2.0, "find": 5.0, "bandwidth": 2.0, "score": 4.0}


@pytest.mark.django_db
def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="not a folder"):
        call_command("compare_official", str(tmp_path / "none"))


@pytest.mark.django_db
@pytest.mark.real_data
def test_archives_of_the_published_record(shared, published_archives, loaded, tmp_path, request) -> None:
    """123 agree; 21 of SC18 had their metadata write rates corrected, and the archive of 163 holds another run.

    Of all in a deep run, of some and these two in others.
    """
    submissions = shared / "data" / "io500" / "submissions"
    for path in {*published_archives, *(submissions / f"submission-{number}.tar.gz" for number in (163, 164))}:
        shutil.copyfile(path, tmp_path / path.name)
    out = StringIO()
    call_command("compare_official", str(tmp_path), stdout=out)
    lines = out.getvalue().splitlines()
    counts = {name: int(count) for count, name in (part.split(" ", 1) for part in lines[-1].split(", "))}
    differing = {line.split(":")[0] for line in lines if "official" in line and line.startswith("io500-")}
    assert counts["differ"] == len(differing)
    if request.config.option.deep:
        assert (counts["agree"], counts["differ"]) == (123, 22)
    assert counts["agree"] > counts["differ"] > 1
    assert {"io500-163", "io500-164"} <= differing
    corrected = Result.objects.filter(public_id__in=differing - {"io500-163"})
    assert set(corrected.values_list("release__slug", flat=True)) == {"SC18"}
    assert {line.split()[1] for line in lines if line.startswith("io500-164:")} == {
        "mdtest-easy-write",
        "mdtest-hard-write",
        "rate",
        "score",
    }
