"""Results that were erased on request: that, when and why by category; nothing of what they were."""

from __future__ import annotations

from django.db import models

from registry.models.results import Result
from registry.models.sites import System


class Erasure(models.Model):
    """The mark that stays of an erased result. Its row and its rank stay, so that no list is renumbered."""

    class Category(models.TextChoices):
        PERSON = "person", "a person asked for the erasure of personal data"
        INSTITUTION = "institution", "the institution asked for it"
        LAW = "law", "the law asks for it"

    WITHHELD_COLUMNS = ("erased_by",)

    result = models.OneToOneField(Result, primary_key=True, on_delete=models.CASCADE, related_name="erasure")
    category = models.CharField(max_length=11, choices=Category)
    erased_at = models.DateTimeField()
    erased_by = models.CharField(max_length=150, help_text="Private: the administrator who did it.")
    system = models.ForeignKey(
        System,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="Private: whose run it was, while other results name that system anyway; lists keep one per system.",
    )
    system_key = models.CharField(
        max_length=32, help_text="Random; the same for erased results of one system, whose name is gone."
    )

    class Meta:
        ordering = ["erased_at", "result"]

    def __str__(self) -> str:
        return f"{self.result_id} erased"
