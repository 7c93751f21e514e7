"""A line of 400 KB in any output is read or refused, and breaks no reader. A stride; in deep runs all of it."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path

import pytest

from validators.benchmarks import __path__ as benchmarks
from validators.checks import check
from validators.failures import CODE
from validators.findings import findings_of_report

LENGTH = 400_000
STRIDE = 397
SAMPLES = sorted(path for folder in benchmarks for path in Path(folder).glob("*/samples/*/*") if path.is_file())
FILLS = (
    b" ",
    b"x",
    b"9",
    b"1 ",
    b"1.5e9,",
    b'"',
    b"[",
    b"{",
    b"-",
    b"=",
    b":",
    b"\t",
    b"\xff",
    b"a=1 ",
    b"/a",
    b"(",
    b"\\",
)
PLACES = ("before", "in the middle", "after", "at the end of a line")


def with_long_line(content: bytes, fill: bytes, place: str) -> bytes:
    line = fill * (LENGTH // len(fill))
    lines = content.split(b"\n")
    middle = len(lines) // 2
    if place == "at the end of a line":
        lines[middle] += line
    else:
        lines.insert({"before": 0, "in the middle": middle, "after": len(lines)}[place], line)
    return b"\n".join(lines)


def broken_readers(sample: Path, fill: bytes, place: str, folder: Path) -> list[str]:
    """Findings that a reader of ours failed, with such a line in this file of a sample."""
    copy = folder / sample.parent.name
    shutil.copytree(sample.parent, copy)
    (copy / sample.name).write_bytes(with_long_line(sample.read_bytes(), fill, place))
    report = check(copy).as_json()
    shutil.rmtree(copy)
    return [
        f"{sample}, {fill!r} {place}: {finding['message']}"
        for finding in findings_of_report(report)
        if finding["code"] == CODE
    ]


def test_a_line_of_400_kb_breaks_no_reader(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    cases = list(product(SAMPLES, FILLS, PLACES))
    assert len(SAMPLES) > 100
    chosen = cases if request.config.option.deep else cases[::STRIDE]
    assert [broken for case in chosen for broken in broken_readers(*case, tmp_path)] == []


def test_such_a_line_is_made(tmp_path: Path) -> None:
    for place in PLACES:
        content = with_long_line(b"a\nb\nc\n", b"x", place)
        assert max(map(len, content.split(b"\n"))) >= LENGTH and b"a" in content
