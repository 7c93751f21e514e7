"""No reader takes more than twice the time for twice the file, whatever a stranger put into it.

Of the samples of each tool files are made that are slow for code which looks at the same again and again: long lines,
the tool's own lines without end, figures and brackets.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from pathlib import Path

import pytest

from tests import pumping
from validators import catalogue
from validators.benchmarks.elbencho import report
from validators.checks import check

SHORT, LONG = 16 * 1024, 64 * 1024
MOST_BYTES = 16 * 1024
"""Of a sample that is made longer."""
MOST_SAMPLES, MOST_SAMPLES_DEEP, MOST_FILES, MOST_SHAPES = 1, 3, 4, 8
LONG_LINE = 8_000
"""Characters: as long as a line may be that a reader is given."""
LINES = 16
TRIES = 3
UNITS = {
    "blanks": " ",
    "figures": "7",
    "brackets": "[",
    "quotes": '"',
    "colons": ": ",
    "short lines": "a\n",
    "empty lines": "\n",
    "lines of a blank": " \n",
    "numbers": "1 ",
    "deep JSON": '{"a":',
    "deep lists": "[[",
}
STRETCHED = (" ", "\t", "7", "a", "[", '"', ":", "1 ")
"""What lines are made longer of, to just below the length that a reader is given."""
FIGURES = re.compile(r"\d+")
WORD = re.compile(r"[A-Za-z]+|\d+")


@cache
def samples(slug: str) -> tuple[Path, ...]:
    """The samples of a tool, small ones first: a file or a folder each."""
    sized_paths = []
    for folder in sorted((catalogue.FOLDER / slug / "samples").iterdir()):
        path = folder / json.loads((folder / "expected.json").read_text())["path"]
        files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
        if not any(file.suffix in (".gz", ".zip", ".tar", ".tgz") for file in files):
            sized_paths.append((sum(file.stat().st_size for file in files), path))
    return tuple(path for _, path in sorted(sized_paths))


def texts_of(path: Path) -> list[Path]:
    """The files of a sample that are made longer, one of each kind."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    kinds = {re.sub(r"\d+", "0", file.name): file for file in files}
    return list(kinds.values())[:MOST_FILES]


def shapes(content: str) -> list[str]:
    """Lines of different make: with their words and figures taken away, no two are alike."""
    lines = {WORD.sub("a", line): line for line in content.split("\n") if line.strip()}
    ordered = sorted(lines.values(), key=len)
    return ordered[:: len(ordered) // MOST_SHAPES + 1]


def additions(content: str) -> Iterator[tuple[str, Callable[[int], str], int]]:
    """What a file is made longer with: its name, a text of a size, and the largest size that makes sense."""
    for name, unit in UNITS.items():
        yield name, partial(repeated, unit), pumping.LONGEST
    for unit in STRETCHED:
        yield f"lines of {unit!r}", partial(stretched, "", unit, ""), LINES * LONG_LINE // 2
    for line in shapes(content):
        at = len(line) // 2
        yield f"the line {line[:60]!r}", partial(repeated, line[:LONG_LINE] + "\n"), pumping.LONGEST
        if 2 * len(line) < LONG_LINE:
            yield (
                *(f"blanks in {line[:60]!r}", partial(stretched, line[:at], " ", line[at:])),
                LINES * (LONG_LINE - len(line)) // 2,
            )
    yield "all of its lines", partial(repeated, content + "\n"), pumping.LONGEST


def repeated(unit: str, size: int) -> str:
    return unit * (size // len(unit) + 1)


def stretched(begin: str, unit: str, end: str, size: int) -> str:
    """Some lines, of which each gets longer: many of one length would only take as many times as long."""
    middle = unit * (size // LINES // len(unit))
    return f"{begin}{middle}{end}\n" * LINES


def places(content: str) -> list[tuple[str, str]]:
    """Where a file is made longer: at its end, and behind its row with the most figures."""
    lines = content.split("\n")
    row = max(range(len(lines)), key=lambda number: len(FIGURES.findall(lines[number])))
    return [(content, ""), ("\n".join(lines[: row + 1]), "\n".join(lines[row + 1 :]))]


def slow_files(slug: str, folder: Path, most_samples: int, only: str = "") -> Iterator[str]:
    for number, sample in enumerate(samples(slug)[:most_samples]):
        place = folder / str(number)
        if sample.is_dir():
            shutil.copytree(sample, place)
        else:
            place.mkdir()
            shutil.copyfile(sample, place / sample.name)
        for original in texts_of(sample):
            target = place / (original.relative_to(sample) if sample.is_dir() else sample.name)
            content = original.read_bytes()[:MOST_BYTES].decode("utf-8", "replace")
            for (before, after), (name, text_of, longest) in product(places(content), additions(content)):
                if only not in name:
                    continue
                grown = growth(place if sample.is_dir() else target, target, before, after, text_of, longest)
                if grown > pumping.GROWTH:
                    yield f"{slug}: twice of {name} in {original.name} takes {grown:.1f} times as long"
            target.write_bytes(original.read_bytes())


def growth(checked: Path, target: Path, before: str, after: str, text_of: Callable[[int], str], longest: int) -> float:
    """By how much the time grows each time that it is measured: a busy machine disturbs one measurement or two."""

    def work_of(size: int) -> Callable[[], object]:
        written = f"{before}\n{text_of(size)}\n{after}".encode("utf-8", "replace")

        def work() -> None:
            if target.stat().st_size != len(written):
                target.write_bytes(written)
            check(checked)

        return work

    grown = 0.0
    for _ in range(TRIES):
        grown = pumping.growth(work_of, SHORT, LONG, most_s=20.0, measurable_s=0.1, longest=longest, tiny=())
        if grown <= pumping.GROWTH:
            break
    return grown


@pytest.mark.parametrize("slug", [benchmark.slug for benchmark in catalogue.benchmarks()])
def test_twice_the_file_takes_no_more_than_twice_the_time(slug, tmp_path, request):
    slow = list(slow_files(slug, tmp_path, MOST_SAMPLES_DEEP if request.config.option.deep else MOST_SAMPLES))
    assert not slow, "\n".join(slow)


@pytest.mark.deep
def test_a_reader_that_is_not_linear_is_noticed(tmp_path, monkeypatch):
    """The pattern of elbencho with which two uploads of 15 KB stopped a registry."""
    old = re.compile(report._LATENCY.pattern.removeprefix("^").replace(r"(?:\[\d{1,6}\] )?", "", 1))

    class Searching:
        match = staticmethod(old.search)

    monkeypatch.setattr(report, "_LATENCY", Searching)
    assert next(slow_files("elbencho", tmp_path, MOST_SAMPLES, only="lines of ' '"), "")
