"""The raw output behind a phase: text of IOR, mdtest and find. Only the lines that are needed are looked for.

Shell-era files carry megabytes of one line per rank, so nothing here walks over all lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from validators.launcher_output import options_of

_IOR_VERSION = re.compile(rb"IOR-([\w.+-]{1,40})")
_IOR_OPTION = re.compile(rb"^[ \t]*(api|nodes|tasks|clients per node)\s*[:=]\s*(\S[^\r\n]{0,60})", re.MULTILINE)
_IOR_CLIENTS = re.compile(rb"clients\s*=\s*(\d+) \((\d+) per node\)")
_MDTEST_LAUNCH = re.compile(
    rb"mdtest-([\w.+-]{1,40}) was launched with\s+(\d{1,9}) total task\(s\) on\s+(\d{1,9}) node"
)
_COMMAND = re.compile(rb"^Command line(?: used)?\s*:\s*([^\r\n]{1,4000})", re.MULTILINE)
_FILE_SYSTEM = re.compile(
    rb"^FS\s*:\s*([\d.]+ [A-Za-z]+)\s+Used FS:\s*(\d+(?:\.\d+)?)%\s+Inodes:\s*(-?[\d.]+ [A-Za-z]*)\s*Used Inodes:",
    re.MULTILINE,
)
_PHASE_FOLDER = re.compile(r"/(?:ior|mdtest|mdt)[-_](?:easy|hard)")
_SCALES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_MACHINE = re.compile(rb"^Machine\s*:\s*(\S+)", re.MULTILINE)
_FIXED = re.compile(rb"(?<!\d)\d+\.\d{3}")
_FIND_RATE = re.compile(rb"runtime:\s*([\d.]+)\s+rate:\s*([\d.]+)")

_SUMMARY_LINE = re.compile(rb"^Operation +Max\(MiB\)[^\r\n]{1,400}", re.MULTILINE)
_IOR_BEST = re.compile(rb"^Max (Write|Read): +(\d{1,15}\.\d{1,9}) MiB/sec \((\d{1,15}\.\d{1,9}) MB/sec\)", re.MULTILINE)
_IOR_FINISHED = re.compile(rb"^Finished\s*:\s*(\w{3} \w{3} +\d{1,2} [\d:]{8} \d{4})", re.MULTILINE)
_SECOND_COLUMNS = {b"StdDev": b"StdDev(OPs)"}
"""The name of a column that comes twice, where it comes again."""
MIB_PER_S, MB_PER_S = "best MiB/s", "best MB/s"

MDTEST_ROWS = {
    "write": b"File creation",
    "stat": b"File stat",
    "read": b"File read",
    "delete": b"File removal",
}
HEAD = 64 * 1024
"""Where the preamble of a tool is looked for; launchers may print a line per rank before it."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a tool was started: version, tasks and client nodes as it counted them, command line."""

    version: str = ""
    tasks: int | None = None
    nodes: int | None = None
    procs_per_node: int | None = None
    api: str = ""
    command: str = ""


def _text(match: re.Match[bytes] | None, group: int = 1) -> str:
    return match[group].replace(b"\0", b"?").decode("utf-8", "replace").strip() if match else ""


def _head(content: bytes, anchor: bytes) -> bytes:
    start = max(content.find(anchor), 0)
    return content[start : start + HEAD]


def ior_launch(content: bytes) -> Launch:
    """Version, tasks, nodes and interface from the preamble of an IOR text."""
    head = _head(content, b"IOR-")
    options = {match[1].decode(): _text(match, 2) for match in _IOR_OPTION.finditer(head)}
    clients = _IOR_CLIENTS.search(head)
    return Launch(
        version=_text(_IOR_VERSION.search(head)),
        tasks=_count(options.get("tasks") or _text(clients, 1)),
        nodes=_count(options.get("nodes")),
        procs_per_node=_count(options.get("clients per node") or _text(clients, 2)),
        api=options.get("api", "").split(" ")[0],
        command=_text(_COMMAND.search(head)),
    )


def mdtest_launch(content: bytes) -> Launch:
    """Version, tasks and nodes from "mdtest-V was launched with N total task(s) on M node(s)"."""
    at = content.find(b" was launched with")
    if at < 0:
        return Launch()
    head = content[max(at - 64, 0) : at + HEAD]
    match = _MDTEST_LAUNCH.search(head)
    if match is None:
        return Launch()
    return Launch(_text(match), int(match[2]), int(match[3]), command=_text(_COMMAND.search(head)))


