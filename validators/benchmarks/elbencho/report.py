"""What elbencho prints, and writes to --resfile: a block for each phase, two figures in each line.

    WRITE       Elapsed time     :        33ms        45ms
                Throughput MiB/s :        1458        1412

Bandwidths are whole MiB/s, or MB/s with --base10. Until 2.1 times stand as `Elapsed ms`, without a unit behind them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from validators.benchmarks.elbencho.command import ONLY_IN_COMMAND, settings
from validators.benchmarks.elbencho.phase import STATS, Phase, named
from validators.outputs import Output, Refusal, printed_number
from validators.signs import Sign

SIGN = Sign(rb"\bOPERATION +RESULT TYPE +FIRST DONE +LAST DONE", b"RESULT TYPE")
FAILED = Sign(
    rb"^\S{0,20} ?ERROR: (?:Unable to open benchmark path|Aborting due to )", b"ERROR: Unable", b"ERROR: Abort"
)
DRY_RUN = Sign(
    rb"^(?:Phase: [A-Z0-9]{1,30}\r?\n)?\* (?:Entries|Bytes) per (?:thread|service|client thread):",
    *(b"* Entries per ", b"* Bytes per "),
)
"""What --dryrun prints: how much would be done."""

_LINE = re.compile(
    r"^(?:\[\d{1,6}\] )?(?P<phase>[A-Z][A-Z0-9_+-]{0,30})? +(?P<kind>[A-Z]\S{0,20}(?: \S{1,20}){0,3}) *:"
    r" +(?P<first>\S{1,40}) +(?P<last>\S{1,40})\s*$"
)
_LATENCY = re.compile(
    r"^(?:\[\d{1,6}\] )? +(?P<what>\S{1,20})(?P<read> rd| wr)? latency +: \[ min=(?P<min>\S{1,20}) "
    r"avg=(?P<mean>\S{1,20}) max=(?P<max>\S{1,20}) \]"
)
_END_OF_PHASE = re.compile(r"^(?:\[\d{1,6}\] )?---\s*$")
_VERSION = re.compile(r"\belbencho version:? +(\d\S{0,20})", re.IGNORECASE)
_RATE = re.compile(r"(?:Dirs|Files|Objects|Buckets|Entries|Obj\w{0,10}|Uploads)/s(?: (?P<side>read|write|total))?")
_TOTAL = re.compile(r"(?:Dirs|Files|Objects|Buckets|Entries|Obj\w{0,10}|Uploads) (?P<side>read|write|total)")
_OLD_TOTAL = re.compile(r"Total (?:dirs|files|objects|buckets|entries)")
_KINDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (_RATE, "rate"),
    (re.compile(r"IOPS(?: (?P<side>read|write|total))?"), "iops"),
    (re.compile(r"(?:Throughput )?(?P<unit>\wi?B/s)(?: (?P<side>read|write|total))?"), "bandwidth"),
    (re.compile(r"Total (?P<unit>\wi?B)|(?P<mixed>\wi?B) (?P<side>read|write)"), "volume"),
    (_TOTAL, "ops"),
    (_OLD_TOTAL, "ops"),
)
_UNITS = {"rate": "ops/s", "iops": "ops/s", "ops": "ops"}
_KNOWN_UNITS = {"bandwidth": ("MiB/s", "MB/s"), "volume": ("MiB", "MB")}
_TIME = re.compile(r"(?:(\d{1,6})h:?)?(?:(\d{1,6})m:?(?!s))?(?:(\d{1,9}(?:\.\d{1,6})?)s)?(?:(\d{1,9})ms)?", re.ASCII)
_DURATION = re.compile(r"([\d.]{1,20})(us|ms|s)", re.ASCII)
_COMMAND = re.compile(r"^COMMAND LINE: (.{1,8000})")
_SWEEP = re.compile(r"Working on (?:\S{0,2000}/)?(\d{1,12})x(\d{1,6})([KMGTP]?)i?B with (\d{1,6}) threads", re.ASCII)
"""What storage_sweep, a script of elbencho's sources, prints before each of its tests: number and size of files."""
_SERVICE = "Service now listening. Port:"
_HINT_AGAIN = "Upload what elbencho printed, or better the file of --jsonfile."


