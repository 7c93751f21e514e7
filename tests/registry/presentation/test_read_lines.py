"""How pages say which lines a run was read from, and what was not read."""

from __future__ import annotations

import pytest

from registry.presentation import read_lines


def entry(path: str, first: int = 0, last: int = 0, tool: str | None = None) -> dict[str, object]:
    lines = {"first": first, "last": last} if first else None
    return {"path": path, "lines": lines, "looks_like": tool, "reason": "empty"}


@pytest.mark.parametrize(
    ("lines", "text"),
    [(None, ""), ({"first": 7, "last": 7}, "line 7"), ({"first": 12, "last": 340}, "lines 12 to 340")],
)
def test_lines_are_written_as_a_range(lines, text) -> None:
    assert read_lines.format_lines(lines) == text


@pytest.mark.parametrize(
    ("path", "lines", "text"),
    [
        ("job.out", {"first": 2, "last": 9}, "job.out, lines 2 to 9"),
        ("results", None, "results"),
        ("", None, "the top of the archive"),
    ],
)
def test_a_place_has_lines_for_a_partly_read_file(path, lines, text) -> None:
    assert read_lines.format_read_from({"path": path, "lines": lines}) == text


def test_files_and_parts_of_files_are_counted_apart() -> None:
    entries = [entry("a.txt"), entry("b.txt"), entry("log", 1, 3), entry("log", 8, 9)]
    assert (
        read_lines.build_not_read(entries)["count"] == "2\N{NO-BREAK SPACE}files and lines of 1\N{NO-BREAK SPACE}file"
    )
    assert read_lines.build_not_read([entry("a.txt")])["count"] == "1\N{NO-BREAK SPACE}file"
    assert read_lines.build_not_read([])["count"] == ""


def test_a_cut_file_is_a_row_and_counts_once() -> None:
    table = read_lines.build_not_read([entry("log", 1, 3)], {"log": "lines 5 to 7", "other": "line 2"})
    assert [row["path"] for row in table["rows"]] == ["log", "log", "other"]
    assert table["count"] == "lines of 2\N{NO-BREAK SPACE}files"


@pytest.mark.parametrize(
    ("gaps", "text"),
    [
        ([], "what stands behind line 40"),
        ([(1, 3), (9, 9)], "lines 1 to 3, line 9 and what stands behind line 40"),
        ([(at, at) for at in range(1, 25, 2)], "line 19, 2 more places and what stands behind line 40"),
    ],
)
def test_lines_outside_of_runs_have_numbers(gaps, text) -> None:
    assert read_lines.format_gaps(gaps, 40).endswith(text)


def test_a_tool_is_called_by_its_name_and_an_unknown_one_as_it_is() -> None:
    rows = read_lines.build_not_read([entry("a", tool="ior"), entry("b", tool="nosuch"), entry("c")])["rows"]
    assert [row["looks_like"] for row in rows] == ["IOR", "nosuch", ""]


def test_many_rows_are_cut_and_the_rest_is_counted() -> None:
    table = read_lines.build_not_read([entry(str(number)) for number in range(read_lines.MOST_ROWS + 3)])
    assert (len(table["rows"]), table["more"]) == (read_lines.MOST_ROWS, 3)
    assert table["count"] == f"{read_lines.MOST_ROWS + 3}\N{NO-BREAK SPACE}files"
