"""Releases: one call for submissions and its lists, published together."""

from __future__ import annotations

from django.db import models


class Release(models.Model):
    """SC23, ISC24, next: either run here, with its times, or copied as published elsewhere (imported)."""

    class Completeness(models.TextChoices):
        COMPLETE = "complete", "complete"
        TOP10 = "top10", "only the first ten ranks of each list"
        PARTIAL = "partial", "some lists complete, some only the first ten ranks"
        MISSING = "missing", "no list available"

    slug = models.CharField(max_length=40, unique=True, help_text="Matched without regard to case.")
    name = models.CharField(max_length=120)
    imported = models.BooleanField(default=False, help_text="Copied from published lists, not run here.")
    held_on = models.DateField(help_text="Orders releases; for imported ones the first day of the month.")
    called_at = models.DateTimeField(auto_now_add=True, help_text="When it came into the record.")
    opens = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField(null=True, blank=True, help_text="Last moment for submitting, stored in UTC.")
    publishes = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    completeness = models.CharField(max_length=10, choices=Completeness, default=Completeness.COMPLETE)
    note = models.TextField(blank=True)
    source = models.CharField(max_length=300, blank=True)
    benchmark_versions = models.JSONField(
        default=list, blank=True, help_text="Versions that a run may use; empty: any."
    )
    unknown_lists = models.JSONField(
        default=dict, blank=True, help_text="Lists that were published elsewhere but are not known here: name and why."
    )
    list_names = models.JSONField(default=list, blank=True, help_text="Lists that this release makes, in order.")
    accepting_reviewers = models.PositiveSmallIntegerField(
        default=1, help_text="So many reviewers have to accept a run."
    )

    class Meta:
        ordering = ["-held_on", "-id"]
        constraints = [
            models.UniqueConstraint(models.functions.Lower("slug"), name="release_slug_unique_in_any_case"),
            models.CheckConstraint(
                condition=models.Q(imported=True) | models.Q(deadline__isnull=False),
                name="release_run_here_has_a_deadline",
            ),
        ]

    def __str__(self) -> str:
        return self.name
