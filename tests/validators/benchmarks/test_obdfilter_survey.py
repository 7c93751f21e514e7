"""obdfilter-survey: rows that are whole, rows that failed, and what stands inside them."""

import pytest

from tests.validators.bench_cases import codes_of
from validators.benchmarks.obdfilter_survey import parser
from validators.checks import check

HEADER = "Fri Nov 20 19:17:12 UTC 2026 Obdfilter-survey for case=disk from oss17.example"
ROW = "ost  2 sz  2097152K rsz 1024K obj    2 thr    2 "
WRITE = "write  875.69 [ 365.09,  514.08] "
READ = "read 1456.75 [ 608.48,  865.55] "


def survey(*lines, done="done!"):
    return "\n".join(["using LCTL='lctl' lustre_root='' LUSTRE=''", HEADER, *lines, done]) + "\n"


def checked(tmp_path, text):
    (tmp_path / "out.txt").write_text(text)
    return check(tmp_path / "out.txt")


def test_a_row_gives_aggregate_and_extremes_in_binary_units(tmp_path):
    (run,) = checked(tmp_path, survey(ROW + WRITE + READ)).runs
    figures = {(m.op, m.stat): (m.value, m.unit, m.printed_unit) for m in run.measurements}
    assert figures["write", "aggregate"] == (875.69 * 2**20, "B/s", "MiB/s")
    assert figures["read", "max_ost_instant"] == (865.55 * 2**20, "B/s", "MiB/s")
    assert run.parameters["case"] == "disk"
    assert run.tests[0]["tests"] == ["write", "read"]
    assert run.tests[0]["threads"] == 2


def test_rows_without_a_header_are_read(tmp_path):
    report = checked(tmp_path, ROW + WRITE + READ + "\n")
    assert report.status == "valid"


def test_the_old_form_is_read_without_a_unit_of_the_record_size(tmp_path):
    (run,) = checked(tmp_path, survey(ROW.replace("1024K", "1024") + WRITE)).runs
    assert run.measurements[0].context["record_KiB"] == 1024


def test_messages_of_a_remote_shell_inside_a_row_are_ignored(tmp_path):
    warning = "Warning: Permanently added 'oss1' (ED25519) to the list of known hosts.\n"
    row = f"{ROW}write {warning} 875.69 {warning}[ 365.09,  514.08] read 1456.75 [ 608.48,  865.55] "
    report = checked(tmp_path, survey(row))
    assert report.status == "valid"
    assert [m.printed_value for m in report.runs[0].measurements if m.stat == "aggregate"] == [875.69, 1456.75]


def test_a_row_that_was_wrapped_is_one_row(tmp_path):
    wrapped = ROW + "\nwrite\n  875.69 [ 365.09,\n  514.08]\n" + READ
    report = checked(tmp_path, survey(wrapped))
    assert (report.status, len(report.runs[0].measurements)) == ("valid", 6)


@pytest.mark.parametrize("label", ["[0] ", "oss1: "])
def test_labels_of_a_launcher_are_no_part_of_the_row(tmp_path, label):
    text = "".join(label + line + "\n" for line in survey(ROW + WRITE + READ).splitlines())
    report = checked(tmp_path, text)
    assert report.status == "valid"
    assert len(report.runs[0].measurements) == 6


def test_windows_line_ends_are_ignored(tmp_path):
    (tmp_path / "out.txt").write_bytes(survey(ROW + WRITE).replace("\n", "\r\n").encode())
    assert check(tmp_path / "out.txt").status == "valid"


def test_a_failed_target_is_reported_and_violates_the_rule(tmp_path):
    (run,) = checked(tmp_path, survey(ROW + "write 1907.46             ERROR " + READ)).runs
    assert "obdfilter-survey.target-error" in [finding.code for finding in run.findings]
    assert run.measurements[0].context["target_state"] == "ERROR"
    assert outcomes(run)["obdfilter-survey.every-target"] == "violated"


def outcomes(run):
    return {rule.code: rule.outcome for rule in run.rules}


def test_rules_hold_for_a_long_survey_and_not_for_a_short_one(tmp_path):
    (run,) = checked(tmp_path, survey(ROW.replace("2097152K", "2097152000K") + WRITE)).runs
    assert set(outcomes(run).values()) == {"satisfied"}
    (run,) = checked(tmp_path, survey(ROW + "write 5000.00 [ 365.09,  514.08] ")).runs
    assert outcomes(run)["obdfilter-survey.steady"] == "violated"
    assert outcomes(run)["obdfilter-survey.plausible"] == "violated"


