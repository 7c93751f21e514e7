"""IOzone: columns that are known by their place, processes that did nothing, outputs that were cut."""

import pytest

from tests.validators.bench_cases import codes_of
from validators.benchmarks.iozone import parser
from validators.checks import check

BANNER = """\tIozone: Performance Test of File I/O
\t        Version $Revision: 3.489 $
\t\tCompiled for 64 bit mode.

\tRun began: Fri Nov 20 19:02:26 2026

\tInclude fsync in write timing
\tCommand line used: /home/carol/iozone -i 0 -e -r 64k -s 8m -t 2 -+n -+m /home/carol/hosts -F /lustre/prj0042/a /b
\tOutput is in kBytes/sec
"""
DONE = "\n\n\niozone test complete.\n"
TEST = """
\tChildren see throughput for  2 initial writers \t=  300.00 kB/sec
\tParent sees throughput for  2 initial writers \t=  250.00 kB/sec
\tMin throughput per process \t\t\t=  100.00 kB/sec 
\tMax throughput per process \t\t\t=  200.00 kB/sec
\tAvg throughput per process \t\t\t=  150.00 kB/sec
\tMin xfer \t\t\t\t\t=   15360.00 kB
"""  # noqa: W291 - iozone prints a blank there
HEAD = "              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read   fwrite frewrite    fread  freread\n"  # noqa: E501 - the head is as wide as this
OLD_HEAD = "              KB  reclen   write rewrite    read    reread    read   write    read  rewrite     read   fwrite frewrite   fread  freread\n"  # noqa: E501


def row(size, record, *cells, widths=(9,) * 13):
    return f"{size:>16}{record:>8}" + "".join(f"{cell:>{w}}" for cell, w in zip(cells, widths, strict=False)) + "\n"


def output(*parts):
    return BANNER + "".join(parts) + DONE


def checked(tmp_path, text):
    (tmp_path / "out.txt").write_text(text)
    return check(tmp_path / "out.txt")


def figures(run):
    return {(m.op, m.stat): (m.printed_value, m.printed_unit) for m in run.measurements}


def outcomes(run):
    return {rule.code: rule.outcome for rule in run.rules}


def test_a_throughput_test_gives_sum_parent_and_processes(tmp_path):
    (run,) = checked(tmp_path, output(TEST)).runs
    assert figures(run)["write", "children_sum"] == (300.0, "KiB/s")
    assert figures(run)["write", "parent"] == (250.0, "KiB/s")
    assert figures(run)["write", "min_xfer"] == (15360.0, "KiB")
    assert {m.value for m in run.measurements if m.stat == "max_process"} == {200 * 1024}
    assert {m.context["processes"] for m in run.measurements} == {2}


@pytest.mark.parametrize(("unit", "size", "expected"), [("KB/sec", "KB", "KiB/s"), ("ops/sec", "ops", "ops/s")])
def test_units_of_old_releases_and_of_operations(tmp_path, unit, size, expected):
    (run,) = checked(tmp_path, output(TEST.replace("kB/sec", unit).replace(" kB", f" {size}"))).runs
    assert figures(run)["write", "children_sum"][1] == expected


def test_threads_are_read_like_processes(tmp_path):
    report = checked(tmp_path, output(TEST.replace("per process", "per thread")))
    assert (report.status, len(report.runs[0].measurements)) == ("valid", 6)


@pytest.mark.parametrize(
    ("label", "op"),
    [
        ("rewriters", "rewrite"),
        ("readers", "read"),
        ("re-readers", "reread"),
        ("reverse readers", "bkwd_read"),
        ("stride readers", "stride_read"),
        ("random readers", "random_read"),
        ("mixed workload", "mixed"),
        ("random writers", "random_write"),
        ("pwrite writers", "pwrite"),
    ],
)
def test_each_test_of_throughput_mode_has_its_operation(tmp_path, label, op):
    (run,) = checked(tmp_path, output(TEST.replace("initial writers", label))).runs
    assert {m.op for m in run.measurements} == {op}


