"""Tables of lst-survey: the CSV that it writes, and the same on its standard output.

Its columns say MB/s, but it runs lst without --mbs: the figures are MiB/s, as whole numbers. Read is what servers (or
the group named by -g) received, write what they sent. Counts of nodes with errors add up over the rows of a pair.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from validators.bundle import LINE_LIMIT
from validators.distributions import Distribution, summed
from validators.findings import WARNING, Finding
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, printed_number
from validators.reading.accounting import lines_missing
from validators.signs import Sign

MODE = "survey"
MOST_ROWS = 20_000

_CSV_HEAD = re.compile(
    r"^\ufeff?Servers(?P<separator>\W{1,3}|_)Clients(?P=separator)Mode(?P=separator)Read_BW(?P=separator)Read_Rate"
    r"(?P=separator)Write_BW(?P=separator)Write_Rate(?P=separator)Server_Errors(?P=separator)Client_Errors\s*$"
)
_CSV_BYTES = Sign(rb"^(?:\xef\xbb\xbf)?Servers.{1,3}Clients.{1,3}Mode.{1,3}Read_BW", b"Read_BW")
_TEXT_BYTES = Sign(
    rb"^(?:Commence lst-survey - | *Mode +Read MB/s +Read RPC/s +Write MB/S)", b"Commence lst-survey", b"Read RPC/s"
)
_TEXT_ROW = re.compile(
    r"^ *(?P<mode>(?:read|write|rw)[_ ]\w{1,20}|ping) +(?P<receive>\S{1,40}) +(?P<receive_rate>\S{1,40})"
    r" +(?P<send>\S{1,40}) +(?P<send_rate>\S{1,40}) *$"
)
_COMMENCE, _FINISHED = "Commence lst-survey", "Finished lst-survey"
_FAILURE = re.compile(r"^Error: Failed to get all samples|^Failed to create results directory")
_ERRORS = re.compile(r"^(?:Server|Client) Errors: (\d{1,9})")
_COLUMNS = 9
_MODES = frozenset({"read_4k", "read_1m", "write_4k", "write_1m", "ping"})
"""What every survey runs, one after another."""
_FIGURES = (
    ("receive", "bandwidth", "MiB/s"),
    ("receive", "rate", "RPC/s"),
    ("send", "bandwidth", "MiB/s"),
    ("send", "rate", "RPC/s"),
)
_HINT_AGAIN = "Upload the results.*.csv that lst-survey wrote, whole."


@dataclass(slots=True)
class _Row:
    mode: str
    figures: list[str]
    line: int
    context: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Groups:
    """Groups of nodes, numbered as they are met. Of each, which may list thousands of addresses, a digest is kept."""

    numbers: dict[bytes, int] = field(default_factory=dict)
    nodes: int = 0
    current: int = 0

    def __len__(self) -> int:
        return len(self.numbers)

    def meet(self, group: str) -> int:
        """The number of a group, which is the current one from now on."""
        digest = hashlib.sha256(group.encode("utf-8", "surrogatepass")).digest()
        if digest not in self.numbers:
            self.numbers[digest] = len(self.numbers)
            self.nodes += len(group.split())
        self.current = self.numbers[digest]
        return self.current


@dataclass(slots=True)
class _Table:
    """The rows of a survey; groups of servers and clients, which may be several, are known by their number."""

    rows: list[_Row] = field(default_factory=list)
    servers: _Groups = field(default_factory=_Groups)
    clients: _Groups = field(default_factory=_Groups)
    errors: dict[str, int] = field(default_factory=dict)
    begun: int = 0
    finished: int = 0


def is_survey(head: bytes) -> bool:
    return bool(_CSV_BYTES.search(head) or _TEXT_BYTES.search(head))


def read(tool: str, output: Output) -> Run:
    """The run of a table. Raises Refusal where it is cut, failed or empty."""
    table = _table(output)
    run = Run(tool, output.path, mode=MODE)
    several = len(table.servers) > 1 or len(table.clients) > 1
    for row in table.rows:
        run.measurements += _measurements(row, row.context if several else {})
        run.tests.append({"mode": row.mode, **(row.context if several else {})})
    if not any(measurement.value for measurement in run.measurements):
        raise Refusal("no-results", "The survey has no figure.", "Look at the output of lst.sh that it kept.")
    run.parameters = {
        **({"server_nodes": table.servers.nodes, "client_nodes": table.clients.nodes} if table.servers else {}),
        "modes": sorted({row.mode for row in table.rows}),
        **({"error_nodes": table.errors, "nodes_with_errors": sum(table.errors.values())} if table.errors else {}),
    }
    run.distributions = _over_groups(run.measurements) if several else []
    run.findings = list(_notes(tool, run, table.rows))
    return run


def list_printed_rows(run: Run) -> Iterator[tuple[float, ...]]:
    """The figures of each row of a survey, as it printed them."""
    values = [measurement.printed_value for measurement in run.measurements]
    for at in range(0, len(values), len(_FIGURES)):
        yield tuple(values[at : at + len(_FIGURES)])


def has_sessions_in_table(rows: Set[tuple[float, ...]], run: Run) -> bool:
    """Whether sessions are those of a survey: each test has a row with the means of its samples, cut to whole numbers.

    A survey may have cut what it added up as well, which makes a mean smaller by one at most.
    """
    samples: dict[tuple[Any, Any], dict[tuple[str, str, str], list[float]]] = {}
    for measurement in run.measurements if rows else ():
        if measurement.stat == "mean_node":
            figure = (measurement.op, measurement.quantity, measurement.printed_unit)
            context = measurement.context
            of_group = samples.setdefault((context.get("test"), context["group"]), {})
            of_group.setdefault(figure, []).append(measurement.printed_value)
    in_table = {test for (test, _), of_group in samples.items() if _is_a_row(rows, of_group)}
    return bool(in_table) and in_table == {test for test, _ in samples}


def _is_a_row(rows: Set[tuple[float, ...]], samples: Mapping[tuple[str, str, str], list[float]]) -> bool:
    if samples.keys() != set(_FIGURES):
        return False
    means = [int(sum(samples[figure]) / len(samples[figure])) for figure in _FIGURES]
    return any(tuple(row) in rows for row in product(*((mean, mean - 1) for mean in means)))


def _over_groups(measurements: list[Measurement]) -> list[Distribution]:
    """What the pairs of groups of servers and clients did beside one another, in the order of the table."""
    by_metric: dict[tuple[str, str, str], list[Measurement]] = {}
    for measurement in measurements:
        by_metric.setdefault((measurement.context["mode"], measurement.op, measurement.quantity), []).append(
            measurement
        )
    return [
        distribution
        for (mode, op, quantity), pairs in by_metric.items()
        for distribution in summed(
            op,
            quantity,
            "group",
            "groups",
            [pair.printed_value for pair in pairs],
            pairs[0].printed_unit,
            {"mode": mode},
        )
    ]


def _table(output: Output) -> _Table:
    table, separator = _Table(), ""
    for number, line in enumerate(output.lines(LINE_LIMIT), start=1):
        if head := _CSV_HEAD.match(line):
            separator = head["separator"]
            output.ledger.claim()
        elif separator and line.strip():
            output.ledger.claim()
            _take_csv(table, line.split(separator), number)
        elif not separator and _take_text(table, line, number):
            output.ledger.claim()
        if len(table.rows) > MOST_ROWS:
            raise Refusal("too-large", f"The table has more than {MOST_ROWS} rows.", "Upload one survey.", number)
    if table.begun > table.finished or not table.rows:
        raise Refusal("truncated", "The survey ends before its end.", _HINT_AGAIN)
    return table


def _take_csv(table: _Table, cells: list[str], line: int) -> None:
    if len(cells) != _COLUMNS or not cells[-1].strip().isdecimal():
        message = f"A row has {len(cells)} of {_COLUMNS} columns: the survey stopped there, or was cut."
        raise Refusal("truncated", message, _HINT_AGAIN, line)
    servers, clients, mode, *figures = (cell.strip().strip('"') for cell in cells)
    context = {"server_group": table.servers.meet(servers), "client_group": table.clients.meet(clients)}
    table.rows.append(_Row(_mode(mode, line), figures[:4], line, context))
    for name, text in zip(("servers", "clients"), figures[4:], strict=True):
        table.errors[name] = max(table.errors.get(name, 0), int(printed_number(text, line)))


def _mode(text: str, line: int) -> str:
    """The name of a mode, which stands with a blank in some versions: `read 4k` is read_4k."""
    if not re.fullmatch(r"(?:read|write|rw)[_ ]\w{1,20}|ping", text):
        raise Refusal("inconsistent", f"{text[:40]!r} is no mode of lst-survey.", _HINT_AGAIN, line)
    return text.replace(" ", "_")


def _take_text(table: _Table, line: str, number: int) -> bool:
    """Take a line of the standard output; False for one that says nothing of the survey."""
    if row := _TEXT_ROW.match(line):
        figures = [row["receive"], row["receive_rate"], row["send"], row["send_rate"]]
        context = {"server_group": table.servers.current, "client_group": table.clients.current}
        table.rows.append(_Row(_mode(row["mode"], number), figures, number, context))
    elif line.startswith(_COMMENCE):
        table.begun += 1
    elif line.startswith(_FINISHED):
        table.finished += 1
    elif _FAILURE.match(line):
        raise Refusal("run-failed", "lst-survey stopped with a message.", "Look at what lst.sh printed.", number)
    elif errors := _ERRORS.match(line):
        name = "servers" if line.startswith("Server") else "clients"
        table.errors[name] = max(table.errors.get(name, 0), int(errors[1]))
    else:
        return _take_groups(table, line)
    return True


def _take_groups(table: _Table, line: str) -> bool:
    for head, groups in (("Server Group: ", table.servers), ("Client Group: ", table.clients)):
        if line.startswith(head):
            groups.meet(line.removeprefix(head).strip())
            return True
    return False


def _measurements(row: _Row, context: dict[str, int]) -> Iterator[Measurement]:
    for (op, quantity, unit), text in zip(_FIGURES, row.figures, strict=True):
        value = printed_number(text, row.line)
        yield Measurement.printed(op, quantity, "mean_node", value, unit, context={"mode": row.mode, **context})


def _notes(tool: str, run: Run, rows: list[_Row]) -> Iterator[Finding]:
    message = "lst-survey calls its bandwidths MB/s, but has lst print MiB/s; they are taken as MiB/s."
    yield Finding(f"{tool}.printed-MB-is-MiB", WARNING, message, "Quote them as MiB/s.", run.path)
    pairs: dict[str, set[str]] = {}
    for row in rows:
        pairs.setdefault(str(row.context), set()).add(row.mode)
    for modes in pairs.values():
        missing = sorted((set().union(*pairs.values()) | _MODES) - modes)
        if missing:
            yield lines_missing(tool, f"The table has no row for {', '.join(missing)}.", run.path)
            break
    if run.parameters.get("nodes_with_errors"):
        message = "Requests failed on nodes of the session; the rates count what did not fail."
        hint = "Look at the links of the nodes (lst show_error), repeat the test."
        yield Finding(f"{tool}.rpc-errors", WARNING, message, hint, run.path)
