"""The arithmetic of a view: which readings are drawn, as ratios to a baseline, and why each other one is not.

Plain values in, plain values out, no query. Only readings of one kind of run and one unit stand in one order; nothing
is divided by what is not known, and what is only known as a bound has no place.
"""

from __future__ import annotations

import datetime as dt
import statistics
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from registry.models import Result
from registry.query.public_record import release_slug
from registry.results.explore.readings import Reading
from registry.results.explore.selection import BEST, MEDIAN, Selection

NO_NUMBER, BOUND, FORBIDDEN, NO_DIVISOR = "no-number", "bound", "forbidden", "no-divisor"
OTHER_KIND, OTHER_UNIT, UNTICKED, EARLIER, NOT_KEPT = "other-kind", "other-unit", "unticked", "earlier", "not-tray_ids"
MISSING = (NO_NUMBER, NO_DIVISOR, BOUND, FORBIDDEN, OTHER_UNIT)
"""Why a result that the view asks for is not drawn; the other reasons are what the reader left out."""
STANDARD = "standard"
"""How an address calls runs without a mode or division of their own."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One reading that is drawn: its value in total or per part, and how many times the baseline that is.

    `ratio` is None where the baseline is zero.
    """

    reading: Reading
    value: float
    ratio: float | None


@dataclass(frozen=True, slots=True)
class View:
    """All bars of a view, the better end first.

    `counts` has by toggle how many results with the number each value has, whatever is ticked; `kinds` the same by kind
    of run. `left_out` has by reason the readings that are not drawn. `base` is the value of the baseline, None without
    a bar; `base_found` is False where the result that was named is not among the bars.
    """

    bars: list[Bar]
    results: int
    kind: str
    kinds: list[tuple[str, int]]
    unit: str
    counts: Mapping[str, list[tuple[str, int]]]
    left_out: Mapping[str, list[Reading]]
    base: float | None = None
    base_found: bool = True
    repeated: int = 0
    trust: Mapping[str, int] = field(default_factory=dict)
    release_names: Mapping[str, str] = field(default_factory=dict)


def build_view(
    readings: Sequence[Reading],
    selection: Selection,
    *,
    tray_ids: Collection[str] = (),
    forbidden: Collection[str] = (),
    divide: bool = False,
    lower_is_better: bool = False,
) -> View:
    """Sort the readings of a view into bars and what is left out.

    `tray_ids` are the results that `only` asks for, `forbidden` those whose source is against an order.
    """
    kinds = _most_first(_results_by((reading.kind, reading.result) for reading in _with_number(readings)))
    kind = _selected_kind(selection.kind, kinds)
    of_kind = [reading for reading in readings if reading.kind == kind]
    units = Counter(reading.unit for reading in _with_number(of_kind))
    unit = units.most_common(1)[0][0] if units else ""
    newest = _newest_releases(of_kind) if selection.latest else {}
    left_out: dict[str, list[Reading]] = {}
    drawn: list[Reading] = []
    for reading in readings:
        reason = (
            (OTHER_KIND if reading.kind != kind else "")
            or _reader_reason(reading, selection, newest, tray_ids)
            or _own_reason(reading, unit, forbidden, divide=divide)
        )
        (left_out.setdefault(reason, []) if reason else drawn).append(reading)
    pairs = [(_value_of(reading, divide=divide), reading) for reading in drawn]
    pairs.sort(key=lambda pair: (pair[0] if lower_is_better else -pair[0], pair[1].pk))
    base, base_found = _find_baseline(selection.base, pairs)
    return View(
        bars=[Bar(reading, value, value / base if base else None) for value, reading in pairs],
        results=len({reading.result for reading in _with_number(of_kind)}),
        kind=kind,
        kinds=kinds,
        unit=unit,
        counts=_toggle_counts(of_kind),
        left_out=left_out,
        base=base,
        base_found=base_found,
        repeated=sum(reading.is_repeated for reading in drawn),
        trust=_trust_counts(drawn),
        release_names={reading.release: reading.release_name for reading in of_kind if reading.release},
    )


def _with_number(readings: Iterable[Reading]) -> Iterable[Reading]:
    return (reading for reading in readings if reading.value is not None)


