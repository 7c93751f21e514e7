"""A line of 400 KB in any output is read or refused, and breaks no reader. A stride; in deep runs all of it."""

from __future__ import annotations

import json
import re
import shutil
import time
from itertools import product
from pathlib import Path

import pytest

from validators.benchmarks import __path__ as benchmarks
from validators.benchmarks.elbencho import report
from validators.checks import check
from validators.failures import CODE
from validators.findings import findings_of_report

LENGTH = 400_000
SHORTEST = 8_000
"""Characters of a line that a reader is given as it is; longer ones are cut."""
STRIDE, STRIDE_DEEP = 397, 7
"""In deep runs every line of the first sample of each reader and kind of file, and one in seven of the others."""
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
    b"'",
    b"[[",
    b"([{",
    b'{"a":',
    b"9.9.",
    b"1e",
    b"12:",
    b"<a>",
    b"%s",
    b"a|",
    b"--a ",
    b"\r",
    b"\x1b[0m",
    "\u2028".encode(),
    *(sign * SHORTEST + b"\n" for sign in (b" ", b"7", b'"', b"[", b"a")),
)
PLACES = ("before", "in the middle", "after", "at the end of a line", "as its only line")
TRIES = 3
"""Measurements, of which each has to be too long: a busy machine disturbs one or two."""
MOST_READS, FREE_S = 500, 0.5
"""A file may take so many times what reading it takes: its lines are cut, and each character is looked at. So much
processor time is free, for reading so short a file takes next to none."""