def test_tests_that_were_not_asked_for_leave_their_columns_blank(tmp_path):
    (run,) = checked(tmp_path, output(HEAD, row(4096, 64, 11, 12, "", "", 15, 16))).runs
    expected = {"write": 11, "rewrite": 12, "random_read": 15, "random_write": 16}
    assert {m.op: m.printed_value for m in run.measurements} == expected
    assert run.measurements[0].context == {"file_size_KiB": 4096, "record_KiB": 64}


def test_narrow_columns_of_old_releases_are_separated(tmp_path):
    line = "          409600      64   31782   22524                    816017   10411                  3779260\n"
    (run,) = checked(tmp_path, output(OLD_HEAD, line)).runs
    assert [m.op for m in run.measurements] == ["write", "rewrite", "random_read", "random_write", "stride_read"]


def test_a_value_wider_than_its_column_is_read(tmp_path):
    line = row(4096, 64, *[" 1234567890"] * 4, "", 16, "", 18)
    (run,) = checked(tmp_path, output(HEAD, line)).runs
    expected = ["write", "rewrite", "read", "reread", "random_write", "record_rewrite"]
    assert [m.op for m in run.measurements] == expected


def test_a_test_that_was_not_repeated_is_not_a_zero(tmp_path):
    (run,) = checked(tmp_path, output(HEAD, row(4096, 64, 11, 0, 13, 0))).runs
    assert [m.op for m in run.measurements] == ["write", "read"]


@pytest.mark.parametrize(
    ("line", "unit"),
    [
        ("OPS Mode. Output is in operations per second.", "ops/s"),
        ("Microseconds/op Mode. Output is in microseconds per operation.", "us/op"),
    ],
)
def test_operations_and_times_are_not_read_as_bandwidths(tmp_path, line, unit):
    text = output(HEAD, row(4096, 64, 11, 12)).replace("Output is in kBytes/sec", line)
    (run,) = checked(tmp_path, text).runs
    assert {m.printed_unit for m in run.measurements} == {unit}


def test_a_time_that_is_printed_as_0_was_not_measured(tmp_path):
    line = "Microseconds/op Mode. Output is in microseconds per operation."
    report = checked(tmp_path, output(HEAD, row(4096, 64, 11, 0)).replace("Output is in kBytes/sec", line))
    assert [(m.op, m.printed_value) for m in report.runs[0].measurements] == [("write", 11)]
    (finding,) = [finding for finding in report.runs[0].findings if finding.code == "iozone.not-measured"]
    assert (finding.level, "rewrite time" in finding.message, report.status) == ("info", True, "valid")


def test_runs_on_several_clients_have_no_client_count(tmp_path):
    text = output("\tNetwork distribution mode enabled.\n", TEST)
    for name in "ab":
        (tmp_path / name).write_text(text)
    (group,) = check(tmp_path).groups
    assert (group["kind"], group["missing_settings"]) == ("unknown", ["client_nodes"])


def test_files_and_hosts_of_the_command_line_are_not_recorded(tmp_path):
    (run,) = checked(tmp_path, output(TEST)).runs
    assert run.parameters["command_line"] == "iozone -i 0 -e -r 64k -s 8m -t 2 -+n -+m ... -F ..."
    assert not [word for word in ("carol", "prj0042") if word in str(run.as_json())]


def test_options_of_the_command_are_parameters(tmp_path):
    text = output("\tO_DIRECT feature enabled\n\tRecord Size 64 kB\n\tFile size set to 8192 kB\n", TEST)
    (run,) = checked(tmp_path, text).runs
    settings = {"direct": True, "fsync_included": True, "record_KiB": 64, "file_size_KiB": 8192}
    assert settings.items() <= run.parameters.items()
    assert (run.version, run.parameters["unit_printed"]) == ("3.489", "kB/sec (1 kB = 1024 B)")


def test_limits_of_automatic_mode_are_no_size_of_the_run(tmp_path):
    text = output(
        "\tAuto Mode\n\tUsing Minimum Record Size 64 kB\n\tUsing Maximum Record Size 256 kB\n", HEAD, row(4096, 64, 11)
    )
    (run,) = checked(tmp_path, text).runs
    assert "record_KiB" not in run.parameters
    assert run.mode == "auto"


