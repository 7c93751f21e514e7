"""Where a run could rank, as `upload`, `status` and `show` print it."""

from __future__ import annotations

import io
from typing import Any

import pytest

from collectors import report

CAN = {"name": "full", "outcome": "can", "why": "", "fact": "", "source": "", "needs": ["3 questions need an answer."]}
CANNOT = {
    "name": "ten",
    "outcome": "cannot",
    "why": "Not ten nodes.",
    "fact": "client nodes: 9",
    "source": "result.txt",
}
UNKNOWN = {"name": "io500", "outcome": "unknown", "why": "Fewer.", "fact": "client nodes: not found", "needs": []}


def printed_lines(document: dict[str, Any]) -> list[str]:
    stream = io.StringIO()
    report.print_prospects(document, stream)
    return stream.getvalue().splitlines()


def test_each_list_is_named_with_the_reason_and_the_value_that_decides() -> None:
    assert printed_lines({"tool": "io500", "could_rank": [CAN, CANNOT, UNKNOWN]}) == [
        "list    full: could rank",
        "        needs: 3 questions need an answer.",
        "list    ten: cannot rank. Not ten nodes. (client nodes: 9, result.txt)",
        "list    io500: cannot be told. Fewer. (client nodes: not found)",
    ]


def test_reasons_are_printed_for_chosen_lists() -> None:
    rows = [CAN, CANNOT, UNKNOWN]
    assert printed_lines({"lists": ["ten"], "could_rank": rows}) == [
        "list    ten: cannot rank. Not ten nodes. (client nodes: 9, result.txt)",
        "list    not chosen: full, io500; --json has them",
    ]
    for chosen in ([], None, "ten", ["of another release"]):
        assert len(printed_lines({"lists": chosen, "could_rank": rows})) == 4, chosen


def test_a_benchmark_without_a_list_is_reported() -> None:
    assert printed_lines({"tool": "fio", "could_rank": []}) == ["list    no open release ranks results of fio"]


@pytest.mark.parametrize("rows", [None, "full", 7, {}, ["full"], [None]])
def test_an_older_registry_or_a_strange_one_ends_nothing(rows: Any) -> None:
    assert all(line.startswith("list    no open") for line in printed_lines({"tool": "fio", "could_rank": rows}))


def test_a_strange_row_is_printed_without_a_traceback() -> None:
    assert printed_lines({"could_rank": [{"outcome": [], "needs": 7, "why": None}]}) == ["list    None: []"]
    assert printed_lines({"could_rank": [{"name": "a\x1b[2Jb", "outcome": "can"}]}) == [
        "list    a\\x1b[2Jb: could rank"
    ]


@pytest.mark.parametrize(
    ("count", "lines"),
    [
        (3, ["shelf   3 runs; `list --scope own` lists what is on it"]),
        (1, ["shelf   1 run; `list --scope own` lists what is on it"]),
        (0, []),
        (None, []),
    ],
)
def test_a_state_says_how_many_runs_are_on_the_shelf(count: Any, lines: list[str]) -> None:
    stream = io.StringIO()
    report.print_state({"id": "784c6d71", "state": "checked", "shelf_runs": count}, stream)
    assert [line for line in stream.getvalue().splitlines() if line.startswith("shelf")] == lines


REVIEWS = [
    {"reviewer": "dana", "made_at": "2026-11-29T14:27:31Z", "reason": "Was data compressed?\nName the drives."},
    {"reviewer": "dan", "made_at": "2026-11-28T10:00:00Z", "reason": "An older one."},
]


@pytest.mark.parametrize(
    ("state", "first"),
    [
        ("changes_requested", "review  dana asks for changes, 2026-11-29:"),
        ("rejected", "review  dana rejected it, 2026-11-29:"),
    ],
)
def test_a_state_has_the_words_of_the_newest_review(state: str, first: str) -> None:
    stream = io.StringIO()
    report.print_state({"id": "784c6d71", "state": state, "reviews": REVIEWS, "waits_for": "submitter"}, stream)
    assert stream.getvalue().splitlines()[1:] == [
        first,
        "        Was data compressed?",
        "        Name the drives.",
        "next    waits for you or your institution",
    ]


@pytest.mark.parametrize(("state", "reviews"), [("submitted", REVIEWS), ("changes_requested", [])])
def test_a_state_without_a_review_to_answer_has_none(state: str, reviews: list[dict[str, str]]) -> None:
    stream = io.StringIO()
    report.print_state({"id": "784c6d71", "state": state, "reviews": reviews}, stream)
    assert "review" not in stream.getvalue()


def test_the_words_come_with_the_upload(alice, peer, results) -> None:
    peer.facts = dict(peer.facts, tool="io500", could_rank=[CANNOT])
    done = alice("upload", results)
    assert done.returncode == 0, done.stderr
    assert "list    ten: cannot rank. Not ten nodes. (client nodes: 9, result.txt)" in done.stdout.splitlines()
