"""Acts that say that two names are of one institution, system or platform, or that one name is of two."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from registry.models.sites import Platform, Site, System

DECIDERS = ("decided_by", "undone_by")
"""Columns that queries of public routes leave out: their role of the database does not read them."""
NONCE = "nonce"
"""Of what an act moved: random, so that nobody can guess the rest by its digest in the log."""


class IdentityChange(models.Model):
    """One merging or splitting: what led to what, why, when, by whom, and what moved. Undone from its own row."""

    class Kind(models.TextChoices):
        SITE = "site", "institution"
        SYSTEM = "system", "system"
        PLATFORM = "platform", "platform"

    class Action(models.TextChoices):
        MERGE = "merge", "merge"
        SPLIT = "split", "split"

    WITHHELD_COLUMNS = DECIDERS

    kind = models.CharField(max_length=8, choices=Kind)
    action = models.CharField(max_length=5, choices=Action)
    from_slug = models.CharField(max_length=160, help_text="Where what moved was before.")
    from_name = models.CharField(max_length=200, blank=True)
    to_slug = models.CharField(max_length=160, help_text="Where it went.")
    to_name = models.CharField(max_length=200, blank=True)
    reason = models.TextField(help_text="Public.")
    source = models.CharField(max_length=300, blank=True, help_text="What proves it; of an editor's act may be empty.")
    decided_by = models.CharField(max_length=150, blank=True, help_text="Private. Empty: a data file of the registry.")
    made_at = models.DateTimeField(auto_now_add=True)
    moved = models.JSONField(
        default=dict, help_text="results, systems, successors, former: ids and slugs of what moved; merges: inner acts."
    )
    public = models.BooleanField(default=True, help_text="The former name stood in the record, so everybody may know.")
    part_of = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="parts")
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.CharField(max_length=150, blank=True, help_text="Private.")
    undone_reason = models.TextField(blank=True, help_text="Public.")

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["kind", "to_slug"], name="identity_change_to"),
            models.Index(fields=["kind", "from_slug"], name="identity_change_from"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="identity_change_has_a_reason"),
            models.CheckConstraint(condition=~Q(from_slug=models.F("to_slug")), name="identity_change_moves"),
            models.CheckConstraint(
                condition=Q(undone_at=None) | ~Q(undone_reason=""), name="identity_change_undone_with_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.kind} {self.from_slug} to {self.to_slug}"


MODELS: dict[str, type[Site] | type[System] | type[Platform]] = {
    IdentityChange.Kind.SITE: Site,
    IdentityChange.Kind.SYSTEM: System,
    IdentityChange.Kind.PLATFORM: Platform,
}
"""By kind the table of what is merged and split."""
