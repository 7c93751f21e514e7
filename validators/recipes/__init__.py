"""What to run to reproduce a run, and what is not known of it. The words of a recipe are in docs/reproduce.md.

Each benchmark's folder has its own part in `recipe.py`: `write_program(facts, given_options)` makes command line and
files of the options that its parser found, and `read_options(program)` reads them again. Nothing here reads an output.

Given options are stored and published, so they hold no text that may be private: a place (path, device) is None, and
an option whose value is neither a number nor a known word stands in `left_out` by its name.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from validators import catalogue
from validators.launcher_output import options_in_order
from validators.recipes.data_set import describe_data_set

SCHEMA = "recipe.1"
TESTDIR, RANKS, NODES, HOSTS = "$TESTDIR", "$RANKS", "$NODES", "$HOSTS"
VARIABLES = {
    TESTDIR: "An empty folder in the file system under test.",
    RANKS: "Processes in all.",
    NODES: "Client nodes.",
    HOSTS: "Names of the client nodes, with commas between them.",
}
MOST_OPTIONS = 400
_PUBLIC = re.compile(
    r"-?\d{1,15}(?:\.\d{1,6})?(?:[kmgtp](?:i?b)?|us|ms|s|%)?|true|false|yes|no|on|off"
    r"|S\d{1,3}|SX|RP_\d{1,2}G(?:\d{1,3}|X)|EC_\d{1,2}P\d{1,2}G(?:\d{1,3}|X)",
    re.IGNORECASE,
)
"""Numbers, sizes, times, truth values and object classes of DAOS. A variable is none: it could name one of a user's."""
_PART = re.compile(r"[^\s,]+")
_FLAG = re.compile(r"-{0,2}[A-Za-z][A-Za-z_.-]{0,40}")
_VARIABLE = re.compile(r"\$\{?([A-Z][A-Z0-9_]{0,40})\}?")
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,50}")

GivenOptions = dict[str, Any]


@dataclass(frozen=True)
class Missing:
    """Something that the run did not record: what, why not, and what it may change in a repetition."""

    what: str
    why: str
    may_change: str

    def as_json(self) -> dict[str, str]:
        return {"what": self.what, "why": self.why, "may_change": self.may_change}


@dataclass
class Program:
    """How the program is started: its arguments, the files it reads by name, and what is not known of both.

    `arguments` is None where no output says it; `commands` are those of several steps by name, where one program
    started others and no single command line is known. `unknown` are variables for values that no output tells, with
    what to take. With `is_complete` false, options as a whole are not known, so that they are equal to no others.
    `processes` is their number where the run does not count them as such.
    """

    arguments: list[str] | None = None
    commands: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    missing: list[Missing] = field(default_factory=list)
    unknown: dict[str, str] = field(default_factory=dict)
    is_complete: bool = True
    processes: int | None = None


@dataclass(frozen=True)
class Facts:
    """What is stored of a run beside its options: with these alone, recipes of older results are written."""

    tool: str
    version: str = ""
    mode: str = ""
    client_nodes: int | None = None
    tasks: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tests: list[Mapping[str, Any]] = field(default_factory=list)


def is_public(value: str, words: Collection[str] = ()) -> bool:
    """Whether the value of an option tells nothing of people, machines and places: a number, a size, a known word."""
    return not value or _PUBLIC.fullmatch(value) is not None or value.lower() in words


def mask_value(name: str, value: str, words: Collection[str] = ()) -> str:
    """The value of an option with a variable in place of each part that may be private.

    `DFS --dfs.pool=lake --dfs.oclass=SX` -> `DFS --dfs.pool=$DFS_POOL --dfs.oclass=SX`
    """
    return _PART.sub(lambda part: _mask_part(name, part[0], words), value)


