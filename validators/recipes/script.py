"""A recipe as a shell script: it writes the input files, says what is not known, and starts the program.

What the bytes of a result can name is a value, an option or a variable of the environment. So the shell expands the
variables of the recipe and nothing else, and those for values that are not shown have a name that no program reads.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from validators.recipes import RANKS, TESTDIR, VARIABLES
from validators.recipes.data_set import data_set_words

_END = "END_OF_FILE"
WITHOUT_LAUNCHER = frozenset({"fio", "elbencho", "gdsio", "obdfilter-survey"})
"""Tools that start their processes themselves."""
_NEEDED = '[ -n "$TESTDIR" ] || { echo "set TESTDIR to an empty folder of the file system under test" >&2; exit 2; }'
_ENVIRONMENT = Path(__file__).parents[1] / "system" / "io-environment.1.json"
HINT = re.compile(r"IOR_HINT__MPI__[a-z0-9_]{1,60}")
_REFERENCE = re.compile(r"\$(?:\{([A-Z][A-Z0-9_]*)\}|([A-Z][A-Z0-9_]*))")


def write_script(name: str, recipe: Mapping[str, Any]) -> str:
    """A recipe as a script for a shell; `name` says of which result. The start is left to a variable LAUNCH."""
    return "\n".join([*_script_lines(name, recipe), ""])


def _script_lines(name: str, recipe: Mapping[str, Any]) -> Iterator[str]:
    yield "#!/bin/sh -eu"
    yield _comment_line(f"How to run {name} again: {recipe['tool']} {recipe['version'] or 'of unknown version'}")
    for row in recipe["missing"]:
        yield _comment_line(f"missing: {row['what']}. {row['why']} It may change: {row['may_change']}")
    for row in recipe["tunables"]:
        where = f"{row['parameter']} on {row['nodes']}: {row['value']}, default {row['default'] or 'unknown'}"
        yield _comment_line(f"tuned: {where}{'; ' + row['set'] if row['set'] else ''}")
    yield ""
    names = [row["name"] for row in recipe["variables"]]
    for row in recipe["variables"]:
        run_value = "" if row["value"] is None else f" In the run: {row['value']}."
        yield _comment_line(row["meaning"] + run_value)
        value = "" if row["value"] is None else row["value"]
        yield ': "${' + _shell_name(row["name"]) + f':={value}}}"'
    if recipe["data_set"]:
        yield _comment_line(f"data set: {data_set_words(recipe['data_set'])}")
    yield _NEEDED
    for needed in _list_needed(recipe, names):
        yield f'[ -n "${needed}" ] || {{ echo "set {needed}: see above" >&2; exit 2; }}'
    yield "export " + " ".join(map(_shell_name, names))
    yield from _environment_lines(recipe)
    for row in recipe["layout"]:
        yield _comment_line(
            f"layout of {row['phase']}: {row['words']}{'; ' + row['command'] if row['command'] else ''}"
        )
    for file in recipe["files"]:
        text = _fill_in(file["text"].rstrip("\n"), names, _escape)
        yield f"cat > {file['path']} <<{_END}\n{text}\n{_END}"
    yield from _start_lines(recipe, names)


def _shell_name(name: str) -> str:
    """The name of a variable in a script: `$TESTDIR` -> `TESTDIR`, `$PATH`, an option, -> `OPTION_PATH`."""
    return name[1:] if name in VARIABLES else f"OPTION_{name[1:]}"


def _list_needed(recipe: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    """Variables of the script, beside $TESTDIR, without which a command or an input file lacks a value."""
    commands = [recipe["arguments"] or (), *(row["arguments"] for row in recipe["commands"])]
    texts = [*(word for words in commands for word in words), *(file["text"] for file in recipe["files"])]
    used = {match[1] or match[2] for text in texts for match in _REFERENCE.finditer(text)}
    return (_shell_name(name) for name in names if name[1:] in used and name != TESTDIR)


def _environment_lines(recipe: Mapping[str, Any]) -> Iterator[str]:
    """The environment of the run. A variable that is not known to steer input and output alone is not set."""
    for row in recipe["environment"]:
        name, value = row["variable"], row["value"]
        if value is None:
            yield _comment_line(f"{name} was set to a value that is not shown")
        elif name in steering_variables() or HINT.fullmatch(name):
            yield f"export {name}={shlex.quote(value)}"
        else:
            yield _comment_line(f"not set here, as it may start something: {name}={value}")


@cache
def steering_variables() -> frozenset[str]:
    """Variables that steer input and output and have a value; the definition is the collector's, too."""
    lists = json.loads(_ENVIRONMENT.read_text(encoding="utf-8"))
    return frozenset(name for kind in ("number", "size", "word") for name in lists[kind])


def _comment_line(text: str) -> str:
    return "# " + " ".join(text.split())


def _fill_in(text: str, names: Collection[str], escape: Callable[[str], str]) -> str:
    """A text for a double-quoted word or a document: the shell fills in these variables, and nothing else."""
    parts, end = [], 0
    for match in _REFERENCE.finditer(text):
        name = f"${match[1] or match[2]}"
        is_alone = match[2] and not text[match.end() : match.end() + 1].isalpha()
        reference = f"${_shell_name(name)}" if is_alone else f"${{{_shell_name(name)}}}"
        parts += [escape(text[end : match.start()]), reference if name in names else escape(match[0])]
        end = match.end()
    return "".join([*parts, escape(text[end:])])


def _escape(text: str) -> str:
    return re.sub(r"([\\`$])", r"\\\1", text)


def _escape_quoted(text: str) -> str:
    return _escape(text).replace('"', '\\"')


def _start_lines(recipe: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    commands = [recipe["arguments"]] if recipe["arguments"] else [row["arguments"] for row in recipe["commands"]]
    if not commands:
        yield _comment_line("the command line is not known")
    launch = "" if recipe["tool"] in WITHOUT_LAUNCHER else f'${{LAUNCH:-mpirun -np "{RANKS}"}} '
    for arguments in commands:
        yield launch + " ".join(_script_word(argument, names) for argument in arguments)


def _script_word(argument: str, names: Collection[str]) -> str:
    if any(f"${match[1] or match[2]}" in names for match in _REFERENCE.finditer(argument)):
        return f'"{_fill_in(argument, names, _escape_quoted)}"'
    return shlex.quote(argument)


def command_line(arguments: Sequence[str]) -> str:
    """Arguments as a line to read, with the variables of a recipe as they are."""
    return " ".join(_shown_word(argument) for argument in arguments)


def _shown_word(argument: str) -> str:
    if "$" in argument and not set(argument) & set('"`\\ ') and "$(" not in argument:
        return f'"{argument}"'
    return shlex.quote(argument)
