"""What a study of one metric or a few reads of a larger record: indexes alone, and no row of a measurement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.db import connection, transaction
from django.http import QueryDict

from registry.models import Measurement, Result
from registry.query.facts import fact_index
from registry.query.questions import study_query
from registry.studies import run
from tests.registry.record import IOR, make_release, make_result

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "metric=write.bandwidth.max&x=client_nodes&series=fabric"
MANY = run.FEW + 100


@pytest.fixture
def many() -> Iterator[None]:
    """More results than are found one by one, all reported, of five numbers each; one in fifty is an estimate."""
    first = make_result(make_release("T1"), "one-0", None, tool="ior", trust="reported", parameters=IOR)
    row = Result.objects.get(pk=first.pk)
    copies = []
    for number in range(1, MANY):
        row.pk, row.public_id, row.client_nodes = None, f"one-{number}", number // 5
        row.parameters = {"fabric": "TCP"}
        copies.append(Result(**{field.attname: getattr(row, field.attname) for field in stored_fields(Result)}))
    Result.objects.bulk_create(copies)
    results = list(Result.objects.order_by("pk"))
    fact_index.rebuild_facts(result.pk for result in results)
    Measurement.objects.bulk_create(
        Measurement(
            result=result,
            position=position,
            op=op,
            quantity="bandwidth",
            stat="max",
            value=1e9 * (number + 1),
            unit="B/s",
            printed_value=number + 1,
            printed_unit="GB/s",
            context={"qualifier": "about"} if number % 50 == 0 else {},
        )
        for number, result in enumerate(results)
        for position, op in enumerate(("write", "read", "stat", "open", "close"))
    )
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE registry_measurement, registry_result, registry_fact")
    yield


def stored_fields(model: Any) -> list[Any]:
    return [field for field in model._meta.concrete_fields if not field.generated and not field.primary_key]


def statements_of(question: str) -> list[tuple[str, Any]]:
    noted: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        noted.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        run.run_study(study_query.parse_query(QueryDict(question)))
    return noted


def plan_of(sql: str, params: Any, *, settings: Sequence[tuple[str, Any]] = ()) -> str:
    with transaction.atomic(), connection.cursor() as cursor:
        for setting, values in settings:
            cursor.execute(setting, values)
        # A table of a few pages is read whole otherwise.
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        cursor.execute(f"EXPLAIN (COSTS OFF) {sql}", params)
        return "\n".join(line for (line,) in cursor.fetchall())


def test_numbers_of_one_metric_are_merged_in_the_order_of_results(many: None) -> None:
    noted = statements_of(QUESTION)
    (place,) = [place for place, (sql, _) in enumerate(noted) if "string_agg" in sql]
    plan = plan_of(*noted[place], settings=[noted[place - 1]])
    assert "Hash Join" not in plan and "Hash Left Join" not in plan, plan


def test_all_that_is_read_of_a_measurement_stands_in_one_index(many: None) -> None:
    (grouped,) = [sql for sql, _ in statements_of(QUESTION) if "string_agg" in sql]
    columns = sorted(set(re.findall(r'\bm\."(\w+)"', grouped)))
    assert {"id", "value"} < set(columns)
    sql = f"SELECT {', '.join(columns)} FROM registry_measurement WHERE (op, quantity, stat) = (%s, %s, %s)"
    plan = plan_of(sql, ["write", "bandwidth", "max"])
    assert re.search(r"^Index Only Scan using measurement_of_metric", plan), plan


def test_numbers_that_a_source_qualifies_are_found_by_themselves(many: None) -> None:
    (statement,) = [each for each in statements_of(QUESTION) if "context__qualifier" in each[0]]
    plan = plan_of(*statement)
    assert "measurement_qualified" in plan, plan
    assert "measurement_of_metric" not in plan, plan


def planner_settings(question: str) -> list[Any]:
    return [params for sql, params in statements_of(question) if "enable_hashjoin" in sql]


def test_many_metrics_are_joined_as_the_planner_likes(many: None) -> None:
    assert planner_settings("metric=bandwidth&x=fabric") == [["on"]]


def test_a_few_metrics_are_read_one_after_the_other(many: None) -> None:
    assert planner_settings("metric=write.bandwidth&metric=read.bandwidth&x=fabric") == [["off"], ["off"]]


@pytest.mark.parametrize("passes", [1, run.MOST_PASSES])
def test_a_copy_counts_not_where_the_original_has_another_metric_of_the_question(
    monkeypatch: pytest.MonkeyPatch, passes: int
) -> None:
    monkeypatch.setattr(run, "MOST_PASSES", passes)
    release = make_release("T1")
    original = make_result(release, "one-1", None, tool="ior", trust="reported", parameters=IOR)
    copy = make_result(release, "one-2", None, tool="ior", trust="reported", parameters=IOR, same_as=original)
    for result, op in ((original, "write"), (copy, "read")):
        Measurement.objects.create(
            **{"result": result, "position": 0, "op": op, "quantity": "bandwidth", "stat": "max"},
            **{"value": 1e9, "unit": "B/s", "printed_value": 1, "printed_unit": "GB/s"},
        )
    fact_index.rebuild_facts([original.pk, copy.pk])
    both = run.run_study(study_query.parse_query(QueryDict("metric=write.bandwidth&metric=read.bandwidth&x=fabric")))
    assert [row["result"] for row in both.rows] == ["one-1"]
    alone = run.run_study(study_query.parse_query(QueryDict("metric=read.bandwidth&x=fabric")))
    assert [row["result"] for row in alone.rows] == ["one-2"]


def test_points_count_the_results_behind_them(many: None) -> None:
    answer = run.run_study(study_query.parse_query(QueryDict("metric=write.bandwidth.max&x=fabric")))
    rows = {row["fabric"]: row for row in answer.rows}
    assert sum(row["count"] for row in rows.values()) == MANY
    assert rows["TCP"]["n"] == MANY - 1
