"""What lies under a number: summaries with a sample deviation, members in their order, and bounds."""

import json
import math

import pytest

from tests.validators.benchmarks.test_mlperf_storage import metric, summary
from tests.validators.benchmarks.test_obdfilter_survey import HEADER, ROW, WRITE, survey
from validators import distributions
from validators.checks import check
from validators.distributions import limit_distributions, repeated, summed
from validators.measurements import Measurement
from validators.units import UnitError


def measured(value, stat="iteration", op="write", **context):
    return Measurement.printed(op, "bandwidth", stat, value, "MiB/s", context=context)


def test_a_distribution_is_canonical_and_its_deviation_that_of_a_sample():
    (distribution,) = summed("write", "bandwidth", "rank", "ranks", [2.0, 4.0, 4.0, 6.0], "MiB/s", {"iter": 0})
    assert (distribution["count"], distribution["min"], distribution["mean"], distribution["max"]) == (
        4,
        2 * 2**20,
        4 * 2**20,
        6 * 2**20,
    )
    assert distribution["deviation"] == pytest.approx(math.sqrt(8 / 3) * 2**20)
    assert distribution["members"] == [2 * 2**20, 4 * 2**20, 4 * 2**20, 6 * 2**20]
    assert (distribution["unit"], distribution["printed_unit"], distribution["context"]) == (
        "B/s",
        "MiB/s",
        {"iter": 0},
    )


def test_quantiles_run_from_the_least_to_the_most_in_steps_of_5_percent():
    (distribution,) = summed("stat", "rate", "rank", "ranks", [float(number) for number in range(100, -1, -1)], "ops/s")
    assert distribution["quantiles"] == pytest.approx([5.0 * step for step in range(21)])
    assert distribution["members"][:2] == [100.0, 99.0]


def test_one_value_has_no_deviation():
    (distribution,) = summed("write", "bandwidth", "rank", "ranks", [2.0], "B/s")
    assert (distribution["deviation"], distribution["quantiles"]) == (None, [2.0] * 21)


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [math.inf], [1e300, 1e300]])
def test_values_without_a_distribution_are_left_out(values):
    assert summed("write", "bandwidth", "rank", "ranks", values, "B/s") == []


def test_an_unknown_unit_is_refused():
    with pytest.raises(UnitError):
        summed("write", "bandwidth", "rank", "ranks", [1.0], "furlongs")


def test_many_ranks_are_kept_as_quantiles():
    (distribution,) = summed("write", "bandwidth", "rank", "ranks", [1.0] * (distributions.MOST_MEMBERS + 1), "B/s")
    assert (distribution["count"], distribution["members"], len(distribution["quantiles"])) == (
        distributions.MOST_MEMBERS + 1,
        None,
        21,
    )


def test_the_number_of_members_of_a_run_is_limited(monkeypatch):
    monkeypatch.setattr(distributions, "MOST_KEPT", 3)
    monkeypatch.setattr(distributions, "MOST_MEMBERS_IN_ALL", 5)
    kept_distributions = limit_distributions(summed("write", "bandwidth", "rank", "ranks", [1.0, 2.0], "B/s") * 4)
    assert [distribution["members"] for distribution in kept_distributions] == [[1.0, 2.0], [1.0, 2.0], None]


def test_iterations_are_summed_up_for_each_test_and_operation():
    rows = [measured(2.0, test=0, iter=0), measured(4.0, test=0, iter=1), measured(8.0, test=1, iter=0)]
    rows += [measured(9.0, op="read", test=0, iter=0), measured(9.0, "mean", test=0)]
    (distribution,) = repeated(rows)
    assert (distribution["over"], distribution["context"], distribution["count"], distribution["mean"]) == (
        "iterations",
        {"test": 0},
        2,
        3 * 2**20,
    )


def test_events_of_one_stream_are_in_order_of_time_without_their_files():
    rows = [measured(value, "event", stream="wrfout", file=f"d01_{value}") for value in (3.0, 1.0, 2.0)]
    (distribution,) = repeated(rows)
    assert (distribution["over"], distribution["context"]) == ("events", {"stream": "wrfout"})
    assert distribution["members"] == [3 * 2**20, 2**20, 2 * 2**20]


def test_targets_of_a_survey_are_numbered(tmp_path):
    lines = ["Fri Nov 20 19:17:12 UTC 2026", "=" * 23 + "> " + ROW.strip(), "=" * 23 + "> write global"]
    (tmp_path / "summary").write_text(survey(ROW + WRITE, done="done!"))
    (tmp_path / "detail").write_text("\n".join([*lines, "2 365.09 476.40", "-1 0 0", "2 399.33 514.08"]) + "\n")
    (run,) = check(tmp_path).runs
    slowest, fastest = run.distributions
    assert (slowest["stat"], slowest["over"], slowest["context"]["threads"]) == ("slowest_second", "targets", 2)
    assert slowest["members"] == [pytest.approx(365.09 * 2**20), None, pytest.approx(399.33 * 2**20)], "one failed"
    assert (slowest["count"], fastest["max"]) == (2, pytest.approx(514.08 * 2**20))
    assert HEADER.split()[-1] not in str(run.distributions)


def test_epochs_are_in_order(tmp_path):
    (tmp_path / "summary.json").write_text(json.dumps(summary(metric=metric(train_au_percentage=[96.0, 94.0]))))
    (run,) = check(tmp_path).runs
    au = next(distribution for distribution in run.distributions if distribution["quantity"] == "au")
    assert (au["over"], au["unit"], au["members"]) == ("epochs", "%", [96.0, 94.0])
    assert "node17" not in str(run.distributions)
