"""The medians beside the phases of a result: those of its list, of every list of the record."""

from __future__ import annotations

import statistics
from collections import defaultdict

import pytest
from django.core.cache import cache

from registry.models import Measurement, RankedList
from registry.results import views
from tests.registry.record import make_list, make_measurement, make_release, make_result

pytestmark = pytest.mark.django_db


def medians_of(ranked_list: RankedList) -> dict[tuple[str, str], tuple[float, int]]:
    cache.clear()
    return views.medians({"pk": ranked_list.pk, "digest": ranked_list.digest})


@pytest.mark.usefixtures("loaded")
def test_medians_are_those_of_the_phases_of_each_list() -> None:
    compared = 0
    for ranked_list in RankedList.objects.exclude(frozen_at=None):
        values = defaultdict(list)
        rows = Measurement.objects.filter(result__entries__ranked_list=ranked_list, stat="phase")
        for op, quantity, value in rows.order_by().values_list("op", "quantity", "value"):
            values[op, quantity].append(value)
        median_by_phase = medians_of(ranked_list)
        assert {phase: count for phase, (_, count) in median_by_phase.items()} == {
            phase: len(numbers) for phase, numbers in values.items()
        }
        for phase, (median, _) in median_by_phase.items():
            assert median == pytest.approx(statistics.median(values[phase]), rel=1e-12)
        compared += len(median_by_phase)
    assert compared > 100


def test_other_lists_and_other_statistics_do_not_count() -> None:
    release = make_release("T1")
    first, second, other = (make_result(release, f"one-{number}") for number in range(3))
    for result, value in ((first, 2.0), (second, 3.0), (other, 90.0)):
        make_measurement(result, value_gib_per_s=value)
    make_measurement(first, value_gib_per_s=70.0, stat="max")
    make_measurement(first, value_gib_per_s=8.0, quantity="rate")
    make_measurement(other, "elsewhere")
    ranked_list = make_list(release, "full", [first, second])
    make_list(release, "other", [other])
    assert medians_of(ranked_list) == {
        ("ior-easy-write", "bandwidth"): (2.5 * 2**30, 2),
        ("ior-easy-write", "rate"): (8.0 * 2**30, 1),
    }


def test_a_list_without_measurements_has_none() -> None:
    release = make_release("T1")
    assert medians_of(make_list(release, "full", [make_result(release, "one-1")])) == {}
