"""Numbers of results by the words of a question: reported names and canonical quantities."""

from __future__ import annotations

import pytest

from registry.models import Measurement, Result
from registry.query.questions.metric_values import values_by_result
from registry.query.questions.study_query import UnknownMetric
from tests.registry.record import make_release, make_result

pytestmark = pytest.mark.django_db


@pytest.fixture
def results() -> list[Result]:
    """Rates of four benchmarks, three of which call them the same."""
    release = make_release("R1")
    reported = (
        ("fio", "iops", "ops/s"),
        ("iozone", "rate", "ops/s"),
        ("mdtest", "rate", "ops/s"),
        ("lst", "rate", "RPC/s"),
    )
    results = []
    for tool, quantity, printed_unit in reported:
        results.append(make_result(release, f"hw-{tool}", None, tool=tool))
        Measurement.objects.create(
            result=results[-1], op="write", quantity=quantity, stat="mean", value=1.0, unit="ops/s",
            printed_value=1.0, printed_unit=printed_unit, position=1,
        )  # fmt: skip
    return results


@pytest.mark.parametrize(
    ("word", "tools"),
    [
        ("io_rate", ["fio", "iozone"]),
        ("write.metadata_rate", ["mdtest"]),
        ("message_rate.mean", ["lst"]),
        ("iops", ["fio"]),
        ("rate", ["iozone", "lst", "mdtest"]),
    ],
)
def test_a_quantity_name_selects_its_reported_names(results: list[Result], word: str, tools: list[str]) -> None:
    rows_by_pk = values_by_result(results, [word])
    assert sorted(result.tool for result in results if rows_by_pk[result.pk]) == tools


@pytest.mark.parametrize("word", ["sample_rate", "io_rate.max", "read.io_rate", "time"])
def test_quantity_names_without_results_are_refused(results: list[Result], word: str) -> None:
    with pytest.raises(UnknownMetric):
        values_by_result(results, [word])
