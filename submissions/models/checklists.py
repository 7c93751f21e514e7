"""The committee's own checklist of a release, and who did what with it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from registry.models import Release
from submissions.models.accounts import Account

LONGEST_LABEL = 200


class ChecklistItem(models.Model):
    """One thing that the committee has to see to for a release; open or done, and then by whom and when."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField(help_text="Order on the checklist, from 1.")
    label = models.CharField(max_length=LONGEST_LABEL)
    done_at = models.DateTimeField(null=True, blank=True)
    done_by = models.ForeignKey(Account, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    version = models.PositiveIntegerField(default=1, help_text="Rises with each change of its label or its tick.")

    class Meta:
        ordering = ["release", "position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["release", "label"], name="checklist_label_once"),
            models.CheckConstraint(condition=~Q(label=""), name="checklist_item_has_a_label"),
            models.CheckConstraint(
                condition=Q(done_at=None, done_by=None) | Q(done_at__isnull=False, done_by__isnull=False),
                name="checklist_done_by_and_at",
            ),
        ]

    def __str__(self) -> str:
        return self.label


class ChecklistAct(models.Model):
    """One act on a checklist: who, when, what. Append-only: the database refuses to change or delete one."""

    class Action(models.TextChoices):
        COPY = "copy", "copied"
        ADD = "add", "added"
        RENAME = "rename", "renamed"
        MOVE = "move", "moved"
        TICK = "tick", "ticked"
        UNTICK = "untick", "unticked"
        REMOVE = "remove", "removed"

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    account = models.ForeignKey(
        Account, null=True, on_delete=models.PROTECT, related_name="+", help_text="Null: the registry."
    )
    action = models.CharField(max_length=6, choices=Action)
    label = models.CharField(max_length=LONGEST_LABEL, blank=True, help_text="Of the item, as it was before the act.")
    detail = models.CharField(
        max_length=LONGEST_LABEL, blank=True, help_text="The new label, the new position, or the release copied from."
    )

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["release", "-id"], name="checklist_history")]

    def __str__(self) -> str:
        return f"{self.action} {self.label}"
