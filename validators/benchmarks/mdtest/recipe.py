"""The recipe of a run of mdtest: its command line with the place of its tree left open."""

from __future__ import annotations

from validators import recipes
from validators.benchmarks.ior.recipe import APIS
from validators.recipes import Facts, GivenOptions, Program
from validators.recipes.data_set import DataSet, parse_size

VALUED = "abdefiIlnNpsVwWxz"
"""Letters of mdtest's options that take a value."""
PLACES = {"d": "$TESTDIR/mdtest", "x": "$TESTDIR/mdtest-stonewall"}


def find_options(command: str) -> GivenOptions | None:
    """What the command line of a run gives; None where there is none."""
    return recipes.command_options(command, VALUED, "dx", {"a": APIS}) if command.strip() else None


def write_program(facts: Facts, given_options: GivenOptions | None) -> Program:
    """The command line; of a result from before options were kept, that of its parameters."""
    command_line = facts.parameters.get("command_line")
    given_options = given_options or find_options(f"mdtest {command_line}" if command_line else "")
    if given_options is None:
        return Program(missing=[recipes.UNKNOWN_COMMAND])
    arguments = ["mdtest", *recipes.command_arguments(given_options, PLACES)]
    return Program(arguments, missing=recipes.values_missing(given_options))


def size_data_set(facts: Facts, given_options: GivenOptions) -> DataSet:
    """Bytes in each file (-w) x files of each process (-n) x processes."""
    values = dict(given_options["options"])
    size, items = parse_size(values.get("w", "0")), parse_size(values.get("n"))
    if size is None or items is None or facts.tasks is None:
        return DataSet(None, "files of each process, their size or the processes are not known")
    product = f"{size} B x {items} files x {facts.tasks} processes"
    return DataSet(size * items * facts.tasks, product + (", or less: it ends by time" if "W" in values else ""))


def read_options(program: Program) -> GivenOptions | None:
    """The options that the arguments give."""
    return None if program.arguments is None else find_options(" ".join(program.arguments))
