"""What the command line of elbencho tells: settings, and by what two commands are told apart. No path is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from validators.benchmarks.elbencho.phase import Phase
from validators.launcher_output import place

_WORDS = re.compile(r'"([^"]{0,2000})"')
_LONGEST = 8000
_SIZE = re.compile(r"(\d{1,12})([kmgtp]?)", re.IGNORECASE | re.ASCII)
_NAMES = re.compile(r"[\w.,: -]{1,2000}")
_OPTIONS = {
    "--threads": "threads",
    "-t": "threads",
    "--block": "block_size",
    "-b": "block_size",
    "--size": "file_size",
    "-s": "file_size",
    "--iodepth": "io_depth",
    "--files": "files",
    "-n": "dirs",
    "-N": "files",
    "--dirs": "dirs",
    "--timelimit": "time_limit_s",
    "--iterations": "iterations",
    "-i": "iterations",
}
_FLAGS = {"--direct": "direct_io", "--rand": "random_offsets", "--cufile": "gpu_direct", "--gds": "gpu_direct"}
_COUNTED = {"--hosts": "hosts", "--gpuids": "gpus", "--s3endpoints": "s3_endpoints"}
"""Options with a list of which only the number is kept."""
ONLY_IN_COMMAND = ("time_limit_s", "iterations", "gpus", "gpu_direct", "s3_endpoints")
"""Settings that no form of the results has beside the command."""
_VALUED = frozenset({
    *_OPTIONS, *_COUNTED, "--hostsfile", "--resfile", "--csvfile", "--jsonfile", "--livecsv", "--livejson", "--label",
    "--liveint", "--opslog", "--s3key", "--s3secret", "--s3sessiontoken", "--port",
})  # fmt: skip
_ASIDE = _VALUED | _FLAGS.keys() | {"--nolive", "--live1", "--live1n"}
"""Options that change nothing of what is measured, that are shown or counted, or that are secret."""
_NOT_REPEATED = frozenset(("SYNC", "DROPCACHE", "STATDIRS"))
"""Phases that one invocation has several times, between the others."""


_PHASES = {
    "MKDIRS": ("-d", "--mkdirs"),
    "WRITE": ("-w", "--write"),
    "STAT": ("--stat",),
    "READ": ("-r", "--read"),
    "RMFILES": ("-F", "--delfiles"),
    "RMDIRS": ("-D", "--deldirs"),
}
"""Phases of files and folders by the options that ask for them, in the order in which they are run."""
_KNOWN_PHASES = frozenset((*_PHASES, "SYNC", "DROPCACHE", "STATDIRS"))
_SWITCHES = re.compile(r"-[dwrFD]{2,5}")


def words(command: str) -> list[str]:
    return _WORDS.findall(command[:_LONGEST])


def settings(command: str) -> dict[str, str]:
    """What a command sets, under the names and in the bytes of the results.

    What it leaves out has its default, of which nothing is said here.
    """
    values: dict[str, str] = {}
    listed = words(command)
    for word, value in zip(listed, [*listed[1:], ""], strict=False):
        if word in _FLAGS:
            values[_FLAGS[word]] = "true"
        elif word in _COUNTED and _NAMES.fullmatch(value):
            values[_COUNTED[word]] = str(len(value.replace(",", " ").split()))
        elif word in _OPTIONS and (size := _SIZE.fullmatch(value)):
            values[_OPTIONS[word]] = str(int(size[1]) * 1024 ** " kmgtp".index(size[2].lower() or " "))
    return values


def phases_missing(phases: Sequence[Phase]) -> list[str]:
    """Phases that the command asks for and that are not there, where it is of files or folders.

    An output that was cut ends with any phase, and a run that was ended early with the phase that it was in. No phase
    follows one that reached the time limit. A phase that writes has a name for each mixture with reads.
    """
    names = [phase.name for phase in phases]
    requested = set()
    for word in words(phases[0].command):
        requested |= {f"-{letter}" for letter in word[1:]} if _SWITCHES.fullmatch(word) else {word}
    if "--s3endpoints" in requested:
        return []  # buckets and objects have other names
    if any(name.partition("+")[0] not in _KNOWN_PHASES for name in names):
        names.append("WRITE")
    done = {name.partition("+")[0] for name in names}
    expected = [name for name, options in _PHASES.items() if requested.intersection(options)]
    if _is_at_limit(phases[-1]):
        last = max((order for order, name in enumerate(expected) if name in done), default=-1)
        expected = expected[: last + 1]
    if phases[0].config.get("path_type", "dir") != "dir":
        expected = [name for name in expected if name not in ("MKDIRS", "RMDIRS")]
    return [name for name in expected if name not in done]


def _is_at_limit(phase: Phase) -> bool:
    limit, time = settings(phase.command).get("time_limit_s"), phase.value("time", "last_done")
    return limit is not None and time is not None and time >= 1000 * int(limit)


def shape(command: str) -> str:
    """By what two commands are compared, and what is never shown: options that are not among the settings."""
    listed = words(command)[1:]
    compared = []
    for before, word in zip(["", *listed], listed, strict=False):
        if word not in _ASIDE and before not in _VALUED:
            compared.append(place(word) if "/" in word else word)
    return " ".join(compared)


def invocations(phases: Iterable[Phase]) -> Iterator[list[Phase]]:
    """The phases of each invocation, which a file may have several of: elbencho adds to it.

    One ends where a heading or another command stands, and where a phase comes again that was not to be repeated.
    """
    current: list[Phase] = []
    for phase in phases:
        if current and _begins(current, phase):
            yield current
            current = []
        current.append(phase)
    if current:
        yield current


def _begins(current: Sequence[Phase], phase: Phase) -> bool:
    last = current[-1]
    if (phase.invocation, phase.command) != (last.invocation, last.command):
        return True
    if not phase.command or phase.name in _NOT_REPEATED or {"--iterations", "-i"} & set(words(phase.command)):
        return False
    return any(phase.name == other.name for other in current)