def with_long_line(content: bytes, fill: bytes, place: str) -> bytes:
    line = fill * (LENGTH // len(fill))
    lines = content.split(b"\n")
    middle = len(lines) // 2
    if place == "as its only line":
        return b" ".join([*lines, line])
    if place == "at the end of a line":
        lines[middle] += line
    else:
        lines.insert({"before": 0, "in the middle": middle, "after": len(lines)}[place], line)
    return b"\n".join(lines)


def read_plainly(content: bytes) -> float:
    """Processor time that it takes to read the lines and their words, and nothing else (s)."""
    begun = time.process_time()
    for line in content.decode("utf-8", "replace").split("\n"):
        line.split()
    return time.process_time() - begun


def fault_of_line(sample: Path, fill: bytes, place: str, folder: Path) -> str:
    """What is wrong with how such a line in this file of a sample was read, or nothing."""
    content = with_long_line(sample.read_bytes(), fill, place)
    used_s = read_s = 0.0
    for _ in range(TRIES):
        failures, used_s = checked(sample, content, folder)
        if failures:
            return f"{sample}, {fill!r} {place}: {failures[0]}"
        read_s = read_plainly(content)
        if used_s <= MOST_READS * read_s + FREE_S:
            return ""
    return f"{sample}, {fill!r} {place}: {used_s:.1f} s, and {read_s:.3f} s to read it"


def first_samples() -> set[Path]:
    return {*{(path.parts[-4], path.suffix): path for path in reversed(SAMPLES)}.values()}


def test_a_line_of_400_kb_breaks_no_reader(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    cases = list(product(SAMPLES, FILLS, PLACES))
    assert len(SAMPLES) > 100
    if request.config.option.deep:
        firsts = first_samples()
        chosen = [case for number, case in enumerate(cases) if case[0] in firsts or number % STRIDE_DEEP == 0]
        assert len(firsts) > 20
    else:
        chosen = cases[::STRIDE]
    assert {place for _, _, place in chosen} == set(PLACES)
    assert [fault for case in chosen if (fault := fault_of_line(*case, tmp_path))] == []


@pytest.mark.deep
def test_a_reader_that_starts_again_at_each_blank_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pattern of elbencho with which two uploads of 15 KB stopped a registry."""
    old = re.compile(report._LATENCY.pattern.removeprefix("^").replace(r"(?:\[\d{1,6}\] )?", "", 1))

    class Searching:
        match = staticmethod(old.search)

    sample = next(path for path in SAMPLES if "/elbencho/" in path.as_posix() and path.name == "stdout.txt")
    monkeypatch.setattr(report, "_LATENCY", Searching)
    assert "to read it" in fault_of_line(sample, b" " * SHORTEST + b"\n", "in the middle", tmp_path)


def test_the_generated_line_is_long_enough(tmp_path: Path) -> None:
    for place in PLACES:
        content = with_long_line(b"a\nb\nc\n", b"x", place)
        assert (b"\n" in content) == (place != "as its only line")
        assert max(map(len, content.split(b"\n"))) >= LENGTH and b"a" in content


SHORT_LENGTH = 40_000
"""A tenth of the long line: what is linear takes ten times as long for the other."""
MOST_TIMES = 14
"""The long line may cost so many times the short one, and FREE_S more."""
INSIDE = ("in the header", "in a name", "in a value", "in a number", "in a text")
WORD, FIGURE = re.compile(rb"[A-Za-z_]{3,}"), re.compile(rb"\d+(?:\.\d+)?")


def with_long_part(content: bytes, fill: bytes, place: str, length: int) -> bytes:
    """The file with one of its parts grown: what a line of its tool has, and never this long."""
    text = fill * (length // len(fill))
    lines = content.split(b"\n")
    row = max(range(len(lines)), key=lambda number: len(FIGURE.findall(lines[number])))
    line = lines[0 if place == "in the header" else row]
    kinds = {
        "in the header": WORD.search(line),
        "in a name": WORD.search(line),
        "in a value": next(iter([*FIGURE.finditer(line)][1:]), None) or FIGURE.search(line),
        "in a number": FIGURE.search(line),
        "in a text": re.search(rb"\"", line),
    }
    at = kinds[place].end() if kinds[place] else len(line)
    grown = b"7" * length if place == "in a number" else text
    lines[0 if place == "in the header" else row] = line[:at] + grown + line[at:]
    return b"\n".join(lines)


def checked(sample: Path, content: bytes, folder: Path) -> tuple[list[str], float]:
    """What a reader failed at, and the processor time of the check (s)."""
    copy = folder / sample.parent.name
    shutil.copytree(sample.parent, copy)
    (copy / sample.name).write_bytes(content)
    begun = time.process_time()
    report = check(copy).as_json()
    used_s = time.process_time() - begun
    shutil.rmtree(copy)
    return [finding["message"] for finding in findings_of_report(report) if finding["code"] == CODE], used_s


def fault_of_part(sample: Path, fill: bytes, place: str, folder: Path) -> str:
    """What is wrong with how such a part was read, or nothing."""
    content = sample.read_bytes()
    long_s = short_s = 0.0
    for _ in range(TRIES):
        failures, long_s = checked(sample, with_long_part(content, fill, place, LENGTH), folder)
        if failures:
            return f"{sample}, {fill!r} {place}: {failures[0]}"
        if long_s <= FREE_S:
            return ""
        _, short_s = checked(sample, with_long_part(content, fill, place, SHORT_LENGTH), folder)
        if long_s <= MOST_TIMES * short_s + FREE_S:
            return ""
    return f"{sample}, {fill!r} {place}: {long_s:.1f} s, and {short_s:.2f} s for a tenth"


def test_a_part_of_400_kb_is_read_in_linear_time(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    cases = list(product(SAMPLES, FILLS, INSIDE))
    chosen = cases if request.config.option.deep else cases[::STRIDE]
    assert {place for _, _, place in chosen} == set(INSIDE)
    assert [fault for case in chosen if (fault := fault_of_part(*case, tmp_path))] == []


@pytest.mark.parametrize("place", INSIDE)
def test_the_generated_part_lies_within_a_line(place: str) -> None:
    content = b'name,first value\n{"rate": 12.5, "unit": "MB/s 7"}\n'
    long = with_long_part(content, b"x", place, LENGTH)
    assert len(long) == len(content) + LENGTH and long.count(b"\n") == 2
    assert (len(long.split(b"\n")[0]) > LENGTH) == (place == "in the header")


# Documents of JSON

DOCUMENTS = [sample for sample in SAMPLES if sample.read_bytes().lstrip().startswith(b"{")]
STRIDE_OF_DOCUMENTS = 11
GROWTHS = (
    "a long key",
    "a long text",
    "lists in lists",
    "objects in objects",
    "many keys",
    "one key many times",
    "many items",
)


def with_grown_json(content: bytes, growth: str, length: int) -> bytes:
    """The document with one part of so many bytes: at its beginning, or in place of a figure within."""
    if growth == "a long key":
        part = b'"' + b"k" * length + b'": 1,'
    elif growth == "many keys":
        part = b"".join(b'"k%d":1,' % number for number in range(length // 10))
    elif growth == "one key many times":
        part = b'"k":1,' * (length // 6)
    else:
        part = b""
    inner = {
        "a long text": b'"' + b"7" * length + b'"',
        "lists in lists": b"[" * (length // 2) + b"1" + b"]" * (length // 2),
        "objects in objects": b'{"k":' * (length // 6) + b"1" + b"}" * (length // 6),
        "many items": b"[" + b"7," * (length // 2) + b"7]",
    }.get(growth)
    figures = list(re.finditer(rb"(?<=[:,\[ ])\d+(?:\.\d+)?(?=\s*[,}\]\n])", content))
    if inner is not None and figures:
        at = figures[len(figures) // 2]
        content = content[: at.start()] + inner + content[at.end() :]
    elif inner is not None:
        part = b'"grown": ' + inner + b","
    return content.replace(b"{", b"{" + part, 1)


def fault_of_document(sample: Path, growth: str, folder: Path) -> str:
    """What is wrong with how such a document was read, or nothing."""
    content = sample.read_bytes()
    failures, long_s = checked(sample, with_grown_json(content, growth, LENGTH), folder)
    if failures:
        return f"{sample}, {growth}: {failures[0]}"
    if long_s > FREE_S:
        _, short_s = checked(sample, with_grown_json(content, growth, SHORT_LENGTH), folder)
        if long_s > MOST_TIMES * short_s + FREE_S:
            return f"{sample}, {growth}: {long_s:.1f} s, and {short_s:.2f} s for a tenth"
    return ""


def test_documents_of_400_kb_are_read_in_linear_time(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    cases = list(product(DOCUMENTS, GROWTHS))
    assert len(DOCUMENTS) > 10
    chosen = cases if request.config.option.deep else cases[::STRIDE_OF_DOCUMENTS]
    assert {growth for _, growth in chosen} == set(GROWTHS)
    assert [fault for case in chosen if (fault := fault_of_document(*case, tmp_path))] == []


@pytest.mark.parametrize("growth", GROWTHS)
def test_the_grown_document_is_json_unless_it_is_too_deep(growth: str) -> None:
    grown = with_grown_json(b'{"rates": [1, 12.5, 7], "unit": "MB/s 7"}\n', growth, LENGTH)
    assert len(grown) > LENGTH * 0.7
    if " in " not in growth:
        assert json.loads(grown)["unit"] == "MB/s 7"
