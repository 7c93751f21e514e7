"""Darshan: what darshan-parser printed, whether it printed all, and what is no text of it."""

import json
from pathlib import Path

import pytest

from tests.validators.bench_cases import codes_of
from validators.benchmarks.darshan import parser
from validators.checks import check

SAMPLES = Path(parser.__file__).parent / "samples"
PERFORMANCE = """
# performance
# total_bytes: {volume}
# agg_time_by_slowest: {time} # seconds
# agg_perf_by_slowest: {rate} # MiB/s
"""


def header(*modules, version="3.41"):
    regions = "".join(f"# {module} module: 100 bytes (compressed), ver=4\n" for module in modules)
    return (
        f"# darshan log version: {version}\n# exe: /home/carol/bin/model /lustre/prj0042/in\n# uid: 4711\n"
        f"# nprocs: 8\n# run time: 12.5000\n# metadata: lib_ver = 3.5.0\n{regions}"
        "# mount entry:\t/lustre/prj0042\tlustre\n\n"
    )


def section(module, *lines):
    return f"# ****\n# {module} module data\n# ****\n\n" + "".join(f"{line}\n" for line in lines)


def totals(prefix="POSIX", read=0, written=2**20):
    names = parser._OF_MODULES["MPI-IO" if prefix == "MPIIO" else "POSIX"] | {"OPENS", "WRITES"}
    counters = {"OPENS": 3, "WRITES": 1, "BYTES_READ": read, "BYTES_WRITTEN": written}
    counters = {name: counters.get(name, -1) for name in sorted(names)} | {"F_VARIANCE_RANK_BYTES": "0.0"}
    return [f"total_{prefix}_{name}: {value}" for name, value in counters.items()]


def rows(record, module="POSIX", **counters):
    values = {
        "OPENS": 1,
        "WRITES": 1,
        "BYTES_READ": 0,
        "BYTES_WRITTEN": 2**20,
        **counters,
        "F_VARIANCE_RANK_BYTES": "0.0",
    }
    prefix = module.replace("-", "")
    return [
        f"{module}\t0\t{record}\t{prefix}_{name}\t{value}\t/lustre/prj0042/f\t/lustre\tlustre"
        for name, value in values.items()
    ]


def performance(volume=2**20, time="2.000000", rate="0.500000"):
    return PERFORMANCE.format(volume=volume, time=time, rate=rate)


def whole():
    return header("POSIX", "MPI-IO") + "".join(
        section(module, *totals(module.replace("-", ""))) + performance() for module in ("POSIX", "MPI-IO")
    )


def checked(tmp_path, text):
    (tmp_path / "darshan.txt").write_text(text)
    return check(tmp_path / "darshan.txt")


def figures(run):
    return {
        (measurement.op, measurement.stat): (measurement.value, measurement.unit) for measurement in run.measurements
    }


def test_a_log_gives_its_figures_in_mebibytes(tmp_path):
    report = checked(tmp_path, whole())
    (run,) = report.runs
    assert figures(run)["MPI-IO", "agg_perf_by_slowest"] == (2**19, "B/s")
    assert figures(run)["POSIX", "BYTES_WRITTEN"] == (2**20, "B")
    assert figures(run)["POSIX", "OPENS"] == (3, "count")
    assert run.version == "3.5.0"
    assert run.parameters["tasks"] == 8
    assert codes_of(report) == []


def test_rows_are_summed_without_missing_counters(tmp_path):
    text = header("POSIX") + section("POSIX", *rows(1, SEEKS=-1), *rows(2, WRITES=4), *rows(3, SEEKS=7))
    (run,) = checked(tmp_path, text).runs
    assert figures(run)["POSIX", "WRITES"] == (6, "count")
    assert figures(run)["POSIX", "SEEKS"] == (7, "count")
    assert run.parameters["counter_rows"] == 17


def test_rows_and_totals_count_once(tmp_path):
    (run,) = checked(tmp_path, header("POSIX") + section("POSIX", *rows(1, OPENS=3), *totals())).runs
    assert figures(run)["POSIX", "OPENS"] == (3, "count")


def test_two_logs_in_one_file_are_two_runs(tmp_path):
    report = checked(tmp_path, whole() + whole())
    assert len(report.runs) == 2
    assert report.primary is None


