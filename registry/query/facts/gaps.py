"""Why a fact of results is not known: what kind of source each is from, and what that source lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Value, When
from django.db.models.fields import CharField

from registry.models import Fact, PublicSystemSnapshot, Result
from registry.query.facts.axes import find_axis
from registry.query.row_sources import PUBLIC, RowSource

NOT_A_NUMBER = "not-a-number"
REASONS = {
    "not-in-document": "The source document has no {title}.",
    "not-in-list": "The list that it was copied from has no {title}, nor has its archive.",
    "not-read": "Only part of its published files was read here, and that part has no {title}.",
    "no-description": "It has no system document, and its output does not print its {title}.",
    "not-described": "Neither its system document nor its output gives its {title}.",
    NOT_A_NUMBER: "Its recorded {title} is no number above zero.",
}
"""By code why a fact of a result is missing, in words."""


class Gap(NamedTuple):
    """How many `results` lack the fact `name`, and why."""

    name: str
    reason: str
    why: str
    results: int

    def as_row(self) -> dict[str, Any]:
        return self._asdict()


def count_gaps(results: QuerySet[Result], names: Mapping[str, bool]) -> list[Gap]:
    """Why results lack some facts, in the order of `names`, of each the most frequent reason first.

    `names` says of each fact whether it has to be a number above zero. One query, none without names.
    """
    if not names:
        return []
    first, *others = [_count_reasons(results, name, positive=positive) for name, positive in names.items()]
    places = {name: place for place, name in enumerate(names)}
    counted = sorted(first.union(*others, all=True), key=lambda row: (places[row[0]], -row[2], row[1]))
    return [Gap(name, reason, reason_text(reason, name), count) for name, reason, count in counted]


def _count_reasons(results: QuerySet[Result], name: str, *, positive: bool) -> QuerySet[Result, tuple[str, str, int]]:
    """Rows of name, reason and number of results."""
    recorded = Fact.objects.filter(result=OuterRef("pk"), name=name)
    usable = recorded.filter(number__gt=0) if positive else recorded
    lacking = (
        results.order_by().filter(~Q(Exists(usable))).annotate(reason=_reason_case(recorded if positive else None))
    )
    named = lacking.annotate(name=Value(name, output_field=CharField()))
    return named.values_list("name", "reason").annotate(count=Count("pk", distinct=True))


def reasons_by_result(public_ids: Iterable[str], name: str, source: RowSource = PUBLIC) -> dict[str, str]:
    """By public id the code of why each has no positive number under a name. One query."""
    recorded = Fact.objects.filter(result=OuterRef("pk"), name=name)
    results = source.table_rows(Result).order_by().filter(public_id__in=list(public_ids))
    results = results.annotate(reason=_reason_case(recorded))
    return dict(results.values_list("public_id", "reason"))


def reason_text(reason: str, *names: str) -> str:
    """A reason in words, of the facts of these names."""
    return REASONS[reason].format(title=", ".join(find_axis(name).title for name in names))


def _reason_case(recorded: QuerySet[Fact] | None) -> Case:
    described = PublicSystemSnapshot.objects.filter(result=OuterRef("pk"))
    no_number = [When(Exists(recorded), then=Value(NOT_A_NUMBER))] if recorded is not None else []
    return Case(
        *no_number,
        When(snapshot__has_key="published_row", then=Value("not-read")),
        When(trust=Result.Trust.REPORTED, then=Value("not-in-document")),
        When(trust=Result.Trust.IMPORTED, then=Value("not-in-list")),
        When(Exists(described), then=Value("not-described")),
        default=Value("no-description"),
        output_field=CharField(),
    )
