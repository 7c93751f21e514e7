"""WRF: its timings, what may be added, and when they are not those of writing."""

import json

import pytest

from tests.validators.bench_cases import codes_of
from validators.checks import check

HEAD = " Ntasks in X   4 , ntasks in Y   8\nWRF V4.5.2 MODEL\n"
END = "d01 2026-01-05_00:00:30 wrf: SUCCESS COMPLETE WRF\n"


def writing(name="wrfout_d01_2026-01-05_00:00:00", domain=1, seconds="1.25000"):
    return f"Timing for Writing {name} for domain        {domain}: {seconds} elapsed seconds\n"


def step(domain=1, seconds="0.50000"):
    return f"Timing for main: time 2026-01-05_00:00:30 on domain   {domain}: {seconds} elapsed seconds\n"


def checked(tmp_path, text, name="rsl.error.0000"):
    (tmp_path / name).write_text(text, newline="")
    return check(tmp_path / name)


def sums(run):
    return {
        (
            measurement.op,
            measurement.stat,
            measurement.context.get("stream"),
            measurement.context.get("domain"),
        ): measurement.value
        for measurement in run.measurements
        if measurement.stat != "event"
    }


def test_writes_are_added_by_stream_and_domain_and_steps_by_domain(tmp_path):
    text = HEAD + writing() + writing(seconds="2.5") + writing("restart", 1, "8.0") + step() + step(2) + step(2) + END
    report = checked(tmp_path, text)
    (run,) = report.runs
    assert sums(run) == {
        ("write", "sum", "wrfout", 1): 3.75,
        ("write", "sum", "restart", 1): 8.0,
        ("write", "sum_all", None, None): 11.75,
        ("compute", "sum", None, 1): 0.5,
        ("compute", "sum", None, 2): 1.0,
    }
    assert (run.version, run.parameters["tasks"], run.parameters["domains"]) == ("4.5.2", 32, 2)
    assert codes_of(report) == []


@pytest.mark.parametrize(
    ("line", "stream", "file"),
    [
        (writing("wrfout_zlev_d01_2026-01-05_00:00:00"), "wrfout_zlev", "wrfout_zlev_d01_2026-01-05_00:00:00"),
        (writing("/scratch/carol/out/wrfout_d01_2026"), "wrfout", "wrfout_d01_2026"),
        (writing("auxhist23_d03_2026-01-05_01:00:00"), "auxhist23", "auxhist23_d03_2026-01-05_01:00:00"),
        (writing("surface.nc"), "surface.nc", "surface.nc"),
        (writing("restart"), "restart", None),
        (writing("filter output"), "filter output", None),
        ("[0] " + writing(), "wrfout", "wrfout_d01_2026-01-05_00:00:00"),
        ("0: d01 2026-01-05 " + writing(), "wrfout", "wrfout_d01_2026-01-05_00:00:00"),
        (writing().replace("\n", "\r\n"), "wrfout", "wrfout_d01_2026-01-05_00:00:00"),
        ("Timing for Writing wrfout_d01_x for domain 1: 1.25 elapsed seconds.\n", "wrfout", "wrfout_d01_x"),
    ],
)
def test_a_write_is_read_in_each_layout(tmp_path, line, stream, file):
    (run,) = checked(tmp_path, HEAD + line + END).runs
    (event,) = [measurement for measurement in run.measurements if measurement.stat == "event"]
    assert (event.value, event.unit, event.context) == (1.25, "s", {"stream": stream, "domain": 1, "file": file})


def test_two_timings_in_a_line_that_ranks_shared_are_two(tmp_path):
    (run,) = checked(tmp_path, HEAD + writing().strip() + writing(seconds="2.0") + END).runs
    assert sums(run)["write", "sum_all", None, None] == 3.25


def test_two_runs_in_one_log_are_separated(tmp_path):
    report = checked(tmp_path, HEAD + writing() + END + HEAD + writing(seconds="9.0") + END)
    assert [sums(run)["write", "sum_all", None, None] for run in report.runs] == [1.25, 9.0]
    assert report.primary is None


