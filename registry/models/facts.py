"""Facts that results are asked by, in one narrow table; registry/facts.py writes it from the rest of the record."""

from __future__ import annotations

from django.db import models

from registry.models.results import Result


class Fact(models.Model):
    """One fact of one result as text: a column, a parameter of its run or of its system. Derived, never edited."""

    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="facts", db_index=False)
    name = models.CharField(max_length=120)
    text = models.CharField(max_length=200)

    class Meta:
        ordering = ["result", "name"]
        constraints = [models.UniqueConstraint(fields=["result", "name"], name="one_fact_per_result_and_name")]
        indexes = [
            # A study reads all values of one name with their results from the index alone; filters look one value up.
            models.Index(fields=["name", "text", "result"], name="fact_by_value"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.text}"
