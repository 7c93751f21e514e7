"""The newest run of a system on its page over time, in the API, in the feed and on its own page."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from registry.identity import merging
from registry.identity.merging import Decision
from registry.models import Release, Result, RunVerdict, System
from registry.timeseries import detected_steps, recorded_verdicts
from tests.registry.record import IOR, make_measurement, make_nights, make_release, make_result

pytestmark = pytest.mark.django_db
SLUG = "site-one-test-system-a"
SAME = "known to have the same client nodes and settings since the last change"
EVEN = [50.0, 50.5, 49.8, 50.2, 49.9, 50.1, 50.3, 49.7]
NO_BREAK = "\N{NO-BREAK SPACE}"


@pytest.fixture
def release() -> Release:
    return make_release("T1")


def read_history(client: Any, query: str = "") -> dict[str, Any]:
    response = client.get(f"/api/v1/systems/{SLUG}/history/{query}")
    assert response.status_code == 200, response.content
    return response.json()


def detect() -> recorded_verdicts.VerdictChanges:
    system = System.objects.get()
    detected_steps.mark_due([system.pk])
    return detected_steps.detect_steps(system.pk).runs


# Did the last upgrade slow us down: one call, three steps on the web


def test_one_api_call_gives_the_verdict_on_the_newest_run(client, release) -> None:
    make_nights(release, [*EVEN, 37.5])
    newest = read_history(client)["newest"]
    assert (newest["result"], newest["day"], newest["verdict"]) == ("hw-9", "2026-03-09", "lower")
    assert (newest["better"], newest["continues"], newest["earlier"], newest["judged"]) == (False, False, 8, 1)
    (metric,) = newest["metrics"]
    assert (metric["op"], metric["verdict"], metric["better"]) == ("write", "lower", False)
    assert metric["expected"] / 2**30 == pytest.approx(50.05, abs=0.1)
    assert metric["ratio"] == pytest.approx(0.75, abs=0.005)
    assert 45 * 2**30 < metric["expected_low"] < 50 * 2**30 < metric["expected_high"] < 56 * 2**30
    assert metric["chance"] < 0.001


def test_the_system_page_links_the_verdict(client, release) -> None:
    make_nights(release, [*EVEN, 37.5])
    system_page = client.get(f"/systems/{SLUG}/").content.decode()
    assert f'href="/systems/{SLUG}/history/"' in system_page
    page = client.get(f"/systems/{SLUG}/history/").content.decode()
    for text in (
        "The newest run", 'href="/results/hw-9/"', "Lower: 1 of 1",
        "outside the range expected from the 8 runs before it",
        "for the worse", "Write bandwidth max", "37.50", "0.749",
    ):  # fmt: skip
        assert text in page, text


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([50.0], f"No earlier run is {SAME}; 5 are needed."),
        ([50.0, 20.0], f"1 earlier run is {SAME}; 5 are needed."),
        ([*EVEN[:4], 20.0], f"4 earlier runs are {SAME}; 5 are needed."),
    ],
)
def test_too_few_earlier_runs_are_reported(client, release, values, reason) -> None:
    make_nights(release, values)
    newest = read_history(client)["newest"]
    assert (newest["verdict"], newest["reason"]) == ("cannot tell", reason)
    assert f"Cannot be told. {reason}" in client.get(f"/systems/{SLUG}/history/").content.decode()


def test_a_run_of_unknown_scale_has_no_verdict_and_a_reason(client, release) -> None:
    make_nights(release, EVEN)
    make_nights(release, [20.0], first=9, client_nodes=None, tasks=None)
    newest = read_history(client)["newest"]
    assert (newest["result"], newest["verdict"]) == ("hw-9", "cannot tell")
    assert "client_nodes" in newest["unknown"]
    assert newest["reason"].startswith("Not known of this run: client nodes")


def test_runs_of_unknown_scale_are_no_earlier_runs(client, release) -> None:
    make_nights(release, EVEN, client_nodes=None, tasks=None)
    make_nights(release, [20.0], first=9)
    assert read_history(client)["newest"]["verdict"] == "cannot tell"


def test_a_system_without_a_dated_run_has_no_newest(client, release) -> None:
    make_result(release, "hw-1", None, tool="ior", trust="reported")
    Result.objects.update(release=None)
    history = read_history(client)
    assert (history["newest"], history["newest_others"], history["unexpected"]) == (None, [], [])
    assert "The newest run" not in client.get(f"/systems/{SLUG}/history/").content.decode()


def test_a_longer_time_is_higher_and_worse(client, release) -> None:
    for night, value in enumerate([*EVEN, 70.0], 1):
        result = make_result(release, f"hw-{night}", None, submitted_on=f"2026-03-{night:02}")
        timed = {"quantity": "elapsed", "value": value, "unit": "s", "printed_value": value, "printed_unit": "s"}
        make_measurement(result, "write", **timed)
    newest = read_history(client)["newest"]
    assert (newest["verdict"], newest["better"], newest["metrics"][0]["better"]) == ("higher", False, False)


def test_metrics_of_a_run_share_one_level(client, release) -> None:
    """Alone this fall is outside; as one of ten metrics it is as expected, and its range is wider."""
    values = [50.0, 51.5, 48.5, 50.9, 49.1, 50.3, 49.6, 50.2]
    nights = make_nights(release, [*values, 44.0])
    assert read_history(client)["newest"]["verdict"] == "lower"
    for number in range(9):
        for night, value in zip(nights, [*values, 50.0], strict=True):
            make_measurement(night, f"op{number}", value, stat="max")
    newest = read_history(client)["newest"]
    assert (newest["verdict"], newest["judged"]) == ("as expected", 10)
    assert read_history(client, "?metric=write.bandwidth.max")["newest"]["verdict"] == "lower"


def test_other_settings_have_a_newest_run_of_their_own(client, release) -> None:
    make_nights(release, [*EVEN, 37.5])
    other = IOR | {"transfer_size_bytes": 2**22}
    for night in range(1, 8):
        parameters = other | {"started": f"2026-04-{night:02} 01:00:00"}
        make_measurement(
            make_result(release, f"big-{night}", None, tool="ior", parameters=parameters), "write", 80.0, stat="max"
        )
    history = read_history(client)
    assert (history["newest"]["result"], history["newest"]["verdict"]) == ("big-7", "as expected")
    assert [(row["result"], row["verdict"]) for row in history["newest_others"]] == [("hw-9", "lower")]
    assert [row["result"] for row in history["unexpected"]] == ["hw-9"]
    page = client.get(f"/systems/{SLUG}/history/").content.decode()
    assert "Newest runs of other benchmarks, scales and settings" in page


def test_the_feed_has_a_run_once(client, release) -> None:
    make_nights(release, [*EVEN, 37.5, 37.4])
    feed = client.get(f"/systems/{SLUG}/history/feed.atom").content.decode()
    assert feed.count("<entry>") == 1
    assert f"hw-9: 1{NO_BREAK}metric lower than expected, 2026-03-09" in feed
    assert "/results/hw-9/" in feed
    assert ": worse." in feed
    assert client.get(f"/systems/{SLUG}/history/feed.atom?metric=nothing").status_code == 400


def test_the_history_costs_no_query_more_for_its_verdicts(client, release, django_assert_max_num_queries) -> None:
    make_nights(release, [*EVEN, 37.5])
    with django_assert_max_num_queries(8):
        read_history(client)


@pytest.mark.parametrize(
    "values", [[1e-290] * 8 + [1e290], [1e-290] * 8 + [1e290] * 8, [1e-290, 1e290] * 5, [0.0] * 8 + [5.0], [*EVEN, 0.0]]
)
def test_wild_values_break_no_page(client, release, values) -> None:
    make_nights(release, values)
    assert read_history(client)["newest"]["result"] == f"hw-{len(values)}"
    detect()
    for path in ("/results/hw-9/", f"/systems/{SLUG}/history/"):
        assert client.get(path).status_code == 200


# Kept with the result


def test_the_result_page_compares_it_with_earlier_runs(client, release) -> None:
    make_nights(release, [*EVEN, 37.5])
    page = client.get("/results/hw-9/").content.decode()
    assert "Compared with the earlier runs" not in page
    detect()
    page = client.get("/results/hw-9/").content.decode()
    for text in (
        "Compared with the earlier runs of this system",
        "Lower: 1 of 1",
        "<b>37.50 GiB/s</b>, expected",
        "worse",
    ):
        assert text in page, text
    expected_page = client.get("/results/hw-8/").content.decode()
    assert f"As expected: 1{NO_BREAK}metric lies within the range expected from the 7 runs before it." in expected_page
    assert "Cannot be told. 3 earlier runs" in client.get("/results/hw-4/").content.decode()


def test_an_alarm_is_stored_once(release) -> None:
    make_nights(release, EVEN)
    detect()
    make_nights(release, [37.5], first=9)
    (alarm,) = detect().alarms
    assert (alarm.result.public_id, alarm.verdict, alarm.better) == ("hw-9", "lower", False)
    assert detect() == recorded_verdicts.VerdictChanges()


def test_only_the_newest_of_existing_runs_raises_an_alarm(release) -> None:
    make_nights(release, [*EVEN, 37.5, *EVEN, 60.0])
    assert [alarm.result.public_id for alarm in detect().alarms] == ["hw-18"]
    assert RunVerdict.objects.get(result__public_id="hw-9").verdict == "lower"


def test_each_of_several_new_runs_raises_its_alarm(release) -> None:
    make_nights(release, EVEN)
    detect()
    make_nights(release, [37.5, 50.0], first=9)
    assert [alarm.result.public_id for alarm in detect().alarms] == ["hw-9"]


def test_a_continuing_alarm_is_not_reported_again(release) -> None:
    make_nights(release, [*EVEN, 37.5])
    detect()
    make_nights(release, [37.4], first=10)
    assert detect().alarms == []
    assert RunVerdict.objects.get(result__public_id="hw-10").continues


def test_a_verdict_is_recomputed_for_a_late_older_run(release) -> None:
    make_nights(release, [*EVEN[:4]])
    make_nights(release, [37.5], first=9)
    detect()
    assert RunVerdict.objects.get(result__public_id="hw-9").verdict == "cannot tell"
    make_nights(release, EVEN[4:], first=5)
    assert [alarm.result.public_id for alarm in detect().alarms] == ["hw-9"]


def test_a_withdrawn_run_has_no_alarm(client, release) -> None:
    make_nights(release, [*EVEN, 37.5])
    detect()
    Result.objects.filter(public_id="hw-9").update(withdrawn_at=timezone.now())
    (settled,) = detect().settled
    assert (settled.result.public_id, settled.verdict, settled.metrics) == ("hw-9", "cannot tell", [])
    assert "Compared with the earlier runs" not in client.get("/results/hw-9/").content.decode()


def test_old_verdicts_outside_the_window_are_kept(release, monkeypatch) -> None:
    from registry.timeseries import series

    make_nights(release, [*EVEN, 37.5, *EVEN[:3]])
    detect()
    monkeypatch.setattr(series, "MOST_RESULTS", 6)
    detect()
    assert RunVerdict.objects.get(result__public_id="hw-9").verdict == "lower"


@pytest.mark.parametrize("former_first", [True, False])
def test_merging_a_system_sends_no_second_notice(release, former_first) -> None:
    """Its results count as before; only the system is called otherwise."""
    make_nights(release, [*EVEN, 37.5])
    detect()
    make_result(release, "io500-1", system_name="Other name")
    former, target = System.objects.get(slug=SLUG), System.objects.get(name="Other name")
    moved = merging.merge_names("system", former.slug, target.slug, Decision("One system."))
    detected_steps.mark_due(moved.systems)
    for system in (former, target) if former_first else (target, former):
        assert detected_steps.detect_steps(system.pk).runs == recorded_verdicts.VerdictChanges()
    verdict = RunVerdict.objects.get(result__public_id="hw-9")
    assert (verdict.verdict, verdict.system, verdict.reason) == ("lower", target, "")
