"""A reader that raises is a finding of its file, and the rest of the bundle is read; a long line is told, not lost."""

from __future__ import annotations

import csv
import logging

import pytest

from tests.validators.bench_cases import codes_of
from tests.validators.benchmarks.test_bench_hostile import outputs_of
from validators import catalogue
from validators.benchmarks.fio import parser as fio
from validators.benchmarks.gdsio import parser as gdsio
from validators.checks import check
from validators.outputs import READ_LINE_LIMIT
from validators.runs import run_groups

GDSIO = (
    "IoType: READ XferType: GPUD Threads: 8 DataSetSize: 8388608/8388608(KiB) IOSize: 1024(KiB) "
    "Throughput: 6.500000 GiB/sec, Avg_Latency: 1197.400000 usecs ops: 8192 total_time 1.230769 secs"
)


def raising(error: BaseException):
    def read(*_args, **_kwargs):
        raise error

    return read


def levels_of(report, code: str) -> list[str]:
    return [finding.level for run in report.runs for finding in run.findings if finding.code == code]


# Readers that raise


@pytest.mark.parametrize(
    "error",
    [
        *(ValueError("x"), TypeError("x"), KeyError("x"), IndexError("x"), AttributeError("x"), ZeroDivisionError("x")),
        *(
            OverflowError("x"),
            RecursionError("x"),
            UnicodeError("x"),
            AssertionError("x"),
            csv.Error("field too large"),
        ),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_reader_that_raises_is_a_finding_of_its_file(tmp_path, monkeypatch, caplog, error):
    (tmp_path / "gdsio.txt").write_text(GDSIO)
    monkeypatch.setattr(gdsio, "_results", raising(error))
    with caplog.at_level(logging.ERROR):
        report = check(tmp_path)
    ((finding,),) = [run.findings for run in report.runs]
    assert (finding.code, finding.level, finding.where) == ("bundle.reader-failed", "error", "gdsio.txt")
    assert report.status == "invalid"
    assert "Traceback" in caplog.text and type(error).__name__ in caplog.text


def test_the_other_files_of_the_bundle_are_read(tmp_path, monkeypatch):
    (tmp_path / "gdsio.txt").write_text(GDSIO)
    (tmp_path / "fio.json").write_bytes(next(output for output in outputs_of("fio") if output.startswith(b"{")))
    monkeypatch.setattr(gdsio, "_results", raising(ValueError("x")))
    report = check(tmp_path)
    assert {run.tool: bool(run.measurements) for run in report.runs} == {"fio": True, "gdsio": False}


def test_a_tool_whose_search_raises_does_not_stop_other_tools(tmp_path, monkeypatch):
    (tmp_path / "gdsio.txt").write_text(GDSIO)
    monkeypatch.setattr(fio, "find_runs", raising(ValueError("x")))
    report = check(tmp_path)
    assert [run.tool for run in report.runs] == ["gdsio"]
    assert [(finding.code, finding.level) for finding in report.findings] == [("bundle.reader-failed", "error")]
    assert report.status == "invalid"  # what fio would have found is not known


def test_rules_and_repeats_that_raise_are_reported(tmp_path, monkeypatch):
    (tmp_path / "gdsio.txt").write_text(GDSIO)
    rules = catalogue.Benchmark._module
    monkeypatch.setattr(run_groups, "groups", raising(KeyError("x")))

    def module(benchmark, name):
        return (
            type("Rules", (), {"RULES": [], "findings": raising(ValueError("x"))})
            if name == "rules"
            else rules(benchmark, name)
        )

    monkeypatch.setattr(catalogue.Benchmark, "_module", module)
    report = check(tmp_path)
    assert codes_of(report).count("bundle.reader-failed") >= 1
    assert [finding.code for finding in report.findings] == ["bundle.reader-failed"]
    assert report.status == "invalid"


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(28, "No space left on device"), KeyboardInterrupt()], ids=repr
)
def test_errors_of_the_machine_are_raised(tmp_path, monkeypatch, error):
    (tmp_path / "gdsio.txt").write_text(GDSIO)
    monkeypatch.setattr(gdsio, "_results", raising(error))
    with pytest.raises(type(error)):
        check(tmp_path)


def test_a_cell_of_a_survey_may_have_any_length(tmp_path):
    head = "Servers,Clients,Mode,Read_BW,Read_Rate,Write_BW,Write_Rate,Server_Errors,Client_Errors"
    for length in (65_535, 65_536, 65_537, 200_000):
        (tmp_path / "results.csv").write_text(f"{head}\n{'a' * length},b,read_1M,10,20,30,40,0,0\n")
        (run,) = check(tmp_path / "results.csv").runs
        assert (len(run.measurements), run.parameters["server_nodes"]) == (4, 1)
        assert "bundle.reader-failed" not in codes_of(check(tmp_path / "results.csv"))


