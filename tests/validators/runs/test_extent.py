"""When and how large a run was: from the output, else from the description, else a reason; for every benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.make_fio import make_output
from tests.make_system import make_bag, make_system
from validators import catalogue, times
from validators.checks import check
from validators.measurements import Run
from validators.runs import extent
from validators.system.seal import _hash_of

FIELDS = extent.FIELDS


def lay_out(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def sample_runs(benchmark: catalogue.Benchmark) -> list[Run]:
    folders = sorted((catalogue.FOLDER / benchmark.slug / "samples").iterdir())
    paths = [folder / json.loads((folder / "expected.json").read_text())["path"] for folder in folders]
    return [run for path in paths for run in check(path).runs if run.tool == benchmark.tool and run.measurements]


@pytest.mark.parametrize("benchmark", catalogue.benchmarks(), ids=lambda benchmark: benchmark.slug)
def test_every_benchmark_gives_each_extent_field_or_a_reason(benchmark: catalogue.Benchmark) -> None:
    """What no sample tells has its own reason in the descriptor; what every sample tells needs none."""
    runs = sample_runs(benchmark)
    for run in runs:
        unknown = {field for field in FIELDS if getattr(run, field) is None}
        assert set(run.unknown) == unknown
        assert set(run.extent_sources) == set(FIELDS) - unknown
        assert all(reason.endswith(".") for reason in run.unknown.values())
    for field in FIELDS:
        entry = benchmark.descriptor.get("extent", {}).get(field, {})
        if not any(getattr(run, field) is not None for run in runs):
            assert entry.get("why_not"), f"{benchmark.tool} does not say why {field} is never known"


@pytest.mark.parametrize(
    ("tool", "sample", "expected"),
    [
        ("fio", "json-three-drives", ("2026-11-21T21:59:43Z", "2026-11-21T21:59:44Z", 1)),
        ("ior", "4.1-iorhard", ("2026-11-20T18:54:27", "2026-11-20T18:54:27", 1)),
        ("ior", "2.10.3-text-v0", ("2026-11-20T18:54:40", "2026-11-20T18:54:40", None)),
        ("iozone", "single-default", ("2026-11-20T19:02:27", None, 1)),
        ("obdfilter_survey", "short-runs", ("2026-11-20T19:17:42Z", None, None)),
        ("elbencho", "large-file-write-read", ("2026-11-20T19:15:29Z", None, 1)),
        ("mlperf_storage", "v1.0-two-hosts", ("2026-01-05T10:00:00", None, 2)),
    ],
)
def test_times_and_nodes_of_samples_are_those_read_by_eye(tool: str, sample: str, expected: tuple) -> None:
    run = check(catalogue.FOLDER / tool / "samples" / sample).runs[0]
    started, ended, nodes = expected
    assert (run.started, run.ended if ended else None, run.client_nodes) == (started, ended, nodes)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Fri Nov 20 18:54:07 2026", "2026-11-20T18:54:07"),
        (": Mon Jan  5 08:00:00 2026", "2026-01-05T08:00:00"),
        ("Fri Nov 20 19:17:42 UTC 2026 Obdfilter", "2026-11-20T19:17:42Z"),
        ("Sat Jun 23 16:04:51 EDT 2001", "2001-06-23T16:04:51"),
        (" 11/20/2026 18:58:16 --", "2026-11-20T18:58:16"),
        ('"2026-11-20T19:15:29.705+0000"', "2026-11-20T19:15:29Z"),
        ("2026-11-20T19:15:29+02:00", "2026-11-20T19:15:29"),
        ("31/02/2026 18:58:16", None),
        ("Fri Xyz 20 18:54:07 2026", None),
        ("99:99:99", None),
        ("", None),
    ],
)
def test_printed_times_of_tools_are_parsed(text: str, moment: str | None) -> None:
    assert times.printed_time(text) == moment


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e18, True, "5", None])
def test_invalid_timestamps_are_left_out(seconds: object) -> None:
    assert times.from_timestamp(seconds) is None


def described(**run: object) -> dict:
    wrapped = {"command": "fio", "started": "2026-11-20T18:00:00Z", "ended": "2026-11-20T18:10:00Z", "duration_s": 600}
    return make_system(run=wrapped | {"exit_status": 0} | run)


TERSE = (catalogue.FOLDER / "fio" / "samples" / "terse-v3" / "stdout.txt").read_bytes()


def test_missing_times_and_nodes_come_from_the_description(tmp_path: Path) -> None:
    system = described(nodes=3, nodes_from="job", tasks=12, tasks_from="command line")
    run = check(lay_out(tmp_path, make_bag({"out.txt": TERSE}, system))).runs[0]
    assert (run.started, run.ended) == ("2026-11-20T18:00:00Z", "2026-11-20T18:10:00Z")
    assert run.client_nodes == 1  # of the output: fio's own form of one node
    assert run.extent_sources["started"] == "description: the wrapped command"
    assert run.extent_sources["client_nodes"] == "output"
    judged = {rule.code: rule for rule in run.rules}
    assert "description: the wrapped command" in judged["system.capture-time"].why
    assert judged["system.run-duration"].outcome == "not_evaluated"
    assert "Only the description says" in judged["system.run-duration"].why


def test_a_description_of_another_result_is_not_used(tmp_path: Path) -> None:
    system = described(files=[{"path": "other.txt", "bytes": 5, "sha256": "0" * 64}])
    system["run"]["seal"] = _hash_of(system["run"])
    run = check(lay_out(tmp_path, make_bag({"out.txt": TERSE}, system))).runs[0]
    assert run.started is None
    assert run.unknown["started"] == "Only the JSON of fio says how long ago the run began."


def test_labels_of_a_file_with_several_runs_are_ignored(tmp_path: Path) -> None:
    runs = [Run("ior", "out.txt"), Run("ior", "out.txt"), Run("ior", "other.txt")]
    assert extent.alone(runs) == {"other.txt"}


def test_the_start_of_a_fio_run_follows_from_its_elapsed_time(tmp_path: Path) -> None:
    run = check(lay_out(tmp_path, {"fio.json": make_output(2)})).runs[0]
    assert (run.started, run.ended) == ("2026-11-20T19:00:09Z", "2026-11-20T19:00:49Z")
    assert run.tasks is None
    assert "group_reporting" in run.unknown["tasks"]
