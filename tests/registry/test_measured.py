"""Measurements of any tool as a table: units that fit, prefixes as printed, one row for each operation."""

import pytest

from registry.views.measured import of, table, written


def row(op="write", quantity="bandwidth", stat="mean", value=3 * 2**30, unit="B/s", printed_unit="GiB/s", **context):
    names = ("op", "quantity", "stat", "value", "unit", "printed_unit", "context")
    return dict(zip(names, (op, quantity, stat, value, unit, printed_unit, context), strict=True))


def test_a_row_for_each_operation_and_a_column_for_each_quantity():
    made = table([row(job=0), row(quantity="latency", value=0.0025, unit="s", job=0), row("read", value=2**30, job=1)])
    assert [(one["quantity"], one["unit"]) for one in made["columns"]] == [("bandwidth", "GiB/s"), ("latency", "ms")]
    assert [(one["op"], one["of"], one["cells"]) for one in made["rows"]] == [
        ("write", "job 0", ["3", "2.500"]),
        ("read", "job 1", ["1", ""]),
    ]
    assert made["more"] == 0


@pytest.mark.parametrize(
    ("value", "unit", "printed", "shown"),
    [
        (5 * 2**20, "B/s", "MiB/s", "MiB/s"),
        (5 * 10**6, "B/s", "MB/s", "MB/s"),
        (5 * 10**6, "B/s", "B/s", "MiB/s"),
        (7.0, "B/s", "B/s", "B/s"),
        (3e-6, "s", "ns", "us"),
        (1500.0, "ops/s", "ops/s", "kIOPS"),
        (12.0, "%", "%", "%"),
        (0.0, "s", "s", "ns"),
    ],
)
def test_the_unit_fits_and_binary_is_never_decimal(value, unit, printed, shown):
    assert table([row(value=value, unit=unit, printed_unit=printed)])["columns"][0]["unit"] == shown


def test_what_is_too_long_to_read_is_counted():
    made = table([row(job=number) for number in range(130)])
    assert (len(made["rows"]), made["more"]) == (100, 30)


def test_nothing_measured_is_an_empty_table():
    assert table([]) == {"columns": [], "rows": [], "more": 0}


def test_words_and_digits():
    assert of({"file_size_KiB": 4, "mode": "O_DIRECT"}) == "file size KiB 4, mode O_DIRECT"
    assert written(1234567.0, "B/s") == "1,234,567"
    assert written(1.5 * 2**20, "MiB/s") == "1.500"