def _mask_part(name: str, part: str, words: Collection[str]) -> str:
    option, separator, text = part.partition("=")
    if separator and _FLAG.fullmatch(option):
        return part if is_public(text, words) else f"{option}={name_variable(option)}"
    return part if is_public(part, words) or (_FLAG.fullmatch(part) and part.startswith("-")) else name_variable(name)


def name_variable(name: str) -> str:
    """The variable that stands for a value that is not shown: `--dfs.pool` -> `$DFS_POOL`."""
    return f"${re.sub(r'[^A-Z0-9]+', '_', name.upper()).strip('_')[:40] or 'VALUE'}"


def is_name(text: str) -> bool:
    """Whether a text can be the name of an option."""
    return _NAME.fullmatch(text) is not None


def options_digest(given_options: GivenOptions | None) -> str | None:
    """sha256 of given options in canonical JSON; None where none are known."""
    if given_options is None:
        return None
    compared = {name: value for name, value in given_options.items() if name != LEFT_OUT}
    return hashlib.sha256(json.dumps(compared, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


LEFT_OUT = "left_out"
"""Under which given options name those whose value is not shown."""
FURTHER = "further options"
"""What is left out behind the first of very many options."""


def command_options(command: str, valued: str, places: str, words: Mapping[str, Collection[str]]) -> GivenOptions:
    """The given options of a command line: `[["t", "1m"], ["o", None]]`, in their order.

    `valued` are the letters that take a value, `places` those of them whose value is a path, `words` the values that
    an option may have beside numbers and sizes.
    """
    options: list[list[str | None]] = []
    left_out: list[str] = []
    pairs = list(options_in_order(command, valued))
    if len(pairs) > MOST_OPTIONS:
        left_out.append(FURTHER)
    for name, value in pairs[:MOST_OPTIONS]:
        if not (is_name(name) or (len(name) == 1 and name.isalnum())):
            left_out.append("an option with an unusual name")
        elif name in places and value:
            options.append([name, None])
        else:
            options.append([name, mask_value(spell_option(name), value, words.get(name, ()))])
    return {"options": options, LEFT_OUT: sorted(set(left_out))}


def command_arguments(given_options: GivenOptions, places: Mapping[str, str]) -> list[str]:
    """The arguments of given options; `places` has what stands for the place of each letter."""
    arguments: list[str] = []
    for name, value in given_options["options"]:
        text = places.get(name, TESTDIR) if value is None else value
        if len(name) > 1:
            arguments.append(spell_option(name) + (f"={text}" if text else ""))
        else:
            arguments += [spell_option(name), text] if text else [spell_option(name)]
    return arguments


def spell_option(name: str) -> str:
    """An option as a command line has it."""
    return f"-{name}" if len(name) == 1 else f"--{name}"


_NOT_SHOWN, _STEERED = "Its value may be private, so it is not shown.", "Whatever this option steers."


def values_missing(given_options: GivenOptions) -> list[Missing]:
    """What is said of options whose value is not shown."""
    why = {FURTHER: f"No more than {MOST_OPTIONS} options are kept."}
    return [Missing(name, why.get(name, _NOT_SHOWN), _STEERED) for name in given_options.get(LEFT_OUT, ())]


LAUNCH = Missing(
    "launch line",
    "How processes were started and placed on nodes and cores is not recorded.",
    "Processes on other cores or nodes, and with them every rate.",
)
UNKNOWN_COMMAND = Missing(
    "command line", "The output of this run does not say how the program was started.", "Everything."
)
BUILD = Missing(
    "build", "Compiler, MPI library and options of the build are not recorded.", "Rates of collective and small I/O."
)


def write_recipe(facts: Facts, given_options: GivenOptions | None = None) -> dict[str, Any]:
    """The part of a recipe that follows from the run alone, as docs/reproduce.md has it.

    `given_options` are its options; with None, those that follow from its parameters.
    """
    benchmark = catalogue.find(facts.tool)
    module = benchmark.recipe_module if benchmark else None
    options = _read_again(module, facts, without_withheld(given_options))
    program = module.write_program(facts, options) if module else Program(missing=[UNKNOWN_COMMAND])
    hidden = [Missing(name, _NOT_SHOWN, _STEERED) for name in hidden_variables(program) if name not in program.unknown]
    facts = replace(facts, tasks=facts.tasks or program.processes)
    missing = [*program.missing, *hidden, *_missing_facts(facts)]
    read_again = module.read_options(program) if module else None
    size_data_set: Any = getattr(module, "size_data_set", None)
    is_sized = size_data_set is not None and read_again is not None
    data_set = describe_data_set(size_data_set(facts, read_again)) if is_sized else None
    return {
        "schema": SCHEMA,
        "tool": facts.tool,
        "version": facts.version or None,
        "source": benchmark.descriptor.get("source") if benchmark else None,
        "arguments": program.arguments,
        "commands": [{"step": step, "arguments": arguments} for step, arguments in program.commands.items()],
        "files": [{"path": path, "text": text} for path, text in program.files.items()],
        "options_sha256": options_digest(read_again) if program.is_complete else None,
        "data_set": data_set,
        "variables": _list_variables(facts, program),
        "missing": [item.as_json() for item in missing],
    }


def _read_again(module: Any, facts: Facts, given_options: GivenOptions | None) -> GivenOptions | None:
    """Given options as their own recipe gives them: whatever was stored, a recipe has public values alone.

    None where they have another form than a parser gives them.
    """
    if module is None or given_options is None:
        return None
    try:
        options: GivenOptions | None = module.read_options(module.write_program(facts, given_options))
        names = [name for name in given_options.get(LEFT_OUT, ()) if _LEFT_OUT_NAME.fullmatch(name)]
    except (TypeError, ValueError, LookupError, AttributeError):
        return None
    return None if options is None else {**options, LEFT_OUT: names}


_LEFT_OUT_NAME = re.compile(r"[\w.$ -]{1,100}")


def _list_variables(facts: Facts, program: Program) -> list[dict[str, Any]]:
    """Each variable with its value in the run, as far as that is known and no name."""
    values = {RANKS: facts.tasks, NODES: facts.client_nodes}
    rows = [{"name": name, "meaning": words, "value": values.get(name)} for name, words in VARIABLES.items()]
    return rows + [
        {"name": name, "meaning": program.unknown.get(name, _HIDDEN), "value": None}
        for name in hidden_variables(program)
    ]


_HIDDEN = "A value of the run that may be private, so it is not shown; take your own."


def hidden_variables(program: Program) -> list[str]:
    """The variables in the texts of a program that stand for what is not shown or not known, in their order."""
    arguments = [*(program.arguments or ()), *(word for words in program.commands.values() for word in words)]
    names = (f"${name}" for text in (*arguments, *program.files.values()) for name in _VARIABLE.findall(text))
    return [name for name in dict.fromkeys(names) if name not in VARIABLES]


def without_withheld(given_options: Any) -> Any:
    """The same options without those whose text was withheld when a result was published."""
    if isinstance(given_options, dict):
        return {name: without_withheld(value) for name, value in given_options.items() if value != WITHHELD}
    if isinstance(given_options, list):
        return [without_withheld(item) for item in given_options if not (isinstance(item, list) and WITHHELD in item)]
    return given_options


WITHHELD = "withheld"
"""What stands in anonymous results for a text that may tell who ran it."""


def _missing_facts(facts: Facts) -> Iterable[Missing]:
    if not facts.version:
        yield Missing(
            "version", "The output does not say which version ran.", "Rates, where versions measure otherwise."
        )
    if facts.client_nodes is None:
        yield Missing("number of client nodes", "The run does not say it.", "Every rate: more nodes can do more.")
    if facts.tasks is None:
        yield Missing("number of processes", "The run does not say it.", "Every rate: more processes ask for more.")
    yield LAUNCH
    yield BUILD
