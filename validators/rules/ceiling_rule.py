"""The rule that no measurement is above what the described parts can deliver."""

from __future__ import annotations

from dataclasses import asdict

from validators.ceilings.ceiling_fraction import Efficiency, efficiencies
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict
from validators.system import parts
from validators.system.facts import Document
from validators.units import from_canonical

_MOST_LISTED = 3
_UNITS = {"B/s": "GiB/s", "ops/s": "kIOPS"}


def ceiling(run: Run, document: Document, context: Context) -> Verdict:
    """Each rate against the lowest ceiling that its data has to pass."""
    measurements = [asdict(measurement) for measurement in run.measurements]
    comparisons = efficiencies(
        context.crossings.get(run.tool), measurements, run.parameters, parts.of_document(document)
    )
    if not comparisons:
        return NOT_EVALUATED, "The description does not tell enough of drives, servers and networks for a ceiling."
    above = [efficiency for efficiency in comparisons if efficiency.above]
    if not above:
        most = max(comparisons, key=lambda efficiency: efficiency.percent(efficiency.limit))
        return SATISFIED, f"Nearest to its ceiling is {_words(most)}."
    more = f"; and {len(above) - _MOST_LISTED} more" if above[_MOST_LISTED:] else ""
    return VIOLATED, f"Above their ceilings: {'; '.join(map(_words, above[:_MOST_LISTED]))}{more}."


def _words(row: Efficiency) -> str:
    """ "ior-easy-read, 120.00 GiB/s, with 130.2 % of 92.17 GiB/s, network"."""
    value, limit = (f"{_in_unit(number, row.limit.unit)}" for number in (row.measurement["value"], row.limit.value))
    return f"{row.measurement['op'][:60]}, {value}, with {row.percent(row.limit):.1f} % of {limit}, {row.limit.words}"


def _in_unit(value: float, canonical: str) -> str:
    return f"{from_canonical(value, _UNITS[canonical]):,.2f} {_UNITS[canonical]}"
