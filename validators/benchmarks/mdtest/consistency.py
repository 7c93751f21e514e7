"""What an output of mdtest says twice: statistics of few iterations, rates beside times, counts beside options."""

from __future__ import annotations

from collections.abc import Iterator

from validators.benchmarks.mdtest.text import Row, Table, Test
from validators.evidence import few_values

ROUNDING = 0.0006
_HALF_STEP = 0.0005
_TOLERANCE = 0.02
_PAIRED = (("max", "min"), ("min", "max"))
"""The highest rate is that of the least time."""


def of_few_values(test: Test, *, over_ranks: bool) -> Iterator[tuple[Row, str]]:
    """Rows whose minimum, mean, maximum and deviation cannot be of as many values as there were."""
    for table in test.tables:
        count = table.iterations * (test.tasks if over_ranks else 1)
        for row in table.rows:
            if wrong := few_values.find_contradiction(row.figures, count, ROUNDING, of_a_sample=not over_ranks):
                yield row, wrong


def of_rates_and_times(test: Test, *, in_seconds: bool) -> Iterator[tuple[Row, str]]:
    """Rows of rates that times the seconds beside them are not the items that were asked for.

    Only where times are of the whole phase, and no stonewall stopped it; each as exact as its digits are.
    """
    rates, times = ({row.op: row for row in _table_of(test, name).rows} for name in ("rate", "time"))
    if not in_seconds or not test.items or test.stonewalls:
        return
    for op, row in rates.items():
        if op not in times or op.startswith("tree"):
            continue
        for of_rate, of_time in _PAIRED:
            rate, seconds = row.figures.get(of_rate), times[op].figures.get(of_time)
            if not rate or not seconds or seconds < 10 * _HALF_STEP:
                continue
            items, slack = rate * seconds, _HALF_STEP / seconds + _TOLERANCE
            if abs(items / test.items - 1) > slack:
                yield row, f"{rate:g} operations/s in {seconds:g} s are {items:.0f}, and {test.items} were asked for"
                break


def _table_of(test: Test, quantity: str) -> Table:
    return next((table for table in test.tables if table.quantity == quantity), Table(quantity, "", 0))


def of_counts(test: Test, each: int | None) -> Iterator[str]:
    """Items of all tasks against those of each, and the stonewall in its order."""
    if each and test.items and test.tasks and test.items != each * test.tasks:
        yield f"{test.tasks} tasks with {each} items each are {each * test.tasks}, and {test.items} are printed"
    for least, most, mean in test.stonewalls:
        if not least <= mean <= most:
            yield f"at the stonewall tasks had {least} to {most} items, and {mean:g} on average"
        elif each and most > each:
            yield f"at the stonewall a task had {most} items, of {each} that were asked for"
