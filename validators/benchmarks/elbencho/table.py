"""The file of --csvfile: a row for each phase. Its last column, the command, has quotes that are not escaped.

No other column has a comma or quotes, so rows are split at commas, as often as the head has columns. Bandwidths are
whole MiB/s. The command of many hosts may be long; nothing here searches in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from validators.benchmarks.elbencho.phase import STATS, Phase, named
from validators.bundle import LINE_LIMIT
from validators.outputs import Output, Refusal, printed_number
from validators.signs import Sign

SIGN = Sign(rb"^(?:\xef\xbb\xbf)?ISO date,label,path type,paths,hosts,threads,", b"ISO date,label,")
LIVE = Sign(rb"^(?:ISO Date,)?Label,Phase,RuntimeMS,Rank,MixType,Done%,", b"Label,Phase,RuntimeMS,")
"""The head of --livecsv, which has what was done so far, not results."""

_FIGURES = (
    ("MiB/s", "bandwidth", "MiB/s"),
    ("IOPS", "iops", "ops/s"),
    ("entries/s", "rate", "ops/s"),
    ("MiB", "volume", "MiB"),
    ("entries", "ops", "ops"),
    ("time ms", "time", "ms"),
)
_LATENCIES = (("IO lat us", "latency"), ("Ent lat us", "entry_latency"))
_LATENCY_STATS = (("min", "min"), ("avg", "mean"), ("max", "max"))
_CONFIG = {
    "path type": "path_type",
    "paths": "paths",
    "hosts": "hosts",
    "threads": "threads",
    "dirs": "dirs",
    "files": "files",
    "file size": "file_size",
    "block size": "block_size",
    "IO depth": "io_depth",
}
_FLAGS = {"direct IO": "direct_io", "random": "random_offsets", "random aligned": "random_aligned"}
_FLAGS |= {"truncate": "truncate_files"}
_HINT_AGAIN = "Upload the file that --csvfile named, as elbencho wrote it."


def phases(output: Output) -> Iterator[Phase]:
    """Every phase of the table. Raises Refusal for a row that is cut."""
    head: list[str] = []
    for number, line in enumerate(output.lines(LINE_LIMIT), start=1):
        if line.lstrip("\ufeff").startswith("ISO date,label,"):
            head = line.lstrip("\ufeff").split(",")
        elif head and line.strip():
            cells = line.split(",", len(head) - 1)
            if len(cells) != len(head):
                message = f"A row has {len(cells)} of {len(head)} columns."
                raise Refusal("truncated", message, _HINT_AGAIN, number)
            yield _phase(dict(zip(head, cells, strict=True)), number)


def _phase(cells: dict[str, str], line: int) -> Phase:
    phase = named(cells.get("operation", ""), line)
    phase.version = cells.get("version", "")[:40]
    phase.command = cells.get("command", "")
    phase.config = {name: cells[column][:40] for column, name in _CONFIG.items() if cells.get(column)}
    for column, name in _FLAGS.items():
        if cells.get(column) in ("0", "1"):
            phase.config[name] = "true" if cells[column] == "1" else "false"
    for side, prefix in (("", ""), ("read", "rwmix read ")):
        for column, quantity, unit in _FIGURES:
            for stat, which in zip(STATS, ("first", "last"), strict=True):
                _add(phase, quantity, stat, cells.get(f"{prefix}{column} [{which}]"), unit, side, line)
        for column, quantity in _LATENCIES:
            for name, stat in _LATENCY_STATS:
                _add(phase, quantity, stat, cells.get(f"{prefix}{column} [{name}]"), "us", side, line)
    return phase


def _add(phase: Phase, quantity: str, stat: str, text: str | None, unit: str, side: str, line: int) -> None:
    if text:
        phase.add(quantity, stat, printed_number(text, line), unit, side)
