"""The rule that no measurement is above what the described parts can deliver."""

from __future__ import annotations

from dataclasses import asdict

from validators.ceilings.ceiling_fraction import Efficiency, efficiencies
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict
from validators.system import parts
from validators.system.facts import Document
from validators.units import from_canonical

_SHOWN = 3
_UNITS = {"B/s": "GiB/s", "ops/s": "kIOPS"}


def ceiling(run: Run, document: Document, context: Context) -> Verdict:
    """Each rate against the lowest ceiling that its data has to pass."""
    measured = [asdict(measurement) for measurement in run.measurements]
    found = efficiencies(context.crossings.get(run.tool), measured, run.parameters, parts.of_document(document))
    if not found:
        return NOT_EVALUATED, "The description does not tell enough of drives, servers and networks for a ceiling."
    above = [one for one in found if one.above]
    if not above:
        most = max(found, key=lambda one: one.percent(one.limit))
        return SATISFIED, f"Nearest to its ceiling is {_words(most)}."
    more = f"; and {len(above) - _SHOWN} more" if above[_SHOWN:] else ""
    return VIOLATED, f"Above their ceilings: {'; '.join(map(_words, above[:_SHOWN]))}{more}."


def _words(one: Efficiency) -> str:
    """ "ior-easy-read, 120.00 GiB/s, with 130.2 % of 92.17 GiB/s, network"."""
    value, limit = (f"{_in_unit(number, one.limit.unit)}" for number in (one.measurement["value"], one.limit.value))
    return f"{one.measurement['op'][:60]}, {value}, with {one.percent(one.limit):.1f} % of {limit}, {one.limit.words}"


def _in_unit(value: float, canonical: str) -> str:
    return f"{from_canonical(value, _UNITS[canonical]):,.2f} {_UNITS[canonical]}"
