"""The level of reproducibility of a result as reproductions raise it, beside the level that reviewers awarded."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

from django.db.models import F, Q
from msgspec import Meta

from registry.models import Reproduction, Result
from registry.query.responses.shapes import Shape
from validators.reproduction.levels import Repetition, mark_levels


class LevelMark(Shape):
    """A change of the level by rule."""

    at: Annotated[datetime, Meta(description="From when it holds.")]
    level_before: Annotated[Result.Reproducibility, Meta(description="Level before it.")]
    level_after: Annotated[Result.Reproducibility, Meta(description="Level from then on.")]
    rule: Annotated[str, Meta(description="The rule, as in docs/reproduce.md.")]
    reason: Annotated[str, Meta(description="Which results raise it, and which no longer do.")]
    results: Annotated[
        list[str],
        Meta(
            description="Public ids of the results that count from then on, which are its evidence: first those whose "
            "numbers agree, then those whose numbers do not."
        ),
    ]


class RaisedLevel(Shape):
    """The level of reproducibility by rule. It ranks nothing, and changes no published level."""

    awarded: Annotated[Result.Reproducibility, Meta(description="The level that reviewers awarded, as published.")]
    raised_to: Annotated[Result.Reproducibility, Meta(description="The level with all marks.")]
    marks: Annotated[list[LevelMark], Meta(description="Changes by rule, the oldest first.")]


def raised_level(result: Result) -> RaisedLevel:
    """The level of a result by rule. One query; none for one of `find_result` without a mark."""
    marks = [
        LevelMark(
            at=mark.at,
            level_before=Result.Reproducibility(mark.before),
            level_after=Result.Reproducibility(mark.after),
            rule=mark.rule,
            reason=mark.reason,
            results=list(mark.results),
        )
        for mark in mark_levels(result.reproducibility, _list_repetitions(result))
    ]
    awarded = Result.Reproducibility(result.reproducibility)
    return RaisedLevel(awarded=awarded, raised_to=marks[-1].level_after if marks else awarded, marks=marks)


def _list_repetitions(result: Result) -> Iterator[Repetition]:
    """What an independent institution published that agrees or does not; what cannot be told counts for neither.

    Institutions that are one by the names of today are not independent.
    """
    outcomes = (Reproduction.Outcome.AGREES, Reproduction.Outcome.NOT_REPRODUCED)
    counted = Q(original__public_id=result.public_id, kind=Reproduction.Kind.REPRODUCED, outcome__in=outcomes)
    if not getattr(result, "has_marks", result.pk is not None):
        return
    rows = Reproduction.objects.filter(counted).exclude(result__site=F("original__site"))
    rows = rows.select_related("result__revised_by")
    for row in rows.order_by("judged_at", "result_id"):
        gone_at, why = _find_end(row.result)
        agrees = row.outcome == Reproduction.Outcome.AGREES
        yield Repetition(
            *(row.result.public_id, row.result.site_id, agrees, row.judged_at, gone_at, why),
            shares_with=row.shares_members_with,
        )


def _find_end(result: Result) -> tuple[datetime | None, str]:
    """When a result ceased to count, and why: it was withdrawn or revised. An erased one has no mark any more."""
    moments = [(result.withdrawn_at, "withdrawn")]
    if hasattr(result, "revised_by"):
        moments.append((result.revised_by.published_at, "revised"))
    ends = sorted((moment, why) for moment, why in moments if moment)
    return ends[0] if ends else (None, "")
