"""The ranks that entries of lists may have, by repeats of their runs: written when a list is made or loaded.

The arithmetic is in registry/comparison/uncertainty.py; this module only brings lists to it and back. No list
changes by it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from registry.comparison import uncertainty
from registry.comparison.spreads import key, pooled, spreads
from registry.comparison.uncertainty import Spread
from registry.lists.definitions import lower_is_better
from registry.lists.ranking import best_measurement
from registry.models import Fact, ListEntry, Measurement, RankedList, RankRange, Result
from registry.query import public_record
from registry.query.fact_index import CONFIGURATION

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of the results of lists: by result its repeats, scores, measurements, and tool with parameters."""

    repeats: Mapping[int, Sequence[int]]
    scores: Mapping[int, Row]
    measured: Mapping[int, Sequence[Row]]
    runs: Mapping[int, tuple[str, Row]]


def index(lists: Iterable[RankedList]) -> None:
    """Write the ranges of these lists anew; as many queries for many lists as for one.

    What was not repeated has none: it shares ranks by equal scores alone, which its entry says itself.
    """
    by_id = {one.pk: one for one in lists}
    entries: dict[int, list[ListEntry]] = {pk: [] for pk in by_id}
    list_entries = ListEntry.objects.filter(ranked_list__in=by_id, score__gt=0).order_by("ranked_list", "position")
    for entry in list_entries.only("ranked_list_id", "result_id", "rank_low", "rank_high", "score"):
        entries[entry.ranked_list_id].append(entry)
    known = _known([(by_id[pk], [entry.result_id for entry in rows]) for pk, rows in entries.items()])
    made = [RankRange(**one) for pk, rows in entries.items() for one in _of_list(by_id[pk], rows, known)]
    RankRange.objects.filter(entry__ranked_list__in=by_id).delete()
    fields = {"unique_fields": ["entry"], "update_fields": ["low", "high"]}
    RankRange.objects.bulk_create(made, batch_size=5000, update_conflicts=True, **fields)


def foretold(ranked_list: RankedList, entries: Iterable[ListEntry]) -> dict[int, tuple[int, int]]:
    """By result, the ranges that these entries of a list would get; neither list nor entries need be stored.

    Without entries whose score is not positive or was not repeated, which get none.
    """
    scored = [entry for entry in entries if entry.score > 0]
    known = _known([(ranked_list, [entry.result_id for entry in scored])])
    return {one["entry"].result_id: (one["low"], one["high"]) for one in _of_list(ranked_list, scored, known)}


def _of_list(ranked_list: RankedList, entries: Sequence[ListEntry], known: _Known) -> Iterable[Row]:
    """Each entry that was repeated with the ranks that it may have, its published one always among them."""
    body = _body(ranked_list)
    repeating = [_spread(body, entry.result_id, known) for entry in entries]
    scores = [entry.score for entry in entries]
    ranges = uncertainty.rank_ranges(scores, repeating, lower_is_better=lower_is_better(body))
    for entry, spread, (low, high) in zip(entries, repeating, ranges, strict=True):
        if spread:
            yield {"entry": entry, "low": min(low, entry.rank_low), "high": max(high, entry.rank_high)}


def _body(ranked_list: RankedList) -> Row:
    return ranked_list.definition.body if ranked_list.definition else {}


def _spread(body: Row, result: int, known: _Known) -> Spread | None:
    """The measured spread of what a list ranks of a result; None where there is none."""
    repeats = known.repeats.get(result, ())
    if "ranks" not in body:
        column = body.get("score", "score")
        scores = [known.scores[repeat] for repeat in repeats if known.scores[repeat][column] is not None]
        return uncertainty.of_repeats(
            pooled([score["repeated_scores"].get(column) or [score[column]] for score in scores])
        )
    row = best_measurement(known.measured[result], body["ranks"], lower_is_better=lower_is_better(body))
    others = [known.measured[repeat] for repeat in repeats if repeat != result]
    return (
        spreads(known.runs[result][0], known.measured[result], known.runs[result][1], others).get(key(row))
        if row
        else None
    )


def _known(lists: Sequence[tuple[RankedList, Sequence[int]]]) -> _Known:
    """Of lists with the ids of their results. Repeats are known of what was verified here."""
    verified = {pk for one, ids in lists if one.trust == Result.Trust.VERIFIED for pk in ids}
    repeats = _repeats(verified) if verified else {}
    ranked = {pk for one, ids in lists if "ranks" in _body(one) for pk in ids}
    again = {pk for same in repeats.values() for pk in same}
    columns = ("score", "bandwidth_gib_per_s", "rate_kiops", "repeated_scores")
    scores = {row.pop("id"): row for row in Result.objects.filter(id__in=again).values("id", *columns)} if again else {}
    measured = {pk: list[Row]() for pk in ranked | again}
    runs: dict[int, tuple[str, Row]] = {}
    if ranked:
        wanted = {
            (body["ranks"]["op"], body["ranks"]["quantity"]) for one, _ in lists if "ranks" in (body := _body(one))
        }
        met = reduce(or_, [Q(op=op, quantity=quantity) for op, quantity in wanted])
        rows = Measurement.objects.filter(met, result__in=measured)
        for row in rows.values("result_id", "op", "quantity", "stat", "unit", "context", "value", "repeats"):
            measured[row.pop("result_id")].append(row)
        found = Result.objects.filter(id__in=ranked).values_list("id", "tool", "parameters")
        runs = {pk: (tool, parameters) for pk, tool, parameters in found}
    return _Known(repeats, scores, measured, runs)


def _repeats(result_ids: Collection[int]) -> dict[int, list[int]]:
    """Standing results of the same configuration, by result; where none is known to be, the result alone."""
    own = dict(Fact.objects.filter(name=CONFIGURATION, result__in=result_ids).values_list("result_id", "text"))
    same: dict[str, list[int]] = {}
    standing = Fact.objects.filter(public_record.is_current("result"), name=CONFIGURATION)
    for pk, text in standing.filter(text__in=set(own.values())).values_list("result_id", "text"):
        same.setdefault(text, []).append(pk)
    return {pk: same.get(own[pk], [pk]) if pk in own else [pk] for pk in result_ids}
