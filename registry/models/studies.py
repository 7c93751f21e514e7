"""Studies and rankings that people saved: a question under a name of its own, for anybody to open."""

from __future__ import annotations

from django.db import models


class SavedStudy(models.Model):
    """A question as it was asked. With an as-of time in it the answer stays; without one it is live."""

    class Kind(models.TextChoices):
        STUDY = "study", "study"
        RANKING = "ranking", "ranking"

    kind = models.CharField(max_length=10, choices=Kind, default=Kind.STUDY)
    slug = models.CharField(max_length=80, unique=True, help_text="Stands in its address; never reused.")
    title = models.CharField(max_length=120)
    question = models.TextField(help_text="The query string of study/ or ranking/.")
    saved_by = models.CharField(max_length=150, help_text="Name of the account.")
    saved_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "saved studies"
        indexes = [
            # How many an account has, and its own ones.
            models.Index(fields=["saved_by", "-id"], name="saved_study_by_account"),
        ]

    def __str__(self) -> str:
        return self.title