def test_labels_and_ends_of_lines_change_nothing(tmp_path):
    text = output(HEAD, row(4096, 64, 11, "", 13), TEST)
    report = checked(tmp_path, "".join(f"[12] {line}\r\n" for line in text.splitlines()))
    assert report.status == "valid"
    assert len(report.runs[0].measurements) == 8


def test_an_idle_process_is_reported(tmp_path):
    text = TEST.replace("100.00", "  0.00").replace("200.00", "300.00").replace("15360.00", "0.00")
    report = checked(tmp_path, output(text))
    assert "iozone.idle-process" in codes_of(report)
    assert report.status == "valid"


def test_rules_check_flushing_and_the_sum_of_processes(tmp_path):
    (run,) = checked(tmp_path, output("\tO_DIRECT feature enabled\n", TEST)).runs
    assert set(outcomes(run).values()) == {"satisfied"}
    text = output(TEST.replace("250.00", "50.00")).replace("Include fsync in write timing", "")
    (run,) = checked(tmp_path, text).runs
    assert outcomes(run) == {
        "iozone.direct": "not_evaluated",
        "iozone.flushed": "violated",
        "iozone.together": "violated",
    }


def test_rules_ignore_tests_that_were_not_run(tmp_path):
    (run,) = checked(tmp_path, output(HEAD, row(4096, 64, "", "", 13, 14))).runs
    assert set(outcomes(run).values()) == {"not_evaluated"}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (BANNER, "truncated"),
        (BANNER + TEST, "truncated"),
        (BANNER + HEAD + row(4096, 64, 11, 12), "truncated"),
        (output(), "no-results"),
        (output("\niozone: interrupted\n"), "run-failed"),
        (output(HEAD, row(4096, 64, 11), "Error writing block 12, fd= 3\n"), "run-failed"),
        ('Unable to open client file "/root/list.2"\n', "run-failed"),
        (output(TEST.replace("300.00", "0.00").replace("150.00", "0.00")), "run-failed"),
        (output(TEST.replace("300.00", "3000.00")), "inconsistent"),
        (output(TEST.replace("200.00", "120.00")), "inconsistent"),
        (
            output(TEST.replace("sees throughput for  2 initial writers", "sees throughput for  2 readers")),
            "inconsistent",
        ),
        (output(TEST.replace("initial writers", "tape writers")), "not-supported"),
        (output(TEST.replace("kB/sec", "MB/sec")), "unit-not-understood"),
        (output(TEST.replace("300.00", "300,00")), "number-format"),
        (output(TEST.replace("300.00", "-nan")), "not-a-number"),
        (output(HEAD, row(4096, 64, 11, "inf")), "not-a-number"),
        (output(HEAD, row(4096, 64, 11, 12), row(4096, 128, 11)), "incomplete"),
        (output("\tMin xfer = 1.00 kB\n"), "truncated"),
    ],
)
def test_invalid_outputs_are_refused_with_a_code(tmp_path, text, word):
    report = checked(tmp_path, text)
    assert f"iozone.{word}" in codes_of(report)
    assert report.status == "invalid"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (output(TEST) + "Timer resolution is poor. Some small transfers may have\n", "timer-resolution"),
        (output("\tPerformance measurements are invalid in this mode.\n", TEST), "verify-mode"),
        (
            output("\tThroughput test with 2 processes\n", TEST).replace(
                "Output is in kBytes/sec", "Microseconds/op Mode. Output is in microseconds per operation."
            ),
            "unit-label-ambiguous",
        ),
    ],
)
def test_notable_conditions_are_reported(tmp_path, text, word):
    report = checked(tmp_path, text)
    assert f"iozone.{word}" in codes_of(report)
    assert report.status == "valid"


def test_more_figures_than_a_run_has_are_refused(tmp_path):
    report = checked(tmp_path, output(TEST * (parser.MOST_MEASUREMENTS // 6 + 1)))
    assert "iozone.too-large" in codes_of(report)
