"""Alter the numbers of an output one by one, each by three tenths, and see which of them nobody tells of.

A forger of one figure has to be found wherever the output says the same a second time. What it says once is named in a
test, with the reason.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from validators import catalogue
from validators.checks import check
from validators.runs.report import Report

NUMBER = re.compile(rb"(?<![\w.])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
MOST_BYTES = 200_000

Field = tuple[str, str]


def altered(text: bytes) -> bytes:
    """A number three tenths larger, in the form that it had."""
    if b"." not in text and b"e" not in text.lower():
        return str(max(int(text) * 13 // 10, int(text) + 1)).encode()
    decimals = len(text.partition(b".")[2]) if b"e" not in text.lower() else 6
    return f"{float(text) * 1.3 if float(text) else 1.0:.{decimals}f}".encode()


def contradictions(report: Report) -> Counter[str]:
    """What a report says against an output: findings that are more than notes, and rules that do not hold."""
    findings = [*report.findings, *(finding for run in report.runs for finding in run.findings)]
    codes = [finding.code for finding in findings if finding.level != "info"]
    return Counter([*codes, *(rule.code for run in report.runs for rule in run.rules if rule.outcome == "violated")])


def figures(report: Report) -> Counter[tuple[str, str, str, float]]:
    """What was read, wherever it stands: the number of an iteration is no figure."""
    return Counter((each.quantity, each.stat, each.op, each.value) for run in report.runs for each in run.measurements)


def silent_fields(target: Path, files: list[Path], most: int) -> Iterator[tuple[frozenset[Field], str]]:
    """Fields that an alteration changes where nothing is said, and the line; at most so many are tried."""
    before = check(target)
    places = [(path, match.span()) for path in files for match in NUMBER.finditer(path.read_bytes()[:MOST_BYTES])]
    for path, (first, last) in places[:: len(places) // most + 1]:
        content = path.read_bytes()
        path.write_bytes(content[:first] + altered(content[first:last]) + content[last:])
        after = check(target)
        path.write_bytes(content)
        if after.status != before.status or contradictions(after) - contradictions(before):
            continue
        changed = {key[:2] for key in (figures(before) - figures(after)) + (figures(after) - figures(before))}
        if changed:
            yield frozenset(changed), content[max(first - 60, 0) : last + 20].decode("utf-8", "replace")


def samples_of(slug: str, folder: Path) -> Iterator[tuple[Path, list[Path]]]:
    """A copy of each valid sample of a benchmark: what is checked, and its files."""
    for sample in sorted((catalogue.FOLDER / slug / "samples").iterdir()):
        source = sample / json.loads((sample / "expected.json").read_text())["path"]
        target = folder / sample.name
        if source.is_file():
            target.mkdir()
            shutil.copy(source, target / source.name)
            target = target / source.name
        else:
            shutil.copytree(source, target)
        if check(target).status == "valid":
            yield target, sorted(path for path in [target, *target.rglob("*")] if path.is_file())
