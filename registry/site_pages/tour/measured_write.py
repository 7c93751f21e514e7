"""What the screens on writes read of a run: its bandwidth with all repeats, and the ceilings above it. No query."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from registry.models import DemonstrationRun
from registry.query.public_record import Row
from validators import catalogue
from validators.ceilings import Ceiling, Parts
from validators.ceilings.ceiling_fraction import efficiencies
from validators.system.parts import of_document
from validators.units import UNITS

WRITTEN = ("write", "bandwidth", "max")
"""Operation, quantity and statistic: of a run with one iteration its only bandwidth."""
UNIT = "GB/s"
FACTOR = UNITS[UNIT].factor


@dataclass(frozen=True, slots=True)
class MeasuredWrite:
    """Values in UNIT, in the order of the repeats; `ceilings` in B/s, from below."""

    row: Row
    values: Sequence[float]
    ceilings: Sequence[Ceiling]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.values)

    @property
    def lowest(self) -> Ceiling:
        return min(self.ceilings, key=lambda ceiling: ceiling.value)


def is_written(row: Row) -> bool:
    return (row["op"], row["quantity"], row["stat"]) == WRITTEN


def measured_write(run: DemonstrationRun) -> MeasuredWrite:
    """The write bandwidth of a run whose system is described."""
    row = next(row for row in run.measurements if is_written(row))
    parts = of_document(run.system_document) if run.system_document else Parts()
    (efficiency,) = efficiencies(catalogue.crossings()[run.tool], [row], run.parameters, parts)
    values = [value / FACTOR for value in row["repeats"] or [row["value"]]]
    return MeasuredWrite(row, values, efficiency.ceilings)
