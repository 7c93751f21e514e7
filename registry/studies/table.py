"""The table of a study from groups of measurements: plain values in, plain values out, no query.

A row is one point: where it stands on the axes, its trust, and what was measured there. Numbers of different meaning
(operation, quantity, statistic, benchmark, mode) and of different trust never share a row.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from registry.comparison import uncertainty
from registry.comparison.balance import FactCounts, VaryingFact
from registry.errors import Problem
from registry.presentation.words import SMALLEST_UNITS, best_unit
from registry.query.facts.axes import MEANING_FIELDS
from registry.query.responses.declared_limits import Limit
from registry.query.values import qualified_values
from registry.query.values.printed_rounding import in_other_unit, printed_rounding
from validators import quantities
from validators.units import UNITS

Row = dict[str, Any]

USUAL_UNITS = {"B/s": "GiB/s", "ops/s": "kIOPS"}
CANONICAL = "canonical_quantity"
"""The axis that tells canonical quantities apart where a reported name has several."""
FIGURES = ("value", "low", "q1", "q3", "high")
INTERVAL = ("interval_low", "interval_high", "interval_basis", "interval_runs")
ROUNDING = ("rounding_low", "rounding_high")
COLUMNS = (
    *(*FIGURES, "unit", "per", "count", "missing", "divisor", "trust"),
    *("result", "label", "printed_value", "printed_unit", "qualifier", "source", "source_address"),
    *INTERVAL,
    *("n", "value_basis", "varies_text"),
    *ROUNDING,
)
"""What every row has after its axes. Figures are in `unit`: median, least, quartiles, largest of `count` values.

The interval is where a single measurement lies with 95 %, by so many runs of its configuration, or by an assumption
that was asked for; all four are None where it was not repeated three times. Then the rounding is what its printed
digits leave open. `low` to `high` of several measurements is no interval: it says how far they lie apart.
`n` is how many results, `varies_text` what differs inside the row; where that moves the metric, `value_basis` is
UNLIKE, and there is no single value.
"""
SINGLE, MEDIAN, UNKNOWN_MEDIAN, UNLIKE = "measurement", "median", "median-unknown", "unlike"
"""What `value` is: one measurement; the median of several that are alike, as far as they are known to be; the median of
some of which facts are not known that move the metric; nothing."""


class MixedUnits(Problem):
    code = "study.mixed-units"
    title = "The metrics of the question have different units"
    hint = "Ask for one of them, or for metrics of one unit."


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a value lies, by how many runs of its configuration, or by the class of numbers that is assumed of it."""

    low: float
    high: float
    runs: int | None = None
    assumed_class: str = ""

    @property
    def interval_basis(self) -> str:
        return uncertainty.ASSUMED if self.assumed_class else uncertainty.REPEATS


@dataclass(frozen=True, slots=True)
class Member:
    """One measurement of a point: its canonical value, divided where the study divides; None without a divisor.

    `facts` are those of its result and of its own context, by name of an axis.
    """

    value: float | None
    result: str
    label: str | None
    source: str
    source_address: str = ""
    qualifier: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    limits: Sequence[Limit] = ()
    """What its source says that it may not be compared for."""

    @property
    def origin_name(self) -> str:
        """Institution and system that it was measured on; empty where either is not known."""
        names = [self.facts.get(name, "") for name in ("institution", "system")]
        return "/".join(names) if all(names) else ""


@dataclass(frozen=True, slots=True)
class Group:
    """Measurements that share a place on the axes. `values` are canonical; None where a divisor is not known."""

    at: Mapping[str, str | None]
    trust: str
    values: Sequence[float | None]
    unit: str
    printed_units: frozenset[str]
    divisor: float | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    interval: Interval | None = None
    qualified: Sequence[tuple[float, str]] = ()
    """Those of several values that their source says are about, below or above so much; with what it says."""
    canonical: str = ""
    """The canonical quantity of the measurements; empty where none is known."""
    results: int = 1
    members: Sequence[Member] = ()
    """The measurements, or of very many some of them."""
    fact_counts: FactCounts = field(default_factory=lambda: FactCounts(0, {}))
    """How often its measurements have each value of each fact."""
    varies: Sequence[VaryingFact] = ()
    unlike: tuple[str, ...] = ()
    """Facts that vary inside and move the metric: the group has no single value."""
    unknown: tuple[str, ...] = ()
    """Facts that move the metric and are not known of all measurements."""


