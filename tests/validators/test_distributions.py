"""What lies under a number: summaries with a sample deviation, members in their order, and bounds."""

import json
import math

import pytest

from tests.validators.test_mlperf_storage import metric, summary
from tests.validators.test_obdfilter_survey import HEADER, ROW, WRITE, survey
from validators import distributions
from validators.checks import check
from validators.distributions import kept, repeated, summed
from validators.measurements import Measurement
from validators.units import UnitError


def measured(value, stat="iteration", op="write", **context):
    return Measurement.printed(op, "bandwidth", stat, value, "MiB/s", context=context)


def test_a_distribution_is_canonical_and_its_deviation_that_of_a_sample():
    (one,) = summed("write", "bandwidth", "rank", "ranks", [2.0, 4.0, 4.0, 6.0], "MiB/s", {"iter": 0})
    assert (one["count"], one["min"], one["mean"], one["max"]) == (4, 2 * 2**20, 4 * 2**20, 6 * 2**20)
    assert one["deviation"] == pytest.approx(math.sqrt(8 / 3) * 2**20)
    assert one["members"] == [2 * 2**20, 4 * 2**20, 4 * 2**20, 6 * 2**20]
    assert (one["unit"], one["printed_unit"], one["context"]) == ("B/s", "MiB/s", {"iter": 0})


def test_quantiles_run_from_the_least_to_the_most_in_steps_of_5_percent():
    (one,) = summed("stat", "rate", "rank", "ranks", [float(number) for number in range(100, -1, -1)], "ops/s")
    assert one["quantiles"] == pytest.approx([5.0 * step for step in range(21)])
    assert one["members"][:2] == [100.0, 99.0]


def test_one_value_has_no_deviation():
    (one,) = summed("write", "bandwidth", "rank", "ranks", [2.0], "B/s")
    assert (one["deviation"], one["quantiles"]) == (None, [2.0] * 21)


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [math.inf], [1e300, 1e300]])
def test_what_nothing_reaches_has_no_distribution(values):
    assert summed("write", "bandwidth", "rank", "ranks", values, "B/s") == []


def test_an_unknown_unit_is_refused():
    with pytest.raises(UnitError):
        summed("write", "bandwidth", "rank", "ranks", [1.0], "furlongs")


def test_of_many_ranks_only_quantiles_are_kept():
    (one,) = summed("write", "bandwidth", "rank", "ranks", [1.0] * (distributions.MOST_MEMBERS + 1), "B/s")
    assert (one["count"], one["members"], len(one["quantiles"])) == (distributions.MOST_MEMBERS + 1, None, 21)


def test_a_run_keeps_as_many_members_as_there_is_room_for(monkeypatch):
    monkeypatch.setattr(distributions, "MOST_KEPT", 3)
    monkeypatch.setattr(distributions, "MOST_MEMBERS_IN_ALL", 5)
    found = kept(summed("write", "bandwidth", "rank", "ranks", [1.0, 2.0], "B/s") * 4)
    assert [one["members"] for one in found] == [[1.0, 2.0], [1.0, 2.0], None]


def test_iterations_are_summed_up_for_each_test_and_operation():
    rows = [measured(2.0, test=0, iter=0), measured(4.0, test=0, iter=1), measured(8.0, test=1, iter=0)]
    rows += [measured(9.0, op="read", test=0, iter=0), measured(9.0, "mean", test=0)]
    (one,) = repeated(rows)
    assert (one["over"], one["context"], one["count"], one["mean"]) == ("iterations", {"test": 0}, 2, 3 * 2**20)


def test_events_of_one_stream_are_in_order_of_time_without_their_files():
    rows = [measured(value, "event", stream="wrfout", file=f"d01_{value}") for value in (3.0, 1.0, 2.0)]
    (one,) = repeated(rows)
    assert (one["over"], one["context"]) == ("events", {"stream": "wrfout"})
    assert one["members"] == [3 * 2**20, 2**20, 2 * 2**20]


def test_targets_of_a_survey_are_told_by_number(tmp_path):
    lines = ["Fri Nov 20 19:17:12 UTC 2026", "=" * 23 + "> " + ROW.strip(), "=" * 23 + "> write global"]
    (tmp_path / "summary").write_text(survey(ROW + WRITE, done="done!"))
    (tmp_path / "detail").write_text("\n".join([*lines, "2 365.09 476.40", "-1 0 0", "2 399.33 514.08"]) + "\n")
    (run,) = check(tmp_path).runs
    slowest, fastest = run.distributions
    assert (slowest["stat"], slowest["over"], slowest["context"]["threads"]) == ("slowest_second", "targets", 2)
    assert slowest["members"] == [pytest.approx(365.09 * 2**20), None, pytest.approx(399.33 * 2**20)], "one failed"
    assert (slowest["count"], fastest["max"]) == (2, pytest.approx(514.08 * 2**20))
    assert HEADER.split()[-1] not in str(run.distributions)


def test_epochs_stand_in_their_order(tmp_path):
    (tmp_path / "summary.json").write_text(json.dumps(summary(metric=metric(train_au_percentage=[96.0, 94.0]))))
    (run,) = check(tmp_path).runs
    au = next(distribution for distribution in run.distributions if distribution["quantity"] == "au")
    assert (au["over"], au["unit"], au["members"]) == ("epochs", "%", [96.0, 94.0])
    assert "node17" not in str(run.distributions)
