"""fio: what its outputs say, in each form, and what makes one not count."""

import json
from pathlib import Path

import pytest

from tests.validators.bench_cases import codes_of
from validators.benchmarks.fio import parser
from validators.bundle import open_bundle
from validators.checks import check

SAMPLES = Path(parser.__file__).parent / "samples"


def side(bandwidth=1048576, seconds=2.0, size=4096):
    """One direction of a job that agrees with itself: bandwidth in B/s, requests of `size` bytes."""
    volume = int(bandwidth * seconds)
    return {
        "io_bytes": volume,
        "bw_bytes": bandwidth,
        "iops": bandwidth / size,
        "runtime": int(seconds * 1000),
        "total_ios": volume // size,
        "lat_ns": {"min": 1, "max": 9000, "mean": 5000.5},
        "clat_ns": {"percentile": {"50.000000": 4000, "99.000000": 8000}},
    }


def job(**changes):
    made = {"jobname": "a", "groupid": 0, "error": 0, "job options": {"rw": "write", "bs": "4k"}, "write": side()}
    return {**made, **changes}


def document(*jobs, **changes):
    return json.dumps({"fio version": "fio-3.33", "jobs": list(jobs), **changes}, indent=1)


def checked(tmp_path, text):
    (tmp_path / "out.txt").write_text(text)
    return check(tmp_path / "out.txt")


def test_a_job_gives_its_figures_with_their_units(tmp_path):
    (run,) = checked(tmp_path, document(job())).runs
    figures = {(m.op, m.quantity, m.stat): (m.value, m.unit, m.printed_unit) for m in run.measurements}
    assert figures["write", "bandwidth", "mean"] == (1048576, "B/s", "B/s")
    assert figures["write", "iops", "mean"] == (256.0, "ops/s", "ops/s")
    assert figures["write", "time", "total"] == (2.0, "s", "ms")
    assert figures["write", "completion_latency", "p99"] == (pytest.approx(8e-6), "s", "ns")
    assert run.version == "3.33"
    assert run.parameters["bs"] == "4k"


def test_processes_of_a_group_are_added_and_groups_are_not(tmp_path):
    jobs = [job(), job(), job(groupid=1, **{"job options": {"rw": "write", "bs": "1M"}})]
    (run,) = checked(tmp_path, document(*jobs)).runs
    sums = [(one["group"], one["bandwidth"], one["jobs"]) for one in run.parameters["sums"]]
    assert sums == [(0, 2 * 1048576, 2), (1, 1048576, 1)]
    assert "bs" not in run.parameters


def test_a_direction_that_did_nothing_is_not_a_zero(tmp_path):
    (run,) = checked(tmp_path, document(job(read=side(bandwidth=0)))).runs
    assert {m.op for m in run.measurements} == {"write"}


def test_running_totals_count_once(tmp_path):
    report = checked(tmp_path, document(job(write=side(seconds=1))) + "\n" + document(job()))
    (run,) = report.runs
    assert [m.value for m in run.measurements if m.quantity == "volume"] == [2 * 1048576]
    assert "fio.several-documents" in codes_of(report)


def test_what_is_secret_in_a_job_stays_out(tmp_path):
    options = {"rw": "write", "directory": "/home/carol/x", "filename": "/lustre/prj0042/f", "client": "node17"}
    (run,) = checked(tmp_path, document(job(**{"job options": options}))).runs
    text = json.dumps(run.as_json())
    assert not [word for word in ("carol", "prj0042", "node17") if word in text]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (document(), "fio.no-results"),
        (document(jobs="none"), "fio.no-results"),
        (document(1), "fio.inconsistent"),
        (document(job())[:-40], "fio.truncated"),
        ('{"fio version": "fio-3.33", "jobs": ' + "[" * 100_000, "fio.truncated"),
        (document(job(error=28)), "fio.run-failed"),
        (document(job(write={**side(), "bw_bytes": 5 * 1048576})), "fio.inconsistent"),
        (document(job(write={**side(), "iops": 1.0})), "fio.inconsistent"),
        (document(job(write={"total_ios": 1, "io_bytes": "many", "bw_bytes": float("nan")})), "fio.no-results"),
        (document(job(write=[])), "fio.no-results"),
    ],
)
def test_what_cannot_count_is_refused_with_its_code(tmp_path, text, code):
    report = checked(tmp_path, text)
    assert report.status == "invalid"
    assert code in codes_of(report)


