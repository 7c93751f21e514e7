"""Tables with a row for each rank, beside the output of IOR or mdtest: a spread of each operation and iteration.

A table belongs to the only run in its folder, if it has a row for each of its tasks. It has no numbers of iterations:
the first rank that comes again begins the next.
"""

from __future__ import annotations

import math
import statistics
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.distributions import summed
from validators.findings import WARNING, Finding
from validators.measurements import Run
from validators.outputs import Output, Refusal

MOST_RATES = 1_000_000
MOST_ITERATIONS = 1000
QUANTILES = 20
"""Parts of a distribution: enough for a plot of it, whatever the number of ranks."""

Cells = Callable[[list[str], list[str]], Iterable[tuple[str, str]]]
"""From the names of the columns and the cells of a row, with its rank first: operations and their rates as printed."""
_Rates = dict[tuple[str, int], "array[float]"]


def attach(reading: Reading, bundle: Bundle, header: bytes, unit: str, cells: Cells) -> None:
    """Give each run the table of its folder: a distribution over ranks, and the parameter `rank_rates` in short.

    The tables become part of what was read.
    """
    tables = [path for path in bundle.files if bundle.head(path, len(header)) == header]
    tables_of = Counter(map(_folder, tables))
    runs_of: dict[str, list[Run]] = {}
    for run in reading.runs:
        if run.measurements:
            runs_of.setdefault(_folder(run.path), []).append(run)
    for path in tables:
        runs = runs_of.get(_folder(path), [])
        if len(runs) == 1 and tables_of[_folder(path)] == 1:
            reading.claimed.add(path)
            _attach(runs[0], Output(bundle, path), unit, cells)


def _attach(run: Run, output: Output, unit: str, cells: Cells) -> None:
    tasks = run.parameters.get("tasks")
    try:
        rates = _rates(output, cells)
    except (Refusal, ValueError, IndexError):
        rates = {}
    if rates and all(len(values) == tasks for values in rates.values()):
        run.parameters["rank_rates"] = {
            f"{op} {iteration}": spread(values, unit) | {"quantiles": _quantiles(values)}
            for (op, iteration), values in rates.items()
        }
        quantity = "bandwidth" if unit == "B/s" else "rate"
        for (op, iteration), values in rates.items():
            run.distributions += summed(op, quantity, "rank", "ranks", values, unit, {"iter": iteration})
        return
    message = f"The table has not one rate for each of the {tasks} tasks of the run; it is not read."
    run.findings.append(
        Finding(f"{run.tool}.rank-table", WARNING, message, "Upload the table as written.", output.path)
    )


def _rates(output: Output, cells: Cells) -> _Rates:
    """Rates by operation and iteration. Raises ValueError, IndexError or Refusal for what is no such table."""
    rows = _rows(output)
    names = next(rows, [])
    place = names.index("rank")
    rates: _Rates = {}
    first: dict[str, str] = {}
    begun: Counter[str] = Counter()
    for total, (rank, op, text) in enumerate((row[place], *cell) for row in rows for cell in cells(names, row)):
        rate = float(text)
        begun[op] += first.setdefault(op, rank) == rank
        if not math.isfinite(rate) or rate < 0 or total >= MOST_RATES or begun[op] > MOST_ITERATIONS:
            raise ValueError("no rate, or too many")
        rates.setdefault((op, begun[op] - 1), array("d")).append(rate)
    return rates


def _rows(output: Output) -> Iterator[list[str]]:
    for line in output.lines():
        if line.strip():
            yield line.split(",")


def spread(values: Sequence[float], unit: str) -> dict[str, Any]:
    """Slowest, median and fastest rank, with their unit and number."""
    return {
        "unit": unit,
        "ranks": len(values),
        "slowest": min(values),
        "median": statistics.median(values),
        "fastest": max(values),
    }


def _quantiles(values: Sequence[float]) -> list[float]:
    """The distribution between slowest and fastest."""
    return statistics.quantiles(values, n=QUANTILES, method="inclusive") if len(values) > 1 else list(values)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
