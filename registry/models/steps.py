"""Steps in the numbers of systems with what those whom it concerns say of each, and the verdict on each run."""

from __future__ import annotations

import sys

from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.models.results import Result
from registry.models.sites import System


class Step(models.Model):
    """One place where the level of one series of a system moved. It stays the same row when more results move it a bit.

    Benchmark, mode, trust and client nodes of the series are those of `after`. Levels are canonical.
    """

    class State(models.TextChoices):
        NEW = "new", "new"
        INVESTIGATING = "investigating", "investigating"
        EXPLAINED = "explained", "explained"
        ACCEPTED = "accepted", "accepted"
        FALSE_ALARM = "false_alarm", "false alarm"

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="steps")
    series = models.CharField(max_length=32, help_text="Which one it is in: a digest of what tells it from others.")
    op = models.CharField(max_length=60)
    quantity = models.CharField(max_length=30, blank=True)
    stat = models.CharField(max_length=30, blank=True)
    unit = models.CharField(max_length=12, blank=True)
    printed_unit = models.CharField(max_length=12, blank=True)
    context = models.JSONField(default=dict, blank=True, help_text="Without what says only what a number is worth.")
    better = models.BooleanField()
    before = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="+")
    after = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="+")
    day = models.DateField(help_text="Of the result after it.")
    level_before = models.FloatField()
    level_after = models.FloatField()
    chance = models.FloatField()
    found_at = models.DateTimeField(default=timezone.now, editable=False)
    gone_at = models.DateTimeField(null=True, help_text="Since when the results no longer show it.")
    state = models.CharField(max_length=13, choices=State, default=State.NEW)
    note = models.CharField(max_length=500, blank=True, help_text="Public.")
    version = models.PositiveIntegerField(default=0, help_text="How often its state or note was changed.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=Q(level_before__gt=0, level_after__gt=0), name="step_levels_are_positive"),
            # At the end of the transaction: two steps of a series may change places.
            models.UniqueConstraint(
                fields=["system", "series", "after", "better"], name="step_once", deferrable=models.Deferrable.DEFERRED
            ),
            models.CheckConstraint(
                condition=Q(state__in=["new", "investigating"]) | ~Q(note=""), name="step_is_closed_with_a_note"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.op} {self.quantity} {self.ratio:.3f}"

    @property
    def ratio(self) -> float:
        return min(self.level_after / self.level_before, sys.float_info.max)  # JSON has no number for more


class RunVerdict(models.Model):
    """Whether a run lies where the runs before it of its system let it be expected, as it was last found."""

    class Verdict(models.TextChoices):
        LOWER = "lower", "lower"
        HIGHER = "higher", "higher"
        EXPECTED = "as expected", "as expected"
        CANNOT_TELL = "cannot tell", "cannot tell"

    result = models.OneToOneField(Result, primary_key=True, on_delete=models.CASCADE, related_name="run_verdict")
    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="+")
    verdict = models.CharField(max_length=11, choices=Verdict)
    better = models.BooleanField(null=True, help_text="Of all that lies outside; empty where it is mixed or nothing.")
    continues = models.BooleanField(default=False, help_text="The run before lay outside in the same way.")
    earlier = models.PositiveSmallIntegerField(help_text="Most earlier runs that a metric was held against.")
    judged = models.PositiveSmallIntegerField(help_text="Metrics with enough earlier runs.")
    day = models.DateField(help_text="Of the run.")
    reason = models.CharField(max_length=300, blank=True, help_text="Why nobody can tell.")
    metrics = models.JSONField(default=list, help_text="Those that lie outside, as the API has them.")
    found_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-day", "-pk"]

    def __str__(self) -> str:
        return f"{self.result_id} {self.verdict}"


class StepsDue(models.Model):
    """Results of a system changed, and its steps were not found anew yet. Many rows of one system mean the same."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="+")
    not_before = models.DateTimeField(default=timezone.now, help_text="Later than now where finding them failed.")

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "steps due"

    def __str__(self) -> str:
        return f"Due: {self.system_id}"
