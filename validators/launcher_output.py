"""How a tool was launched, as its output tells: labels before each line, and the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from validators.signs import Sign

BEGUN = re.compile(r"IOR-\S{1,40}: MPI Coordinated Test of Parallel I/O|mdtest-\S{1,40} was launched with ")
"""Where an output of IOR or mdtest begins: a job's log may hold several, of both."""
BY_IO500 = Sign(
    rb"^\[(?:RESULT|SCORE|START TIME|(?:IOR|MDTEST|MDT|FIND) (?:EASY|HARD))|^IO500 version ",
    *(b"[RESULT", b"[SCORE", b"[START TIME", b"[IOR ", b"[MDT", b"[FIND ", b"IO500 version "),
)
"""What IO500 prints around the outputs of the tools that it starts."""


def begins_output(line: str) -> bool:
    """Whether a line is the first that IOR or mdtest prints."""
    return ("MPI Coordinated" in line or "was launched" in line) and BEGUN.search(line) is not None


def unlabelled(lines: Iterable[str]) -> Iterator[str]:
    """The lines without what a launcher puts before each (`[0] `, `0: `, `[1,0]<stdout>: `).

    What stands before the first line of IOR or mdtest is the label; any number may stand where it has one. Labels in
    brackets also occur inside of lines, where a rank's output was flushed in pieces.
    """
    rest = iter(lines)
    label: re.Pattern[str] | None = None
    for line in rest:
        begun = BEGUN.search(line)
        if begun:
            label = label_before(line[: begun.start()])
        yield label.sub("", line) if label else line
        if begun:
            break
    for line in rest:
        yield label.sub("", line) if label else line


def label_before(text: str) -> re.Pattern[str] | None:
    """What matches the label of any line, from what stands before one; None where that is no label."""
    text = text.lstrip("\ufeff")
    if not text.strip() or len(text) > 60:
        return None
    pattern = re.sub(r"\d+", r"\\d{1,9}", re.escape(text.rstrip())) + " ?"
    return re.compile(pattern if text.startswith("[") else f"^{pattern}")


PLACES = "places"
"""The name that the places of its files have among the settings of a run that are not shown."""
_DIGITS = re.compile(r"\d{1,40}")
_PUBLIC_VALUE = re.compile(r"\d{1,15}[kKmMgGtT]?")
"""Values of options that are never private: numbers and sizes."""


def options_of(command: str, valued: str) -> dict[str, str]:
    """The options of a command line as getopt reads them: `-t 4k -Fe` -> {"t": "4k", "F": "", "e": ""}.

    `valued` are the letters that take a value. Long options go by their name without dashes, with what follows `=`.
    An option that is given again counts as given last, as it does for the tool.
    """
    return dict(options_in_order(command, valued))


def options_in_order(command: str, valued: str) -> Iterator[tuple[str, str]]:
    """Every option in its order, with its value or an empty text."""
    words = iter(re.sub(r"[\"']", "", command).split()[1:])
    for word in words:
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            yield name, value
        elif word.startswith("-"):
            for place, letter in enumerate(word[1:], start=2):
                yield letter, (word[place:] or next(words, "")) if letter in valued else ""
                if letter in valued:
                    break


def values_not_shown(command: str, valued: str, files: str) -> dict[str, str]:
    """The values that `command_shape` leaves out, to compare two runs by; of those that name files the `places`.

    `files` are the letters whose value is a path. So is a value with a slash, and one of a name with `file` in it.
    """
    values_by_option: dict[str, list[str]] = {}
    for name, value in options_in_order(command, valued):
        parts = [part for part in value.split(",") if "/" not in part and "file" not in part.partition("=")[0].lower()]
        is_shown = _PUBLIC_VALUE.fullmatch(value) is not None
        if not is_shown and "".join(parts) and name not in files and "file" not in name.lower():
            values_by_option.setdefault(f"-{name}" if len(name) == 1 else f"--{name[:40]}", []).extend(parts)
        elif name in files and "/" in value:
            values_by_option.setdefault(PLACES, []).append(place(value))
    return {name: ",".join(parts) for name, parts in values_by_option.items()}


def place(path: str) -> str:
    """A path as far as two runs can be told apart by it: without digits, which count runs and jobs, and name times.

    Runs in other folders may be of other file systems, and nothing else of their output would say so.
    """
    return _DIGITS.sub("", path)


def command_shape(command: str, valued: str) -> str:
    """A command line with nothing private in it: its options, and of their values only numbers and sizes.

    `-t 4k -o /home/carol/f` -> `-t 4k -o ...`
    """
    words = []
    for name, value in options_of(command, valued).items():
        text = value if _PUBLIC_VALUE.fullmatch(value) else "..." if value else ""
        if len(name) == 1:
            words.append(f"-{name} {text}".rstrip())
        else:
            words.append(f"--{name[:40]}={text}" if value else f"--{name[:40]}")
    return " ".join(words)[:400]