def _results_by(pairs: Iterable[tuple[str, str]]) -> Counter[str]:
    """How many results there are of each value, from (value, result)."""
    return Counter(value for value, _ in set(pairs))


def _most_first(counted: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0].casefold()))


def _selected_kind(wanted_kind: str, kinds: Sequence[tuple[str, int]]) -> str:
    names = [name for name, _ in kinds]
    wanted_name = "" if wanted_kind == STANDARD else wanted_kind
    return wanted_name if wanted_name in names and wanted_kind else names[0] if names else ""


def _newest_releases(readings: Iterable[Reading]) -> dict[int, tuple[dt.date, str]]:
    """By system the newest release that it has a number of."""
    newest: dict[int, tuple[dt.date, str]] = {}
    for reading in _with_number(readings):
        newest[reading.system] = max(newest.get(reading.system, _NEVER), _release_key(reading))
    return newest


_NEVER = (dt.date.min, "")


def _release_key(reading: Reading) -> tuple[dt.date, str]:
    return (reading.held_on or dt.date.min, reading.release)


def _reader_reason(
    reading: Reading, selection: Selection, newest: Mapping[int, tuple[dt.date, str]], tray_ids: Collection[str]
) -> str:
    """What the reader left it out by; "" where nothing."""
    if selection.only and reading.result not in tray_ids:
        return NOT_KEPT
    if not all(_is_ticked(name, values, reading) for name, values in selection.toggles.items()):
        return UNTICKED
    return EARLIER if selection.latest and newest.get(reading.system) != _release_key(reading) else ""


def _is_ticked(name: str, values: Iterable[str], reading: Reading) -> bool:
    """As results/ understands the same filter."""
    if name == "release":
        return reading.release.lower() in {release_slug(value) for value in values}
    own = (reading.trust,) if name == "trust" else (reading.family, reading.filesystem)
    return not {value.casefold() for value in values}.isdisjoint(text.casefold() for text in own)


def _own_reason(reading: Reading, unit: str, forbidden: Collection[str], *, divide: bool) -> str:
    """Why a result that is wanted_kind for has no bar; "" where it has one."""
    if reading.value is None:
        return NO_NUMBER
    if reading.unit != unit:
        return OTHER_UNIT
    if reading.is_bound:
        return BOUND
    if reading.result in forbidden:
        return FORBIDDEN
    return NO_DIVISOR if divide and not reading.divisor else ""


def _value_of(reading: Reading, *, divide: bool) -> float:
    value = reading.value or 0.0
    return value / reading.divisor if divide and reading.divisor else value


def _find_baseline(base: str, pairs: Sequence[tuple[float, Reading]]) -> tuple[float | None, bool]:
    """The value of the baseline, and whether what was named is among the bars: otherwise it is the best."""
    if not pairs:
        return None, base in (BEST, MEDIAN)
    if base == MEDIAN:
        return statistics.median(value for value, _ in pairs), True
    named = [value for value, reading in pairs if reading.result == base]
    return (named[0], True) if named else (pairs[0][0], base == BEST)


def _toggle_counts(readings: Sequence[Reading]) -> dict[str, list[tuple[str, int]]]:
    """By toggle its values with the results that have the number: file systems by count, releases by date."""
    numbered = list(_with_number(readings))
    families = _results_by((reading.family, reading.result) for reading in numbered if reading.family)
    trust = _results_by((reading.trust, reading.result) for reading in numbered)
    releases = _results_by((reading.release, reading.result) for reading in numbered if reading.release)
    held = {reading.release: _release_key(reading) for reading in numbered}
    return {
        "filesystem_type": _most_first(families),
        "trust": [(level, trust.get(level, 0)) for level in Result.Trust.values],
        "release": sorted(releases.items(), key=lambda pair: held[pair[0]], reverse=True),
    }


def _trust_counts(readings: Iterable[Reading]) -> dict[str, int]:
    """By level the results of it: those of the record in its order, then what else a source has."""
    counted = _results_by((reading.trust, reading.result) for reading in readings)
    levels = dict.fromkeys([*Result.Trust.values, *sorted(counted)])
    return {level: counted[level] for level in levels if counted.get(level)}
