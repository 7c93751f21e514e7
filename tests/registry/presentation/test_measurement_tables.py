"""Measurements of any tool as tables: laid out by what varies, units that fit, prefixes as printed."""

import pytest

from registry.presentation.measurement_tables import build_table, build_tables
from registry.presentation.words import describe_context, format_in_unit


def row(op="write", quantity="bandwidth", stat="mean", value=3 * 2**30, unit="B/s", printed_unit="GiB/s", **context):
    names = ("op", "quantity", "stat", "value", "unit", "printed_unit", "context")
    return dict(zip(names, (op, quantity, stat, value, unit, printed_unit, context), strict=True))


def heads(result_table):
    return [(head.over, head.text, head.over_unit or head.unit) for head in result_table.heads]


def texts(result_table):
    return [[cell.text for cell in cells] for cells in result_table.rows]


def test_a_row_for_each_operation_and_a_column_for_each_statistic():
    result_table = build_table(
        [row(stat="max"), row(), row(quantity="time", value=0.0025, unit="s"), row("read", value=2**30)]
    )
    assert heads(result_table)[1:] == [
        ("bandwidth", "max", "GiB/s"), ("bandwidth", "mean", "GiB/s"), ("time", "mean", "ms"),
    ]  # fmt: skip
    assert result_table.groups == [("", "", 1), ("bandwidth", "GiB/s", 2), ("time", "ms", 1)]
    assert texts(result_table) == [["write", "3", "3", "2.500"], ["read", "", "1", ""]]


def test_a_sweep_has_a_row_for_each_step():
    steps = [row(op, stat="aggregate", threads=count, osts=2) for count in (1, 2, 4) for op in ("write", "read")]
    sweep_table = build_table(steps)
    assert heads(sweep_table) == [("", "threads", ""), ("write", "bandwidth", "GiB/s"), ("read", "bandwidth", "GiB/s")]
    assert texts(sweep_table)[2] == ["4", "3", "3"]
    assert sweep_table.about == "all targets, OSTs 2"


def test_operations_of_different_steps_have_separate_tables():
    result_table = build_table([row(f"op{number}", threads=number) for number in range(3)] + [row("op0", threads=9)])
    assert [head.text for head in result_table.heads] == ["Operation", "threads", "bandwidth"]


def test_many_quantities_have_a_row_each_and_their_statistics_side_by_side():
    rows = [row("write", f"q{number}", stat) for number in range(6) for stat in ("first_done", "last_done")]
    result_table = build_table(rows)
    assert [head.text for head in result_table.heads] == ["Operation", "Quantity", "Unit", "first done", "last done"]
    assert texts(result_table)[0] == ["write", "q0", "GiB/s", "3", "3"]


def test_many_counters_have_a_row_each():
    counter_table = build_table([row("POSIX", "count", f"C{number}", number, "count", "ops") for number in range(12)])
    assert [head.text for head in counter_table.heads] == ["Quantity", "Unit", "POSIX"]
    assert texts(counter_table)[3] == ["count C3", "ops", "3"]


def test_many_jobs_have_a_row_each_however_many_their_counters():
    percentiles = [f"p{number}" for number in range(13)]
    jobs = build_table([row("write", "latency", stat, job=job) for job in range(13) for stat in percentiles])
    assert [head.text for head in jobs.heads] == ["Operation", "job", *(f"percentile {number}" for number in range(13))]
    assert [cells[:2] for cells in texts(jobs)] == [["write", str(job)] for job in range(13)]


def test_phases_that_only_count_the_operations_are_no_column():
    phase_table = build_table([row(phase=0), row("read", phase=1)])
    assert [head.text for head in phase_table.heads] == ["Operation", "bandwidth"]
    again = build_table([row(phase=0), row(phase=1), row("read", phase=2), row("read", phase=3)])
    assert "phase" in [head.text for head in again.heads]


def test_single_iterations_have_their_own_table():
    split_tables = build_tables(
        [row(stat="max", test=0), row(stat="iteration", test=0, iter=0), row(stat="iteration", iter=1)]
    )
    assert [(split_table.title, len(split_table.rows)) for split_table in split_tables] == [
        ("Results", 1),
        ("Iterations", 2),
    ]


def test_differing_settings_of_tests_are_columns():
    (test_table,) = build_tables([row(test=0), row(test=1)], {0: {"api": "POSIX"}, 1: {"api": "MPIIO"}})
    assert [(head.text, head.n) for head in test_table.heads][:2] == [("test", True), ("I/O interface", False)]
    assert texts(test_table)[1][:2] == ["1", "MPIIO"]


@pytest.mark.parametrize(
    ("value", "unit", "printed", "shown"),
    [
        (5 * 2**20, "B/s", "MiB/s", "MiB/s"),
        (5 * 10**6, "B/s", "MB/s", "MB/s"),
        (5 * 10**6, "B/s", "B/s", "MiB/s"),
        (7.0, "B/s", "B/s", "B/s"),
        (3e-6, "s", "ns", "us"),
        (1500.0, "ops/s", "ops/s", "ops/s"),
        (1500.0, "ops/s", "samples/s", "samples/s"),
        (1500.0, "ops/s", "kIOPS", "kIOPS"),
        (1500.0, "ops/s", "kiops", "ops/s"),
        (12.0, "%", "%", "%"),
        (4.0, "count", "count", ""),
        (0.0, "s", "s", "ns"),
    ],
)
def test_units_fit_the_values_and_stay_binary_or_decimal(value, unit, printed, shown):
    assert build_table([row(value=value, unit=unit, printed_unit=printed)]).heads[1].unit == shown


def test_statistics_of_one_quantity_have_one_unit():
    result_table = build_table([row(), row(stat="stdev", value=2**20)])
    assert result_table.groups[1:] == [("bandwidth", "GiB/s", 2)]
    assert texts(result_table) == [["write", "3", "0.0009766"]]


def test_errors_of_a_value_are_shown_beside_it():
    result_table = build_table([row(threads=1, target_state="ERROR"), row(threads=2)])
    assert [cells[-1].note for cells in result_table.rows] == ["ERROR", ""]
    assert [head.text for head in result_table.heads] == ["threads", "bandwidth"]


def test_rows_beyond_the_limit_are_counted():
    result_table = build_table([row(job=number) for number in range(130)])
    assert (len(result_table.rows), result_table.more) == (100, 30)


def test_no_measurements_make_no_table():
    assert build_tables([]) == []
    assert build_table([]).rows == []


def test_words_and_numbers_are_formatted():
    assert (
        describe_context({"file_size_KiB": 4, "mode": "O_DIRECT", "run": "run1"})
        == "file size 4\xa0KiB, mode O_DIRECT, run1"
    )
    assert (describe_context({"invalid": False, "job": 0}), describe_context({"invalid": True})) == ("job 0", "invalid")
    assert format_in_unit(1234567.0, "B/s") == "1,234,567"
    assert format_in_unit(1.5 * 2**20, "MiB/s") == "1.500"
