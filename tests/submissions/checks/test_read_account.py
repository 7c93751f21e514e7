"""How much of the uploaded files the latest check read, of checks from before that was written down, too."""

from __future__ import annotations

from typing import Any

import pytest

from submissions.checks import read_account
from submissions.models import Check

SPAN, REST = {"first": 3, "last": 9}, {"first": 10, "last": 12}
TOP = {"first": 1, "last": 9}


def check(runs: list[dict[str, Any]], not_read: list[str] = (), read_files: list[str] | None = ()) -> Check:
    entries = [{"path": path, "lines": None, "looks_like": None, "reason": "empty"} for path in not_read]
    report = {"status": "valid", "runs": runs, "findings": []} | ({"not_read": entries} if entries else {})
    return Check(report=report, read_files=None if read_files is None else list(read_files))


def run(path: str, lines: dict[str, int] | None = None) -> dict[str, Any]:
    return {"path": path, "lines": lines}


@pytest.mark.parametrize(
    ("latest", "states"),
    [
        (check([run("results")], read_files=["results/a.txt"]), {"run.tgz": "all"}),
        (check([run("results")], ["notes.txt"]), {"run.tgz": "part"}),
        (check([run("job.out", SPAN)]), {"run.tgz": "part"}),
        (check([run("job.out", SPAN)], read_files=["job.out"]), {"run.tgz": "part"}),
        (check([run("job.out", TOP), run("job.out", REST)], read_files=["job.out"]), {"run.tgz": "all"}),
        (check([], ["notes.txt"]), {"run.tgz": "nothing"}),
        (check([]), {"run.tgz": "nothing"}),
        (check([], read_files=["system.json"]), {"run.tgz": "part"}),
        (check([{"path": "results"}], ["notes.txt"]), {"run.tgz": "unknown"}),
        (check([run("results")], ["job.sh"]), {"run.tgz": "all", "job.sh": "nothing"}),
        (check([run("job.sh", SPAN)], read_files=None), {"run.tgz": "nothing", "job.sh": "unknown"}),
        (check([run("job.sh", SPAN)]), {"run.tgz": "nothing", "job.sh": "part"}),
        (check([run("results"), run("job.sh")], read_files=["job.sh"]), {"run.tgz": "all", "job.sh": "all"}),
        (check([run("results")]), {"run.tgz": "all", "job.sh": "unknown"}),
    ],
)
def test_each_uploaded_file_shows_its_read_share(latest: Check, states: dict[str, str]) -> None:
    assert read_account.read_states(latest, list(states)) == states


def test_a_fully_read_report_has_an_empty_list_of_unread_files() -> None:
    assert read_account.list_not_read(check([run("results")]).report) == []
    assert read_account.list_not_read(check([{"path": "results"}]).report) is None


@pytest.mark.parametrize(
    ("runs", "read_files", "cut"),
    [
        ([SPAN], None, {}),
        ([TOP, REST], ["job.out"], {}),
        ([REST, TOP], ["job.out"], {}),
        ([TOP], [], {"job.out": f"what stands behind line {TOP['last']}"}),
        (
            [SPAN],
            ["job.out"],
            {"job.out": f"lines 1 to {SPAN['first'] - 1} and what stands behind line {SPAN['last']}"},
        ),
        (
            [TOP, {"first": TOP["last"] + 2, "last": 99}],
            ["job.out"],
            {"job.out": f"line {TOP['last'] + 1} and what stands behind line 99"},
        ),
    ],
)
def test_a_file_with_lines_outside_runs_is_partly_read(runs, read_files, cut) -> None:
    assert read_account.cut_files(check([run("job.out", lines) for lines in runs], read_files=read_files)) == cut


@pytest.mark.parametrize(
    ("latest", "sentence"),
    [
        (check([run("results")]), "No file, and no output in one, was left unread."),
        (check([]), "No result was read from them; the findings say why."),
        (
            check([{"path": "results"}]),
            "Which parts were not read is not known: they were checked before the registry recorded that.",
        ),
    ],
)
def test_an_empty_list_of_unread_files_has_a_sentence(latest: Check, sentence: str) -> None:
    table = read_account.not_read_table(latest)
    assert table["sentence"] == sentence and not table.get("rows")


def test_unread_and_partly_read_files_are_listed() -> None:
    table = read_account.not_read_table(check([run("job.out", SPAN)], ["notes.txt"]))
    assert [(row["path"], row["lines"]) for row in table["rows"]] == [
        ("notes.txt", ""),
        ("job.out", f"lines 1 to {SPAN['first'] - 1} and what stands behind line {SPAN['last']}"),
    ]
    assert "sentence" not in table