def merge_groups(groups: Iterable[Group]) -> list[Group]:
    """Groups that differ only in the unit they are printed in become one."""
    by_place: dict[Any, Group] = {}
    for group in groups:
        place = (*group.at.values(), group.trust, group.unit, group.canonical)
        earlier_group = by_place.get(place)
        by_place[place] = group if earlier_group is None else _join_groups(earlier_group, group)
    return list(by_place.values())


def _join_groups(group: Group, other: Group) -> Group:
    divisor = group.divisor if group.divisor == other.divisor else None
    units = group.printed_units | other.printed_units
    both = [*_qualified_of(group), *_qualified_of(other)]
    return Group(
        at=group.at,
        trust=group.trust,
        values=[*group.values, *other.values],
        unit=group.unit,
        printed_units=units,
        divisor=divisor,
        qualified=both,
        canonical=group.canonical,
        results=group.results + other.results,
        members=(*group.members, *other.members),
    )


def _qualified_of(group: Group) -> Sequence[tuple[float, str]]:
    """The qualified values of a group; of a single one its facts have the word."""
    word = group.facts.get("qualifier")
    return [(value, word) for value in group.values if value is not None] if word else group.qualified


def compute_quartiles(values: Sequence[float]) -> dict[str, float]:
    """Median (`value`), least, quartiles and largest, interpolated linearly between at least one value."""
    if len(values) == 1:
        return dict.fromkeys(FIGURES, values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return dict(zip(FIGURES, (median, min(values), low, high, max(values)), strict=True))


def unit_of(groups: Sequence[Group], requested_unit: str = "", *, for_people: bool = False) -> str:
    """The one unit of all values: that asked for, else the one they are printed in, else the usual one.

    `for_people` has a larger one for what is printed in the smallest, for other programs: in B/s and ns.
    Raises MixedUnits where they measure different things.
    """
    canonical = {group.unit for group in groups}
    if requested_unit:
        canonical.add(UNITS[requested_unit].canonical)
    if len(canonical) > 1:
        raise MixedUnits(f"They are: {', '.join(sorted(unit or 'no unit' for unit in canonical))}.")
    printed_units = frozenset().union(*(group.printed_units for group in groups))
    only = next(iter(canonical), "")
    unit = next(iter(printed_units)) if len(printed_units) == 1 else USUAL_UNITS.get(only, only)
    if for_people and not requested_unit and unit in SMALLEST_UNITS:
        values = (value for group in groups for value in group.values if value is not None)
        return best_unit(({"value": value, "printed_unit": unit} for value in values), only)
    return requested_unit or unit


def varying_axes(groups: Sequence[Group], axes: Sequence[str]) -> list[str]:
    """What tells measurements apart and is on no axis yet, though it differs."""
    return [name for name in MEANING_FIELDS if name not in axes and len({group.at[name] for group in groups}) > 1]


def mixed_quantities(groups: Sequence[Group]) -> dict[str, list[str]]:
    """By reported quantity its canonical ones, where it has several; one that is not known is like no other."""
    canonical: dict[str, set[str]] = {}
    for group in groups:
        canonical.setdefault(group.at["quantity"] or "", set()).add(group.canonical)
    return {name: sorted(several) for name, several in canonical.items() if len(several) > 1}


def add_canonical(groups: Sequence[Group]) -> list[Group]:
    """Groups that have their canonical quantity as an axis, too."""
    return [replace(group, at={**group.at, CANONICAL: group.canonical or None}) for group in groups]


def group_rows(groups: Sequence[Group], axes: Sequence[str], unit: str, order: Sequence[str] = ()) -> list[Row]:
    """One row for each group in the order of the axes; numbers in `unit`, axis values as numbers where all are."""
    return [row for row, _ in place_groups(groups, axes, unit, order)]


def place_groups(
    groups: Sequence[Group], axes: Sequence[str], unit: str, order: Sequence[str] = ()
) -> list[tuple[Row, Group]]:
    """As `group_rows`, each row with its group."""
    numeric = {name for name in axes if not _is_version(name) and _all_numbers(group.at[name] for group in groups)}
    blank = dict.fromkeys((*axes, *COLUMNS))
    placed = [(blank | _group_row(group, axes, unit, numeric), group) for group in groups]
    places, ordered = {text: place for place, text in enumerate(order)}, (*axes, "trust")
    keys = {value: _place_key(value, places) for value in {row[name] for row, _ in placed for name in ordered}}
    return sorted(placed, key=lambda pair: [keys[pair[0][name]] for name in ordered])


def _group_row(group: Group, axes: Sequence[str], unit: str, numeric: set[str]) -> Row:
    """What is known of a point; what its axes are named after has the value of the axis."""
    present_values = [value for value in group.values if value is not None]
    basis = value_basis(len(present_values), unlike=bool(group.unlike), unknown=bool(group.unknown))
    factor = UNITS[unit].factor if unit in UNITS else 1.0
    if basis == UNLIKE:
        figures = _unlike_figures(group, present_values, factor)
    else:
        figures = _group_figures(group, present_values, unit, factor)
    counts = {"count": len(present_values), "missing": len(group.values) - len(present_values)}
    group_columns = {"unit": unit, "divisor": group.divisor, "trust": group.trust}
    at = {name: parse_number(group.at[name]) if name in numeric else group.at[name] for name in axes}
    # Columns keep their order: the figures first, and last once more, as a bound's word goes before that of the facts.
    first = {name: figures[name] for name in FIGURES if name in figures}
    return {
        **first,
        **_scaled_interval(group.interval, factor),
        **_row_rounding(group, unit),
        **counts,
        **group_columns,
        **group.facts,
        **figures,
        "n": group.results,
        "value_basis": basis,
        "varies": [],
        "varies_text": "",
        **at,
    }


def _unlike_figures(group: Group, present_values: Sequence[float], factor: float) -> Row:
    """The least and the largest of unlike results: a median of them is a number that nobody measured, as quartiles are.

    Of 100,000 numbers only the ends are looked for, and nothing is sorted.
    """
    if group.qualified:
        return _with_bounds(present_values, group.qualified, factor) | dict.fromkeys(("value", "q1", "q3", "qualifier"))
    return dict.fromkeys(FIGURES) | {"low": min(present_values) / factor, "high": max(present_values) / factor}


def _group_figures(group: Group, present_values: Sequence[float], unit: str, factor: float) -> Row:
    """The figures of a point in a unit of this factor; none without a value."""
    if group.qualified:
        return _with_bounds(present_values, group.qualified, factor)
    if len(present_values) == 1 and group.divisor is None and group.facts.get("printed_unit") == unit:
        return dict.fromkeys(FIGURES, group.facts["printed_value"])  # no rounding on the way to canonical and back
    if not present_values:
        return {}
    return {name: value / factor for name, value in compute_quartiles(present_values).items()}


def value_basis(count: int, *, unlike: bool, unknown: bool) -> str | None:
    """What the value of so many measurements is; None where there is none."""
    if count < 2:
        return SINGLE if count else None
    return UNLIKE if unlike else UNKNOWN_MEDIAN if unknown else MEDIAN


def _with_bounds(values: Sequence[float], bounds: Sequence[tuple[float, str]], factor: float) -> Row:
    """The figures of several values some of which are only bounds: the median as far as it is known.

    `low` to `high` are None: where the least and the largest lie, bounds do not say.
    """
    plain = list(values)
    for value, _ in bounds:
        plain.remove(value)
    middle = qualified_values.median_number(
        [
            *map(qualified_values.qualified_number, plain),
            *(qualified_values.qualified_number(*bound) for bound in bounds),
        ]
    )
    median = None if middle.value is None else middle.value / factor
    spread = (
        {} if any(word in _BOUNDS for _, word in bounds) else compute_quartiles([figure / factor for figure in values])
    )
    return dict.fromkeys(FIGURES) | spread | {"value": median, "qualifier": middle.qualifier or None}


_BOUNDS = (qualified_values.BELOW, qualified_values.ABOVE)


def _scaled_interval(interval: Interval | None, factor: float) -> Row:
    if interval is None:
        return {}
    ends = (interval.low / factor, interval.high / factor)
    return dict(zip(INTERVAL, (*ends, interval.interval_basis, interval.runs), strict=True))


def _row_rounding(group: Group, unit: str) -> Row:
    """What the printed digits of one measurement leave open, where it was not repeated. A quotient is not printed."""
    if "printed_value" not in group.facts or group.divisor is not None or _is_by_repeats(group.interval):
        return {}
    rounding = printed_rounding(
        group.facts["printed_value"], trust=group.trust, qualifier=group.facts.get("qualifier") or ""
    )
    if rounding is None:
        return {}
    return dict(zip(ROUNDING, in_other_unit(rounding, group.facts["printed_unit"], unit), strict=True))


def _is_by_repeats(interval: Interval | None) -> bool:
    return interval is not None and interval.interval_basis == uncertainty.REPEATS


def is_not_repeated(row: Row) -> bool:
    """Whether a row is one measurement of the record of which nobody knows how far it would move in another run."""
    return bool(row["count"] == 1 and "interval_low" in row and row["interval_low"] is None)


def is_assumed(row: Row) -> bool:
    """Whether the interval of a row is assumed, as the question asked."""
    return row.get("interval_basis") == uncertainty.ASSUMED


def in_a_file(row: Row) -> Row:
    """A row for people who open the table as a file: it says in words that a measurement was not repeated."""
    return row | {"interval_basis": "not repeated"} if is_not_repeated(row) else row


def parse_number(text: str | None) -> int | float | None:
    """A text that is a number as that number. Raises ValueError."""
    if text is None:
        return None
    return float(text) if "." in text else int(text)  # of more than 15 digits a float would be another number


def _all_numbers(texts: Any) -> bool:
    present_texts = [text for text in texts if text is not None]
    return bool(present_texts) and all(_is_number(text) for text in present_texts)


_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")
"""As numbers are written: 8.10 is a version, and 007 a name."""


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def _is_version(name: str) -> bool:
    """Whether an axis has versions: 2.12 comes after 2.9, and nothing lies between them."""
    return name.partition("@")[0].endswith("version")


def _place_key(value: Any, places: Mapping[str, int]) -> tuple[int, Any]:
    """Named places first, then numbers, then texts, what is missing last."""
    if value is None:
        return (3, 0)
    if str(value) in places:
        return (0, places[str(value)])
    return (2, _natural_key(value)) if isinstance(value, str) else (1, value)


_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?(?:([kmgtp])i?b?|b)")
_POWERS = " kmgtp"


def _natural_key(text: str) -> list[tuple[int, str]]:
    """A text in the order of people: 2.9 before 2.12, hw-2 before hw-10, 64k before 1M.

    The steps of sizes are taken as 1024: their order is the same with 1000, but for sizes that are within 13 % alike.
    """
    if size := _SIZE.fullmatch(text.casefold()):
        return [(int(float(size[1]) * 1024 ** _POWERS.index(size[2] or " ")), "")]
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", text.casefold()) if part]


def in_words(unit: str, per: str = "") -> str:
    """What values are in: "GB/s", "GB/s per drive", of a score "per client" or nothing."""
    return f"{unit} per {per.replace('_', ' ')}".strip() if per else unit


def lower_is_better(unit: str) -> bool:
    """Of values whose unit alone is known."""
    return unit in UNITS and quantities.lower_is_better("", UNITS[unit].canonical)
