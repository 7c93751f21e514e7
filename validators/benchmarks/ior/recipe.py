"""The recipe of a run of IOR: its command line with the place of its files left open."""

from __future__ import annotations

import re

from validators import recipes
from validators.benchmarks.ior.settings import VALUED
from validators.recipes import Facts, GivenOptions, Missing, Program
from validators.recipes.data_set import DataSet, parse_size

PLACES = {"o": "$TESTDIR/ior", "f": "$TESTDIR/script"}
_APIS = (
    "posix mpiio hdf5 hdfs s3 s3_emc s3-libs3 ncmpi dfs daos rados cephfs mmap aio gfarm ime pmdk dummy "
    "finchfs chfs libnfs beegfs"
)
APIS = frozenset(_APIS.split())
"""Interfaces of IOR and mdtest, in lower case."""
PACKETS = frozenset({"timestamp", "offset", "incompressible", "random", "t", "o", "i", "r"})
_WORDS = {"a": APIS, "l": PACKETS, "dataPacketType": PACKETS}
_REPORT = re.compile(r"(?<=-O )summary(?:File|Format)=[^ ,]{1,400},?|,summary(?:File|Format)=[^ ,]{1,400}")
"""Directives that say where and in which form to report, and change nothing of what is measured."""
_SCRIPT = Missing("script", "Tests were set by a script (-f), which the output does not hold.", "What is measured.")


def find_options(command: str) -> GivenOptions | None:
    """What the command line of a run gives; None where there is none."""
    if not command.strip():
        return None
    given_options = recipes.command_options(_REPORT.sub("", command), VALUED, "of", _WORDS)
    given_options["options"] = [option for option in given_options["options"] if option != ["O", ""]]
    return given_options


def write_program(facts: Facts, given_options: GivenOptions | None) -> Program:
    """The command line; of a result from before options were kept, that of its parameters."""
    given_options = given_options or find_options(_stored_command(facts))
    if given_options is None:
        return Program(missing=[recipes.UNKNOWN_COMMAND])
    missing = recipes.values_missing(given_options)
    if any(name == "f" for name, _ in given_options["options"]):
        missing.append(_SCRIPT)
    return Program(["ior", *recipes.command_arguments(given_options, PLACES)], missing=missing)


def read_options(program: Program) -> GivenOptions | None:
    """The options that the arguments give."""
    return None if program.arguments is None else find_options(" ".join(program.arguments))


def size_data_set(facts: Facts, given_options: GivenOptions) -> DataSet:
    """Block size x segments x processes. A run that ends by time (-D) may write less."""
    values = dict(given_options["options"])
    if "f" in values:
        return DataSet(None, "a script sets the sizes of several tests")
    block, segments = parse_size(values.get("b", "1m")), parse_size(values.get("s", "1"))
    if block is None or segments is None or facts.tasks is None:
        return DataSet(None, "block size, segments or processes are not known")
    product = f"block of {block} B x {segments} segments x {facts.tasks} processes"
    return DataSet(block * segments * facts.tasks, product + (", or less: it ends by time" if "D" in values else ""))


def _stored_command(facts: Facts) -> str:
    """The command line as results show it, `-a ... -t 1m -o ...`, with what other parameters say of the dots."""
    command = str(facts.parameters.get("command_line", ""))
    return f"ior {command.replace('-a ...', '-a ' + str(facts.parameters.get('api', '...')))}" if command else ""
