"""LNet self-test: units that are called alike, sessions that failed, tables of lst-survey."""

import json
import re

import pytest

from tests.validators.bench_cases import codes_of
from validators.benchmarks.lst import session
from validators.checks import check

BEGIN = """Start LST read - Fri Nov 20 19:20:35 UTC 2026
LST_SESSION=19651
SESSION: lnet_session FEATURES: 1 TIMEOUT: 300 FORCE: No
Adding clients: 172.18.2.7@o2ib3 172.18.2.8@o2ib3
172.18.2.7@o2ib3 are added to session
Adding servers: 172.18.2.5@o2ib3
Test: --batch brw_read --concurrency 16 --from clients --to servers --distribute 1:1 brw read check=simple size=1m
Stat: --count 1 --delay 1 --bw --mbs clients
"""
END = """servers:
Total 0 error nodes in servers
clients:
Total 0 error nodes in clients
Stop LST read - Fri Nov 20 19:20:35 UTC 2026
session is ended
"""
BLOCK = """[LNet Bandwidth of clients]
[R] Avg: 100.00   MB/s  Min: 90.00    MB/s  Max: 110.00   MB/s  
[W] Avg: 5.00     MB/s  Min: 4.00     MB/s  Max: 6.00     MB/s  
"""  # noqa: W291 - lst pads its lines with blanks
RATES = """[LNet Rates of clients]
[R] Avg: 100      RPC/s Min: 90       RPC/s Max: 110      RPC/s
[W] Avg: 50       RPC/s Min: 40       RPC/s Max: 60       RPC/s
"""
CSV = """Servers,Clients,Mode,Read_BW,Read_Rate,Write_BW,Write_Rate,Server_Errors,Client_Errors
10.0.0.1@tcp,10.0.0.2@tcp 10.0.0.3@tcp,read_1m,9,94193,94193,188386,0,0
10.0.0.1@tcp,10.0.0.2@tcp 10.0.0.3@tcp,ping,25,167480,25,167480,0,0
"""
TABLE = """CSV results: /mnt/survey/results.1.csv

Commence lst-survey - Fri Nov 20 19:20:35 UTC 2026
Server Group: 10.0.0.1@tcp
Client Group: 10.0.0.2@tcp 10.0.0.3@tcp

          Mode       Read MB/s       Read RPC/s      Write MB/S      Write RPC/s
       read_1m               9            94193           94193           188386
          ping              25           167480              25           167480

Finished lst-survey - Fri Nov 20 19:20:37 UTC 2026
"""


def checked(tmp_path, text):
    (tmp_path / "out.txt").write_text(text)
    return check(tmp_path / "out.txt")


def outcomes(run):
    return {rule.code: rule.outcome for rule in run.rules}


def test_received_and_sent_are_those_of_the_group(tmp_path):
    (run,) = checked(tmp_path, BEGIN + BLOCK + END).runs
    figures = {(m.op, m.quantity, m.stat): (m.value, m.printed_unit, m.context) for m in run.measurements}
    assert figures["receive", "bandwidth", "mean_node"] == (100e6, "MB/s", {"group": "clients", "sample": 0})
    assert figures["send", "bandwidth", "max_node"] == (6e6, "MB/s", {"group": "clients", "sample": 0})
    assert len(figures) == 6


def test_settings_are_recorded_without_names_of_nodes(tmp_path):
    (run,) = checked(tmp_path, BEGIN + BLOCK + END).runs
    settings = {"mode": "read", "size": "1m", "concurrency": 16, "distribute": "1:1", "check": "simple"}
    assert settings.items() <= run.parameters.items()
    assert (run.parameters["client_nodes"], run.parameters["server_nodes"]) == (2, 1)
    assert run.parameters["networks"] == ["o2ib"]
    assert "172.18" not in json.dumps(run.as_json())


def test_a_group_named_after_a_node_becomes_a_number(tmp_path):
    text = BLOCK.replace("of clients", "of 10.0.0.7@tcp") + BLOCK.replace("of clients", "of 10.0.0.8@tcp")
    (run,) = checked(tmp_path, text).runs
    assert {m.context["group"] for m in run.measurements} == {"node 1", "node 2"}


def test_megabytes_are_ambiguous_only_without_a_hint_of_the_unit(tmp_path):
    old = BLOCK.replace("MB/s  ", "MB/s ")
    assert "lst.unit-label-ambiguous" in codes_of(checked(tmp_path, old))
    assert "lst.unit-label-ambiguous" not in codes_of(checked(tmp_path, BLOCK))
    assert "lst.unit-label-ambiguous" not in codes_of(checked(tmp_path, BEGIN + old + END))
    assert "lst.unit-label-ambiguous" not in codes_of(checked(tmp_path, old.replace("MB/s", "MiB/s")))


