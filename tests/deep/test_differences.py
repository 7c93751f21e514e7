"""What counts as a difference between two observations, and which lines of the table cover one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deep.differences import Intended, difference_of, judged
from tests.deep.intended import became_null
from tests.deep.observation import Observation

ROW = {"id": "hw-1", "score": 44.82, "lists": [{"list": "full", "rank": 1}]}


def seen(answer: Any, path: str = "results/", **more: Any) -> Observation:
    return Observation(documents={f"anybody {path}": {"status": 200, "answer": answer}}, **more)


def fields(before: Observation, now: Observation) -> list[str]:
    return [difference.field for difference in difference_of(before, now)]


@pytest.mark.parametrize(
    "now",
    [
        {"results": [ROW]},
        {"results": [ROW | {"interval_basis": None}], "scope": "public"},
    ],
)
def test_added_fields_are_no_difference(now: Any) -> None:
    assert fields(seen({"results": [ROW]}), seen(now)) == []


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (ROW | {"score": 89.64}, "answer.results.hw-1.score"),
        (ROW | {"score": None}, "answer.results.hw-1.score"),
        (ROW | {"score": "44.82"}, "answer.results.hw-1.score"),
        ({"id": "hw-1", "lists": ROW["lists"]}, "answer.results.hw-1.score"),
        (ROW | {"lists": [{"list": "full", "rank": 2}]}, "answer.results.hw-1.lists.0.rank"),
        (ROW | {"lists": []}, "answer.results.hw-1.lists.0"),
        (ROW | {"lists": [*ROW["lists"], {"list": "ten", "rank": 1}]}, "answer.results.hw-1.lists.1"),
        (ROW | {"id": "hw-2"}, "answer.results.hw-1"),
    ],
)
def test_changed_values_are_named(row: dict[str, Any], field: str) -> None:
    assert field in fields(seen({"results": [ROW]}), seen({"results": [row]}))


def test_a_zero_that_became_false_is_a_difference() -> None:
    assert fields(seen({"rank": 0}), seen({"rank": False})) == ["answer.rank"]


def test_an_inserted_row_is_one_difference() -> None:
    first, second, third = ({"id": name, "score": 1.0} for name in ("hw-1", "hw-2", "hw-3"))
    assert fields(seen([first, third]), seen([first, second, third])) == ["answer.hw-2"]


def test_rows_in_another_order_are_a_difference() -> None:
    first, second = ({"id": name} for name in ("hw-1", "hw-2"))
    assert fields(seen([first, second]), seen([second, first])) == ["answer.(order)"]


def test_a_catalogue_may_grow_and_not_shrink() -> None:
    rows = [{"code": "fio.direct"}, {"code": "fio.short"}]
    assert fields(seen(rows[:1], "rules/"), seen(rows, "rules/")) == []
    assert fields(seen(rows, "rules/"), seen(rows[:1], "rules/")) == ["answer.fio.short"]


def test_addresses_methods_and_parameters_of_openapi_are_compared() -> None:
    def of(*names: str) -> Observation:
        get = {"description": f"{len(names)}", "parameters": [{"name": name} for name in names]}
        return seen({"paths": {"/api/v1/results/": {"get": get}}}, "openapi.json")

    assert fields(of("tool"), of("tool", "scope")) == []
    assert fields(of("tool", "scope"), of("tool")) == ["/api/v1/results/.get.scope"]


def test_a_removed_document_and_a_lifted_refusal_are_differences() -> None:
    assert fields(seen([]), Observation()) == [""]
    refused = Observation(downloads={"nora submissions/1/received/": {"status": 404, "sha256": None}})
    granted = Observation(downloads={"nora submissions/1/received/": {"status": 200, "sha256": "ab"}})
    assert fields(refused, granted) == [f"nora submissions/1/received/.{name}" for name in ("status", "sha256")]


def test_a_line_of_the_table_covers_only_the_named_differences() -> None:
    line = Intended("anybody study/*", "*.interval_low", "no interval without repeats", became_null)
    before = seen({"rows": [{"value": 5.0, "interval_low": 4.0}]}, "study/?metric=score")
    null = seen({"rows": [{"value": 5.0, "interval_low": None}]}, "study/?metric=score")
    other = seen({"rows": [{"value": 6.0, "interval_low": 4.5}]}, "study/?metric=score")
    unmeant, text = judged(difference_of(before, null), (line,))
    assert unmeant == [] and "1 anybody study/* : *.interval_low: no interval without repeats" in text
    unmeant, text = judged(difference_of(before, other), (line,))
    assert [difference.field for difference in unmeant] == ["answer.rows.0.value", "answer.rows.0.interval_low"]
    assert "answer.rows.0.value: 5.0 -> 6.0" in text and "unused: anybody study/*" in text


def test_rows_of_a_table_are_compared_without_order() -> None:
    rows = [{"result": "hw-1", "op": op, "value": value} for op, value in (("find", 2.5), ("stat", 3.5), ("read", 1.0))]
    later = [row | {"basis": "repeats"} for row in reversed(rows)]
    sqlite = Observation(tables={"record.sqlite": {"measurements": rows}})
    assert fields(sqlite, Observation(tables={"record.sqlite": {"measurements": later}})) == []
    later[0] = later[0] | {"value": 99.5}
    assert fields(sqlite, Observation(tables={"record.sqlite": {"measurements": later}})) == ["measurements.1.value"]


def test_differences_of_one_kind_are_summarised_in_one_line() -> None:
    def of(score: float) -> Observation:
        documents = {
            f"anybody results/hw-{number}/": {"status": 200, "answer": {"scores": [score]}} for number in (1, 2)
        }
        return Observation(documents, tables={"results.csv": {"hw-1": {"score": score}}})

    unmeant, text = judged(difference_of(of(1.5), of(3.0)), ())
    assert len(unmeant) == 3
    assert "NOT MEANT 2 x anybody results/*/ : answer.scores.*\n" in text
    assert "anybody results/hw-1/ : answer.scores.0: 1.5 -> 3.0" in text
    line = Intended("anybody results/*/", "answer.scores.*", "the kind, pasted into the table")
    assert [difference.document for difference in judged(unmeant, (line,))[0]] == ["export results.csv"]
