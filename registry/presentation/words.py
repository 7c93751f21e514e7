"""Words and figures of tables: names as pages write them, contexts in words, values in units that fit.

A unit fits the largest value beside or below it and keeps the kind of prefix that was printed: binary or decimal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from registry.presentation import numbers
from registry.query.axes import find_axis
from registry.query.divisors import PER
from validators import catalogue, quantities
from validators.quantities import label_statistic
from validators.units import UNITS

HEAD_LETTERS = 10
_DECIMAL_TIME = ("s", "ms", "us", "ns")
_LADDERS = {
    "B/s": (("TiB/s", "GiB/s", "MiB/s", "KiB/s", "B/s"), ("TB/s", "GB/s", "MB/s", "kB/s", "B/s")),
    "B": (("TiB", "GiB", "MiB", "KiB", "B"), ("TB", "GB", "MB", "kB", "B")),
    "s": (_DECIMAL_TIME, _DECIMAL_TIME),
}
"""Units from large to small: with binary and with decimal prefixes. Rates are written in the unit of the source."""
_SPOKEN = {"au": "AU", "mdt": "MDT", "iops": "IOPS", "iter": "iteration", "pcie": "PCIe"}
"""Words of names that pages write in another way."""
_COLUMNS = {"bandwidth_gib_per_s": "bandwidth", "rate_kiops": "metadata"}
_BYTES = "_bytes"
"""How names of parameters end that are sizes."""
SCOPE, STATE, INVALID = "scope", "target_state", "invalid"
"""Parts of a context that are no configuration: what a statistic is over, and what is wrong with a figure."""

Row = Mapping[str, Any]
"""A measurement as a report or the record has it, with its `tool` where that is known."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column; `over` is the head of several, with its unit; `n` says that figures stand below."""

    text: str
    unit: str = ""
    over: str = ""
    over_unit: str = ""
    n: bool = True

    @property
    def lines(self) -> list[str]:
        """The text in short lines, as its figures are narrow."""
        return wrap(self.text, HEAD_LETTERS, break_long_words=False) if self.n else [self.text]


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure or a word as text, `note` what is wrong with it."""

    text: str
    n: bool = True
    note: str = ""


def describe_context(context: Mapping[str, Any]) -> str:
    """What tells a measurement from its neighbours, in words: {"job": 0, "record_KiB": 4} -> "job 0, record 4 KiB"."""
    parts = []
    for name, value in context.items():
        if name == SCOPE:
            parts.append(str(value))
            continue
        if name == INVALID:
            parts += [name] * bool(value)
            continue
        head, text = context_heading(name), format_value(value).text
        if name.endswith(_BYTES) and type(value) is int:
            unit = best_unit([{"value": value, "printed_unit": "B"}], "B")
            head, text = Head(humanize(name.removesuffix(_BYTES)), unit), format_in_unit(value, unit)
        says_so = text.startswith(head.text)
        parts.append(text if says_so else f"{head.text} {text}{numbers.NO_BREAK * bool(head.unit)}{head.unit}".strip())
    return ", ".join(parts)


def humanize(name: str) -> str:
    """A name of the report as it stands on pages."""
    return " ".join(_SPOKEN.get(word, word) for word in str(name).split("_"))


def op_named(op: str) -> str:
    """An operation; the halves of a score by what they are beside it."""
    return _COLUMNS.get(op, op)


def number_named(row: Row) -> str:
    """What a number is of: operation, quantity and statistic."""
    op = catalogue.label_operation(row.get("tool", ""), row["op"]) or op_named(row["op"])
    return " ".join(filter(None, [op, label_quantity(row), label_statistic(row["stat"])]))


def label_operation(row: Row) -> str:
    """An operation in words, as the descriptor of its benchmark has it."""
    return catalogue.label_operation(row.get("tool", ""), row["op"]) or humanize(row["op"])


def label_quantity(row: Row) -> str:
    """What was measured, in words: of the tool that the row names, where it names one."""
    return quantities.label_of(row, row.get("tool", ""))


def label_quantities(rows: Iterable[Row]) -> dict[tuple[str, str], str]:
    """By quantity and unit what was measured; of one that means several things in these rows, its name."""
    labels: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        labels.setdefault((row["quantity"], row["unit"]), set()).add(label_quantity(row))
    return {key: several.pop() if len(several) == 1 else humanize(key[0]) for key, several in labels.items()}


def divisor_choices() -> list[tuple[str, str]]:
    """What numbers may be divided by, as forms offer it: name and words."""
    return [(name, humanize(name)) for name in PER]


def capitalize_sentence(text: str) -> str:
    """With a capital letter, unless it begins with a name such as unet3d."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].isalpha() else text


