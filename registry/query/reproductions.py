"""Who reproduced a result and what came of it, as the API and pages show it. docs/reproduce.md has the words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from textwrap import shorten
from typing import Annotated, Any

from django.db.models import Q
from msgspec import Meta

from registry.models import Reproduction, Result
from registry.query.responses.reproduced_words import standing_marks
from registry.query.responses.shapes import Shape, one_of
from validators.reproduction.counting import SiteMark, choose_sites

MOST_NAMED, MOST_MARKS, MOST_FACTS = 3, 100, 2
"""Failures that the sentence names, marks that are shown, and facts that the sentence names of a failure."""
LONGEST_VALUE = 60
"""Letters of a value in the sentence."""
NOT_KNOWN = "not known"


class Must(Shape):
    """One fact that must be the same in a run that reproduces another."""

    what: Annotated[str, Meta(description="What must match.")]
    original: Annotated[str | None, Meta(description="In the original; null: not known.")]
    new: Annotated[str | None, Meta(description="In the new run; null: not known.")]
    matches: Annotated[bool, Meta(description="Whether both are known and equal.")]


class ReproducedNumber(Shape):
    """One number of two results, as a ratio of new to original."""

    op: Annotated[str, Meta(description="Operation.")]
    quantity: Annotated[str, Meta(description="Kind of number.")]
    stat: Annotated[str, Meta(description="Statistic.")]
    context: Annotated[dict[str, Any], Meta(description="What tells the number from others of the run.")]
    ratio: Annotated[float | None, Meta(description="Of geometric means, new to original; no unit; null: none.")]
    low: Annotated[float | None, Meta(description="Lower end of its interval of 95 %; null: fewer than two runs.")]
    high: Annotated[float | None, Meta(description="Upper end of its interval of 95 %; null: fewer than two runs.")]
    original_runs: Annotated[int, Meta(description="Runs of the original.")]
    new_runs: Annotated[int, Meta(description="New runs.")]
    outcome: Annotated[str, Meta(description="agrees, not reproduced, or cannot tell.")]
    why: Annotated[str, Meta(description="Why its numbers agree or not, in words.")]


class RecordedMark(Shape):
    """What came of a published result that was to reproduce another one, on the day that it was judged."""

    result: Annotated[str, Meta(description="Public id of the new result.")]
    original: Annotated[str, Meta(description="Public id of the result that it was to reproduce.")]
    kind: Annotated[
        str,
        one_of(*Reproduction.Kind.values),
        Meta(description="repeated, reproduced or replicated; unknown: it is not public whether both are independent."),
    ]
    outcome: Annotated[str, Meta(description="Of its numbers: agrees, not reproduced, or cannot tell.")]
    ratio: Annotated[float | None, Meta(description="New to original, of the number furthest from 1.")]
    low: Annotated[float | None, Meta(description="Lower end of its interval of 95 %; null: fewer than two runs.")]
    high: Annotated[float | None, Meta(description="Upper end of its interval of 95 %; null: fewer than two runs.")]
    why: Annotated[str, Meta(description="Why that number agrees or not, in words.")]
    judged_at: Annotated[datetime, Meta(description="When it was judged; it is not judged again.")]
    musts: Annotated[list[Must], Meta(description="What of the recipe must match.")]
    numbers: Annotated[list[ReproducedNumber], Meta(description="Numbers compared, the furthest from 1 first.")]
    differences: Annotated[
        list[dict[str, Any]], Meta(description="What else differs, in the groups of `configuration` in compare/.")
    ]


class ReproductionMark(RecordedMark):
    """The same with what of both results is shown today, and whether it counts. `reproductions/{id}/` has its proof."""

    original_withdrawn: Annotated[bool, Meta(description="Whether that one was withdrawn since.")]
    institution: Annotated[str, Meta(description="Institution of the new result, as its page shows it.")]
    counted: Annotated[
        bool,
        Meta(
            description="Whether its institution counts in `sites` or `failed_sites`: it is reproduced, its numbers "
            "are clear, and no institution counted before had a member in common with it or may have had."
        ),
    ]


class Reproduced(Shape):
    """Whether others reproduced a result. Failures count as much as successes."""

    sentence: Annotated[str, Meta(description="In words; empty where nobody tried.")]
    sites: Annotated[
        int, Meta(description="Institutions without a common member that reproduced it and whose numbers agree.")
    ]
    failed_sites: Annotated[
        int, Meta(description="Institutions without a common member that ran it and whose numbers do not agree.")
    ]
    within_percent: Annotated[
        float | None, Meta(description="How far the numbers of `sites` are from the original at most; null: no site.")
    ]
    marks: Annotated[list[ReproductionMark], Meta(description="Results that were to reproduce it, the oldest 100.")]
    reproduces: Annotated[ReproductionMark | None, Meta(description="The outcome, if this result reproduces another.")]


def describe_marks(result: Result) -> Reproduced:
    """What others made of a result of `find_result`. One query; none where there is no mark."""
    if not getattr(result, "has_marks", False):
        return _summarize_marks([], None)
    of_result = Q(original__public_id=result.public_id) | Q(result__public_id=result.public_id)
    marks = standing_marks().filter(of_result).select_related("result", "original")
    rows = list(marks.order_by("judged_at", "result_id"))
    own = next((mark for mark in rows if mark.result.public_id == result.public_id), None)
    return _summarize_marks([mark for mark in rows if mark is not own], own)


def write_in_brief(described: Reproduced) -> str:
    """How many sites reproduced a result and how many did not; "" where none counts."""
    counts = ((described.sites, "reproduced"), (described.failed_sites, "not reproduced"))
    return ", ".join(f"{verb} by {count} site{'' if count == 1 else 's'}" for count, verb in counts if count)


def _summarize_marks(marks: list[Reproduction], own: Reproduction | None) -> Reproduced:
    agreeing = [mark for mark in marks if _is_of_another(mark) and mark.outcome == Reproduction.Outcome.AGREES]
    failed = [mark for mark in marks if _is_of_another(mark) and mark.outcome == Reproduction.Outcome.NOT_REPRODUCED]
    sites, failed_sites = _choose_sites(agreeing), _choose_sites(failed)
    within = max(
        (_percent_off(mark.ratio) for mark in agreeing if mark.ratio and _counts_as_site(mark, sites)), default=None
    )
    counted = {mark.pk for mark in agreeing if _counts_as_site(mark, sites)}
    counted |= {mark.pk for mark in failed if _counts_as_site(mark, failed_sites)}
    return Reproduced(
        sentence=_write_sentence(len(sites), within, failed, marks),
        sites=len(sites),
        failed_sites=len(failed_sites),
        within_percent=within,
        marks=[_as_mark(mark, mark.pk in counted) for mark in marks[:MOST_MARKS]],
        reproduces=_as_mark(own, _is_counted_alone(own)) if own else None,
    )


def _is_of_another(mark: Reproduction) -> bool:
    """Whether another institution reproduced it, also by the names that both have today."""
    return mark.kind == Reproduction.Kind.REPRODUCED and mark.result.site_id != mark.original.site_id


def _is_counted_alone(mark: Reproduction) -> bool:
    """Whether a mark counts as far as it tells by itself."""
    return _is_of_another(mark) and mark.outcome != Reproduction.Outcome.CANNOT_TELL and mark.shares_members_with == []


def _counts_as_site(mark: Reproduction, sites: set[int]) -> bool:
    return mark.result.site_id in sites


def _choose_sites(marks: Iterable[Reproduction]) -> set[int]:
    rows = (SiteMark(row.result.public_id, row.result.site_id, row.shares_members_with) for row in marks)
    return choose_sites(rows)


def _percent_off(ratio: float) -> float:
    """By how many percent a ratio is off 1, in tenths, rounded up: within means within."""
    return math.ceil(abs(ratio - 1) * 1000 - 1e-9) / 10


def _write_sentence(sites: int, within: float | None, failed: list[Reproduction], marks: list[Reproduction]) -> str:
    parts = []
    if sites and within is not None:
        parts.append(f"reproduced by {sites} site{'' if sites == 1 else 's'}, within {within:g} %")
    parts += map(_write_failure, failed[:MOST_NAMED])
    if len(failed) > MOST_NAMED:
        parts.append(f"not reproduced {len(failed) - MOST_NAMED} more times")
    if marks and not parts:
        parts.append("not counted as reproduced by anybody yet")
    return "; ".join(parts)


def _write_failure(mark: Reproduction) -> str:
    """By how much, by whom, and what differed: the first facts that both sides know, and how many more there are."""
    facts = list_differing(mark.differences)
    facts_of_both = [fact for fact in facts if NOT_KNOWN not in (fact["original"], fact["new"])]
    parts = [_write_fact(fact) for fact in facts_of_both[:MOST_FACTS]]
    if more := len(facts) - len(parts):
        parts.append(f"and {more} more" if parts else f"{more} fact{'' if more == 1 else 's'} known of one side only")
    by = f"not reproduced: {format_ratio(mark.ratio)} x, by {mark.result.institution}"
    return f"{by}, what differed: {', '.join(parts)}" if parts else f"{by}, nothing that is known differed"


def _write_fact(fact: Mapping[str, str]) -> str:
    original, new = (shorten(fact[side], LONGEST_VALUE, placeholder="…") for side in ("original", "new"))
    return f"{_name_fact(fact)} ({original}, here {new})"


def _name_fact(fact: Mapping[str, str]) -> str:
    return f"{fact['name']} of {fact['subject']}" if fact["subject"] else fact["name"]


def format_ratio(ratio: float | None) -> str:
    """As pages print it: two decimals, and three digits of what is smaller or much larger."""
    if ratio is None:
        return NOT_KNOWN
    return f"{ratio:.2f}" if 0.1 <= ratio < 1000 else f"{ratio:.3g}"


def list_differing(groups: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """What differs of a mark, one by one: name, subject and both values in words."""
    return [
        {
            "name": row["name"],
            "subject": row["subject"],
            "original": ", ".join(row["values"][0] or ()) or NOT_KNOWN,
            "new": ", ".join(row["values"][1] or ()) or NOT_KNOWN,
        }
        for group in groups
        for row in group["differences"]
    ]


def _as_mark(row: Reproduction, counted: bool) -> ReproductionMark:
    return ReproductionMark(
        result=row.result.public_id,
        original=row.original.public_id,
        original_withdrawn=row.original.withdrawn_at is not None,
        institution=row.result.institution,
        kind=row.kind,
        outcome=row.outcome,
        counted=counted,
        ratio=row.ratio,
        low=row.low,
        high=row.high,
        why=row.why,
        judged_at=row.judged_at,
        musts=row.musts,
        numbers=row.numbers,
        differences=row.differences,
    )
