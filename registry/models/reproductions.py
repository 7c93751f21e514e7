"""Results that were published in order to reproduce others, and what came of it."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from registry.models.results import Result


class Reproduction(models.Model):
    """A published result held against the one that it was to reproduce, as it was judged that day."""

    class Kind(models.TextChoices):
        REPEATED = "repeated", "repeated"
        REPRODUCED = "reproduced", "reproduced"
        REPLICATED = "replicated", "replicated"
        UNKNOWN = "unknown", "unknown"

    class Outcome(models.TextChoices):
        AGREES = "agrees", "agrees"
        NOT_REPRODUCED = "not reproduced", "not reproduced"
        CANNOT_TELL = "cannot tell", "cannot tell"

    result = models.OneToOneField(Result, primary_key=True, on_delete=models.CASCADE, related_name="reproduction")
    original = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="reproductions")
    kind = models.CharField(
        max_length=10, choices=Kind, help_text="Unknown: whether both are of independent institutions is not public."
    )
    outcome = models.CharField(max_length=14, choices=Outcome)
    ratio = models.FloatField(null=True, help_text="New to original, of the number furthest from 1.")
    low = models.FloatField(null=True, help_text="Of its interval of 95 %.")
    high = models.FloatField(null=True)
    why = models.CharField(max_length=200, blank=True, help_text="Of that number.")
    musts = models.JSONField(default=list, help_text="Rows of the recipe that must match.")
    numbers = models.JSONField(default=list, help_text="Each number compared, the furthest from 1 first.")
    differences = models.JSONField(default=list, help_text="What else differs, in groups.")
    shares_members_with = models.JSONField(
        null=True,
        help_text="Public ids of earlier reproductions of the same original by institutions that had, or may have had, "
        "a member in common with this one. Null: it was not asked.",
    )
    judged_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["result"]
        constraints = [
            models.CheckConstraint(condition=~Q(result=F("original")), name="result_reproduces_another"),
            models.CheckConstraint(
                condition=Q(kind__in=["repeated", "reproduced", "replicated", "unknown"]),
                name="reproduction_has_a_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.result_id} {self.kind} {self.original_id}: {self.outcome}"
