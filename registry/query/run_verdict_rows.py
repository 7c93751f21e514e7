"""The verdict on a run, as the record keeps it, as a row: whether it lay where earlier runs let it be expected."""

from __future__ import annotations

from registry.models import Result, RunVerdict
from registry.query.public_record import Row
from registry.query.responses.trust_levels import label_of

COLUMNS = ("verdict", "better", "continues", "earlier", "judged", "day", "reason")
_OF_RESULT = ("tool", "mode", "trust", "client_nodes")


def build_verdict_row(verdict: RunVerdict) -> Row:
    """The verdict on a run, its result joined, as the API has it; with the metrics that lie outside."""
    result = verdict.result
    return {
        "result": result.public_id,
        **{name: getattr(result, name) for name in _OF_RESULT},
        "trust_label": label_of(result),
        **{name: getattr(verdict, name) for name in COLUMNS},
        "metrics": verdict.metrics,
    }


def read_verdict(result: Result) -> Row | None:
    """The recorded verdict on a result that counts; None where it was held against no other.

    No query for a result of `find_result` (registry/query/public_record.py), else one.
    """
    verdict = None if result.withdrawn_at else getattr(result, "run_verdict", None)
    return build_verdict_row(verdict) if verdict else None
