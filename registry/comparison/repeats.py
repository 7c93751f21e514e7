"""What was measured again in other runs of the archive that a result came in: its values, and how far they vary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from registry.comparison import uncertainty
from registry.query.public_record import Row
from registry.query.questions import metric_values

_NAMED = ("op", "quantity", "stat", "context", "unit", "printed_unit")


def repeat_summary(result: Any, measurements: Iterable[Row]) -> list[Row]:
    """Each score and measurement that the archive has several runs of.

    [{"op", "quantity", "stat", "context", "unit", "printed_unit", "runs", "deviation_percent", "values"}]: values are
    canonical, in the order of the runs, the published one among them; the deviation is None below three runs.
    """
    rows = [row for row in (*metric_values.score_rows(result), *measurements) if row["repeats"]]
    return [{name: row[name] for name in _NAMED} | _spread_row(row["repeats"]) for row in rows]


def _spread_row(values: list[float]) -> Row:
    spread = uncertainty.of_repeats(values)
    percent = 100 * spread.deviation if spread else None
    return {"runs": len(values), "deviation_percent": percent, "values": values}
