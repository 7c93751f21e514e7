"""The recipe of a run of elbencho: its command line, with places, hosts and keys left open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from validators import recipes
from validators.benchmarks.elbencho.command import words
from validators.recipes import HOSTS, LEFT_OUT, TESTDIR, Facts, GivenOptions, Missing, Program
from validators.recipes.data_set import DataSet, parse_size

PATH = "path"
"""Under which the options name a place that was tested; its value is None."""
_LONGEST = 8000
_LONG = {
    "-c": "configfile", "-t": "threads", "-b": "block", "-s": "size", "-n": "dirs", "-N": "files", "-i": "iterations",
    "-d": "mkdirs", "-w": "write", "-r": "read", "-F": "delfiles", "-D": "deldirs",
}  # fmt: skip
_VALUED_TEXT = (
    "threads block size dirs files iterations iodepth timelimit rwmixpct rwmixthr rwmixthrpct limitread "
    "limitwrite phasedelay rotatehosts rankoffset datasetthreads blockvarpct blockvaralgo randalgo randamount "
    "verify zones cores numhosts"
)
_VALUED = frozenset(_VALUED_TEXT.split())
_FLAGS_TEXT = (
    "mkdirs write read delfiles deldirs stat direct rand randalign lat lathisto latpercent sync dropcache "
    "trunc trunctosize preallocfile norandalign strided dirsharing nodelerr infloop mmap cufile gds gdsbufreg "
    "cuhostbufreg cufiledriveropen gpuperservice backward nofdsharing nosvcshare nodiocheck nopathexp "
    "statinline readinline verifydirect"
)
_FLAGS = frozenset(_FLAGS_TEXT.split())
_REPORTS_TEXT = "nolive live1 live1n nocsvlabels no0usecerr allelapsed cpu dirstats livecsvex livejsonex opsloglock"
_REPORTS = frozenset(_REPORTS_TEXT.split())
_REPORTS_VALUED_TEXT = "resfile csvfile jsonfile livecsv livejson label liveint opslog log latpercent9s"
_REPORTS_VALUED = frozenset(_REPORTS_VALUED_TEXT.split())
_PRIVATE_TEXT = (
    "hostsfile treefile netdevs gpuids configfile clients clientsfile servers serversfile port svcpwfile s3key "
    "s3secret s3sessiontoken s3endpoints s3region s3credfile s3credlist s3objprefix s3sseckey s3ssekmskey "
    "s3logprefix"
)
_PRIVATE = frozenset(_PRIVATE_TEXT.split())
"""Options with a value that is never shown, whatever it is."""
_SWITCHES = re.compile(r"-[dwrFD]{2,5}")
_ALGORITHMS_TEXT = "fast balanced balanced_single strong"
_ALGORITHMS = frozenset(_ALGORITHMS_TEXT.split())
_DEVICE = Missing(
    "block device",
    "The run named a device; the recipe names a file in $TESTDIR, as it must not overwrite a device.",
    "Every rate: a file has a file system below it.",
)
_UNKNOWN = "an option that is not known here"


def find_options(command: str) -> GivenOptions | None:
    """What the quoted words of a command give; None without a command, and for one that was cut."""
    if not command.strip() or len(command) > _LONGEST or command.count('"') % 2:
        return None
    listed = words(command)
    return _read_words(listed[1:]) if listed else None


def _read_words(listed: Sequence[str]) -> GivenOptions:
    options: list[list[str | None]] = []
    places: list[list[str | None]] = []
    left_out: set[str] = set()
    pairs = list(_pairs(listed))
    if len(pairs) > recipes.MOST_OPTIONS:
        left_out.add(recipes.FURTHER)
    for name, value in pairs[: recipes.MOST_OPTIONS]:
        if name == PATH:
            places.append([name, None])
        elif name == "hosts" and value:
            options.append([name, None])
        elif name in _FLAGS:
            options.append([name, ""])
        elif name in _VALUED and value and recipes.is_public(value, _ALGORITHMS):
            options.append([name, value])
        elif name not in _REPORTS and name not in _REPORTS_VALUED:
            left_out.add(name if name in _VALUED | _PRIVATE else _UNKNOWN)
    return {"options": [*options, *places], LEFT_OUT: sorted(left_out)}


def _pairs(listed: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each option with its value, and each place."""
    place = 0
    while place < len(listed):
        word, place = listed[place], place + 1
        following = listed[place] if place < len(listed) and not listed[place].startswith("-") else ""
        if not word.startswith("-"):
            yield PATH, ""
        elif _SWITCHES.fullmatch(word):
            yield from ((_LONG[f"-{letter}"], "") for letter in word[1:])
        elif word[:2] in _LONG and len(word) > 2:
            yield _LONG[word[:2]], word[2:]
        else:
            name, separator, value = _LONG.get(word, word.lstrip("-")).partition("=")
            takes = not separator and name not in _FLAGS and name not in _REPORTS
            if name not in _VALUED | _REPORTS_VALUED | _PRIVATE | {"hosts"}:
                takes = takes and "/" not in following
            yield name, following if takes else value
            place += bool(takes and following)


def write_program(facts: Facts, given_options: GivenOptions | None) -> Program:
    """The command line; without one, nothing is known: tables say less than a command needs."""
    if given_options is None:
        return Program(missing=[recipes.UNKNOWN_COMMAND])
    path_type = str(facts.parameters.get("path_type", ""))
    arguments, number = ["elbencho"], 0
    for name, value in given_options["options"]:
        if name == PATH:
            number += 1
        elif value is None:
            arguments += [f"--{name}", HOSTS]
        else:
            arguments += [f"--{name}", value] if value else [f"--{name}"]
    arguments += (
        [TESTDIR] if (path_type, number) == ("dir", 1) else [_place(path_type, n) for n in range(1, number + 1)]
    )
    missing = recipes.values_missing(given_options)
    missing += [_DEVICE] if path_type == "blockdev" else []
    return Program(arguments, missing=missing)


def _place(path_type: str, number: int) -> str:
    if path_type == "object":
        return f"$BUCKET_{number}"
    return f"{TESTDIR}/{'file' if path_type in ('file', 'blockdev') else 'dir'}{number}"


def read_options(program: Program) -> GivenOptions | None:
    """The options that the arguments give."""
    return None if program.arguments is None else _read_words(program.arguments[1:])


def size_data_set(facts: Facts, given_options: GivenOptions) -> DataSet:
    """Of files, their size x their number; of folders, size x files x folders x threads x hosts."""
    values = {name: value for name, value in given_options["options"] if name != PATH}
    places = sum(name == PATH for name, _ in given_options["options"])
    size = parse_size(values.get("size"))
    if facts.parameters.get("path_type") == "file" and size is not None:
        return DataSet(size * places, f"{size} B x {places} files")
    counts = [parse_size(values.get(name)) for name in ("files", "dirs", "threads")]
    if (
        "dirsharing" in values
        or size is None
        or None in counts
        or facts.client_nodes is None
        or facts.parameters.get("path_type") != "dir"
    ):
        return DataSet(None, "size, files, folders, threads or hosts are not known")
    total = size * facts.client_nodes
    for count in counts:
        total *= count or 0
    files, dirs, threads = counts
    how = f"{size} B x {files} files x {dirs} folders x {threads} threads x {facts.client_nodes} hosts"
    return DataSet(total, how)
