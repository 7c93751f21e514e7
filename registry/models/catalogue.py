"""Which data files the record was loaded from."""

from __future__ import annotations

from django.db import models


class CatalogueLoad(models.Model):
    """One loading of definitions, aliases and history; the latest one tells whether the files changed since."""

    digest = models.CharField(max_length=64, help_text="sha256 of the data files and of the loader.")
    loaded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        get_latest_by = "id"
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.digest[:12]
