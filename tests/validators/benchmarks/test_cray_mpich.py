"""Cray MPICH: the boxes of its MPI-IO library, cut, edited, interleaved, and what is no box."""

import json

import pytest

from tests.validators.bench_cases import codes_of
from validators.checks import check

BORDER = "+--------------------------------------------------------+\n"


def box(*entries, op="write", kind="access patterns", file="/scratch/carol/prj0042/out.nc"):
    return BORDER + f"| MPIIO {op} {kind} for {file}\n" + "".join(f"|   {entry}\n" for entry in entries) + BORDER


def statistics(**changes):
    entries = {
        "independent writes": "0",
        "collective writes": "4",
        "independent writers": "0",
        "aggregators": "2",
        "stripe count": "2",
        "stripe size": "1048576",
    }
    entries |= {"system writes": "8", "stripe sized writes": "8", "ave system write size": "1048576"}
    entries |= {"read-modify-write count": "0", "read-modify-write bytes": "0", "number of write gaps": "0"}
    entries |= {"total bytes for writes": "8388608 = 8 MiB = 0 GiB", **changes}
    return box(*(f"{name:<24}= {value}" for name, value in entries.items()))


def timers(raw="200.000", net="100.000", unit="MiB/s", phase="file write"):
    return box(
        "number of ranks writing        =     2",
        "number of ranks not writing    =     6",
        f"{phase:<31}=          0   656363834   656363834 86%",
        f"raw write BW ({unit})           =     {raw}",
        f"net write BW ({unit})           =     {net}",
        kind="by phases, writers only,",
    )


def checked(tmp_path, text):
    (tmp_path / "job.err").write_text(text, newline="")
    return check(tmp_path / "job.err")


def figures(run):
    return {
        (measurement.op, measurement.quantity, measurement.stat): (measurement.value, measurement.unit)
        for measurement in run.measurements
    }


def test_calls_bytes_and_bandwidths_of_a_file(tmp_path):
    report = checked(tmp_path, "model starts\n" + statistics() + timers() + "model ends\n")
    (run,) = report.runs
    assert figures(run)["write", "count", "collective"] == (4, "count")
    assert figures(run)["write", "volume", "total"] == (8 * 2**20, "B")
    assert figures(run)["write", "bandwidth", "net"] == (100 * 2**20, "B/s")
    assert figures(run)["write", "time_share", "file_write"] == (86, "%")
    assert run.parameters["tasks"] == 8
    assert run.parameters["stripe_size_bytes"] == 2**20
    assert codes_of(report) == []


def test_a_file_that_is_closed_twice_has_two_boxes(tmp_path):
    (run,) = checked(tmp_path, timers(net="100.0") + timers(net="50.0")).runs
    bandwidths = [
        (measurement.context["box"], measurement.printed_value)
        for measurement in run.measurements
        if measurement.stat == "net"
    ]
    assert bandwidths == [(1, 100.0), (2, 50.0)]


@pytest.mark.parametrize("label", ["[0] ", "0: ", "[1,0]<stderr>: ", "node: 2026-01-05 "])
def test_labels_before_the_lines_do_not_matter(tmp_path, label):
    text = "".join(f"{label}{line}\n" for line in (statistics() + timers()).splitlines())
    (run,) = checked(tmp_path, text).runs
    assert figures(run)["write", "bandwidth", "raw"] == (200 * 2**20, "B/s")


def test_lines_of_another_rank_inside_a_box_are_ignored(tmp_path):
    text = (statistics() + timers()).replace("|   aggregators", "WARNING: rank 7 is late\r\n|   aggregators")
    assert checked(tmp_path, text).status == "valid"
    assert checked(tmp_path, text.replace("\n", "\r\n")).status == "valid"


def test_values_that_were_not_counted_are_left_out(tmp_path):
    (run,) = checked(tmp_path, statistics(**{"stripe count": "-1", "ave system write size": "NA"})).runs
    assert {"stripe_count", "system_mean"} & {measurement.stat for measurement in run.measurements} == set()


def test_boxes_inside_the_output_of_an_application_are_read(tmp_path):
    assert checked(tmp_path, "step done\n" * 200_000 + timers()).status == "valid"


def test_paths_are_not_recorded(tmp_path):
    (run,) = checked(tmp_path, statistics() + timers()).runs
    serialized = json.dumps(run.as_json())
    assert [word for word in ("carol", "prj0042", "/scratch") if word in serialized] == []
    assert '"out.nc"' in serialized


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (timers()[:-30], "truncated"),
        (statistics()[: -len(BORDER)] + timers(), "truncated"),
        (timers(net="nan"), "not-a-number"),
        (timers(net="1e999"), "not-a-number"),
        (timers(net="100,000"), "number-format"),
        (timers(unit="Mops/s"), "unit-not-understood"),
        (timers(net="300.000"), "inconsistent"),
        (statistics(**{"total bytes for writes": "8388608 = 80 MiB = 0 GiB"}), "inconsistent"),
        (box(*["aggregators = 1"] * 300), "inconsistent"),
        (box("nothing"), "no-results"),
        (statistics() * 2001, "too-large"),
        (timers() + "x" * 600_000, "line-too-long"),
    ],
)
def test_invalid_outputs_are_refused_with_a_code(tmp_path, text, code):
    report = checked(tmp_path, text)
    assert f"cray-mpich.{code}" in codes_of(report)
    assert report.status == "invalid"


def test_statistics_without_timers_have_no_bandwidth(tmp_path):
    report = checked(tmp_path, statistics())
    assert codes_of(report) == ["cray-mpich.no-bandwidth"]
    assert report.status == "valid"


def test_megabytes_are_not_taken_for_mebibytes(tmp_path):
    (run,) = checked(tmp_path, timers(unit="MB/s")).runs
    assert figures(run)["write", "bandwidth", "net"] == (100 * 10**6, "B/s")


def test_tables_of_other_programs_are_ignored(tmp_path):
    assert codes_of(checked(tmp_path, BORDER + "| MPI version 3 |\n" + BORDER)) == ["bundle.not-recognised"]


@pytest.mark.parametrize(
    ("text", "timed", "aggregators"),
    [
        (timers(), "satisfied", "not_evaluated"),
        (statistics() + timers(), "satisfied", "satisfied"),
        (statistics(**{"stripe count": "8"}), "violated", "violated"),
    ],
)
def test_rules_hold_or_not(tmp_path, text, timed, aggregators):
    (run,) = checked(tmp_path, text).runs
    outcomes = {rule.code: rule.outcome for rule in run.rules}
    assert outcomes == {"cray-mpich.timers": timed, "cray-mpich.aggregators-match-stripes": aggregators}
