"""`gate`: worse, not worse or cannot tell; against a file, an id, and the last runs of a system."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from collectors.gate import judgement, reading, reports

# Abramowitz and Stegun 1964, table 26.10: one-sided 5 % and 0.5 % points of Student's t.
QUANTILES = {
    0.05: {1: 6.314, 2: 2.920, 3: 2.353, 4: 2.132, 7: 1.895, 10: 1.812, 30: 1.697},
    0.005: {1: 63.657, 2: 9.925, 3: 5.841, 4: 4.604, 7: 3.499, 10: 3.169, 30: 2.750},
}
PUBLIC = {"tool": "fio", "distributions": [], "parameters": {"bs": "1M", "rw": "write", "client_nodes": 1}}


@pytest.mark.parametrize("chance", sorted(QUANTILES))
def test_chances_are_those_of_the_table_of_student(chance: float) -> None:
    for degrees, t in QUANTILES[chance].items():
        assert judgement.compute_tail_chance(t, degrees) == pytest.approx(chance, rel=2e-3)
    assert judgement.compute_tail_chance(0, 5) == pytest.approx(0.5)


def test_chances_are_adjusted_after_holm() -> None:
    assert judgement.adjust_chances([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert judgement.adjust_chances([0.9, 0.8]) == [1.0, 1.0]


CASES: list[tuple[list[float], list[float], bool, float | None, str]] = [
    ([100, 101, 99], [80, 81, 79], True, None, "worse"),
    ([100, 101, 99], [80, 81, 79], False, None, "better"),
    ([100, 101, 99], [98], True, None, "not worse"),
    ([100, 101, 99], [60], True, None, "worse"),
    ([100, 130, 75], [80, 90, 85], True, None, "not worse"),
    ([100, 101], [50, 51, 49], True, None, "cannot tell"),
    ([100], [50], True, 0.1, "worse"),
    ([100], [95], True, 0.1, "not worse"),
    ([100, 101, 99], [97, 98, 96], True, 0.1, "not worse"),
    ([100, 100, 100], [100.001], True, None, "not worse"),
    ([100, 100, 100], [90], True, None, "worse"),
    ([], [1, 1, 1], True, 0.1, "cannot tell"),
    ([1, 1, 1], [], True, 0.1, "cannot tell"),
    ([1, 1, 1], [0], True, 0.1, "cannot tell"),
    ([1, -1, 1], [1], True, None, "cannot tell"),
    ([1, 1, 1], [math.inf], True, None, "cannot tell"),
]


@pytest.mark.parametrize(("before", "now", "higher", "tolerance", "verdict"), CASES)
def test_one_metric_is_judged(before, now, higher, tolerance, verdict) -> None:
    assert judgement.judge_metrics([(before, now)], [higher], 3, tolerance)[0].verdict == verdict


def test_one_worse_metric_makes_the_run_worse_and_none_is_no_pass() -> None:
    def verdict(*verdicts: str) -> str:
        return judgement.combine_verdicts([judgement.Judged(each, None, None, "") for each in verdicts])

    assert verdict("not worse", "worse", "cannot tell") == "worse"
    assert verdict("not worse", "cannot tell") == "cannot tell"
    assert verdict("not worse", "better") == "not worse"
    assert verdict() == "cannot tell"


def check_of(values: list[float], **changes: Any) -> dict[str, Any]:
    """The document of a check of repeats of fio, one run for each value."""
    runs = [
        {
            "tool": "fio",
            "findings": [],
            "parameters": {"bs": "1M", "rw": "write", "client_nodes": 1},
            "measurements": [
                {"op": "write", "quantity": "bandwidth", "stat": "mean", "value": value, "unit": "B/s", "context": {}}
            ],
            **changes,
        }
        for value in values
    ]
    groups = [{"kind": "repeats", "runs": list(range(len(runs)))}]
    return {"status": "valid", "primary": None, "findings": [], "runs": runs, "groups": groups}


@pytest.fixture
def stored(tmp_path):
    """stored(name, document) writes what `validate --json` printed."""

    def write(name: str, document: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(document))
        return path

    return write


def test_a_worse_run_ends_with_1_and_is_written_for_ci(oldest_and_this_python, collector, stored, tmp_path) -> None:
    before, now = stored("before.json", check_of([100, 101, 99])), stored("now.json", check_of([80, 81, 79]))
    junit, markdown = tmp_path / "gate.xml", tmp_path / "gate.md"
    done = collector(
        *("gate", now, "--baseline", before, "--junit", junit, "--markdown", markdown), python=oldest_and_this_python
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[-1] == "verdict  worse"
    suite = ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("1", "1", "0")
    failure = suite.find("testcase/failure")
    assert failure is not None and "-20.0 %" in failure.get("message", "")
    assert "| write bandwidth | 100 B/s | 80 B/s | -20.0 % | **worse** |" in markdown.read_text()


@pytest.mark.parametrize(
    ("now", "more", "status"),
    [
        (check_of([99, 100, 101]), [], 0),
        (check_of([120, 121, 122]), [], 0),
        (check_of([99]), [], 0),
        (check_of([50]), [], 1),
        (dict(check_of([99, 100, 101]), status="invalid"), [], 5),
        (check_of([99, 100, 101], parameters={"bs": "4k", "rw": "write"}), [], 5),
        (check_of([99, 100, 101], parameters={"bs": "1M", "rw": "write", "numjobs": "4"}), [], 5),
        (check_of([99, 100, 101], tool="ior"), [], 5),
        (check_of([99, 100, 101], measurements=[]), [], 5),
        (dict(check_of([99, 100, 101]), runs=[]), [], 3),
        (dict(check_of([99, 100, 101]), groups=[]), [], 2),
    ],
)
def test_the_exit_status_gives_the_verdict(collector, stored, now, more, status) -> None:
    before = stored("before.json", check_of([100, 101, 99]))
    done = collector("gate", stored("now.json", now), "--baseline", before, *more)
    assert done.returncode == status, done.stdout + done.stderr


def test_too_few_earlier_values_end_with_5_and_a_tolerance_decides(collector, stored) -> None:
    before, now = stored("before.json", check_of([100])), stored("now.json", check_of([80]))
    assert collector("gate", now, "--baseline", before).returncode == 5
    assert collector("gate", now, "--baseline", before, "--tolerance", "25").returncode == 0
    done = collector("gate", now, "--baseline", before, "--tolerance", "10", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["metrics"][0]["why"].startswith("held against the tolerance alone")


@pytest.mark.parametrize(
    ("option", "text", "reason"),
    [
        ("--tolerance", "-1", "a number from 0 to below 100"),
        ("--tolerance", "100", "a number from 0 to below 100"),
        ("--tolerance", "nan", "a number from 0 to below 100"),
        ("--tolerance", "5%", "without %"),
        ("--nodes", "0", "a whole number from 1 on (it is '0')"),
        ("--nodes", "1.5", "a whole number from 1 on (it is '1.5')"),
    ],
)
def test_a_wrong_number_is_refused_with_the_numbers_that_are_taken(collector, option, text, reason) -> None:
    done = collector("gate", "now.json", "--baseline", "before.json", option, text)
    assert done.returncode == 2
    assert reason in done.stderr


def test_a_published_result_is_a_baseline_without_an_account(collector, peer, stored) -> None:
    rows = [
        {"op": "write", "quantity": "bandwidth", "stat": "mean", "unit": "B/s", "context": {}, "over": "runs",
         "members": [100.0, 101.0, None, 99.0]}
    ]  # fmt: skip
    row = {"op": "write", "quantity": "bandwidth", "stat": "mean", "unit": "B/s", "context": {}, "value": 100.0}
    peer.public["/api/v1/results/hw-1/"] = {**PUBLIC, "distributions": rows, "measurements": [row]}
    collector.environ["HIGHWATER_URL"] = peer.url
    now = stored("now.json", check_of([80, 81, 79]))
    assert collector("gate", now, "--baseline", "hw-1").returncode == 1
    assert [received.headers.get("Authorization") for received in peer.received] == [None]


def history(values: list[float], **changes: Any) -> dict[str, Any]:
    series = {
        "tool": "fio", "client_nodes": 1, "settings": {"bs": "1M", "rw": "write"}, "op": "write",
        "quantity": "bandwidth", "stat": "mean", "unit": "B/s", "context": {}, "steps": [],
        "points": [{"value": value} for value in values], **changes,
    }  # fmt: skip
    return {"series": [series]}


@pytest.mark.parametrize(
    ("document", "value", "status"),
    [
        (history([100, 101, 99, 100, 102]), 99, 0),
        (history([100, 101, 99, 100, 102]), 70, 1),
        (history([100, 101, 99, 100]), 70, 5),
        (history([50, 51, 100, 101, 99, 100, 102], steps=[{"place": 2}]), 70, 1),
        (history([100, 101, 50, 51, 49, 50, 51], steps=[{"place": 2}]), 70, 0),
        (history([100, 101, 99, 100, 102], client_nodes=2), 70, 5),
        (history([100, 101, 99, 100, 102], client_nodes=None), 70, 5),
        (history([100, 101, 99, 100, 102], settings={"bs": "4k"}), 70, 5),
        (history([100, 101, 99, 100, 102], settings={"iodepth": 4}), 70, 5),
        (history([100, 101, 99, 100, 102], tool="ior"), 70, 5),
        ({}, 70, 5),
        ({"series": [None, 7, {"tool": "fio"}]}, 70, 5),
    ],
)
def test_the_last_runs_of_a_system_predict_the_next(collector, peer, stored, document, value, status) -> None:
    peer.public["/api/v1/systems/fjord/history/"] = document
    collector.environ["HIGHWATER_URL"] = peer.url
    done = collector("gate", stored("now.json", check_of([value])), "--baseline", "fjord")
    assert done.returncode == status, done.stdout + done.stderr


@pytest.mark.parametrize(("nodes", "status"), [(1, 1), (2, 5), (None, 5)])
def test_client_nodes_count_wherever_a_check_has_them(collector, peer, stored, nodes, status) -> None:
    """Some benchmarks print them; of others the check finds them out, and they are no parameter."""
    peer.public["/api/v1/systems/fjord/history/"] = history([100, 101, 99, 100, 102])
    collector.environ["HIGHWATER_URL"] = peer.url
    now = check_of([70], parameters={"bs": "1M", "rw": "write"}, client_nodes=nodes)
    done = collector("gate", stored("now.json", now), "--baseline", "fjord")
    assert done.returncode == status, done.stdout + done.stderr


@pytest.mark.parametrize(("scope", "sent_scope"), [("own", "institution"), ("both", "all")])
def test_the_last_runs_of_a_shelf_predict_the_next(alice, peer, stored, scope, sent_scope) -> None:
    """Those of the record, which anybody may read, say something else."""
    peer.private[f"/api/v1/systems/fjord-lab-fjord/history/?scope={sent_scope}"] = history([100, 101, 99, 100, 102])
    peer.public["/api/v1/systems/fjord-lab-fjord/history/"] = history([50, 51, 49, 50, 51])
    peer.public["/api/v1/results/fjord-lab-fjord/"] = None
    now = stored("now.json", check_of([70]))
    assert alice("gate", now, "--baseline", "fjord-lab-fjord").returncode == 0
    done = alice("gate", now, "--baseline", "fjord-lab-fjord", "--scope", scope)
    assert done.returncode == 1, done.stdout + done.stderr
    assert peer.received[-1].headers["Authorization"]


def test_a_scope_without_a_system_is_refused(alice, peer, stored) -> None:
    now, before = stored("now.json", check_of([70])), stored("before.json", check_of([70]))
    for baseline in (before, "784c6d71"):
        done = alice("gate", now, "--baseline", baseline, "--scope", "own")
        assert (done.returncode, "collector.scope" in done.stderr) == (2, True), done.stderr
    assert peer.received == []


RUN = "dcc1ee4e-6a3d-5287-9d5c-b2dd46338425"


@pytest.mark.parametrize("text", [RUN, RUN[:8]])
@pytest.mark.parametrize(("value", "status"), [(70, 1), (100, 0)])
def test_one_run_of_an_upload_of_many_is_compared(alice, peer, stored, text, value, status) -> None:
    rows = [{"op": "write", "quantity": "bandwidth", "unit": "B/s", "stat": "mean", "value": value, "context": {}}]
    document = {"tool": "fio", "client_nodes": 1, "parameters": {"bs": "1M", "rw": "write"}, "measurements": rows}
    peer.private[f"/api/v1/shelf/{RUN}/"] = {"id": RUN, "state": "checked", **document}
    peer.private[f"/api/v1/submissions/?id={RUN[:8]}&page_size=11"] = {"results": []}
    peer.private[f"/api/v1/shelf/?id={RUN[:8]}&page_size=11"] = {"results": [{"id": RUN}]}
    before = stored("before.json", check_of([100]))
    done = alice("gate", text, "--baseline", before, "--tolerance", "10")
    assert done.returncode == status, done.stdout + done.stderr
    done = alice("gate", before, "--baseline", text, "--tolerance", "10")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("steps", [[], [{"place": 5}], [{"place": 6}]])
@pytest.mark.parametrize("key", ["id", "result"])
def test_a_run_does_not_predict_itself(alice, peer, key, steps) -> None:
    """Neither by its own id, nor as the result that it became; later runs do not either."""
    rows = [{"op": "write", "quantity": "bandwidth", "unit": "B/s", "stat": "mean", "value": 70, "context": {}}]
    document = {"tool": "fio", "client_nodes": 1, "parameters": {"bs": "1M", "rw": "write"}, "measurements": rows}
    peer.private[f"/api/v1/shelf/{RUN}/"] = {"id": RUN, "state": "checked", "result": "hw-5", **document}
    earlier = history([100, 101, 99, 100, 102, 70, 71, 69], steps=steps)
    earlier["series"][0]["points"][5]["result"] = {"id": RUN, "result": "hw-5"}[key]
    peer.private["/api/v1/systems/fjord/history/?scope=all"] = earlier
    done = alice("gate", RUN, "--baseline", "fjord", "--scope", "both")
    assert (done.returncode, "of 5 before, 1 now" in done.stdout) == (1, True), done.stdout + done.stderr


def test_a_missing_count_of_client_nodes_is_named(collector, peer, stored) -> None:
    peer.public["/api/v1/systems/fjord/history/"] = history([100, 101, 99, 100, 102])
    collector.environ["HIGHWATER_URL"] = peer.url
    now = check_of([70], parameters={"bs": "1M", "rw": "write"})
    done = collector("gate", stored("now.json", now), "--baseline", "fjord")
    assert (done.returncode, "the run does not say its client nodes" in done.stdout) == (5, True), done.stdout
    assert "give them with --nodes" in done.stdout


@pytest.mark.parametrize(("nodes", "status"), [("1", 1), ("2", 5), ("0", 2), ("x", 2)])
def test_client_nodes_that_an_output_lacks_are_given(collector, peer, stored, nodes: str, status: int) -> None:
    peer.public["/api/v1/systems/fjord/history/"] = history([100, 101, 99, 100, 102])
    collector.environ["HIGHWATER_URL"] = peer.url
    now = check_of([70], parameters={"bs": "1M", "rw": "write"})
    done = collector("gate", stored("now.json", now), "--baseline", "fjord", "--nodes", nodes)
    assert done.returncode == status, done.stdout + done.stderr


def test_client_nodes_other_than_the_output_has_are_refused(collector, peer, stored) -> None:
    peer.public["/api/v1/systems/fjord/history/"] = history([100, 101, 99, 100, 102])
    collector.environ["HIGHWATER_URL"] = peer.url
    done = collector("gate", stored("now.json", check_of([70])), "--baseline", "fjord", "--nodes", "99")
    assert (done.returncode, "says itself that it has" in done.stderr) == (2, True), done.stdout + done.stderr


def test_a_run_of_another_upload_of_many_is_unknown(alice, peer, stored) -> None:
    peer.public[f"/api/v1/shelf/{RUN}/"] = None
    done = alice("gate", RUN, "--baseline", stored("before.json", check_of([100])))
    assert (done.returncode, "404" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("baseline", ["no such thing", "../x", "-x"])
def test_a_baseline_that_is_nothing_is_refused(alice, stored, baseline) -> None:
    assert alice("gate", stored("now.json", check_of([1])), "--baseline=" + baseline).returncode == 2


def test_texts_of_others_are_neither_markup_nor_a_new_row() -> None:
    row = {
        "op": "<b>|`x`", "quantity": "a]]>b", "context": "c\n| d |", "unit": "B/s", "verdict": "worse", "ratio": 0.5,
        "chance": None, "why": '"<script>\x00', "before": [1.0], "now": [0.5],
    }  # fmt: skip
    document = {
        "tool": "fio&",
        "run": "a\nb",
        "baseline": "[x](y)",
        "verdict": "worse",
        "notes": ["]]><x>"],
        "metrics": [row],
    }
    suite = ElementTree.fromstring(reports.as_junit(document))
    assert suite[0].get("name") == "<b>|`x` a]]>b c | d |"
    text = reports.as_markdown(document)
    assert "<b>" not in text and "<script>" not in text and "[x](y)" not in text
    assert len([line for line in text.splitlines() if line.startswith("| ")]) == 2


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ({"iter": 2, "job": 0, "invalid": False}, "job 0"),
        ({"invalid": True}, "invalid True"),
        ({"collective": False}, "collective False"),
        ({"invalid": False}, ""),
        (None, ""),
    ],
)
def test_a_context_names_neither_repeats_nor_that_nothing_is_invalid(context: Any, text: str) -> None:
    assert reading.format_context(context) == text


def fio_of(value: Any, unit: str = "B/s", quantity: str = "bandwidth") -> dict[str, Any]:
    row = {"op": "write", "quantity": quantity, "stat": "mean", "value": value, "unit": unit, "context": {}}
    return check_of([1, 1, 1], measurements=[row])


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (fio_of(int("1" * 400)), check_of([100])),
        (check_of([100, 101, 99]), fio_of(int("1" * 400))),
        (fio_of(math.nan), check_of([100])),
        (fio_of(math.inf), check_of([100])),
        (fio_of(0), check_of([100])),
        (fio_of(True), check_of([100])),
        (fio_of("100"), check_of([100])),
        (fio_of(1e-300), fio_of(1e300)),
        (fio_of(1e300), fio_of(1e-300)),
        (fio_of(1e300, "s", "latency"), fio_of(1e-300, "s", "latency")),
        (fio_of(1e-300, "s", "latency"), fio_of(1e300, "s", "latency")),
        (fio_of(100, "GB/s"), check_of([100])),
        (check_of([100, 101, 99], parameters={}), check_of([100])),
        (check_of([100, 101, 99], parameters=None), check_of([100])),
        (check_of([100, 101, 99]), check_of([100], parameters={})),
        (check_of([100, 101, 99], measurements=None), check_of([100])),
        (check_of([100, 101, 99], distributions=[{"over": "runs", "members": [10**400]}]), fio_of(7, "ops/s", "iops")),
    ],
)
def test_values_that_cannot_be_compared_end_with_5(collector, stored, tmp_path, before, now) -> None:
    """Never with 1, which says that the run is worse."""
    reports_written = [tmp_path / "gate.xml", tmp_path / "gate.md"]
    done = collector(
        *("gate", stored("now.json", now), "--baseline", stored("before.json", before), "--json"),
        *("--junit", reports_written[0], "--markdown", reports_written[1]),
    )
    assert done.returncode == 5, done.stdout + done.stderr

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no number of JSON")

    assert json.loads(done.stdout, parse_constant=refuse)["verdict"] == "cannot tell"
    assert ElementTree.parse(reports_written[0]).getroot().get("failures") == "0"


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\xff\xfe\x00{", b"{}", b'{"status": "valid", "runs": {}}', b'{"status": "valid"', b"[" * 90_000],
)
def test_a_baseline_that_holds_no_result_ends_with_3(collector, stored, tmp_path, content) -> None:
    path = tmp_path / "before.json"
    path.write_bytes(content)
    done = collector("gate", stored("now.json", check_of([100])), "--baseline", path)
    assert (done.returncode, "Traceback" in done.stderr) == (3, False), done.stderr


def test_groups_without_runs_are_no_repeats(collector, stored) -> None:
    several = dict(check_of([100, 101, 99]), groups=[{"kind": "repeats"}, {"kind": "repeats", "runs": 7}, None])
    done = collector("gate", stored("now.json", check_of([100])), "--baseline", stored("before.json", several))
    assert done.returncode == 2 and "collector.gate.several" in done.stderr, done.stderr


def test_a_report_that_cannot_be_written_ends_with_2(collector, stored, tmp_path) -> None:
    before, now = stored("before.json", check_of([100, 101, 99])), stored("now.json", check_of([100]))
    done = collector("gate", now, "--baseline", before, "--junit", tmp_path / "gone" / "gate.xml")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