def test_the_other_log_of_the_same_rank_and_those_of_other_ranks_are_no_runs(tmp_path):
    (tmp_path / "rsl.error.0000").write_text(HEAD + writing() + END)
    (tmp_path / "rsl.out.0000").write_text(HEAD + writing() + END)
    (tmp_path / "rsl.error.0001").write_text(HEAD + END)
    report = check(tmp_path)
    assert (len(report.runs), report.primary, report.status) == (1, 0, "valid")


def test_the_same_times_in_two_folders_are_two_runs(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rsl.error.0000").write_text(HEAD + writing() + END)
    assert len(check(tmp_path).runs) == 2


def test_a_log_with_a_long_preamble_is_recognised(tmp_path):
    assert checked(tmp_path, "d01 debugging\n" * 100_000 + writing() + END).status == "valid"


def test_hosts_and_folders_are_not_recorded(tmp_path):
    text = "taskid: 0 hostname: node17\n" + HEAD + writing("/scratch/carol/prj0042/wrfout_d01_x") + END
    (run,) = checked(tmp_path, text).runs
    assert [word for word in ("node17", "carol", "prj0042") if word in json.dumps(run.as_json())] == []


@pytest.mark.parametrize(
    ("text", "code", "status"),
    [
        (HEAD + writing(), "wrf.truncated", "invalid"),
        (HEAD + writing() + "FATAL CALLED FROM FILE:  <stdin>  LINE:     841\n", "wrf.run-failed", "invalid"),
        (HEAD + writing() + "Program received signal SIGSEGV\n", "wrf.run-failed", "invalid"),
        (HEAD + END, "wrf.no-results", "invalid"),
        (HEAD + step() + END, "wrf.no-writes", "valid"),
        (HEAD + writing(seconds="**********") + END, "wrf.not-a-number", "invalid"),
        (HEAD + writing(seconds="nan") + END, "wrf.not-a-number", "invalid"),
        (HEAD + writing(seconds="-1.0") + END, "wrf.not-a-number", "invalid"),
        (HEAD + step(seconds="1e999") + END, "wrf.not-a-number", "invalid"),
        (HEAD + writing(seconds="1,25000") + END, "wrf.number-format", "invalid"),
        (HEAD + "".join(step(domain) for domain in range(200)) + END, "wrf.inconsistent", "invalid"),
        ((HEAD + writing() + END) * 101, "wrf.several-documents", "invalid"),
        (HEAD + writing() * 100_001 + END, "wrf.too-large", "invalid"),
        (HEAD + writing() + "x" * 600_000 + "\n" + END, "wrf.line-too-long", "invalid"),
        ("Quilting with   2 groups of   4 I/O tasks.\n" + HEAD + writing() + END, "wrf.quilted", "valid"),
    ],
)
def test_invalid_and_ambiguous_logs_get_a_code(tmp_path, text, code, status):
    report = checked(tmp_path, text)
    assert code in codes_of(report)
    assert report.status == status


def test_other_models_are_not_recognised(tmp_path):
    report = checked(tmp_path, "Timing for Writing output: 3 s\nreal_em: SUCCESS COMPLETE REAL_EM INIT\n", "log.txt")
    assert codes_of(report) == ["bundle.not-recognised"]


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        (writing(), {"wrf.no-quilting": "not_evaluated", "wrf.several-writes": "violated"}),
        (
            "Quilting with   1 groups of   0 I/O tasks.\n" + writing() * 2,
            {"wrf.no-quilting": "satisfied", "wrf.several-writes": "satisfied"},
        ),
        (
            "Quilting with   1 groups of   2 I/O tasks.\n" + writing() * 2,
            {"wrf.no-quilting": "violated", "wrf.several-writes": "satisfied"},
        ),
    ],
)
def test_rules_hold_or_not(tmp_path, text, outcomes):
    (run,) = checked(tmp_path, HEAD + text + END).runs
    assert {rule.code: rule.outcome for rule in run.rules} == outcomes
