"""Facts that results are asked by, in one narrow table;

Registry/query/facts/fact_index.py writes it from the rest of the record.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Case, When
from django.db.models.functions import Cast

from registry.models.results import Result


class Fact(models.Model):
    """One fact of one result as text: a column, a parameter of its run or of its system. Derived, never edited."""

    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="facts", db_index=False)
    name = models.CharField(max_length=120)
    text = models.CharField(max_length=200)
    number = models.GeneratedField(
        expression=Case(When(text__regex=r"^-?\d{1,15}(\.\d{1,15})?$", then=Cast("text", models.FloatField()))),
        output_field=models.FloatField(null=True),
        db_persist=True,
        help_text="The text as a number; null where it is none.",
    )

    class Meta:
        ordering = ["result", "name"]
        constraints = [models.UniqueConstraint(fields=["result", "name"], name="one_fact_per_result_and_name")]
        indexes = [
            # Filters look one value up.
            models.Index(fields=["name", "text", "result"], name="fact_by_value"),
            # A study reads all values of one name from the index alone, in the order of results, and so merges them.
            models.Index(fields=["name", "result"], include=["text", "number"], name="fact_by_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.text}"
