"""Measurements of any tool as tables: laid out by what varies, units that fit, prefixes as printed."""

import pytest

from registry.presentation.measurement_tables import table, tables
from registry.presentation.words import describe_context, format_in_unit


def row(op="write", quantity="bandwidth", stat="mean", value=3 * 2**30, unit="B/s", printed_unit="GiB/s", **context):
    names = ("op", "quantity", "stat", "value", "unit", "printed_unit", "context")
    return dict(zip(names, (op, quantity, stat, value, unit, printed_unit, context), strict=True))


def heads(made):
    return [(head.over, head.text, head.over_unit or head.unit) for head in made.heads]


def texts(made):
    return [[cell.text for cell in cells] for cells in made.rows]


def test_a_row_for_each_operation_and_a_column_for_each_statistic():
    made = table([row(stat="max"), row(), row(quantity="time", value=0.0025, unit="s"), row("read", value=2**30)])
    assert heads(made)[1:] == [
        ("bandwidth", "max", "GiB/s"), ("bandwidth", "mean", "GiB/s"), ("time", "mean", "ms"),
    ]  # fmt: skip
    assert made.groups == [("", "", 1), ("bandwidth", "GiB/s", 2), ("time", "ms", 1)]
    assert texts(made) == [["write", "3", "3", "2.500"], ["read", "", "1", ""]]


def test_a_sweep_has_a_row_for_each_step_with_the_operations_side_by_side():
    steps = [row(op, stat="aggregate", threads=count, osts=2) for count in (1, 2, 4) for op in ("write", "read")]
    made = table(steps)
    assert heads(made) == [("", "threads", ""), ("write", "bandwidth", "GiB/s"), ("read", "bandwidth", "GiB/s")]
    assert texts(made)[2] == ["4", "3", "3"]
    assert made.about == "aggregate, osts 2"


def test_operations_of_different_steps_do_not_leave_a_table_full_of_holes():
    made = table([row(f"op{number}", threads=number) for number in range(3)] + [row("op0", threads=9)])
    assert [head.text for head in made.heads] == ["Operation", "threads", "bandwidth"]


def test_many_quantities_have_a_row_each_and_their_statistics_side_by_side():
    rows = [row("write", f"q{number}", stat) for number in range(6) for stat in ("first_done", "last_done")]
    made = table(rows)
    assert [head.text for head in made.heads] == ["Operation", "Quantity", "Unit", "first done", "last done"]
    assert texts(made)[0] == ["write", "q0", "GiB/s", "3", "3"]


def test_many_counters_have_a_row_each():
    made = table([row("POSIX", "count", f"C{number}", number, "count", "ops") for number in range(12)])
    assert [head.text for head in made.heads] == ["Quantity", "Unit", "POSIX"]
    assert texts(made)[3] == ["count C3", "ops", "3"]


def test_phases_that_only_count_the_operations_are_no_column():
    made = table([row(phase=0), row("read", phase=1)])
    assert [head.text for head in made.heads] == ["Operation", "bandwidth"]
    again = table([row(phase=0), row(phase=1), row("read", phase=2), row("read", phase=3)])
    assert "phase" in [head.text for head in again.heads]


def test_what_was_measured_one_by_one_has_its_own_table():
    found = tables([row(stat="max", test=0), row(stat="iteration", test=0, iter=0), row(stat="iteration", iter=1)])
    assert [(made.title, len(made.rows)) for made in found] == [("Results", 1), ("Iterations", 2)]


def test_what_tests_differ_in_stands_beside_their_numbers():
    (made,) = tables([row(test=0), row(test=1)], {0: {"api": "POSIX"}, 1: {"api": "MPIIO"}})
    assert [(head.text, head.n) for head in made.heads][:2] == [("test", True), ("api", False)]
    assert texts(made)[1][:2] == ["1", "MPIIO"]


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
def test_the_unit_fits_and_binary_is_never_decimal(value, unit, printed, shown):
    assert table([row(value=value, unit=unit, printed_unit=printed)]).heads[1].unit == shown


def test_statistics_of_one_quantity_have_one_unit():
    made = table([row(), row(stat="stdev", value=2**20)])
    assert made.groups[1:] == [("bandwidth", "GiB/s", 2)]
    assert texts(made) == [["write", "3", "0.0009766"]]


def test_what_is_wrong_with_a_figure_stands_beside_it():
    made = table([row(threads=1, target_state="ERROR"), row(threads=2)])
    assert [cells[-1].note for cells in made.rows] == ["ERROR", ""]
    assert [head.text for head in made.heads] == ["threads", "bandwidth"]


def test_what_is_too_long_to_read_is_counted():
    made = table([row(job=number) for number in range(130)])
    assert (len(made.rows), made.more) == (100, 30)


def test_nothing_measured_is_no_table():
    assert tables([]) == []
    assert table([]).rows == []


def test_words_and_digits():
    assert (
        describe_context({"file_size_KiB": 4, "mode": "O_DIRECT", "run": "run1"})
        == "file size 4\xa0KiB, mode O_DIRECT, run1"
    )
    assert (describe_context({"invalid": False, "job": 0}), describe_context({"invalid": True})) == ("job 0", "invalid")
    assert format_in_unit(1234567.0, "B/s") == "1,234,567"
    assert format_in_unit(1.5 * 2**20, "MiB/s") == "1.500"
