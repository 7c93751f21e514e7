"""gdsio: one line for each run, its units, and what makes it not count."""

import pytest

from tests.validators.bench_cases import codes_of
from validators.benchmarks.gdsio import parser
from validators.checks import check

LINE = (
    "IoType: READ XferType: GPUD Threads: 8 DataSetSize: 62914560/8388608(KiB) IOSize: 1024(KiB) "
    "Throughput: 2.000000 GiB/sec, Avg_Latency: 3906.250000 usecs ops: 61440 total_time 30.000000 secs\n"
)


def checked(tmp_path, text):
    (tmp_path / "out.txt").write_text(text)
    return check(tmp_path / "out.txt")


def outcomes(run):
    return {rule.code: rule.outcome for rule in run.rules}


def test_a_line_gives_its_figures_in_binary_units(tmp_path):
    (run,) = checked(tmp_path, "$ gdsio -D /lustre/prj0042 -w 8 -T 30\n" + LINE).runs
    figures = {(m.op, m.quantity, m.stat): (m.value, m.unit) for m in run.measurements}
    assert figures["read", "bandwidth", "mean"] == (2 * 2**30, "B/s")
    assert figures["read", "latency", "mean"] == (pytest.approx(3906.25e-6), "s")
    assert figures["read", "volume", "total"] == (62914560 * 1024, "B")
    assert run.measurements[0].context == {"xfer_type": "GPUD", "threads": 8, "io_size_KiB": "1024", "test": 0}
    assert set(outcomes(run).values()) == {"satisfied"}
    assert "prj0042" not in str(run.as_json())


def test_repeated_lines_are_kept_one_by_one(tmp_path):
    (run,) = checked(tmp_path, LINE * 3).runs
    assert [m.context["test"] for m in run.measurements if m.quantity == "bandwidth"] == [0, 1, 2]
    assert run.parameters["results"] == 3


def test_settings_that_differ_between_lines_are_no_parameter(tmp_path):
    (run,) = checked(tmp_path, LINE + LINE.replace("GPUD", "CPU_GPU")).runs
    assert "xfer_type" not in run.parameters
    assert run.parameters["threads"] == 8


@pytest.mark.parametrize(
    "text",
    [
        LINE.replace("\n", "\r\n"),
        "[0] " + LINE,
        "# " + LINE + "# Verifying data \n# " + LINE,
        LINE.replace("(KiB) Throughput", "(KiB)\nThroughput"),
        LINE.replace("62914560/8388608(KiB)", "62914560(KiB)"),
        LINE.replace("IOSize: 1024(KiB)", "IOSize: 1(MiB)"),
    ],
)
def test_variants_of_real_outputs_give_the_same_values(tmp_path, text):
    report = checked(tmp_path, text)
    assert report.status == "valid"
    first = report.runs[0].measurements[0]
    assert (first.value, first.context["io_size_KiB"]) == (2 * 2**30, "1024")


def test_rules_look_at_time_and_at_idle_threads(tmp_path):
    line = LINE.replace("30.000000", "3.000000").replace("2.000000", "20.000000").replace("3906.25", "90.25")
    (run,) = checked(tmp_path, line).runs
    assert outcomes(run) == {"gdsio.steady": "violated", "gdsio.latency-agrees": "violated"}
    (run,) = checked(tmp_path, LINE.replace("GPUD", "GPUD_ASYNC")).runs
    assert outcomes(run)["gdsio.latency-agrees"] == "not_evaluated"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (LINE[:60], "truncated"),
        (LINE + LINE[:130], "truncated"),
        (LINE[:-8], "truncated"),
        (LINE[:100] + "\n" + LINE, "truncated"),
        (LINE + "Error: IO failed stopping traffic, fd :27 ret:-5 errno :5\n", "run-failed"),
        ("IO failed stopping traffic, fd :27 ret:-5 errno :5\n", "run-failed"),
        (LINE.replace("2.000000 GiB", "12.000000 GiB"), "inconsistent"),
        (LINE.replace("GiB/sec", "GB/sec"), "unit-not-understood"),
        (LINE.replace("2.000000", "2,000000"), "number-format"),
        (LINE.replace("2.000000", "nan"), "not-a-number"),
        (LINE.replace("62914560/", "0/").replace("2.000000", "0.000000"), "no-results"),
    ],
)
def test_invalid_outputs_are_refused_with_a_code(tmp_path, text, word):
    report = checked(tmp_path, text)
    assert f"gdsio.{word}" in codes_of(report)
    assert report.status == "invalid"


def test_a_run_that_moved_less_than_half_is_reported(tmp_path):
    report = checked(tmp_path, LINE.replace("/8388608", "/838860800"))
    assert "gdsio.cut-short" in codes_of(report)
    assert report.status == "valid"


def test_more_lines_than_a_sweep_has_are_refused(tmp_path):
    report = checked(tmp_path, LINE * (parser.MOST_LINES + 1))
    assert "gdsio.too-large" in codes_of(report)
