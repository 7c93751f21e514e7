"""Sessions of LNet self-test: blocks of rates and bandwidth for each group, sample by sample, and what lst.sh says.

    [LNet Bandwidth of clients]
    [R] Avg: 870.79   MB/s  Min: 857.72   MB/s  Max: 883.85   MB/s

Old releases put W before R, print one blank, and say MB/s of what they divided by 2^20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from validators.findings import ERROR, INFO, WARNING, Finding
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, printed_number
from validators.reading.accounting import Ledger
from validators.signs import Sign

MOST_MEASUREMENTS = 60_000
MOST_SESSIONS = 2_000
LONGEST_LINE = 64 * 1024
"""Of characters: lst.sh prints the addresses of all nodes of a group in one line."""

_BLOCK = re.compile(r"\[LNet (?P<kind>Rates|Bandwidth) of (?P<group>[^\]\s]{1,80})\]")
_SIDE = re.compile(r"\[(?P<side>[RW])\] *(?P<rest>(?:Avg|Min|Max)?:?.{0,300})$")
_FIGURE = re.compile(r"(?P<stat>Avg|Min|Max): *(?P<value>\S{1,60})(?: +(?P<unit>[^\s:]{1,20}))?(?: +|$)")
_START = re.compile(r"Start LST (?P<mode>\w{1,20}) - ")
_END = re.compile(r"Stop LST \w{1,20} - |session is ended")
_TEST = re.compile(r"(?:Test:|add_test) (?P<options>.{1,2000})")
_STAT = re.compile(r"(?:Stat:|lst stat) (?P<options>.{1,2000})")
_WORDS_OF_A_SESSION = ("[LNet ", "Test:", "add_test", "Stat:", "lst stat", "Adding ")
"""Behind the end of a session they are of the next, which was begun by hand."""
_ADDING = re.compile(r"Adding (?P<group>clients|servers): (?P<nids>\S.{0,60000})")
_ERROR_NODES = re.compile(r"Total (?P<nodes>\d{1,9}) error nodes in (?P<group>\S{1,80})")
_ERROR_COUNTS = re.compile(
    r"\[(?:Session|RPC:) (?P<counts>\d[^\]]{0,100})\]|RPC failure, can't|Framework failure, can't"
)
_LOST = re.compile(r"Failed to stat on (?P<nodes>\d{1,9}) nodes")
_CHANGED = "Group is changed"
_FAILURE = re.compile(
    r"Failed to stat (?!on \d)|new_session failed|Can't find env LST_SESSION|lnet-selftest module is not loaded"
    r"|Failed to (?:create|add|join|discover|determine|load|run|start|open) |Can't open /dev/lnet"
)
_SIGNS_OF_FAILURE = ("ailed", "Can't", "not loaded")
_SIGNS = (
    Sign(rb"\[LNet (?:Rates|Bandwidth) of [^\]\s]{1,80}\]", b"[LNet "),
    Sign(rb"^.{0,60}\bStart LST \w{1,20} - ", b"Start LST "),
    Sign(
        rb"^LST_SESSION ?=|^(?:lnet-selftest module is not loaded|Can't find env LST_SESSION)",
        *(b"LST_SESSION", b"lnet-selftest module is not loaded"),
    ),
)
_STATS = {"Avg": "mean_node", "Min": "min_node", "Max": "max_node"}
_OPS = {"R": "receive", "W": "send"}
_KINDS = {"Rates": ("rate", ("RPC/s",)), "Bandwidth": ("bandwidth", ("MiB/s", "MB/s"))}
_HINT_AGAIN = "Upload the whole output of lst.sh, or of lst stat."
_ROUNDING = 0.011
_SINGLE_PRECISION = 1e-6
"""lst adds and divides in single precision, and prints two digits."""


@dataclass(slots=True)
class _Block:
    """One group in one sample: rates or bandwidth, and how many of the lines under its head are whole."""

    kind: str
    group: str
    sample: int
    line: int
    lines: int = 0
    is_cut: bool = False


@dataclass(slots=True)
class _Session:
    """What one run of lst.sh, or one `lst stat`, printed. `said` is what it told, by code, and on which line first."""

    path: str
    ledger: Ledger = field(default_factory=Ledger)
    mode: str = ""
    line: int = 1
    is_ended: bool = False
    stat_options: str = ""
    has_padded_label: bool = False
    tests: list[dict[str, Any]] = field(default_factory=list)
    nodes: dict[str, int] = field(default_factory=dict)
    networks: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    block: _Block | None = None
    lines_of_block: int = 0
    stats_of_line: tuple[str, ...] = ()
    samples: dict[tuple[str, str], int] = field(default_factory=dict)
    error_nodes: dict[str, int] = field(default_factory=dict)
    measurements: list[Measurement] = field(default_factory=list)
    line_by_word: dict[str, int] = field(default_factory=dict)

    def say(self, word: str, line: int) -> None:
        self.line_by_word.setdefault(word, line)


def is_session(head: bytes) -> bool:
    return any(sign.search(head) for sign in _SIGNS)


def read(tool: str, output: Output) -> list[Run]:
    """The sessions of one output, each with its lines; those of one survey are one run.

    Raises Refusal for figures that can't be read.
    """
    sessions = list(_sessions(output))
    surveys = _divide_into_surveys(sessions)
    runs = [_run(tool, session) for session in sessions]
    for run, ledger in zip(runs, output.ledger.list_runs(), strict=True):
        run.lines = (ledger.first, ledger.last) if len(runs) > 1 and ledger.first else None
    return [_merged(tool, runs[first:last]) if last - first > 1 else runs[first] for first, last in surveys]


def _divide_into_surveys(sessions: list[_Session]) -> list[tuple[int, int]]:
    """First and behind the last of the sessions that are one run: each alone, or all of a survey.

    A survey, as lst-survey runs it, has the same nodes and statistics, and no test twice. Where several stand in a
    file, they have the same tests: else nothing tells where one ends.
    """
    begins: list[int] = []
    tests: list[list[str]] = []
    for at, session in enumerate(sessions):
        before, test = sessions[at - 1], str(session.tests)
        same = (session.stat_options, session.nodes) == (before.stat_options, before.nodes)
        if not begins or not same or not session.stat_options or test in tests[-1]:
            begins.append(at)
            tests.append([])
        tests[-1].append(test)
    if any(of_survey != tests[0] for of_survey in tests):
        begins = list(range(len(sessions)))
    return list(pairwise([*begins, len(sessions)]))


def _merged(tool: str, runs: list[Run]) -> Run:
    """One run of all sessions of a survey; `test` tells which of them a figure is of."""
    merged = Run(tool, runs[0].path, mode="sweep")
    spans = [run.lines for run in runs if run.lines]
    merged.lines = (spans[0][0], spans[-1][1]) if spans else None
    for number, run in enumerate(runs):
        merged.measurements += [
            replace(measurement, context={"test": number, **measurement.context}) for measurement in run.measurements
        ]
        merged.tests += [{"test": number, **test} for test in run.tests]
        codes = {finding.code for finding in merged.findings}
        merged.findings += [finding for finding in run.findings if finding.code not in codes]
    first = runs[0].parameters
    merged.parameters = {
        name: value for name, value in first.items() if all(run.parameters.get(name) == value for run in runs)
    }
    errors = [run.parameters["nodes_with_errors"] for run in runs if "nodes_with_errors" in run.parameters]
    merged.parameters |= {"nodes_with_errors": sum(errors)} if errors else {}
    message = f"{len(runs)} sessions of one survey stand in the file; each is a test of the run."
    merged.findings.append(Finding(f"{tool}.several-documents", INFO, message, "", merged.path))
    return merged


def _sessions(output: Output) -> Iterator[_Session]:
    session, figure_count, session_count = _Session(output.path, output.ledger), 0, 1
    for number, line in enumerate(output.lines(LONGEST_LINE), start=1):
        if not line:
            continue
        start = _START.search(line)
        if start or (session.is_ended and any(word in line for word in _WORDS_OF_A_SESSION)):
            if session.mode or session.block:
                output.ledger.begin_run()
                yield session
                figure_count += len(session.measurements)
                session_count += 1
            session = _Session(output.path, output.ledger, mode=start["mode"] if start else "", line=number)
        if start:
            output.ledger.claim()
        else:
            _take(session, line, number)
        if figure_count + len(session.measurements) > MOST_MEASUREMENTS or session_count > MOST_SESSIONS:
            message = f"The output has more than {MOST_MEASUREMENTS} figures, or {MOST_SESSIONS} sessions."
            raise Refusal("too-large", message, "Upload fewer samples: lst stat --count.", number)
    yield session


def _take(session: _Session, line: str, number: int) -> None:
    if block := _BLOCK.search(line):
        session.ledger.claim()
        _begin_block(session, block, number)
    elif session.block and (side := _SIDE.search(line)):
        session.ledger.claim()
        session.measurements += _side(session, session.block, side, number)
    elif lost := _LOST.search(line):
        session.ledger.claim()
        if int(lost["nodes"]):
            session.say("node-lost", number)
    elif total := _ERROR_NODES.search(line):
        session.ledger.claim()
        name = _group_name(session, total["group"])
        session.error_nodes[name] = session.error_nodes.get(name, 0) + int(total["nodes"])
        if int(total["nodes"]):
            session.say("rpc-errors", number)
    elif "rror" in line and (counts := _ERROR_COUNTS.search(line)):
        session.ledger.claim()
        if counts["counts"] is None or re.search(r"[1-9]", counts["counts"]):
            session.say("rpc-errors", number)
    elif _CHANGED in line:
        session.say("group-changed", number)
    elif any(word in line for word in _SIGNS_OF_FAILURE) and _FAILURE.search(line):
        session.say("run-failed", number)
    elif "LST" in line or "session" in line:
        if " added to session" in line:
            session.ledger.claim()  # which nodes take part: they are counted where lst.sh adds them
        if _END.search(line):
            session.is_ended = True
            session.ledger.end()
    else:
        _take_setting(session, line)


def _take_setting(session: _Session, line: str) -> None:
    if ("Test:" in line or "add_test" in line) and (test := _TEST.search(line)):
        session.ledger.claim()
        if len(session.tests) < 100:
            session.tests.append(_test(test["options"]))
    elif ("Stat:" in line or "lst stat" in line) and (stat := _STAT.search(line)):
        session.stat_options = stat["options"]
        session.ledger.claim()
    elif adding := _ADDING.search(line):
        session.ledger.claim()
        nids = adding["nids"].split()
        if not any("[" in nid or "*" in nid for nid in nids):
            session.nodes[adding["group"]] = len(nids)
        session.networks |= {network for nid in nids if (network := _network(nid))}


def _network(nid: str) -> str:
    """The kind of network of a NID, without its number: 10.0.0.1@o2ib3 -> o2ib."""
    match = re.fullmatch(r"[^@]{1,200}@([a-z]\w{0,10}?)\d{0,5}", nid)
    return match[1] if match else ""


def _test(options: str) -> dict[str, Any]:
    """What a test does, of its options: mode, size, concurrency, distribution, loops, data check."""
    words = options.split()
    values = dict(pairwise(words))
    pairs = dict(word.split("=", 1) for word in words if "=" in word)
    mode = values.get("brw") if "brw" in words else "ping" if "ping" in words else None
    settings = {
        "mode": mode,
        "size": pairs.get("size"),
        "concurrency": _integer(values.get("--concurrency")),
        "distribute": values.get("--distribute"),
        "loop": _integer(values.get("--loop")),
        "check": pairs.get("check"),
        "offset": pairs.get("off"),
    }
    return {name: value for name, value in settings.items() if value is not None and len(str(value)) <= 20}


def _integer(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?\d{1,9}", text, re.ASCII) else None


def _group_name(session: _Session, name: str) -> str:
    """The name of a group; a NID, which lst takes for a group too, becomes a number."""
    if re.fullmatch(r"[A-Za-z][\w-]{0,31}", name):
        return name
    return session.names.setdefault(name, f"node {len(session.names) + 1}")


def _begin_block(session: _Session, block: re.Match[str], number: int) -> None:
    if session.block and _is_short(session, session.block):
        session.say("incomplete", session.block.line)
    name = _group_name(session, block["group"])
    sample = session.samples.get((block["kind"], name), 0)
    session.samples[block["kind"], name] = sample + 1
    session.block = _Block(block["kind"], name, sample, number)


def _is_short(session: _Session, block: _Block) -> bool:
    """Whether a block that ended lacks lines; the first one tells how many there are: R, W or both."""
    session.lines_of_block = session.lines_of_block or block.lines
    return block.is_cut or block.lines != max(session.lines_of_block, 1)


def _side(session: _Session, block: _Block, side: re.Match[str], number: int) -> Iterator[Measurement]:
    """The figures of a line. Raises Refusal for one that is no number, or has another unit than lst prints."""
    figures = list(_FIGURE.finditer(side["rest"]))
    quantity, units = _KINDS[block.kind]
    stats = tuple(figure["stat"] for figure in figures)
    session.stats_of_line = session.stats_of_line or stats
    if _is_cut(figures, units) or stats != session.stats_of_line or _FIGURE.sub("", side["rest"]).strip():
        block.is_cut = True
        return
    block.lines += 1
    session.has_padded_label |= "MB/s  " in side["rest"]
    values = {}
    for figure in figures:
        value, unit = printed_number(figure["value"], number), figure["unit"]
        if unit not in units:
            message = f"The unit {unit!r} is none that lst prints for {block.kind.lower()}."
            raise Refusal("unit-not-understood", message, _HINT_AGAIN, number, " or ".join(units), unit)
        values[figure["stat"]] = value
        context = {"group": block.group, "sample": block.sample}
        yield Measurement.printed(_OPS[side["side"]], quantity, _STATS[figure["stat"]], value, unit, context=context)
    ordered = [values[stat] for stat in ("Min", "Avg", "Max") if stat in values]
    if any(high < low * (1 - _SINGLE_PRECISION) - _ROUNDING for low, high in pairwise(ordered)):
        session.say("inconsistent", number)


def _is_cut(figures: list[re.Match[str]], units: tuple[str, ...]) -> bool:
    """Whether the last figure of a line lacks its unit, or the end of it."""
    if not figures:
        return True
    unit = figures[-1]["unit"]
    return unit is None or (unit not in units and any(full_unit.startswith(unit) for full_unit in units))


def _run(tool: str, session: _Session) -> Run:
    run = Run(tool, session.path, mode=session.mode, measurements=session.measurements, tests=session.tests)
    run.parameters = _parameters(session)
    _weigh(session)
    for word, line in session.line_by_word.items():
        level, message, hint = _TEXTS_BY_CODE[word]
        run.findings.append(Finding(f"{tool}.{word}", level, message, hint, f"{session.path}:{line}"))
    return run


def _parameters(session: _Session) -> dict[str, Any]:
    shared = {
        name: value
        for name, value in (session.tests[0] if session.tests else {}).items()
        if all(test.get(name) == value for test in session.tests)
    }
    counted = re.search(r"--(?:count|o)[ =](\d{1,9})\b", session.stat_options)
    delay = re.search(r"(?:--delay|-d)[ =](\d{1,9})\b", session.stat_options)
    return {
        **shared,
        **({"mode": session.mode} if session.mode else {}),
        **{f"{group.removesuffix('s')}_nodes": count for group, count in session.nodes.items()},
        **({"networks": sorted(session.networks)} if session.networks else {}),
        **({"samples": max(session.samples.values())} if session.samples else {}),
        **({"samples_asked": int(counted[1])} if counted else {}),
        **({"sample_delay_s": int(delay[1])} if delay else {}),
        **(
            {"error_nodes": session.error_nodes, "nodes_with_errors": sum(session.error_nodes.values())}
            if session.error_nodes
            else {}
        ),
    }


def _weigh(session: _Session) -> None:
    """What the end of a session, its options and all of its figures say together."""
    short = session.block is not None and _is_short(session, session.block)
    end = session.block.line if session.block else session.line
    match = re.search(r"--count[ =](\d{1,9})\b", session.stat_options)
    if session.mode and not session.is_ended:
        session.say("truncated", end)
    elif short:
        session.say("incomplete" if session.is_ended else "truncated", end)
    elif match and session.samples and min(session.samples.values()) < int(match[1]) and not session.line_by_word:
        session.say("incomplete", end)
    if "run-failed" not in session.line_by_word and not any(measurement.value for measurement in session.measurements):
        session.say("no-results", end)
    labelled = any(measurement.printed_unit == "MB/s" for measurement in session.measurements)
    if labelled and "--mbs" not in session.stat_options and not session.has_padded_label:
        session.say("unit-label-ambiguous", end)


_TEXTS_BY_CODE: dict[str, tuple[str, str, str]] = {
    "node-lost": (
        WARNING,
        "A node did not answer; means, minima and maxima leave it out.",
        "Look at the network of the nodes, repeat the test.",
    ),
    "rpc-errors": (
        WARNING,
        "Requests failed on a node of the session; the rates count what did not fail.",
        "Look at the links of the nodes (lst show_error), repeat the test.",
    ),
    "group-changed": (
        WARNING,
        "The group changed while it was measured; figures before and after are of other nodes.",
        "Repeat lst stat.",
    ),
    "unit-label-ambiguous": (
        WARNING,
        "MB/s may be 10^6 or 2^20 B/s: old releases print this label for MiB/s, new ones with --mbs for 10^6.",
        "Upload the output of lst.sh, which says what it asked for, or use lst of Lustre 2.12 or later.",
    ),
    "run-failed": (ERROR, "lst or lst.sh stopped with a message.", "Repair the cause, repeat the test."),
    "truncated": (ERROR, "The session ends before its end.", _HINT_AGAIN),
    "incomplete": (ERROR, "A sample lacks figures that the others have, or samples that were asked for.", _HINT_AGAIN),
    "inconsistent": (
        ERROR,
        "The mean of the nodes is not between the slowest and the fastest.",
        "The output was edited. " + _HINT_AGAIN,
    ),
    "no-results": (ERROR, "Nothing was sent or received.", "Run the batch (lst run) before lst stat."),
}
"""What is said of a session, by the last word of the code."""