def test_a_group_that_is_measured_again_keeps_its_number(tmp_path):
    rows = [f"{servers},b,read_1M,{bandwidth},20,30,40,0,0" for servers, bandwidth in (("a", 1), ("c", 2), ("a", 3))]
    head = "Servers,Clients,Mode,Read_BW,Read_Rate,Write_BW,Write_Rate,Server_Errors,Client_Errors"
    (tmp_path / "results.csv").write_text("\n".join([head, *rows, ""]))
    (run,) = check(tmp_path / "results.csv").runs
    assert [test["server_group"] for test in run.tests] == [0, 1, 0]


# Long lines


def test_a_long_line_is_reported_with_place_and_length(tmp_path):
    (tmp_path / "out.txt").write_text(f"{GDSIO}\n{'x' * 9000}\n{GDSIO}\n")
    report = check(tmp_path / "out.txt")
    (finding,) = [finding for finding in report.runs[0].findings if finding.code == "gdsio.line-too-long"]
    assert (finding.level, finding.where) == ("warning", "out.txt:2")
    assert "9000" in finding.message
    assert (report.status, len(report.runs[0].tests)) == ("valid", 2)


@pytest.mark.parametrize(("length", "told"), [(READ_LINE_LIMIT, 0), (READ_LINE_LIMIT + 1, 1)])
def test_a_line_of_eight_kibibytes_is_read_and_a_longer_line_is_not(tmp_path, length, told):
    line = GDSIO.replace(" Throughput", " " * (length - len(GDSIO)) + " Throughput")
    assert len(line) == length
    (tmp_path / "out.txt").write_text(f"{GDSIO}\n{line}\n")
    report = check(tmp_path / "out.txt")
    assert codes_of(report).count("gdsio.line-too-long") == told
    assert len(report.runs[0].tests) == 2 - told


def test_a_long_row_of_figures_is_an_error(tmp_path):
    content = next(output for output in outputs_of("ior") if b"access    bw(MiB/s)" in output).decode()
    (tmp_path / "ior.out").write_text(content)
    assert check(tmp_path / "ior.out").status == "valid"
    row = next(line for line in content.split("\n") if line.startswith(("write ", "read ")))
    (tmp_path / "ior.out").write_text(content.replace(row, row.replace(" ", " " * 3000, 3), 1))
    report = check(tmp_path / "ior.out")
    assert levels_of(report, "ior.line-too-long") == ["error"]
    assert report.status == "invalid"


def test_a_long_line_of_an_application_is_no_row_of_figures(tmp_path):
    content = next(output for output in outputs_of("cray_mpich")).decode()
    (tmp_path / "err.txt").write_text("1.5 " * 3000 + "\n" + content)
    assert levels_of(check(tmp_path / "err.txt"), "cray-mpich.line-too-long") == ["warning"]


def test_twenty_of_many_long_lines_are_reported(tmp_path):
    (tmp_path / "out.txt").write_text(f"{GDSIO}\n" + f"{'x' * 9000}\n" * 100)
    assert codes_of(check(tmp_path / "out.txt")).count("gdsio.line-too-long") == 20


def test_json_in_one_line_is_read_whatever_its_length(tmp_path):
    import json

    content = json.loads(next(output for output in outputs_of("fio") if output.startswith(b"{")))
    content["global options"] = {"description": "x" * 700_000}
    (tmp_path / "fio.json").write_text(json.dumps(content))
    report = check(tmp_path / "fio.json")
    assert report.runs[0].measurements
    assert not [code for code in codes_of(report) if code.endswith("line-too-long")]


def test_node_lists_of_lnet_selftest_are_no_long_lines(tmp_path):
    nodes = " ".join(f"10.1.{number // 250}.{number % 250}@o2ib" for number in range(1000))
    block = "[LNet Bandwidth of clients]\n[R] Avg: 870.79   MiB/s  Min: 857.72   MiB/s  Max: 883.85   MiB/s\n"
    (tmp_path / "lst.log").write_text(f"Start LST read - x\nAdding clients: {nodes}\n{block}Stop LST read - x\n")
    report = check(tmp_path / "lst.log")
    assert report.runs[0].parameters["client_nodes"] == 1000
    assert "lst.line-too-long" not in codes_of(report)
