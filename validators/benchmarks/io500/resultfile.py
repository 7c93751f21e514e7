"""`result.txt` of the C program: an ini file with one section per phase, and the score and its hash at the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

_INVALID_MARK = "[INVALID]"
MOST_SECTIONS = 200
MOST_ERRORS = 1000
"""Sections and error lines that are read: real files have 26 and a few."""


@dataclass(slots=True)
class Section:
    """The values of one section as printed, and the line of each; `invalid` if one of them carries the mark."""

    name: str
    line: int
    values: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    invalid: bool = False


@dataclass(slots=True)
class ResultFile:
    """`header` holds what stands before the first phase, with or without a [run] section.

    `errors` are the reasons the program itself gave against the run, `(line, text)`; `ended` tells that its last
    line was written. `repeated` are sections and values that stand a second time, with the line of it.
    """

    path: str
    header: dict[str, str] = field(default_factory=dict)
    sections: dict[str, Section] = field(default_factory=dict)
    errors: list[tuple[int, str]] = field(default_factory=list)
    started: str = ""
    ended: str = ""
    dry_run: bool = False
    repeated: dict[str, int] = field(default_factory=dict)

    @property
    def phases(self) -> dict[str, Section]:
        return {name: section for name, section in self.sections.items() if name not in ("SCORE", "SCOREX", "run")}

    @property
    def complete(self) -> bool:
        """The score and its hash were written: a killed run, or a cut file, has no hash."""
        return "hash" in self.sections["SCORE"].values if "SCORE" in self.sections else False


def read_result(lines: Iterable[str], path: str) -> ResultFile:
    """Read result.txt. Never fails: what is not understood is left out."""
    result = ResultFile(path)
    section: Section | None = None
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith(";"):
            _read_comment(result, text[1:].strip(), number)
        elif text.startswith("[") and text.endswith("]"):
            section = Section(text[1:-1].strip(), number)
            if section.name in result.sections:
                result.repeated.setdefault(section.name, number)
            if len(result.sections) < MOST_SECTIONS:
                result.sections[section.name] = section
        elif "=" in text:
            _read_value(result, section, text, number)
    return result


def _read_comment(result: ResultFile, text: str, number: int) -> None:
    if text.startswith("START "):
        result.started = text[6:].strip()
    elif text.startswith("END "):
        result.ended = text[4:].strip()
    elif text.startswith("ERROR"):
        result.dry_run = result.dry_run or "DRY RUN" in text
        if len(result.errors) < MOST_ERRORS:
            result.errors.append((number, text.removeprefix("ERROR").strip().removeprefix("INVALID").strip()))


def _read_value(result: ResultFile, section: Section | None, text: str, number: int) -> None:
    name, value = (part.strip() for part in text.split("=", 1))
    if section is None or section.name == "run":
        result.header[name] = value
        return
    if value.endswith(_INVALID_MARK):
        value = value.removesuffix(_INVALID_MARK).rstrip()
        section.invalid = True
    if name in section.values:
        result.repeated.setdefault(f"{name} of {section.name}", number)
    section.values[name] = value
    section.lines[name] = number
