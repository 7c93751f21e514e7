"""What search reads beside the record: the site's own texts, and one way to fold any text."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models import Func


class Fold(Func):
    """A text as it is searched: lower case, without accents, words apart by one space, a space before the first.

    The function of the database is made by migration 0027; letters beyond ASCII that have no plain form stay.
    """

    function = "highwater_fold"
    arity = 1

    def __init__(self, expression: Any) -> None:
        super().__init__(expression, output_field=models.TextField())


def _weighted_words(field: str, weight: str) -> SearchVector:
    return SearchVector(Fold(field), weight=weight, config="english")


class SearchText(models.Model):
    """A text of the site that search finds: a section of a document, a parameter, a rule, a study.

    All rows follow from the code, and `manage load_catalogue` writes them anew when they changed.
    """

    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=300, help_text="Unique among its kind: an id, a code, or a page and its anchor.")
    position = models.PositiveIntegerField(help_text="Order among texts that fit equally well.")
    title = models.CharField(max_length=300)
    place = models.CharField(max_length=300, blank=True, help_text="Where it stands, or what it belongs to.")
    url = models.CharField(max_length=500)
    summary = models.TextField(blank=True)
    body = models.TextField(blank=True)
    digest = models.CharField(max_length=64, help_text="sha256 of all texts that were loaded together.")
    vector = models.GeneratedField(
        expression=_weighted_words("title", "A")
        + _weighted_words("key", "A")
        + _weighted_words("summary", "B")
        + _weighted_words("body", "D"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    class Meta:
        ordering = ["kind", "position"]
        constraints = [models.UniqueConstraint(fields=["kind", "key"], name="search_text_key_unique")]
        indexes = [GinIndex(fields=["vector"], name="search_text_words")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
