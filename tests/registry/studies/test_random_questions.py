"""Random questions of a random record, each answered a second time by hand from the rows of the record."""

from __future__ import annotations

import random
import statistics
from collections import defaultdict
from typing import Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from registry.models import Measurement, Result
from registry.query.facts import fact_index
from registry.studies import run
from tests.registry.record import make_release, make_result

pytestmark = pytest.mark.django_db

GB = 10**9
AXES = ("client_nodes", "fabric", "osts", "tasks", "result")
QUESTIONS = 15


@pytest.fixture(params=[1, 2, 3])
def chosen(request: pytest.FixtureRequest) -> random.Random:
    """Chance, with results of up to three numbers each; some are withdrawn, some revised, some say nothing."""
    chosen = random.Random(request.param)
    release = make_release("T1")
    for number in range(50):
        facts = {"fabric": chosen.choice(["TCP", "InfiniBand", "Ünï; fabric"]), "osts": chosen.choice([2, 4, 10])}
        result = make_result(
            release,
            f"hw-{number}",
            None,
            tool="ior",
            trust=chosen.choice(["imported", "reported"]),
            client_nodes=chosen.choice([None, 0, 1, 7]),
            tasks=chosen.choice([None, 16]),
            parameters={name: value for name, value in facts.items() if chosen.random() < 0.7},
            withdrawn_at=timezone.now() if chosen.random() < 0.1 else None,
            revises=Result.objects.first() if chosen.random() < 0.1 else None,
        )
        for position in range(chosen.choice([0, 1, 1, 1, 3])):
            value = chosen.choice([0.0, 1e-30, 1e30, chosen.lognormvariate(0, 5)])
            Measurement.objects.create(
                **{"result": result, "position": position, "op": "write", "quantity": "bandwidth", "stat": "max"},
                **{"value": value * GB, "unit": "B/s", "printed_value": value, "printed_unit": "GB/s"},
            )
    fact_index.rebuild_facts(Result.objects.values_list("pk", flat=True))
    return chosen


def expected_points(axes: list[str], per: str, trust: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """By place on the axes and trust what was measured there, read result by result."""
    values: defaultdict[tuple[Any, ...], list[float | None]] = defaultdict(list)
    results: defaultdict[tuple[Any, ...], set[str]] = defaultdict(set)
    for result in Result.objects.filter(withdrawn_at=None, revised_by=None, **{"trust": trust} if trust else {}):
        facts = {**result.parameters, "client_nodes": result.client_nodes, "tasks": result.tasks}
        facts["result"] = result.public_id
        place = (*(facts.get(axis) for axis in axes), result.trust)
        for measurement in result.measurements.all():
            value = measurement.value / GB
            if per:
                value = value / result.client_nodes if result.client_nodes else None
            values[place].append(value)
            if value is not None:
                results[place].add(result.public_id)
    points = {}
    for place, all_values in values.items():
        present_values = [value for value in all_values if value is not None]
        points[place] = {
            "count": len(present_values),
            "missing": len(all_values) - len(present_values),
            "n": len(results[place]),
            "low": pytest.approx(min(present_values)) if present_values else None,
            "high": pytest.approx(max(present_values)) if present_values else None,
            "value": pytest.approx(statistics.median(present_values)) if present_values else None,
        }
    return points


@pytest.mark.parametrize("few", [0, run.FEW])
def test_points_are_what_the_rows_of_the_record_say(client, chosen, monkeypatch, few) -> None:
    monkeypatch.setattr(run, "FEW", few)
    compared = 0
    for _ in range(QUESTIONS):
        axes = chosen.sample(AXES, chosen.choice([1, 2, 3]))
        per, trust = chosen.choice(["", "client"]), chosen.choice(["", "imported"])
        question = {"metric": "write.bandwidth.max", "x": axes[0], "series": ",".join(axes[1:]), "unit": "GB/s"}
        question |= {"per": per, "trust": trust}
        query = urlencode({name: text for name, text in question.items() if text})
        answer = client.get(f"/api/v1/study/?{query}").json()
        expected = expected_points(axes, per, trust)
        points = {(*(row[axis] for axis in axes), row["trust"]): row for row in answer["rows"]}
        assert points.keys() == expected.keys(), query
        for place, figures in expected.items():
            row = points[place]
            if row["value_basis"] == "unlike":
                figures = figures | {"value": None}
            assert {name: row[name] for name in figures} == figures, (query, place)
            compared += 1
    assert compared > QUESTIONS