def test_samples_are_counted_for_each_group_and_kind(tmp_path):
    (run,) = checked(tmp_path, (RATES + BLOCK) * 3).runs
    assert sorted({m.context["sample"] for m in run.measurements}) == [0, 1, 2]
    assert run.parameters["samples"] == 3
    assert outcomes(run)["lst.samples"] == "satisfied"


@pytest.mark.parametrize("options", ["Avg: 100.00   MiB/s ", "Min: 1.00     MiB/s Max: 2.00     MiB/s "])
def test_columns_that_were_not_requested_are_not_missing(tmp_path, options):
    report = checked(tmp_path, f"[LNet Bandwidth of servers]\n[W] {options}\n" * 2)
    assert report.status == "valid"


def test_labels_of_a_launcher_change_nothing(tmp_path):
    text = "".join(f"[0] {line}\r\n" for line in (BEGIN + BLOCK + END).splitlines())
    report = checked(tmp_path, text)
    assert (report.status, len(report.runs[0].measurements)) == ("valid", 6)


def test_a_node_far_behind_and_errors_break_rules(tmp_path):
    text = BEGIN + BLOCK.replace("Min: 90.00 ", "Min: 9.00  ") + END.replace("Total 0", "Total 2")
    report = checked(tmp_path, text)
    assert outcomes(report.runs[0]) == {
        "lst.no-errors": "violated",
        "lst.samples": "violated",
        "lst.balanced": "violated",
    }
    assert "lst.rpc-errors" in codes_of(report)
    assert report.status == "valid"


def test_a_good_session_keeps_the_rules_on_errors_and_balance(tmp_path):
    (run,) = checked(tmp_path, BEGIN + BLOCK + END).runs
    assert outcomes(run)["lst.no-errors"] == outcomes(run)["lst.balanced"] == "satisfied"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (BEGIN, "truncated"),
        (BEGIN + BLOCK, "truncated"),
        (BLOCK + BLOCK[:-40], "truncated"),
        (BLOCK + "[LNet Bandwidth of clients]\n", "truncated"),
        (BLOCK * 2 + BLOCK[:110], "truncated"),
        (BEGIN.replace("count 1", "count 2") + BLOCK + END, "incomplete"),
        (BLOCK[:110] + "\n" + BLOCK, "incomplete"),
        (BEGIN + END, "no-results"),
        (BLOCK.replace("100.00", "100,00"), "number-format"),
        (BLOCK.replace("100.00", "nan   "), "not-a-number"),
        (BLOCK.replace("MB/s", "GB/s"), "unit-not-understood"),
        (RATES.replace("RPC/s", "MiB/s"), "unit-not-understood"),
        (BEGIN + BLOCK.replace("100.00", "300.00") + END, "inconsistent"),
        ("lnet-selftest module is not loaded on local host.\n", "run-failed"),
        (BEGIN + "Failed to stat clients: Connection timed out\n" + END, "run-failed"),
        (CSV[:-20], "truncated"),
        (CSV.splitlines()[0], "truncated"),
        (CSV + "10.0.0.1@tcp,10.0.0.2@tcp", "truncated"),
        (CSV.replace("read_1m", "scan"), "inconsistent"),
        (CSV.replace("94193", "lots"), "not-a-number"),
        (TABLE[: TABLE.index("Finished")], "truncated"),
        (TABLE.replace("          ping", "\nError: Failed to get all samples. Expect 14, found 3"), "run-failed"),
        (re.sub(r"\b(?:9|25|94193|188386|167480)\b", "0", TABLE), "no-results"),
    ],
)
def test_invalid_outputs_are_refused_with_a_code(tmp_path, text, word):
    report = checked(tmp_path, text)
    assert f"lst.{word}" in codes_of(report)
    assert report.status == "invalid"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (BEGIN + BLOCK + "Failed to stat on 1 nodes\n" + END, "node-lost"),
        (BEGIN + BLOCK + "Group is changed, re-run stat\n" + END, "group-changed"),
        (BEGIN + BLOCK + "12345-10.0.0.1@tcp: [Session 3 brw errors, 0 ping errors]\n" + END, "rpc-errors"),
        (CSV.replace("0,0\n", "0,2\n"), "rpc-errors"),
        (CSV, "printed-MB-is-MiB"),
        (TABLE, "printed-MB-is-MiB"),
    ],
)
def test_notable_conditions_are_reported(tmp_path, text, word):
    report = checked(tmp_path, text)
    assert f"lst.{word}" in codes_of(report)
    assert report.status == "valid"


