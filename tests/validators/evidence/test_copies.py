"""Other files with the figures of a run: they say the same, or it is told with file and line."""

import re

import pytest

from tests.make_io500 import make_run, pack
from tests.validators.forging import NUMBER, put, times
from validators.checks import check

HOME = "results/2025.10.01-09.00.00"
KIND = "io500.evidence.copies"
SUMMARY, RESULT = f"{HOME}/result_summary.txt", f"{HOME}/result.txt"


@pytest.fixture(scope="module")
def run_files():
    return make_run()


def edited(content, pattern, change):
    """A content with its first match changed."""
    changed = re.sub(pattern, change, content, count=1, flags=re.MULTILINE)
    assert changed != content
    return changed


def checked(tmp_path, files):
    """The report, the outcome of the kind, and its findings."""
    report = check(pack(tmp_path / "run.tar.gz", files))
    run = report.runs[report.primary]
    (outcome,) = [row["outcome"] for row in run.evidence_outcomes["kinds"] if row["code"] == KIND]
    return report, outcome, [finding for finding in run.findings if finding.code == KIND]


EDITS = {
    "seconds": (rb"^(\[RESULT\] +mdtest-easy-stat .*time +)(%b)" % NUMBER, times(0.7, 3), "mdtest-easy-stat: "),
    "value": (rb"^(\[RESULT\] +ior-hard-read +)(%b)" % NUMBER, times(0.7, 6), "ior-hard-read: "),
    "half of the score": (rb"^(\[SCORE \] Bandwidth +)(%b)" % NUMBER, times(0.7, 6), "SCORE: "),
    "mark": (rb"^(\[RESULT\] +find .*seconds)()", put(" [INVALID]"), "find: "),
}


@pytest.mark.parametrize("place", ["result_summary.txt", "other/result_summary.txt", "job-77.out", "my-summary.txt"])
@pytest.mark.parametrize("name", EDITS)
def test_a_changed_value_in_a_copy_of_the_summary_is_reported_with_both_lines(tmp_path, run_files, name, place):
    pattern, change, begins = EDITS[name]
    copy = edited(run_files[SUMMARY], pattern, change)
    _, outcome, (finding,) = checked(tmp_path, {**run_files, place: copy})
    assert outcome == "contradicts" and finding.level == "warning"
    (line,) = [
        number
        for number, pair in enumerate(zip(copy.split(b"\n"), run_files[SUMMARY].split(b"\n"), strict=True), 1)
        if pair[0] != pair[1]
    ]
    assert finding.where == f"{place}:{line}"
    assert finding.message.startswith(begins) and f"{SUMMARY}:{line}" in finding.message


@pytest.mark.parametrize("place", ["result_summary.txt", "job-77.out", "my-summary.txt"])
def test_an_equal_copy_agrees_and_is_marked_as_read(tmp_path, run_files, place):
    report, outcome, findings = checked(tmp_path, {**run_files, place: run_files[SUMMARY]})
    assert (outcome, findings) == ("agrees", [])
    assert place not in [entry["path"] for entry in report.not_read]


def test_the_summary_of_another_run_is_not_compared(tmp_path, run_files):
    other = make_run(performance=2.0)[SUMMARY]
    for place in ("result_summary.txt", "job-77.out"):
        _, outcome, findings = checked(tmp_path, {**run_files, place: other})
        assert (outcome, findings) == ("absent", [])


@pytest.mark.parametrize(
    ("name", "pattern", "line"),
    [
        ("result.txt", rb"(\[mdtest-easy-stat\][^\[]*?t_delta +=\s*)(%b)" % NUMBER, b"t_delta"),
        ("result.txt", rb"^(MD +=\s*)(%b)" % NUMBER, b"MD"),
        ("ior-easy-read.txt", rb"^(read +)(%b)" % NUMBER, b""),
    ],
)
def test_a_second_folder_of_the_run_has_its_values(tmp_path, run_files, name, pattern, line):
    second = {f"backup/of/{path}": content for path, content in run_files.items() if HOME in path}
    path = f"backup/of/{HOME}/{name}"
    assert checked(tmp_path, run_files | second)[1] == "agrees"
    forged = edited(second[path], pattern, times(0.7, 4))
    _, outcome, (finding,) = checked(tmp_path, run_files | second | {path: forged})
    assert outcome == "contradicts"
    assert finding.where.startswith(path)
    if line:
        assert forged.split(b"\n")[int(finding.where.rpartition(":")[2]) - 1].startswith(line)


def test_a_copy_is_compared_with_result_txt_without_a_summary(tmp_path, run_files):
    without = {path: content for path, content in run_files.items() if path != SUMMARY}
    assert checked(tmp_path, {**without, "result_summary.txt": run_files[SUMMARY]})[1] == "agrees"
    for name in ("seconds", "half of the score"):
        copy = edited(run_files[SUMMARY], *EDITS[name][:2])
        _, outcome, (finding,) = checked(tmp_path, {**without, "result_summary.txt": copy})
        assert outcome == "contradicts" and f"{RESULT}:" in finding.message


def test_two_summaries_are_still_a_summary_alone(tmp_path, run_files):
    files = dict.fromkeys(("a/result_summary.txt", "b.out"), run_files[SUMMARY])
    report = check(pack(tmp_path / "a.tar.gz", files))
    assert report.runs[0].evidence_outcomes["summary_alone"]


def test_figures_of_many_copies_are_read_within_bounds(tmp_path, run_files):
    lines = b"".join(b"k%d = %d\n" % (number, number) for number in range(20_000))
    files = {f"{folder}/result.txt": run_files[RESULT] + lines for folder in (HOME, "results/a", "results/b")}
    report = check(pack(tmp_path / "run.tar.gz", run_files | files))
    run = report.runs[report.primary]
    (row,) = [row for row in run.evidence_outcomes["kinds"] if row["code"] == KIND]
    assert row["compared"] == 20_000