def test_every_beginning_of_every_sample_is_read_or_refused(tmp_path):
    """No cut of an output may raise, whatever it is cut in."""
    for sample in sorted(SAMPLES.iterdir()):
        expected = json.loads((sample / "expected.json").read_text())
        content = (sample / expected["path"]).read_bytes()
        for length in range(0, len(content), max(1, len(content) // 40)):
            (tmp_path / "cut.txt").write_bytes(content[:length] + b"\0\xff" * (length % 2))
            with open_bundle(tmp_path / "cut.txt") as bundle:
                parser.find_runs(bundle)


def test_two_outputs_are_two_runs_of_which_none_counts_alone(tmp_path):
    (tmp_path / "a.json").write_text(document(job()))
    (tmp_path / "b.json").write_text(document(job()))
    report = check(tmp_path)
    assert [run.tool for run in report.runs] == ["fio", "fio"]
    assert report.primary is None


# Drives and jobs one by one


def on(filename, bandwidth=1048576, group=0, **options):
    told = {"rw": "write", "bs": "1M", "filename": filename} | options
    return job(groupid=group, write=side(bandwidth), **{"job options": told})


def members(tmp_path, *jobs, **changes):
    (run,) = checked(tmp_path, document(*jobs, **changes)).runs
    return {
        (one["over"], *one["context"].values()): one["members"] for one in run.distributions if one["unit"] == "B/s"
    }


def test_the_processes_of_a_drive_are_added_and_drives_stand_side_by_side():
    """Three loop devices with two processes each, read at the same time (fio 3.33)."""
    report = check(SAMPLES / "json-three-drives" / "stdout.txt").as_json()
    bandwidth, iops = report["runs"][0]["distributions"]
    assert (bandwidth["op"], bandwidth["quantity"], bandwidth["over"]) == ("read", "bandwidth", "drives")
    assert bandwidth["members"] == [719023542 + 653657766, 838860800 + 680157405, 1797558857 + 1438047085]
    assert iops["members"] == pytest.approx([685.714286 + 623.376623, 800 + 648.648649, 1714.285714 + 1371.428571])
    assert "loop" not in json.dumps(report)


def test_jobs_on_files_stand_one_by_one():
    (run,) = check(SAMPLES / "json-seqread-nogroup" / "stdout.txt").runs
    assert [(one["over"], one["quantity"], one["members"]) for one in run.distributions] == [
        ("jobs", "bandwidth", [860370051, 883011368]),
        ("jobs", "iops", [820.512821, 842.105263]),
    ]


def test_only_jobs_of_one_group_with_the_same_options_are_compared(tmp_path):
    jobs = [
        on("/dev/a", 1),
        on("/dev/b", 2),
        on("/dev/b", 3, bs="4k"),
        on("/dev/a", 4, group=1),
        on("/dev/b", 5, group=1),
    ]
    scaled = [{**one, "write": side(one["write"]["bw_bytes"] * 2**20)} for one in jobs]
    assert members(tmp_path, *scaled) == {
        ("drives", 0): [2**20, 2 * 2**20],
        ("drives", 3): [4 * 2**20, 5 * 2**20],
    }


@pytest.mark.parametrize("filename", ["/dev/a:/dev/b", "/dev/shm/a", "/mnt/a", "", None, 7, ["/dev/a"]])
def test_what_is_no_single_device_is_a_job(tmp_path, filename):
    assert members(tmp_path, on("/dev/a"), on(filename, 2**21)) == {("jobs",): [2**20, 2**21]}


def test_processes_of_one_drive_are_jobs_of_it(tmp_path):
    shared = {"global options": {"filename": "/dev/a"}}
    assert members(tmp_path, job(), job(write=side(2**21)), **shared) == {("jobs",): [2**20, 2**21]}


def test_one_job_has_no_members(tmp_path):
    assert members(tmp_path, on("/dev/a")) == {}
    assert members(tmp_path, on("/dev/a"), job(read=side(), write=side(0), **{"job options": {"rw": "read"}})) == {}