def test_sessions_of_one_survey_are_one_run_with_a_test_each(tmp_path):
    write = (BEGIN + BLOCK + END).replace("brw read", "brw write").replace("LST read", "LST write")
    report = checked(tmp_path, BEGIN + BLOCK + END + write)
    assert (report.status, report.primary, len(report.runs)) == ("valid", 0, 1)
    assert "lst.several-documents" in codes_of(report)
    (run,) = report.runs
    assert [(test["test"], test["mode"]) for test in run.tests] == [(0, "read"), (1, "write")]
    assert {m.context["test"] for m in run.measurements} == {0, 1}
    assert run.parameters["nodes_with_errors"] == 0
    assert "mode" not in run.parameters


def test_a_truncated_session_makes_its_survey_invalid(tmp_path):
    write = (BEGIN + BLOCK).replace("brw read", "brw write").replace("LST read", "LST write")
    report = checked(tmp_path, BEGIN + BLOCK + END + write)
    assert "lst.truncated" in codes_of(report)
    assert report.status == "invalid"


def test_sessions_on_other_nodes_are_no_survey(tmp_path):
    other = BEGIN.replace(" 172.18.2.8@o2ib3", "").replace("brw read", "brw write") + BLOCK + END
    report = checked(tmp_path, BEGIN + BLOCK + END + other)
    assert "lst.several-documents" not in codes_of(report)
    assert [(run.parameters["client_nodes"], len(run.measurements)) for run in report.runs] == [(2, 6), (1, 6)]
    assert report.status == "valid"


def session_of(figure, test="read"):
    return (BEGIN + BLOCK + END).replace("100.00", f"{figure:.2f}").replace("read", test)


def means(run):
    return [m.value / 1e6 for m in run.measurements if (m.op, m.stat) == ("receive", "mean_node")]


def test_each_session_of_a_file_is_a_run_with_its_lines(tmp_path):
    text = "loading modules 1.2\n" + session_of(91) + "node 3 is up\n\n" + session_of(92) + session_of(93)
    report = checked(tmp_path, text)
    assert [means(run) for run in report.runs] == [[91], [92], [93]]
    lines = text.split("\n")
    for run in report.runs:
        first, last = run.lines
        assert (lines[first - 1][:15], lines[last - 1]) == ("Start LST read ", "session is ended")
    assert (report.status, report.primary) == ("valid", None)


def test_surveys_that_were_appended_are_a_run_each(tmp_path):
    first, second = session_of(91) + session_of(92, "write"), session_of(93) + session_of(94, "write")
    report = checked(tmp_path, first + second)
    assert [means(run) for run in report.runs] == [[91, 92], [93, 94]]
    assert [run.lines for run in report.runs] == [(1, 34), (35, 68)]


def test_sessions_without_a_survey_boundary_are_separate_runs(tmp_path):
    report = checked(tmp_path, session_of(91) + session_of(92) + session_of(93, "write"))
    assert [means(run) for run in report.runs] == [[91], [92], [93]]


def test_a_truncated_session_is_reported_and_the_others_are_read(tmp_path):
    cut = session_of(92).partition("servers:\nTotal")[0]
    report = checked(tmp_path, session_of(91) + cut + session_of(93))
    assert [codes_of_errors(run) for run in report.runs] == [[], ["lst.truncated"], []]
    (finding,) = [finding for finding in report.runs[1].findings if finding.level == "error"]
    assert 18 <= int(finding.where.rpartition(":")[2]) <= 17 + cut.count("\n")


def codes_of_errors(run):
    return [finding.code for finding in run.findings if finding.level == "error"]


def test_unread_lines_are_reported_for_their_session_only(tmp_path):
    odd = session_of(92).replace("Stat: ", "Nodes 12 13 14\nStat: ")
    report = checked(tmp_path, session_of(91) + odd + session_of(93))
    of_runs = [[f.where for f in run.findings if f.code == "lst.lines-not-understood"] for run in report.runs]
    assert of_runs == [[], ["out.txt:25"], []]


def test_each_interrupted_session_is_reported(tmp_path):
    ended = session_of(92).replace("servers:\nTotal", "Terminated\nservers:\nTotal")
    report = checked(tmp_path, session_of(91) + ended + session_of(93) + ended.replace("92.00", "94.00"))
    of_runs = [[f.where for f in run.findings if f.code == "lst.interrupted"] for run in report.runs]
    assert of_runs == [[], ["out.txt:29"], [], ["out.txt:64"]]