def phases(output: Output) -> Iterator[Phase]:
    """Every phase of the text. Raises Refusal where it failed or was cut."""
    phase: Phase | None = None
    version, command, config, invocation = "", "", dict[str, str](), 0
    for number, line in enumerate(output.lines(), start=1):
        if "ERROR: " in line:
            raise Refusal("run-failed", "elbencho stopped with an error.", "Repair the cause, repeat the run.", number)
        if line.startswith(_SERVICE):
            message = "Services of elbencho print here, too: a phase stands there once for each of them."
            raise Refusal("not-supported", message, "Upload the file of --jsonfile, --csvfile or --resfile.", number)
        if line.startswith("COMMAND LINE: ") and (match := _COMMAND.match(line)):
            output.ledger.claim()
            command = match[1]
            config = {name: value for name, value in settings(command).items() if name not in ONLY_IN_COMMAND}
        elif "ersion" in line and (match := _VERSION.search(line)):
            version = match[1]
            output.ledger.claim()
        elif line.startswith("Working on ") and (match := _SWEEP.match(line)):
            output.ledger.claim()
            config = _sweep(match)
        elif "RESULT TYPE" in line and not phase:
            invocation += 1
        elif phase and "---" in line and _END_OF_PHASE.match(line):
            output.ledger.end()
            yield phase
            phase = None
        elif ":" in line and (figures := _LINE.match(line)):
            if figures["phase"] and figures["phase"] != "OPERATION":
                phase = _begin(phase, figures["phase"], version, number)
                phase.config, phase.command, phase.invocation = dict(config), command, invocation
            if phase and _take(phase, figures, number):
                output.ledger.claim()
        elif phase and (latency := _LATENCY.match(line)):
            output.ledger.claim()
            _take_latency(phase, latency, number)
        elif phase and " lat % us " in line:
            output.ledger.claim()  # percentiles in steps; the file of --jsonfile has them whole
    if phase:
        raise Refusal("truncated", f"{phase.name} ends before its end.", _HINT_AGAIN, phase.line)


def _sweep(match: re.Match[str]) -> dict[str, str]:
    """The settings of a test of storage_sweep, which its name tells."""
    size = int(match[2]) * 1024 ** " KMGTP".index(match[3] or " ")
    return {"sweep_files": match[1], "file_size": str(size), "threads": match[4]}


def _begin(before: Phase | None, name: str, version: str, line: int) -> Phase:
    if before:
        message = f"{before.name} ends without its line of dashes."
        raise Refusal("incomplete", message, _HINT_AGAIN, before.line)
    phase = named(name, line)
    phase.version = version
    return phase


def _take(phase: Phase, line: re.Match[str], number: int) -> bool:
    """Take a line of figures; False for one that is of no known kind."""
    if line["kind"] == "Elapsed ms":
        for stat, name in zip(STATS, ("first", "last"), strict=True):
            phase.add("time", stat, printed_number(line[name], number), "ms")
        return True
    if line["kind"] == "Elapsed time":
        for stat, name in zip(STATS, ("first", "last"), strict=True):
            phase.add("time", stat, _milliseconds(line[name], number), "ms")
        return True
    for pattern, quantity in _KINDS:
        kind = pattern.fullmatch(line["kind"])
        if kind:
            names = kind.groupdict()
            unit = names.get("unit") or names.get("mixed") or _UNITS.get(quantity, "")
            _require_unit(quantity, unit, number)
            side = {"read": "read", "total": "total"}.get(names.get("side") or "", "")
            side = "" if quantity == "ops" and side == "total" else side
            if phase.value(quantity, STATS[0], side) is None:
                for stat, name in zip(STATS, ("first", "last"), strict=True):
                    phase.add(quantity, stat, printed_number(line[name], number), unit, side)
            return True
    return False


def _require_unit(quantity: str, unit: str, line: int) -> None:
    units = _KNOWN_UNITS.get(quantity)
    if units and unit not in units:
        message = f"The unit {unit!r} is none that elbencho prints there."
        raise Refusal("unit-not-understood", message, _HINT_AGAIN, line, " or ".join(units), unit)


def _milliseconds(text: str, line: int) -> float:
    """A time as it is printed, in ms: 33ms, 1.503s, 2m3.4s, 1h:02m:03s."""
    match = _TIME.fullmatch(text)
    if not match or not any(match.groups()):
        raise Refusal("not-a-number", f"{text[:40]!r} is no time.", _HINT_AGAIN, line)
    hours, minutes, seconds, milliseconds = (float(group or 0) for group in match.groups())
    return round(((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds, 3)


def _take_latency(phase: Phase, match: re.Match[str], line: int) -> None:
    quantity = "latency" if match["what"] == "IO" else "entry_latency"
    for stat in ("min", "mean", "max"):
        duration = _DURATION.fullmatch(match[stat])
        if not duration:
            raise Refusal("not-a-number", f"{match[stat]!r} is no time.", _HINT_AGAIN, line)
        side = "read" if match["read"] == " rd" else ""
        phase.add(quantity, stat, printed_number(duration[1], line), duration[2], side)