def test_paths_arguments_and_users_are_not_recorded(tmp_path):
    text = header("POSIX") + section("POSIX", *rows(1))
    (run,) = checked(tmp_path, text).runs
    serialized = json.dumps(run.as_json())
    assert [word for word in ("carol", "prj0042", "4711", "/lustre") if word in serialized] == []
    assert run.parameters["program"] == "model"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (header("POSIX", "STDIO") + section("POSIX", *totals()), "truncated"),
        (header("POSIX") + section("POSIX", *totals()[:-1]), "truncated"),
        (header("POSIX") + section("POSIX", *rows(1)[:-2]), "truncated"),
        (header("POSIX") + section("POSIX", *rows(1)[:-2], *rows(2)), "truncated"),
        (header("POSIX"), "truncated"),
        (whole()[:-30], "truncated"),
        (header(), "truncated"),
        (header("POSIX") + section("POSIX", "# description of POSIX counters:"), "no-results"),
        (header("POSIX", version="2.06") + section("POSIX", *totals()), "not-supported"),
        (header("POSIX", "DXT_POSIX") + section("DXT_POSIX", "# DXT, file_id: 1"), "not-supported"),
        (whole().replace("0.500000", "inf"), "not-a-number"),
        (whole().replace("0.500000", "0,500000"), "number-format"),
        (whole().replace("# MiB/s", "# MB/s"), "unit-not-understood"),
        (whole().replace("0.500000", "0.700000"), "inconsistent"),
        (header("POSIX") + section("POSIX", *totals(written=5)) + performance(), "inconsistent"),
        (header("POSIX") + section("POSIX", *rows(1, OPENS=9), *totals()), "inconsistent"),
        (header("POSIX") + "total_POSIX_OPENS: 3\n", "inconsistent"),
        (header(*(f"M{index}" for index in range(200))), "inconsistent"),
        (whole() + "# *ERROR*: The POSIX module contains incomplete data!\n", "incomplete"),
        (header("POSIX", "STDIO") + section("POSIX", *totals()) + section("STDIO"), "incomplete"),
        (header("POSIX") + section("POSIX", "# *WARNING*: The POSIX module contains incomplete data!"), "incomplete"),
        (whole() + "x" * 600_000, "line-too-long"),
    ],
)
def test_invalid_outputs_are_refused_with_a_code(tmp_path, text, code):
    report = checked(tmp_path, text)
    assert f"darshan.{code}" in codes_of(report)
    assert report.status == "invalid"


@pytest.mark.parametrize(
    "text",
    [
        whole(),
        header("POSIX") + section("POSIX", *totals()).replace("0.0\n", "0.000000\n"),
        header("POSIX") + section("POSIX", *rows(1)),
    ],
)
def test_a_last_line_without_a_newline_is_complete(tmp_path, text):
    assert checked(tmp_path, text.rstrip("\n")).status == "valid"


def test_zero_bytes_in_zero_time_give_no_bandwidth(tmp_path):
    silent = section("POSIX", *totals(written=0)) + performance(0, "0.000000", "-nan")
    (run,) = checked(tmp_path, header("POSIX") + silent).runs
    assert ("POSIX", "agg_perf_by_slowest") not in figures(run)
    assert codes_of(check(tmp_path / "darshan.txt")) == []


def test_a_binary_log_alone_is_refused_with_the_command_that_prints_it(tmp_path):
    (tmp_path / "x.darshan").write_bytes(b"3.41\0\0\0\0" + b"75d\0\0\0\0\0" + b"\0" * 400)
    report = check(tmp_path / "x.darshan")
    assert codes_of(report) == ["darshan.binary-file"]
    assert "darshan-parser" in report.runs[0].findings[0].hint
    assert report.status == "invalid"


def test_a_binary_log_beside_its_text_is_reported(tmp_path):
    (tmp_path / "x.darshan").write_bytes(b"3.41\0\0\0\0" + b"75d\0\0\0\0\0" + b"\0" * 400)
    (tmp_path / "x.txt").write_text(whole())
    report = check(tmp_path)
    assert codes_of(report) == ["darshan.binary-file"]
    assert (report.status, report.primary) == ("valid", 0)


def test_the_headers_of_the_real_outputs_are_read(shared):
    compared = 0
    for case in sorted((shared / "data" / "bench" / "darshan").iterdir()):
        case_json = json.loads((case / "case.json").read_text())
        log = case_json["expect"].get("log")
        if log is None:
            continue
        (run,) = check(case / case_json["primary"]).runs
        assert run.parameters["log_version"] == log["darshan_log_version"]
        assert run.parameters["tasks"] == int(log["nprocs"])
        assert run.parameters["run_time_s"] == float(log["run_time"])
        assert run.parameters["started_timestamp_s"] == int(log["start_time"])
        assert run.parameters["counter_rows"] == case_json["expect"]["counter_rows"]
        compared += 1
    assert compared >= 5


def test_rules_hold_or_not(tmp_path):
    def outcomes(text):
        return {rule.code: rule.outcome for rule in checked(tmp_path, text).runs[0].rules}

    assert set(outcomes(whole()).values()) == {"satisfied"}
    counters_only = (header("POSIX") + section("POSIX", *totals())).replace("12.5000", "0.2000")
    assert set(outcomes(counters_only).values()) == {"violated"}
    assert outcomes(header())["darshan.performance-printed"] == "not_evaluated"


def test_every_incomplete_log_is_refused(tmp_path, every_nth):
    """With its totals and performance a log says what it should hold: no cut goes unseen. A deep run tries each."""
    text = whole()
    for length in every_nth(range(len("# darshan log version: 3.41"), len(text) - 1), 7):
        assert checked(tmp_path, text[:length]).status == "invalid", text[:length][-60:]
    assert checked(tmp_path, text).status == "valid"
