"""Words and figures of tables: names as pages write them, contexts in words, values in units that fit.

A unit fits the largest value beside or below it and keeps the kind of prefix that was printed: binary or decimal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from registry.presentation import numbers
from registry.query.facts.axes import find_axis
from registry.query.facts.divisors import PER
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
SMALLEST_UNITS = ("B/s", "B", "ns")
"""Units in which programs print for other programs, as fio does in its JSON."""
_SPOKEN = {"au": "AU", "mdt": "MDT", "iops": "IOPS", "iter": "iteration", "pcie": "PCIe", "pib": "PiB"}
_SPOKEN_PHASES = {"ior": "IOR", "rnd4K": "random 4 KiB", "rnd1MB": "random 1 MB"}
"""Words of names that pages write in another way."""
_COLUMNS = {"bandwidth_gib_per_s": "bandwidth", "rate_kiops": "metadata"}
_TRUTHS = {"true": "yes", "false": "no"}
"""What tools print that write every value as text."""
_BYTES = "_bytes"
"""How names of parameters end that are sizes."""
_NAMES_IN_DIGITS = ("version", "release", "year", "seed", "hash", "date")
"""How names of facts end whose digits are no number."""
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


def number_named(row: Row) -> str:
    """What a number is of: operation, quantity and statistic. A phase of IO500 has one value and no statistic."""
    statistic = "" if row["stat"] == "phase" else label_statistic(row["stat"])
    return " ".join(filter(None, [label_operation(row), label_quantity(row), statistic]))


def label_operation(row: Row) -> str:
    """An operation in words, as the descriptor of its benchmark has it; the halves of a score by what they are."""
    op = row["op"]
    return catalogue.label_operation(row.get("tool", ""), op) or _COLUMNS.get(op) or _spell_operation(op)


def label_place(name: str, value: str) -> str:
    """The place of a result on an axis, in words: an operation by its label, all else as it is."""
    return label_phase(value) if name == "op" else value


def _spell_operation(op: str) -> str:
    """An operation without a label: "ior-rnd1MB-read" -> "IOR random 1 MB read"."""
    return " ".join(_SPOKEN_PHASES.get(word, word) for word in humanize(op).split("-"))


def label_phase(op: str) -> str:
    """A phase of IO500 in words: "ior-easy-write" -> "IOR easy write"; any other operation by its name."""
    return label_operation({"tool": "io500", "op": op})


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
    """With a capital letter, unless it begins with a name such as unet3d or mdtest."""
    first = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first.isalpha() and catalogue.find(first) is None else text


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


def unit_for_people(row: Row, values: Iterable[Row]) -> str:
    """The unit in which a measurement was printed, or a larger one for the smallest, which only programs read."""
    printed_unit = str(row["printed_unit"])
    fits = printed_unit in UNITS and UNITS[printed_unit].canonical == row["unit"]
    return printed_unit if fits and printed_unit not in SMALLEST_UNITS else best_unit(values, row["unit"])


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
    if part := quantities.context_parts().get(name):
        return Head(part.label, unit if has_unit else "")
    return Head(humanize(words), unit) if has_unit else Head(find_axis(name).title)


def format_value(value: Any) -> Cell:
    if isinstance(value, bool):
        return Cell("yes" if value else "no", n=False)
    if isinstance(value, int):
        return Cell(numbers.format_int(value))
    if isinstance(value, float):
        return Cell(numbers.format_significant(value, 4))
    return Cell("" if value is None else numbers.group_digits(_TRUTHS.get(value, str(value))), n=False)


def format_cell(row: Row, unit: str) -> Cell:
    return Cell(format_in_unit(row["value"], unit), note=row["context"].get(STATE, ""))


def describe_condition(name: str, values: Sequence[str | None]) -> str:
    """What two runs say of one condition: "client nodes 5 / 20", "transfer size: not known of either"."""
    title = label_fact(name)
    if not any(values):
        return f"{title}: not known" + " of either" * (len(values) > 1)
    return f"{title} {' / '.join(format_fact(name, value) if value else 'not known' for value in values)}"


def describe_conditions(facts: Iterable[tuple[str, Sequence[str | None]]]) -> list[str]:
    """Conditions by name with what each run says, once where two read alike; one that no run says is only named.

    They stand under words that say whether they differ or are not known of both.
    """
    texts = (describe_condition(name, values) if any(values) else label_fact(name) for name, values in facts)
    return list(dict.fromkeys(texts))


def label_fact(name: str) -> str:
    """A fact in words; a size without its unit, which format_fact writes beside the number."""
    return find_axis(name).title.removesuffix(" (bytes)")


def format_size(count: int) -> str:
    """Bytes in the largest binary unit of which they are whole: 1048576 -> "1 MiB", 47008 -> "47,008 B"."""
    units = _LADDERS["B"][0]
    unit = next((unit for unit in units if count and count % int(UNITS[unit].factor) == 0), units[-1])
    return f"{numbers.format_int(count // int(UNITS[unit].factor))}{numbers.NO_BREAK}{unit}"


def format_fact(name: str, text: str) -> str:
    """The text of a fact as pages write it: sizes with their unit, digits of a number in groups, a version as it is."""
    if name.endswith(_BYTES) and text.isascii() and text.isdecimal() and len(text) <= numbers.MOST_DIGITS:
        return format_size(int(text))
    return text if name.endswith(_NAMES_IN_DIGITS) else numbers.group_digits(text)


def describe_fact_values(name: str, values: Sequence[str], unknown: int = 0) -> str:
    """What some results say of a fact: "fabric (TCP, InfiniBand; not known of 1)"."""
    lacking = f"not known of {unknown}" if unknown else ""
    return f"{find_axis(name).title} ({'; '.join(filter(None, [', '.join(values), lacking]))})"