def shown_unit(unit: str) -> str:
    """A unit as the head of a column has it: plain counts have none."""
    return "" if unit == "count" else unit


def format_in_unit(value: float, unit: str) -> str:
    """A canonical value in a unit, or without one, with as many digits as are read: whole numbers whole."""
    scaled = value / UNITS[unit].factor if unit else value
    return (
        numbers.format_int(int(scaled))
        if scaled == int(scaled) and abs(scaled) < 1e15
        else numbers.format_significant(scaled, 4)
    )


def best_unit(rows: Iterable[Row], canonical: str) -> str:
    """The unit in which figures of one column are read."""
    scale = Scale(canonical)
    for row in rows:
        scale.add(row)
    return scale.unit


class Scale:
    """The largest unit in which the largest value is at least 1, found in one pass."""

    def __init__(self, canonical: str) -> None:
        self.canonical, self.printed_unit, self.largest, self.decimal = canonical, "", 0.0, False

    def add(self, row: Row) -> None:
        self.printed_unit = self.printed_unit or row["printed_unit"]
        self.largest = max(self.largest, abs(row["value"]))
        self.decimal = self.decimal or row["printed_unit"] in _LADDERS.get(self.canonical, ((), ("",)))[1][:-1]

    @property
    def unit(self) -> str:
        if self.canonical not in _LADDERS:
            return self.printed_unit if self.printed_unit in UNITS else self.canonical
        ladder = _LADDERS[self.canonical][self.decimal]
        return next((unit for unit in ladder if self.largest >= UNITS[unit].factor), ladder[-1])


def with_unit(head: Head) -> str:
    """The head of a column in a line of text: record, KiB."""
    return f"{head.text}, {head.unit}" if head.unit else head.text


def context_heading(name: str) -> Head:
    """The head of a part of contexts; a unit at the end of its name stands as one: record_KiB -> record, KiB."""
    words, _, unit = name.rpartition("_")
    has_unit = bool(words) and unit in UNITS
    part = quantities.context_parts().get(name)
    return Head(part.label if part else humanize(words if has_unit else name), unit if has_unit else "")


def format_value(value: Any) -> Cell:
    if isinstance(value, bool):
        return Cell("yes" if value else "no", n=False)
    if isinstance(value, int):
        return Cell(numbers.format_int(value))
    if isinstance(value, float):
        return Cell(numbers.format_significant(value, 4))
    return Cell("" if value is None else str(value), n=False)


def format_cell(row: Row, unit: str) -> Cell:
    return Cell(format_in_unit(row["value"], unit), note=row["context"].get(STATE, ""))


def describe_condition(name: str, values: Sequence[str | None]) -> str:
    """What two runs say of one condition: "client nodes 5 / 20", "transfer size: not known of either"."""
    title = find_axis(name).title
    if not any(values):
        return f"{title}: not known" + " of either" * (len(values) > 1)
    return f"{title} {' / '.join(value or 'not known' for value in values)}"


def describe_fact_values(name: str, values: Sequence[str], unknown: int = 0) -> str:
    """What some results say of a fact: "fabric (TCP, InfiniBand; not known of 1)"."""
    lacking = f"not known of {unknown}" if unknown else ""
    return f"{find_axis(name).title} ({'; '.join(filter(None, [', '.join(values), lacking]))})"