def test_a_manual_session_after_another_is_a_separate_run(tmp_path):
    by_hand = "lst add_test brw write size=4k\nlst stat clients\n" + BLOCK.replace("100.00", "92.00")
    report = checked(tmp_path, session_of(91) + by_hand)
    assert [(means(run), run.parameters.get("mode", run.mode)) for run in report.runs] == [
        ([91], "read"),
        ([92], "write"),
    ]


def test_more_sessions_than_are_read_are_refused(tmp_path):
    report = checked(tmp_path, "Start LST read - \n" * (session.MOST_SESSIONS + 2))
    assert "lst.too-large" in codes_of(report)


SURVEYED = (
    BEGIN
    + RATES.replace("Avg: 100   ", "Avg: 94193 ").replace("Max: 110   ", "Max: 94199 ").replace("50", "188386", 1)
    .replace("Max: 60    ", "Max: 188390 ")
    + BLOCK.replace("MB/s ", "MiB/s").replace("100.00", "9.93  ").replace("90.00", "9.00 ").replace("110.00", "10.00 ")
    .replace("5.00 ", "94193.40 ").replace("6.00", "94194.00")
    + END
)  # fmt: skip
"""The test read_1m of the survey in CSV and TABLE."""


def test_a_survey_its_table_and_its_sessions_are_one_run(tmp_path):
    (tmp_path / "results.csv").write_text(CSV)
    (tmp_path / "stdout.txt").write_text(TABLE)
    (tmp_path / "lst.out").write_text(SURVEYED * 2)
    report = check(tmp_path)
    assert (len(report.runs), report.primary, report.status) == (1, 0, "valid")
    assert {m.printed_unit for m in report.runs[0].measurements} == {"MiB/s", "RPC/s"}
    assert report.runs[0].parameters["error_nodes"] == {"servers": 0, "clients": 0}


def test_sessions_with_other_figures_than_a_survey_are_runs_beside_it(tmp_path):
    (tmp_path / "results.csv").write_text(CSV)
    (tmp_path / "lst.out").write_text(SURVEYED + SURVEYED.replace("94193 ", "94190 "))
    report = check(tmp_path)
    assert [(run.path, run.lines) for run in report.runs][1:] == [("lst.out", (21, 40))]


def test_a_survey_and_sessions_in_one_file_are_separated(tmp_path):
    full = TABLE + "\nFinished lst-survey - Fri Nov 20 19:20:37 UTC 2026\n"
    for text in (full + session_of(91), session_of(91) + full, CSV + session_of(91)):
        report = checked(tmp_path, text)
        assert sorted(len(run.measurements) for run in report.runs) == [6, 8], text
        assert report.status == "valid"
        spans = sorted(run.lines for run in report.runs)
        assert spans[0][1] < spans[1][0]


@pytest.mark.parametrize("separator", [";", "|", "\t"])
def test_any_separator_of_a_survey_is_read(tmp_path, separator):
    report = checked(tmp_path, CSV.replace(",", separator))
    assert (report.status, len(report.runs[0].measurements)) == ("valid", 8)


def test_pairs_of_groups_are_numbered(tmp_path):
    text = CSV + CSV.split("\n", 1)[1].replace("10.0.0.2@tcp 10.0.0.3@tcp", "10.0.0.4@tcp 10.0.0.5@tcp")
    (run,) = checked(tmp_path, text).runs
    assert {m.context["client_group"] for m in run.measurements} == {0, 1}
    assert run.parameters["client_nodes"] == 4
    received = next(
        distribution
        for distribution in run.distributions
        if (distribution["op"], distribution["quantity"]) == ("receive", "bandwidth")
    )
    assert (received["over"], received["context"]) == ("groups", {"mode": "read_1m"})
    assert received["members"] == [9 * 2**20, 9 * 2**20]
    assert "10.0.0" not in json.dumps(run.as_json())


def test_more_figures_than_a_session_has_are_refused(tmp_path):
    report = checked(tmp_path, BLOCK * (session.MOST_MEASUREMENTS // 6 + 1))
    assert "lst.too-large" in codes_of(report)


@pytest.mark.parametrize("text", [CSV, TABLE])
def test_a_mode_with_a_blank_in_its_name_is_the_same_mode(tmp_path, text):
    full = text if text is CSV else text + "Finished lst-survey - Fri Nov 20 19:20:37 UTC 2026\n"
    blank = full.replace("read_1m", "read 1m")
    assert blank != full
    reports = [checked(tmp_path, version).runs[0] for version in (full, blank)]
    plain, other = (sorted((m.op, m.quantity, m.value, str(m.context)) for m in run.measurements) for run in reports)
    assert plain == other
    assert "read_1m" in {m.context["mode"] for m in reports[1].measurements}
