"""The ranks that entries of lists may have, by repeats of their runs: written when a list is made or loaded.

The arithmetic is in registry/comparison/uncertainty.py; this module only brings lists to it and back. No list
changes by it. Wider ranks, where a reader asks for them, are computed for each answer and stored nowhere: all of them
hold at once, if runs vary as is assumed (registry/comparison/simultaneous.py).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from registry.comparison import assumptions, uncertainty
from registry.comparison.assumptions import AssumedClass
from registry.comparison.simultaneous import assumed_rank_ranges, range_quantile
from registry.comparison.spreads import measured_spreads, measurement_key, pool_values
from registry.comparison.uncertainty import Spread
from registry.lists.definitions import SCORED, lower_is_better
from registry.lists.ranking import best_measurement
from registry.models import Fact, ListEntry, Measurement, RankedList, RankRange, Result
from registry.query import public_record
from registry.query.facts.fact_index import CONFIGURATION

Row = dict[str, Any]

LARGEST_APART = math.log(sys.float_info.max)
"""Logarithm of the largest factor that a number can say. Runs with heavy tails reach it with some thousand entries."""


@dataclass(frozen=True, slots=True)
class _RangeInputs:
    """What is known of the results of lists: by result its repeats, scores, measurements, and tool with parameters."""

    repeats: Mapping[int, Sequence[int]]
    scores: Mapping[int, Row]
    measurements: Mapping[int, Sequence[Row]]
    runs: Mapping[int, tuple[str, Row]]


def index_ranges(lists: Iterable[RankedList]) -> None:
    """Write the ranges of these lists anew; as many queries for many lists as for one.

    What was not repeated has none: it shares ranks by equal scores alone, which its entry says itself.
    """
    by_id = {ranked_list.pk: ranked_list for ranked_list in lists}
    entries: dict[int, list[ListEntry]] = {pk: [] for pk in by_id}
    list_entries = ListEntry.objects.filter(ranked_list__in=by_id, score__gt=0).order_by("ranked_list", "position")
    for entry in list_entries.only("ranked_list_id", "result_id", "rank_low", "rank_high", "score"):
        entries[entry.ranked_list_id].append(entry)
    inputs = _read_inputs([(by_id[pk], [entry.result_id for entry in rows]) for pk, rows in entries.items()])
    rank_ranges = [
        RankRange(**rank_range) for pk, rows in entries.items() for rank_range in _of_list(by_id[pk], rows, inputs)
    ]
    RankRange.objects.filter(entry__ranked_list__in=by_id).delete()
    RankRange.objects.bulk_create(
        rank_ranges,
        batch_size=5000,
        update_conflicts=True,
        unique_fields=["entry"],
        update_fields=["low", "high"],
    )


def preview_ranges(ranked_list: RankedList, entries: Iterable[ListEntry]) -> dict[int, tuple[int, int]]:
    """By result, the ranges that these entries of a list would get; neither list nor entries need be stored.

    Without entries whose score is not positive or was not repeated, which get none.
    """
    scored = [entry for entry in entries if entry.score > 0]
    inputs = _read_inputs([(ranked_list, [entry.result_id for entry in scored])])
    return {
        rank_range["entry"].result_id: (rank_range["low"], rank_range["high"])
        for rank_range in _of_list(ranked_list, scored, inputs)
    }


def _of_list(ranked_list: RankedList, entries: Sequence[ListEntry], inputs: _RangeInputs) -> Iterable[Row]:
    """Each entry that was repeated with the ranks that it may have, its published one always among them."""
    body = _definition_body(ranked_list)
    repeating = [_measured_spread(body, entry.result_id, inputs) for entry in entries]
    scores = [entry.score for entry in entries]
    ranges = uncertainty.rank_ranges(scores, repeating, lower_is_better=lower_is_better(body))
    for entry, spread, (low, high) in zip(entries, repeating, ranges, strict=True):
        if spread:
            yield {"entry": entry, "low": min(low, entry.rank_low), "high": max(high, entry.rank_high)}


def _definition_body(ranked_list: RankedList) -> Row:
    return ranked_list.definition.body if ranked_list.definition else {}


def _measured_spread(body: Row, result: int, inputs: _RangeInputs) -> Spread | None:
    """The measured spread of what a list ranks of a result; None where there is none."""
    repeats = inputs.repeats.get(result, ())
    if "ranks" not in body:
        column = body.get("score", "score")
        scores = [inputs.scores[repeat] for repeat in repeats if inputs.scores[repeat][column] is not None]
        return uncertainty.of_repeats(
            pool_values([score["repeated_scores"].get(column) or [score[column]] for score in scores])
        )
    row = best_measurement(inputs.measurements[result], body["ranks"], lower_is_better=lower_is_better(body))
    others = [inputs.measurements[repeat] for repeat in repeats if repeat != result]
    return (
        measured_spreads(inputs.runs[result][0], inputs.measurements[result], inputs.runs[result][1], others).get(
            measurement_key(row)
        )
        if row
        else None
    )


def _read_inputs(lists: Sequence[tuple[RankedList, Sequence[int]]]) -> _RangeInputs:
    """Of lists with the ids of their results. Repeats are known of what was verified here."""
    verified = {pk for ranked_list, ids in lists if ranked_list.trust == Result.Trust.VERIFIED for pk in ids}
    repeats = _repeats_by_result(verified) if verified else {}
    ranked = {pk for ranked_list, ids in lists if "ranks" in _definition_body(ranked_list) for pk in ids}
    again = {pk for same in repeats.values() for pk in same}
    columns = ("score", "bandwidth_gib_per_s", "rate_kiops", "repeated_scores")
    scores = {row.pop("id"): row for row in Result.objects.filter(id__in=again).values("id", *columns)} if again else {}
    measurements_by_result = {pk: list[Row]() for pk in ranked | again}
    runs: dict[int, tuple[str, Row]] = {}
    if ranked:
        quantities = {
            (body["ranks"]["op"], body["ranks"]["quantity"])
            for ranked_list, _ in lists
            if "ranks" in (body := _definition_body(ranked_list))
        }
        met = reduce(or_, [Q(op=op, quantity=quantity) for op, quantity in quantities])
        rows = Measurement.objects.filter(met, result__in=measurements_by_result)
        names = ("op", "quantity", "stat", "unit", "context", "value", "repeats")
        for result_id, *values in rows.values_list("result_id", *names):
            measurements_by_result[result_id].append(dict(zip(names, values, strict=True)))
        run_rows = Result.objects.filter(id__in=ranked).values_list("id", "tool", "parameters")
        runs = {pk: (tool, parameters) for pk, tool, parameters in run_rows}
    return _RangeInputs(repeats, scores, measurements_by_result, runs)


def _repeats_by_result(result_ids: Collection[int]) -> dict[int, list[int]]:
    """Standing results of the same configuration, by result; where none is known to be, the result alone."""
    own = dict(Fact.objects.filter(name=CONFIGURATION, result__in=result_ids).values_list("result_id", "text"))
    same: dict[str, list[int]] = {}
    standing = Fact.objects.filter(public_record.is_current("result"), name=CONFIGURATION)
    for pk, text in standing.filter(text__in=set(own.values())).values_list("result_id", "text"):
        same.setdefault(text, []).append(pk)
    return {pk: same.get(own[pk], [pk]) if pk in own else [pk] for pk in result_ids}


NOT_ASSUMED = {
    "no-class": "No published repeats are known of what this list ranks: nothing is assumed of it.",
    "repeated": "Every entry was repeated: the ranges by repeats stand, and nothing is assumed.",
    "incomplete": "Only the first ranks of this list are known: entries that are not may stand above any of them.",
}
"""Why a list has no assumed ranks, by code."""


@dataclass(frozen=True, slots=True)
class AssumedRanks:
    """The assumed ranks of a list by the id of its results; or the code of `NOT_ASSUMED` that says why it has none.

    `factor` is by how much two scores have to differ for one entry to stand above the other; None where no number is
    large enough.
    """

    ranges: Mapping[str, tuple[int, int]]
    assumed_class: AssumedClass | None = None
    factor: float | None = None
    reason: str = ""

    def of_result(self, public_id: str) -> tuple[int | None, int | None]:
        """The best and the worst rank of a result; None for one without."""
        return self.ranges.get(public_id, (None, None))

    def describe_assumption(self) -> Row:
        """What is assumed, as answers say it."""
        return {
            "assumption": assumptions.describe_class(self.assumed_class.name) if self.assumed_class else None,
            "assumed_factor": self.factor,
            "not_assumed": {"code": self.reason, "message": NOT_ASSUMED[self.reason]} if self.reason else None,
        }


def load_assumed_ranks(ranked_list: RankedList) -> AssumedRanks:
    """The assumed ranks of all entries with a positive score. One query."""
    body = _definition_body(ranked_list)
    assumed_class = _class_of(body)
    if assumed_class is None or not ranked_list.complete:
        return AssumedRanks({}, reason="incomplete" if assumed_class else "no-class")
    columns = ("result__public_id", "score", "rank_low", "rank_high", "range__low")
    entries = list(ListEntry.objects.filter(ranked_list=ranked_list, score__gt=0).values_list(*columns))
    if entries and all(by_repeats is not None for *_, by_repeats in entries):
        return AssumedRanks({}, reason="repeated")
    ranges = assumed_rank_ranges(
        [score for _, score, *_ in entries], assumed_class.assumption, lower_is_better=lower_is_better(body)
    )
    by_result = {
        public_id: (min(low, rank_low), max(high, rank_high))
        for (public_id, _, rank_low, rank_high, _), (low, high) in zip(entries, ranges, strict=True)
    }
    apart = assumed_class.assumption.scale * range_quantile(len(entries), assumed_class.assumption.degrees)
    return AssumedRanks(by_result, assumed_class, math.exp(apart) if apart < LARGEST_APART else None)


def _class_of(body: Row) -> AssumedClass | None:
    """The class of what a list ranks: a measurement of a tool, or a score of IO500 or one of its halves."""
    if "ranks" in body:
        ranks = body["ranks"]
        return assumptions.find_class(ranks["tool"], ranks["op"], ranks["quantity"], ranks["stat"])
    return assumptions.find_class(SCORED, body.get("score", "score"), "")
