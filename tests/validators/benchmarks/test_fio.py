"""fio: what its outputs say, in each form, and what makes one not count."""

import json
import re
from pathlib import Path

import pytest

from tests.validators.bench_cases import codes_of
from validators.benchmarks.fio import parser
from validators.benchmarks.fio.directions import usual_percentiles_missing
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
    fields = {"jobname": "a", "groupid": 0, "error": 0, "job options": {"rw": "write", "bs": "4k"}, "write": side()}
    return {**fields, **changes}


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
    sums = [(group_sum["group"], group_sum["bandwidth"], group_sum["jobs"]) for group_sum in run.parameters["sums"]]
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


def test_paths_and_hosts_of_a_job_are_not_recorded(tmp_path):
    options = {"rw": "write", "directory": "/home/carol/x", "filename": "/lustre/prj0042/f", "client": "node17"}
    (run,) = checked(tmp_path, document(job(**{"job options": options}))).runs
    text = json.dumps(run.as_json())
    assert not [word for word in ("carol", "prj0042", "node17") if word in text]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (document(), "fio.no-results"),
        (document(jobs="none"), "fio.no-results"),
        (document(client_stats=[{"jobname": "a"}]), "fio.no-results"),
        (document(client_stats=[]), "fio.no-results"),
        (document(1), "fio.inconsistent"),
        (document(job())[:-40], "fio.truncated"),
        ('{"fio version": "fio-3.33", "jobs": ' + "[" * 100_000, "fio.truncated"),
        (document(job(error=28)), "fio.run-failed"),
        (document(job(write={**side(), "bw_bytes": 5 * 1048576})), "fio.inconsistent"),
        (document(job(write={**side(), "iops": 1.0})), "fio.inconsistent"),
        (
            document(job(write={"total_ios": 1, "io_bytes": "many", "bw_bytes": float("nan")})),
            "fio.measurement-missing",
        ),
        (document(job(write=[])), "fio.no-results"),
    ],
)
def test_invalid_outputs_are_refused_with_a_code(tmp_path, text, code):
    report = checked(tmp_path, text)
    assert report.status == "invalid"
    assert code in codes_of(report)