def test_the_target_rule_is_skipped_without_target_rates(tmp_path):
    (run,) = checked(tmp_path, survey(ROW + "write 1704.40             SHORT ")).runs
    assert outcomes(run)["obdfilter-survey.plausible"] == "not_evaluated"
    assert "obdfilter-survey.short-run" in [finding.code for finding in run.findings]


def test_summary_and_standard_output_of_one_survey_are_one_run(tmp_path):
    (tmp_path / "stdout.txt").write_text(survey(ROW + WRITE))
    (tmp_path / "obd.summary").write_text(HEADER + "\n" + ROW + WRITE + "\n")
    report = check(tmp_path)
    assert (len(report.runs), report.primary, report.status) == (1, 0, "valid")


DETAIL = """=======================> ost  2 sz  2097152K rsz 1024K obj    2 thr    2
=============> write oss17:E2000-OST0000_ecc
Selected device 100
1/1 Total: 365.089/second
=============> write global
2 365.089000 476.396000
2 399.330000 514.080000
=============> Destroy 1 on oss17:E2000-OST0000_ecc
"""


def test_the_detail_file_gives_rates_of_targets(tmp_path):
    (tmp_path / "obd.summary").write_text(HEADER + "\n" + ROW + WRITE + "\n")
    (tmp_path / "obd.detail").write_text(DETAIL)
    report = check(tmp_path)
    assert (len(report.runs), report.primary, report.status) == (1, 0, "valid")
    assert report.runs[0].tests[0]["targets"] == {"write": [[2, 365.09, 476.4], [2, 399.33, 514.08]]}
    assert "OST0000" not in str(report.runs[0].as_json())


def test_a_summary_contradicted_by_its_detail_file_is_invalid(tmp_path):
    (tmp_path / "obd.summary").write_text(HEADER + "\n" + ROW + WRITE.replace("365.09", "465.09") + "\n")
    (tmp_path / "obd.detail").write_text(DETAIL)
    report = check(tmp_path)
    assert "obdfilter-survey.inconsistent" in codes_of(report)
    assert report.status == "invalid"


@pytest.mark.parametrize("text", [DETAIL, DETAIL.replace("365.089000", "nan")])
def test_a_detail_file_alone_is_no_result(tmp_path, text):
    report = checked(tmp_path, text)
    assert report.status == "invalid"


def test_surveys_in_one_file_are_separated_by_their_lines(tmp_path):
    report = checked(tmp_path, survey(ROW + WRITE) + survey(ROW + WRITE.replace("875", "975")))
    assert [run.measurements[0].printed_value for run in report.runs] == [875.69, 975.69]
    assert [run.lines for run in report.runs] == [(1, 4), (5, 8)]
    assert (report.primary, report.status) == (None, "valid")


def test_hosts_are_not_recorded(tmp_path):
    (run,) = checked(tmp_path, survey(ROW + WRITE)).runs
    assert "oss17" not in str(run.as_json())


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (HEADER, "truncated"),
        (survey(ROW + WRITE + READ, done=""), "truncated"),
        (survey(ROW + WRITE + "read 1456.7", done=""), "truncated"),
        (HEADER + "\n" + ROW + WRITE + "rewrite ", "truncated"),
        (HEADER + "\n" + ROW + WRITE + "rewrite  876.9", "truncated"),
        (HEADER + "\n" + ROW + WRITE + "read 1456.75 [ 608.4", "truncated"),
        (HEADER + "\n" + ROW + WRITE + "\n" + ROW[:12], "truncated"),
        (HEADER + "\n" + ROW + WRITE + "\nost ", "truncated"),
        (survey(ROW + WRITE, ROW + WRITE + READ), "incomplete"),
        (survey(ROW + "write  875,69 [ 365,09,  514,08] "), "number-format"),
        (survey(ROW + "write  nan [ 365.09,  514.08] "), "not-a-number"),
        (survey(ROW + "write  875.69 [ 365.09 514.08] "), "not-a-number"),
        (survey(ROW + "write  875.69 [ 565.09,  514.08] "), "inconsistent"),
        (survey(ROW + "Too much buffer space"), "row-skipped"),
        (survey(ROW + "created object #s on oss1:a not contiguous", done=""), "run-failed"),
        ("Please specify either client_names or ost_names\n", "run-failed"),
    ],
)
def test_invalid_outputs_get_a_code(tmp_path, text, word):
    report = checked(tmp_path, text)
    assert f"obdfilter-survey.{word}" in codes_of(report)
    assert (report.status == "invalid") == (word != "row-skipped")


def test_more_rows_than_a_survey_has_are_refused(tmp_path):
    report = checked(tmp_path, survey(*[ROW + WRITE] * (parser.MOST_ROWS + 1)))
    assert "obdfilter-survey.too-large" in codes_of(report)
