"""Numbers of many results side by side: none is lost, and no two that mean different things share a column."""

from __future__ import annotations

from typing import Any

import pytest

from highwater.wide_rows import widen_rows


def number(value: float, op: str = "write", unit: str = "B/s", **context: Any) -> dict[str, Any]:
    return {"op": op, "quantity": "bandwidth", "stat": "max", "value": value, "unit": unit, "context": context}


def result(name: str, *measurements: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "trust": "imported", "measurements": list(measurements)}


def test_a_row_for_each_result_and_a_column_for_each_number() -> None:
    columns, rows, units, varies = widen_rows([result("a", number(1.0), number(2.0, "read")), result("b", number(3.0))])
    assert columns == ["write.bandwidth.max", "read.bandwidth.max"]
    assert rows == [
        {"id": "a", "trust": "imported", "write.bandwidth.max": 1.0, "read.bandwidth.max": 2.0},
        {"id": "b", "trust": "imported", "write.bandwidth.max": 3.0},
    ]
    assert units == {"write.bandwidth.max": "B/s", "read.bandwidth.max": "B/s"} and varies == {}


def test_a_qualifier_has_its_own_column() -> None:
    columns, rows, _, varies = widen_rows([result("a", number(1.0, qualifier="below"), number(2.0, "read"))])
    assert columns == ["write.bandwidth.max", "write.bandwidth.max qualifier", "read.bandwidth.max"]
    assert rows[0]["write.bandwidth.max qualifier"] == "below" and varies == {}


def test_measurements_of_a_result_are_distinguished_by_context() -> None:
    measurements = [number(1.0, osts=2, mode="posix"), number(2.0, osts=4, mode="posix")]
    columns, _, _, varies = widen_rows([result("a", *measurements), result("b", number(3.0, osts=4, mode="mpi"))])
    assert columns == ["write.bandwidth.max[osts=2]", "write.bandwidth.max[osts=4]"]
    assert varies == {"write.bandwidth.max[osts=4]": {"mode": ["mpi", "posix"]}}


def test_differing_conditions_of_a_column_are_listed() -> None:
    columns, _, _, varies = widen_rows([result("a", number(1.0, osts=2)), result("b", number(2.0, osts=4))])
    assert columns == ["write.bandwidth.max"]
    assert varies == {"write.bandwidth.max": {"osts": ["2", "4"]}}


def test_other_units_are_other_columns() -> None:
    columns, _, units, _ = widen_rows([result("a", number(1.0)), result("b", number(2.0, unit=""))])
    assert columns == ["write.bandwidth.max[B/s]", "write.bandwidth.max[no unit]"]
    assert units == {"write.bandwidth.max[B/s]": "B/s", "write.bandwidth.max[no unit]": ""}


def test_two_equal_column_names_are_both_kept() -> None:
    columns, rows, _, _ = widen_rows([result("a", number(1.0), number(2.0), number(3.0))])
    assert [rows[0][column] for column in columns] == [1.0, 2.0, 3.0]
    assert columns == ["write.bandwidth.max", "write.bandwidth.max#2", "write.bandwidth.max#3"]


@pytest.mark.parametrize("context", [{"shape": {"b": 1, "a": [2]}}, {"note": "é\n"}, {"flag": True}, {"none": None}])
def test_any_context_may_distinguish_measurements(context: dict[str, Any]) -> None:
    columns, rows, _, _ = widen_rows([result("a", number(1.0, **context), number(2.0))])
    assert len(columns) == 2 and sorted(rows[0][column] for column in columns) == [1.0, 2.0]


def test_no_results_give_no_rows() -> None:
    assert widen_rows([]) == ([], [], {}, {})
    assert widen_rows([result("a")]) == ([], [{"id": "a", "trust": "imported"}], {}, {})