def test_every_truncated_sample_is_read_or_refused(tmp_path, every_nth):
    """No cut of an output may raise, whatever it is cut in."""
    for sample in sorted(SAMPLES.iterdir()):
        expected = json.loads((sample / "expected.json").read_text())
        content = (sample / expected["path"]).read_bytes()
        for length in every_nth(range(0, len(content), max(1, len(content) // 40)), 5):
            (tmp_path / "cut.txt").write_bytes(content[:length] + b"\0\xff" * (length % 2))
            with open_bundle(tmp_path / "cut.txt") as bundle:
                parser.find_runs(bundle)


def test_two_outputs_are_two_runs_without_a_primary(tmp_path):
    (tmp_path / "a.json").write_text(document(job()))
    (tmp_path / "b.json").write_text(document(job()))
    report = check(tmp_path)
    assert [run.tool for run in report.runs] == ["fio", "fio"]
    assert report.primary is None


# Versions before 3.2


def old_side(kibibytes=2048, seconds=2.0, size=4096, **changes):
    """One direction as 2.x prints it: KiB, KiB/s and us, and no unit in any name."""
    bandwidth = int(kibibytes / seconds)
    return {
        "io_bytes": kibibytes,
        "bw": bandwidth,
        "iops": kibibytes * 1024 / size / seconds,
        "runtime": int(seconds * 1000),
        "total_ios": kibibytes * 1024 // size,
        "lat": {"min": 3, "max": 9000, "mean": 250.5, "stddev": 1.0},
        "clat": {"percentile": {"50.000000": 240, "99.000000": 800}},
    } | changes


def old(side_changes=None, drop=(), version="fio-2.16", op="write", **options):
    side_fields = {name: value for name, value in old_side(**(side_changes or {})).items() if name not in drop}
    job_fields = {"job options": {"rw": op, "bs": "4k"} | options}
    return document(job(**{"write": side_fields, **job_fields}), **{"fio version": version})


def figures_of(report):
    (run,) = report.runs
    return {(m.op, m.quantity, m.stat): (m.value, m.printed_value, m.printed_unit) for m in run.measurements}


def test_version_2_prints_kib_and_microseconds(tmp_path):
    report = checked(tmp_path, old())
    assert (report.status, codes_of(report)) == ("valid", [])
    assert figures_of(report) == {
        ("write", "bandwidth", "mean"): (1048576, 1024, "KiB/s"),
        ("write", "iops", "mean"): (256, 256, "ops/s"),
        ("write", "volume", "total"): (2 * 1048576, 2048, "KiB"),
        ("write", "ops", "total"): (512, 512, "ops"),
        ("write", "time", "total"): (2.0, 2000, "ms"),
        ("write", "latency", "mean"): (pytest.approx(250.5e-6), 250.5, "us"),
        ("write", "latency", "max"): (pytest.approx(9e-3), 9000, "us"),
        ("write", "completion_latency", "p50"): (pytest.approx(240e-6), 240, "us"),
        ("write", "completion_latency", "p99"): (pytest.approx(800e-6), 800, "us"),
    }
    (total,) = report.runs[0].parameters["sums"]
    assert (total["bandwidth"], total["iops"]) == (1048576, 256)


def test_bandwidths_of_the_last_releases_before_3_are_marked_as_bytes(tmp_path):
    report = checked(tmp_path, old({"io_bytes": 2048 * 1024}, version="fio-2.99"))
    assert report.status == "valid"
    assert figures_of(report)["write", "volume", "total"] == (2 * 1048576, 2 * 1048576, "B")
    assert figures_of(report)["write", "bandwidth", "mean"] == (1048576, 1024, "KiB/s")


def test_versions_3_0_and_3_1_print_bytes_and_kib_beside_each_other(tmp_path):
    side_fields = {**side(), "io_kbytes": 2048, "bw": 1024}
    del side_fields["bw_bytes"]
    report = checked(tmp_path, document(job(write=side_fields), **{"fio version": "fio-3.1"}))
    assert (report.status, codes_of(report)) == ("valid", [])
    assert figures_of(report)["write", "bandwidth", "mean"] == (1048576, 1024, "KiB/s")
    assert figures_of(report)["write", "volume", "total"] == (2 * 1048576, 2 * 1048576, "B")
    assert figures_of(report)["write", "latency", "mean"][2] == "ns"


def test_version_2_1_is_read_without_request_counts(tmp_path):
    report = checked(tmp_path, old(drop=("total_ios",), version="fio-2.1.11"))
    assert report.status == "valid"
    assert codes_of(report) == ["fio.version-untested"]
    assert ("write", "ops", "total") not in figures_of(report)
    assert figures_of(report)["write", "volume", "total"][0] == 2 * 1048576


@pytest.mark.parametrize(
    ("changes", "drop"),
    [
        ({"io_bytes": 2048 * 1000}, ()),  # neither KiB nor B over the run time
        ({"io_bytes": 2048 * 1024 * 1024}, ()),
        ({"bw": 1048576}, ()),  # as if it were B/s
        ({"io_bytes": 2048 * 1024, "bw": 1024 * 1024}, ()),  # agree with each other, and not with 512 requests of 4 KiB
        ({"kibibytes": 2, "io_bytes": 2048, "bw": 1, "size": 4 << 10, "total_ios": 512, "iops": 256.0}, ()),
        ({"io_kbytes": 7}, ()),
    ],
)
def test_bytes_time_and_requests_that_fit_no_unit_are_refused(tmp_path, changes, drop):
    report = checked(tmp_path, old(changes, drop))
    assert report.status == "invalid"
    assert "fio.inconsistent" in codes_of(report)
    assert not {"bandwidth", "volume"} & {measurement.quantity for measurement in report.runs[0].measurements}


@pytest.mark.parametrize("missing", ["bw", "runtime", "io_bytes", "iops"])
@pytest.mark.parametrize("version", ["fio-2.16", "fio-3.1", "fio-3.33"])
def test_a_required_value_missing_in_one_operation_makes_the_run_invalid(tmp_path, missing, version):
    report = checked(tmp_path, old(drop=(missing,), version=version))
    assert (report.status, codes_of(report)) == ("invalid", ["fio.measurement-missing"])
    names = {"bw": "bandwidth", "runtime": "time", "io_bytes": "volume", "iops": "iops"}
    assert f"write has no {names[missing]}" in report.runs[0].findings[0].message


def test_a_group_with_a_process_without_bandwidth_has_no_sum(tmp_path):
    jobs = [job(write=old_side()), job(write={k: v for k, v in old_side().items() if k != "bw"})]
    report = checked(tmp_path, document(*jobs, **{"fio version": "fio-2.16"}))
    (total,) = report.runs[0].parameters["sums"]
    assert total == {"group": 0, "op": "write", "iops": 512.0, "jobs": 2}


@pytest.mark.parametrize(("version", "is_tried"), [
    ("fio-2.1.11", False), ("fio-2.2.10", True),
    ("fio-2.16", True), ("fio-2.16-dirty", True), ("fio-3.33", True), ("fio-3.41-1-gabc", True),
    ("fio-3.42", False), ("fio-4", False), ("fio-git", True),
])  # fmt: skip
def test_a_version_outside_the_tested_ones_is_reported(tmp_path, version, is_tried):
    report = checked(tmp_path, document(job(), **{"fio version": version}))
    assert report.status == "valid"
    assert codes_of(report) == ([] if is_tried else ["fio.version-untested"])


NORMAL = """a: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=32
fio-3.33
Starting 1 process

a: (groupid=0, jobs=1): err= 0: pid=17: Fri Nov 20 19:00:55 2026
{side}
     lat (usec): min=165, max=22563, avg=5688.34, stdev=5041.32
  cpu          : usr=1.00%, sys=2.00%, ctx=512, majf=0, minf=12
  IO depths    : 1=0.2%, 2=0.4%, 4=0.8%, 8=1.6%, 16=3.1%, 32=93.9%, >=64=0.0%
     issued rwts: total=512,0,0,0 short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
"""


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("  read: IOPS=256, BW=1024KiB/s (1049kB/s)(2048KiB/2000msec)", (1048576, 1024, "KiB/s")),
        ("  read: IOPS=256, BW=1049kB/s (1024KiB/s)(2097kB/2000msec)", (1049000, 1049, "kB/s")),
    ],
)
def test_units_in_text_identify_the_quantity(tmp_path, line, value):
    report = checked(tmp_path, NORMAL.format(side=line))
    assert report.status == "valid"
    assert figures_of(report)["read", "bandwidth", "mean"] == value
    shared = {"rw": "randread", "bs": "4096B", "ioengine": "libaio", "iodepth": "32", "processes": 1}
    assert shared.items() <= report.runs[0].parameters.items()


@pytest.mark.parametrize(
    "line",
    [
        "  read: IOPS=256, BW=8192Kibit/s (8389kb/s)(2048KiB/2000msec)",
        "  read : io=2048.0KB, bw=8192.0Kb/s, iops=256, runt=  2000msec",
    ],
)
def test_rates_in_an_unknown_form_are_not_reported_as_no_work(tmp_path, line):
    report = checked(tmp_path, NORMAL.format(side=line))
    (finding,) = report.runs[0].findings
    assert (report.status, finding.code) == ("invalid", "fio.not-supported")
    assert "moved" not in finding.message
    both = checked(tmp_path, NORMAL.format(side=f"{line}\n  write: IOPS=1, BW=4KiB/s (4kB/s)(8KiB/2000msec)"))
    assert (both.status, codes_of(both)) == ("invalid", ["fio.measurement-missing"])


# What is printed as 0


@pytest.mark.parametrize("latency", ["lat_ns", "lat"])
def test_a_latency_of_0_was_not_measured(tmp_path, latency):
    nothing = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    side_fields = {name: value for name, value in side().items() if name not in ("lat_ns", "clat_ns")} | {
        latency: nothing
    }
    report = checked(tmp_path, document(job(write=side_fields)))
    (finding,) = report.runs[0].findings
    assert (report.status, finding.code, finding.level) == ("valid", "fio.not-measured", "info")
    assert "write latency mean, write latency max" in finding.message
    assert "latency" not in {measurement.quantity for measurement in report.runs[0].measurements}


def test_a_percentile_below_the_printed_precision_is_not_0(tmp_path):
    report = checked(tmp_path, old({"clat": {"percentile": {"50.000000": 0, "99.000000": 1}}}))
    assert codes_of(report) == ["fio.not-measured"]
    assert figures_of(report)["write", "completion_latency", "p99"][1:] == (1, "us")
    assert ("write", "completion_latency", "p50") not in figures_of(report)


def test_work_in_no_time_has_no_bandwidth_of_0(tmp_path):
    side_fields = side() | {"bw_bytes": 0, "iops": 0.0, "runtime": 0}
    report = checked(tmp_path, document(job(write=side_fields)))
    assert (report.status, codes_of(report)) == ("invalid", ["fio.measurement-missing", "fio.not-measured"])
    assert report.runs[0].parameters["sums"] == [{"group": 0, "op": "write", "jobs": 1}]


def test_nan_in_json_is_read(tmp_path):
    report = checked(tmp_path, document(job()).replace('"jobname": "a"', '"jobname": "a", "slope": -nan'))
    assert (report.status, codes_of(report)) == ("valid", [])


# Runs that were stopped


def test_a_run_ended_by_a_signal_is_invalid(tmp_path):
    for text in (
        "fio: terminating on signal 2\n" + document(job()),
        document(job()) + "\nfio: terminating on signal 15\n",
    ):
        report = checked(tmp_path, text)
        assert report.status == "invalid"
        assert codes_of(report)[0] == "fio.interrupted"


@pytest.mark.parametrize(
    ("options", "is_short"),
    [
        ({"runtime": "5m", "time_based": "1"}, True),
        ({"runtime": "300", "time_based": ""}, True),
        ({"runtime": "300"}, False),  # it may have moved all of its size before
        ({"runtime": "300", "time_based": "0"}, False),
        ({"runtime": "300", "time_based": "1", "ss": "iops:5%"}, False),
        ({"runtime": "50", "time_based": "1"}, False),
        ({"runtime": "soon", "time_based": "1"}, False),
    ],
)
def test_a_timed_run_that_ended_early_is_reported(tmp_path, options, is_short):
    job_fields = {"job options": {"rw": "write", "bs": "4k"} | options}
    report = checked(tmp_path, document(job(write=side(seconds=48.0), **job_fields)))
    assert report.status == "valid"
    assert codes_of(report) == (["fio.interrupted"] if is_short else [])


# Drives and jobs one by one


def on(filename, bandwidth=1048576, group=0, **options):
    job_options = {"rw": "write", "bs": "1M", "filename": filename} | options
    return job(groupid=group, write=side(bandwidth), **{"job options": job_options})


def members(tmp_path, *jobs, **changes):
    (run,) = checked(tmp_path, document(*jobs, **changes)).runs
    return {
        (distribution["over"], *distribution["context"].values()): distribution["members"]
        for distribution in run.distributions
        if distribution["unit"] == "B/s"
    }


def test_processes_of_a_drive_are_summed_and_drives_are_members():
    """Three loop devices with two processes each, read at the same time (fio 3.33)."""
    report = check(SAMPLES / "json-three-drives" / "stdout.txt").as_json()
    bandwidth, iops = report["runs"][0]["distributions"]
    assert (bandwidth["op"], bandwidth["quantity"], bandwidth["over"]) == ("read", "bandwidth", "drives")
    assert bandwidth["members"] == [719023542 + 653657766, 838860800 + 680157405, 1797558857 + 1438047085]
    assert iops["members"] == pytest.approx([685.714286 + 623.376623, 800 + 648.648649, 1714.285714 + 1371.428571])
    assert "loop" not in json.dumps(report)


def test_jobs_on_files_are_single_members():
    (run,) = check(SAMPLES / "json-seqread-nogroup" / "stdout.txt").runs
    assert [
        (distribution["over"], distribution["quantity"], distribution["members"]) for distribution in run.distributions
    ] == [
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
    scaled = [{**job, "write": side(job["write"]["bw_bytes"] * 2**20)} for job in jobs]
    assert members(tmp_path, *scaled) == {
        ("drives", 0): [2**20, 2 * 2**20],
        ("drives", 3): [4 * 2**20, 5 * 2**20],
    }


@pytest.mark.parametrize("filename", ["/dev/a:/dev/b", "/dev/shm/a", "/mnt/a", "", None, 7, ["/dev/a"]])
def test_jobs_without_a_single_device_are_members_by_job(tmp_path, filename):
    assert members(tmp_path, on("/dev/a"), on(filename, 2**21)) == {("jobs",): [2**20, 2**21]}


def test_processes_of_one_drive_are_jobs_of_it(tmp_path):
    shared = {"global options": {"filename": "/dev/a"}}
    assert members(tmp_path, job(), job(write=side(2**21)), **shared) == {("jobs",): [2**20, 2**21]}


def test_one_job_has_no_distribution(tmp_path):
    assert members(tmp_path, on("/dev/a")) == {}
    assert members(tmp_path, on("/dev/a"), job(read=side(), write=side(0), **{"job options": {"rw": "read"}})) == {}


# Forms of the output


def sample(name):
    return check(SAMPLES / name / "stdout.txt")


def quantities(report, op):
    return {(m.quantity, m.stat) for run in report.runs for m in run.measurements if m.op == op}


def test_clients_are_summed_by_group_without_the_sums_of_fio():
    """Two servers, each with a job that reads and a group of two that writes (fio 3.33)."""
    for name in ("json-clients", "text-clients"):
        (run,) = sample(name).runs
        assert [(total["group"], total["op"], total["jobs"]) for total in run.parameters["sums"]] == [
            (0, "read", 2),
            (1, "write", 2),
        ]
        assert run.parameters["clients"] == 2
        assert "127.0.0.1" not in json.dumps(run.as_json())
    (run,) = sample("json-clients").runs
    assert run.parameters["client_nodes"] == 1
    assert run.parameters["sums"][0]["bandwidth"] == 1398101333 + 31068918


def test_terse_lines_of_clients_are_not_added_again():
    (run,) = sample("terse-clients").runs
    assert [(total["op"], total["jobs"]) for total in run.parameters["sums"]] == [("read", 1), ("write", 1)]


def terse_row(group, name="x"):
    row = (SAMPLES / "terse-5" / "stdout.txt").read_text().strip().split(";")
    return ";".join([*row[:2], name, str(group), *row[4:]])


def test_terse_lines_with_restarted_group_numbers_are_another_run(tmp_path):
    (tmp_path / "out.txt").write_text("\n".join(map(terse_row, [0, 1, 0, 1, 2])) + "\n")
    runs = check(tmp_path / "out.txt").runs
    assert [run.lines for run in runs] == [(1, 2), (3, 5)]
    assert [sorted({total["group"] for total in run.parameters["sums"]}) for run in runs] == [[0, 1], [0, 1, 2]]


@pytest.mark.parametrize("names", ["xxx", "xyz"])
def test_terse_lines_of_one_group_are_not_added_up(tmp_path, names):
    """Three jobs of one run, or three runs: fio prints the same."""
    (tmp_path / "out.txt").write_text("\n".join(terse_row(0, name) for name in names) + "\n")
    (run,) = check(tmp_path / "out.txt").runs
    assert "sums" not in run.parameters and "jobs" not in run.parameters
    assert "fio.jobs-or-runs" in [finding.code for finding in run.findings]
    assert {number.context["job"] for number in run.measurements} == {0, 1, 2}


def test_one_terse_line_is_one_run(tmp_path):
    (tmp_path / "out.txt").write_text(terse_row(0) + "\n")
    (run,) = check(tmp_path / "out.txt").runs
    assert run.parameters["jobs"] == 1 and run.parameters["sums"]
    assert "fio.jobs-or-runs" not in [finding.code for finding in run.findings]


def clients(*jobs, **total):
    each = [{**entry, "hostname": f"node{number}", "port": 8765} for number, entry in enumerate(jobs)]
    everything = {"jobname": "All clients", "groupid": 0, "error": 0, "hostname": "node1", **total}
    return json.dumps({"fio version": "fio-3.33", "client_stats": [*each, everything]}, indent=1)


def test_clients_must_match_the_printed_sum_of_all_clients(tmp_path):
    assert codes_of(checked(tmp_path, clients(job(), job(), write=side(2 * 1048576)))) == []
    report = checked(tmp_path, clients(job(), write=side(2 * 1048576)))
    assert (report.status, codes_of(report)) == ("invalid", ["fio.inconsistent"])


def test_the_same_device_of_two_clients_is_two_drives(tmp_path):
    (run,) = checked(tmp_path, clients(on("/dev/a"), on("/dev/a", 2**21), write=side(3 * 2**20))).runs
    rows = [(row["over"], row["members"]) for row in run.distributions if row["unit"] == "B/s"]
    assert rows == [("drives", [2**20, 2**21])]
    assert "node0" not in json.dumps(run.as_json())


def test_options_that_differ_between_clients_are_unknown(tmp_path):
    text = clients(job(), write=side()).replace(
        '"client_stats"',
        '"global options": {"size": "4m", "iodepth": "1", "size": "4m", "iodepth": "8"}, "client_stats"',
    )
    (run,) = checked(tmp_path, text).runs
    assert run.parameters["size"] == "4m"
    assert "iodepth" not in run.parameters
    assert run.unknown_settings == ["iodepth"]


def test_a_byte_order_mark_does_not_begin_another_document(tmp_path):
    for text in (document(job()), NORMAL.format(side="  read: IOPS=256, BW=1MiB/s (1049kB/s)(2048KiB/2000msec)")):
        assert checked(tmp_path, "\ufeff" + text).status == "valid"
    assert codes_of(checked(tmp_path, "\ufeff" + document(job()))) == []


def test_percentiles_are_kept_as_they_were_set(tmp_path):
    changes = side() | {
        "lat_ns": {"mean": 5000.5, "max": 9000, "percentile": {"12.500000": 3, "99.990000": 9, "0.00": 0}}
    }
    figures = quantities(checked(tmp_path, document(job(write=changes))), "write")
    assert {("latency", "p12.5"), ("latency", "p99.99")} <= figures
    assert ("latency", "p0") not in figures
    usual = quantities(sample("text-fsync"), "write")
    assert {stat for quantity, stat in usual if quantity == "completion_latency"} == {
        "p50", "p95", "p99", "p99.9", "p99.99",
    }  # fmt: skip


def test_a_percentile_without_its_value_is_reported(tmp_path):
    """What takes labels of launchers (`[0] `) from the middle of lines takes figures of fio with them."""
    text = (SAMPLES / "text-fsync" / "stdout.txt").read_text()
    for garbled in (text.replace("[50432]", ""), text.replace("[50432]", "[5043"), text.replace("[50432]", "[x]")):
        assert garbled != text
        report = checked(tmp_path, garbled)
        assert (report.status, "fio.not-a-number" in codes_of(report)) == ("invalid", True)


def test_an_engine_that_submits_nothing_has_no_submission_latency(tmp_path):
    nothing = {"slat_ns": {"min": 0, "max": 0, "mean": 0.0, "N": 0}}
    report = checked(tmp_path, document(job(write=side() | nothing)))
    assert (codes_of(report), ("submission_latency", "mean") in quantities(report, "write")) == ([], False)
    some = {"slat_ns": {"min": 1, "max": 5, "mean": 2.5, "N": 9}}
    assert ("submission_latency", "max") in quantities(checked(tmp_path, document(job(write=side() | some))), "write")


def test_fsync_has_latency_and_no_volume():
    report = sample("json-fsync")
    assert quantities(report, "sync") >= {("latency", "mean"), ("latency", "p99"), ("ops", "total")}
    assert ("bandwidth", "mean") not in quantities(report, "sync")
    assert report.status == "valid"
    assert [total["op"] for total in report.runs[0].parameters["sums"]] == ["write"]


@pytest.mark.parametrize(
    ("requests", "size", "unit"),
    [(512, "4K", "KiB"), (524, "4K", ""), (500, "4K", "kB"), (512, "8K", ""), (512, "4K-8K", "")],
)
def test_the_unit_of_kb_in_version_2_follows_from_requests(tmp_path, requests, size, unit):
    sizes = "/".join([size if "-" in size else f"{size}-{size}"] * 3)
    text = (
        f"a: (g=0): rw=write, bs={sizes}, ioengine=sync, iodepth=1\nfio-2.16\n"
        "a: (groupid=0, jobs=1): err= 0: pid=17: Fri Nov 20 19:00:55 2026\n"
        "  write: io=2048.0KB, bw=1024.0KB/s, iops=256, runt=  2000msec\n"
        "  cpu          : usr=1.00%, sys=2.00%, ctx=512, majf=0, minf=12\n  IO depths    : 1=100.0%\n"
        f"     issued    : total=r=0/w={requests}/d=0, short=r=0/w=0/d=0\n\nRun status group 0 (all jobs):\n"
    )
    report = checked(tmp_path, text)
    volumes = [m.printed_unit for run in report.runs for m in run.measurements if m.quantity == "volume"]
    assert volumes == ([unit] if unit else [])
    assert report.status == ("valid" if unit else "invalid")
    if not unit:
        assert "write has no bandwidth" in report.runs[0].findings[0].message


@pytest.mark.parametrize("version", ["2", "5"])
def test_a_truncated_terse_line_is_refused(tmp_path, version):
    row = (SAMPLES / f"terse-{version}" / "stdout.txt").read_text().strip()
    assert checked(tmp_path, row).status == "valid"
    for length in (0.2, 0.6, 0.9):
        report = checked(tmp_path, ";".join(row.split(";")[: int(row.count(";") * length)]))
        assert (report.status, codes_of(report)) == ("invalid", ["fio.truncated"])


def test_a_terse_line_behind_progress_is_a_line(tmp_path):
    row = (SAMPLES / "terse-5" / "stdout.txt").read_text().strip()
    (run,) = checked(tmp_path, f"Jobs: 0 (f=0){row}\n{row}\n").runs
    assert len(run.tests) == 2


def test_the_last_running_total_in_text_is_read(tmp_path):
    report = sample("text-status-interval")
    (run,) = report.runs
    assert (run.parameters["jobs"], run.parameters["shortest_job_s"]) == (1, 3.001)
    assert "4 reports" in run.findings[0].message


def test_settings_of_unlike_jobs_of_one_name_are_unknown(tmp_path):
    line = "a: (g={0}): rw={1}, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\n"
    text = NORMAL.format(side="  read: IOPS=256, BW=1024KiB/s (1049kB/s)(2048KiB/2000msec)")
    (run,) = checked(tmp_path, line.format(0, "read") + line.format(1, "write") + text.split("\n", 1)[1]).runs
    assert "rw" not in run.parameters
    assert run.parameters["ioengine"] == "psync"


def at(ended, elapsed, seconds, **changes):
    """A report of a job, `elapsed` seconds after fio was started."""
    jobs = [job(elapsed=elapsed, write=side(seconds=seconds), **changes)]
    return document(*jobs, timestamp=ended)


@pytest.mark.parametrize(
    ("first", "second", "runs"),
    [
        (at(100, 1, 1.0), at(101, 2, 2.0), 1),
        (at(100, 5, 4.0), at(110, 6, 5.0), 2),  # started nine seconds later
        (at(100, 5, 4.0), at(101, 6, 3.0), 2),  # less than before
        (at(100, 5, 4.0, jobname="b"), at(101, 6, 5.0), 2),
        (at(100, 5, 4.0), at(101, 6, 5.0, **{"job options": {"rw": "write", "bs": "4k", "direct": "1"}}), 2),
        (at(100, 5, 4.0), at(100, 5, 4.0), 1),
        (document(job()), document(job(write=side(2**19, 4.0))), 2),  # as much, in another time
    ],
)
def test_documents_of_other_runs_are_no_running_totals(tmp_path, first, second, runs):
    report = checked(tmp_path, first + "\n" + second)
    assert len(report.runs) == runs
    assert report.status == "valid"
    assert ("fio.several-documents" in codes_of(report)) == (runs == 1)
    assert (report.primary == 0) == (runs == 1)


# What the figures are worth


@pytest.mark.parametrize(
    ("options", "moved", "is_short"),
    [
        ({"size": "48m"}, 48.0, False),
        ({"size": "64m"}, 48.0, True),
        ({"size": "4m"}, 48.0, True),
        ({"size": "24m", "loops": "2"}, 48.0, False),
        ({"size": "12m", "numjobs": "4"}, 48.0, False),
        ({"size": "1g", "io_size": "48m"}, 48.0, False),
        ({"size": "100%"}, 48.0, False),
        ({"size": "64m", "zonemode": "strided"}, 48.0, False),
        ({"size": "64m", "nrfiles": "4"}, 48.0, False),
    ],
)
def test_a_job_that_reached_neither_time_nor_size_was_stopped(tmp_path, options, moved, is_short):
    options_told = {"job options": {"rw": "write", "bs": "4k", "runtime": "300"} | options}
    report = checked(tmp_path, document(job(write=side(seconds=moved), **options_told)))
    assert codes_of(report) == (["fio.interrupted"] if is_short else [])
    if is_short:
        (finding,) = report.runs[0].findings
        assert (finding.expected, finding.actual) == ("300 s", "48 s")


def test_a_signal_is_reported_with_set_and_actual_run_time():
    (finding, _) = sample("json-interrupted").runs[0].findings
    assert (finding.level, finding.expected, finding.actual) == ("error", "300 s", "1.582 s")
    assert "Signal 2" in finding.message


def outcome(report, code):
    return next(rule.outcome for rule in report.runs[0].rules if rule.code == code)


@pytest.mark.parametrize("option", ["rate", "rate_iops", "thinktime", "latency_target"])
def test_a_rate_limited_job_reports_its_limit(tmp_path, option):
    for value, expected in (("10", "violated"), ("0", "satisfied")):
        report = checked(tmp_path, document(job(**{"job options": {"rw": "write", "bs": "4k", option: value}})))
        assert outcome(report, "fio.not-limited") == expected
    assert outcome(sample("text-fsync"), "fio.not-limited") == "not_evaluated"


@pytest.mark.parametrize(
    ("options", "is_said"),
    [
        ({"ioengine": "null"}, True),
        ({"filename": "/dev/null"}, True),
        ({"filename": "/dev/shm/f"}, True),
        ({"directory": "/dev/shm"}, True),
        ({"filename": "/dev/nvme0n1"}, False),
        ({"filename": "/dev/nullb0"}, False),
        ({"ioengine": "libaio", "directory": "/lustre/null"}, False),
    ],
)
def test_requests_that_reach_no_storage_are_reported(tmp_path, options, is_said):
    report = checked(tmp_path, document(job(**{"job options": {"rw": "write", "bs": "4k"} | options})))
    assert codes_of(report) == (["fio.no-storage"] if is_said else [])


def test_requests_that_failed_are_counted():
    (finding,) = sample("json-verify-continued").runs[0].findings
    assert "A request failed" in finding.message


def test_runs_ended_by_time_and_by_size_are_no_repeats(tmp_path):
    """fio prints `time_based` only where it has a value."""
    options_told = {"job options": {"rw": "write", "bs": "4k", "runtime": "2", "size": "2m"}}
    for name, seconds in (("a", 2.0), ("b", 1.0)):
        (tmp_path / name).write_text(document(job(write=side(2**21 / seconds, seconds), **options_told)))
    (group,) = check(tmp_path).groups
    assert group["kind"] == "sweep"


@pytest.mark.parametrize(("case", "figures"), [
    ("mode-kb1000/out.txt", {("write", "bandwidth", "mean"): "kB/s"}), ("mode-terse2/out.txt", {}),
    ("version-2.16-json/out.json", {}), ("version-3.1-normal/out.txt", {}), ("mode-statusnormal/out.txt", {}),
])  # fmt: skip
def test_real_outputs_of_other_versions_and_modes_have_a_bandwidth(shared, case, figures):
    report = check(shared / "data" / "outputs2" / "fio" / case)
    assert report.status == "valid"
    assert "bandwidth" in {m.quantity for m in report.runs[0].measurements}
    assert len(report.runs[0].tests) == 1


TEXT_LINES = {
    "the rates of an operation": (r"^  write: IOPS=.*\n", "rates of write"),
    "the requests that were issued": (r"^ +issued rwts: .*\n", "count of the requests"),
    "the latency beside that until completion": (r"^ {5}lat \(.*avg=.*\n", "latency of write beside"),
    "a row of percentiles": (r"^ +\| 40\.00th=.*\n|^ +\| 30\.00th=.*\n", "percentile"),
    "the last row of percentiles": (r"^ +\| 99\.99th=.*\n", "percentile 99.99"),
    "the latency of fsync": (r"^    sync \(.*avg=.*\n", "latency of fsync"),
}


@pytest.mark.parametrize(("pattern", "words"), TEXT_LINES.values(), ids=TEXT_LINES)
def test_a_missing_line_that_other_lines_imply_is_reported(tmp_path, pattern, words):
    text = (SAMPLES / ("text-unit-bits" if "rates" in words else "text-fsync") / "stdout.txt").read_text()
    cut = re.sub(pattern, "", text, count=1, flags=re.MULTILINE)
    assert cut != text
    findings = checked(tmp_path, cut).runs[0].findings
    assert [finding.code for finding in findings if words in finding.message] == ["fio.lines-missing"]


def test_a_missing_group_or_process_is_reported(tmp_path):
    text = NORMAL.format(side="  read: IOPS=256, BW=1024KiB/s (1049kB/s)(2048KiB/2000msec)")
    assert "fio.lines-missing" not in codes_of(checked(tmp_path, text))
    second = "b: (g=1): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\n"
    more_groups = text.replace("fio-3.33\n", f"{second}fio-3.33\n")
    for changed in (more_groups, text.replace("Starting 1 process", "Starting 4 processes")):
        assert "fio.lines-missing" in codes_of(checked(tmp_path, changed))


def test_percentiles_without_their_heading_are_reported(tmp_path):
    text = (SAMPLES / "text-fsync" / "stdout.txt").read_text()
    report = checked(tmp_path, re.sub(r"^    clat percentiles \(.*\n", "", text, count=1, flags=re.MULTILINE))
    assert (report.status, "fio.lines-not-understood" in codes_of(report)) == ("invalid", True)


def test_a_chosen_list_of_percentiles_is_complete(tmp_path):
    """A list of one's own has what was asked for; of the usual one half cannot have been."""
    text = (SAMPLES / "text-fsync" / "stdout.txt").read_text()
    rows = re.compile(r"(?:^ +\| .*th=.*\n)+", re.MULTILINE)
    own = rows.sub("     | 50.00th=[ 4576], 99.00th=[11328]\n", text)
    assert "fio.lines-missing" not in codes_of(checked(tmp_path, own))
    assert usual_percentiles_missing(["1", "5", "10", "99"]) == []
    assert usual_percentiles_missing([f"{n}.000000" for n in (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)]) == [
        "99.5", "99.9", "99.95", "99.99",
    ]  # fmt: skip


def test_json_cut_before_a_report_is_truncated(tmp_path):
    text = (SAMPLES / "json-status-interval" / "stdout.txt").read_text()
    begin = text.rindex('{\n  "fio version"')
    report = checked(tmp_path, text[: begin + 2])
    assert (report.status, codes_of(report)) == ("invalid", ["fio.truncated"])
