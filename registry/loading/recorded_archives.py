"""What the record says already of archives that are read again: a copy adds to it, and takes nothing away.

A copy may be cut off, have a part of the files, or have another archive under a number. What was published stays then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from registry.loading.derived_results import is_readable, list_differences
from registry.models import Result

NO_RUN = "This copy has no run that counts; the record keeps the figures that it has."
OTHER_FIGURES = "This copy has other figures than the record, which keeps its own."
_FIGURES = ("score", "bandwidth_gib_per_s", "rate_kiops")

Row = dict[str, Any]


class KeptResult(NamedTuple):
    """A derived result that a copy does not bear out: it stays as it is."""

    public_id: str
    reason: str
    differences: int


def match_recorded(rows: Iterable[Row]) -> tuple[list[Row], list[KeptResult]]:
    """The rows that may change the record, under the names that it has, and the results that stay as they are.

    One query. A result that is derived keeps its trust, its figures and its names.
    """
    by_id = {row["id"]: row for row in rows}
    results = Result.objects.filter(public_id__in=by_id, trust=Result.Trust.DERIVED)
    recorded = {result.public_id: result for result in results.defer("search", "snapshot")}
    changing_rows, same_results = list[Row](), list[KeptResult]()
    for public_id, row in by_id.items():
        result = recorded.get(public_id)
        if result is None:
            changing_rows.append(row)
            continue
        figures = {name: getattr(result, name) for name in _FIGURES}
        differences = len(list_differences({name: value for name, value in figures.items() if value is not None}, row))
        if is_readable(row) and not differences:
            changing_rows.append(row | _printed_names(result))
        else:
            reason = OTHER_FIGURES if is_readable(row) else NO_RUN
            same_results.append(KeptResult(public_id, reason, differences if is_readable(row) else 0))
    return changing_rows, same_results


def _printed_names(result: Result) -> Row:
    return {
        "institution": result.institution,
        "system": result.system_name,
        "filesystem_type": result.filesystem_type,
    }