def _count(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else None


def plain_command(command: str) -> str:
    """Without the program's folder and the quotes that mdtest puts around each argument."""
    words = command.replace("'", "").replace('"', "").split()
    return " ".join([words[0].rsplit("/", 1)[-1], *words[1:]]) if words else ""


@lru_cache(maxsize=128)
def option(command: str, letter: str) -> str:
    """The value of an option of IOR or mdtest, the last where it is repeated: `-t 2m`, `-t=2m`; "" without one."""
    return options_of(command, letter).get(letter, "").lstrip("=")


def size_of(text: str) -> int | None:
    """A count or a size as IOR, mdtest and the configuration write it: 2m is 2 MiB; None for anything else."""
    match = re.fullmatch(r"(\d{1,15})([kmgt]?)", text.strip().lower(), re.ASCII)
    return int(match[1]) * _SCALES[match[2]] if match else None


def data_folder(command: str) -> str:
    """The folder below which IOR or mdtest worked; "" where the command line does not tell."""
    target = option(command, "o") if plain_command(command).startswith("ior") else option(command, "d")
    match = _PHASE_FOLDER.search(target)
    return target[: match.start()].rstrip("/") if match else ""


def ior_mib_per_s(content: bytes, operation: str) -> float | None:
    """The bandwidth of the only `write` or `read` of an IOR text in MiB/s, as exactly as it was printed.

    None where the column is of another unit.
    """
    columns = content.rfind(b"\naccess    bw(")
    if columns >= 0 and not content.startswith(b"\naccess    bw(MiB/s)", columns):
        return None
    summed = content.rfind(b"Max " + operation.capitalize().encode() + b":")
    if summed >= 0:
        return _number(content[summed + 10 : summed + 60].split())
    row = content.rfind(b"\n" + operation.encode() + b" ")
    return _number(content[row + 1 + len(operation) : row + 80].split()) if row >= 0 else None


def mdtest_ops_per_s(content: bytes, operation: str) -> float | None:
    """The rate of an mdtest text in operations/s: the first number of the row that belongs to the operation.

    Columns have a fixed width and run together from 1e8 on; all print three decimals, which still tells them apart.
    """
    table = content.find(b"\nSUMMARY")
    row = content.find(MDTEST_ROWS[operation], table) if table >= 0 else -1
    if row < 0:
        return None
    match = _FIXED.search(content[row : row + 160].split(b"\n", 1)[0])
    return float(match[0]) if match else None


def find_rate(content: bytes) -> float | None:
    """Files scanned per second from the first line of find.csv."""
    match = _FIND_RATE.match(content[:200])
    return _number([match[2]]) if match else None


def machine(content: bytes) -> str:
    """The system IOR names as its machine, without the host: Linux, Darwin, ..."""
    return _text(_MACHINE.search(_head(content, b"IOR-")))


def file_system(content: bytes) -> dict[str, str | float]:
    """Size and fill of the file system as IOR or mdtest saw it, {} where they printed none."""
    match = _FILE_SYSTEM.search(content[:HEAD])
    if match is None:
        return {}
    return {
        "file_system_size": _text(match, 1),
        "file_system_used_percent": float(match[2]),
        "inodes": _text(match, 3),
    }


def summed_up(content: bytes, operation: bytes) -> Iterator[tuple[str, bytes, int]]:
    """Name, text and place of each figure of an operation that stands below the row."""
    start = max(content.find(b"\naccess    bw("), 0)
    for match in _IOR_BEST.finditer(content, start):
        if match[1].lower() == operation:
            yield MIB_PER_S, match[2], match.start()
            yield MB_PER_S, match[3], match.start()
    head = _SUMMARY_LINE.search(content, start)
    at = content.find(b"\n" + operation + b" ", head.end()) if head else -1
    if head is None or at < 0:
        return
    columns = head[0].split()
    names = [_SECOND_COLUMNS.get(name, name) if name in columns[:place] else name for place, name in enumerate(columns)]
    cells = content[at + 1 : at + 600].split(b"\n", 1)[0].split()
    if len(names) == len(cells):
        for name, cell in zip(names, cells, strict=True):
            yield name.decode("ascii", "replace"), cell, at + 1


def ior_end(content: bytes) -> re.Match[bytes] | None:
    """When IOR ended, by its own clock."""
    return _IOR_FINISHED.search(content, max(len(content) - HEAD, 0))


def _number(words: list[bytes]) -> float | None:
    try:
        return float(words[0]) if words else None
    except ValueError:
        return None
