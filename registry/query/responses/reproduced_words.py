"""What came of a result elsewhere, in the words by which results and lists ask for it. docs/reproduce.md has them."""

from __future__ import annotations

from functools import partial

from django.db.models import Case, Count, F, Func, Max, Q, QuerySet, Subquery, TextField, Value, When
from django.db.models.functions import Coalesce, NullIf

from registry.models import Reproduction

NONE = "none"
"""What is said of results that nobody named, or nobody who counts."""
OUTCOMES = {
    "agrees": Reproduction.Outcome.AGREES,
    "not-reproduced": Reproduction.Outcome.NOT_REPRODUCED,
    "undecided": Reproduction.Outcome.CANNOT_TELL,
}
"""By the word of a query, the outcome that is kept."""
WORDS = (*OUTCOMES, NONE)
BETWEEN = ", "
"""What stands between the words of a result with several."""


def standing_marks() -> QuerySet[Reproduction]:
    """Marks whose result still counts: neither withdrawn nor revised nor erased."""
    return Reproduction.objects.filter(result__withdrawn_at=None, result__revised_by=None, result__erasure=None)


def counted_marks() -> QuerySet[Reproduction]:
    """Those of them that another institution made, also by the names that both have today."""
    reproduced = standing_marks().filter(kind=Reproduction.Kind.REPRODUCED)
    return reproduced.exclude(result__site=F("original__site")).order_by()


def outcome_condition(word: str, of: str = "") -> Q:
    """Results that an independent institution reproduced with that outcome; `none`: nobody did.

    `of` leads to the result, such as `result__`. Raises ValueError for another word.
    """
    word, path = word.lower(), f"{of}public_id__in"
    counted = counted_marks()
    if word == NONE:
        return ~Q(**{path: counted.values("original__public_id")})
    if word not in OUTCOMES:
        raise ValueError(f"one of {', '.join(WORDS)}")
    return Q(**{path: counted.filter(outcome=OUTCOMES[word]).values("original__public_id")})


def words_expression(of: str = "") -> Coalesce:
    """The words that `outcome_condition` finds a result by, for the rows of a query; `of` leads to the result.

    The conditions name no column of the row, so the database reads the marks once and not for each row.
    """
    words = (Case(When(outcome_condition(word, of), then=_text_value(word)), default=None) for word in OUTCOMES)
    joined = Func(_text_value(BETWEEN), *words, function="concat_ws", output_field=TextField())
    return Coalesce(NullIf(joined, _text_value("")), _text_value(NONE))


def of_all_marks(figure: Count | Max) -> Subquery:
    """A figure over all marks that stand, for the rows of a query; null where none does."""
    return Subquery(standing_marks().order_by().values(constant=Value(1)).annotate(figure=figure).values("figure"))


FILTER = (
    *("reproduced", str, f"Outcomes elsewhere: {', '.join(WORDS)}.", "Reproduced"),
    *(outcome_condition, partial(outcome_condition, of="result__")),
)
"""How results and lists ask for it: name, type, description, label, condition on results, and on entries."""


def _text_value(text: str) -> Value:
    return Value(text, output_field=TextField())
