"""Who runs storage and what it is: sites, platforms (product generations), systems (one storage system each)."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import F
from django.db.models.functions import Lower, Upper

from registry.models.search import Fold

MERGED_INTO = "What it is now, never a former name itself; null: it is no former name. Its slug is never used again."


class Site(models.Model):
    """An institution that runs or tests storage systems."""

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    also_printed_as = models.JSONField(default=list, blank=True, help_text="Other spellings met in published lists.")
    merged_into = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.RESTRICT,
        related_name="former",
        help_text=MERGED_INTO,
    )

    class Meta:
        ordering = ["name"]
        indexes = [
            # sites/ in its order.
            models.Index(Lower("name"), F("id"), name="site_in_order"),
            # Parts of names, folded: search.
            GinIndex(OpClass(Fold("name"), name="gin_trgm_ops"), name="site_folded"),
        ]

    def __str__(self) -> str:
        return self.name


class Platform(models.Model):
    """A product generation of storage, with the one before it."""

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    vendor = models.CharField(max_length=200, blank=True)
    predecessor = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="successors")
    source = models.CharField(max_length=300, blank=True, help_text="The document that these facts come from.")
    merged_into = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.RESTRICT,
        related_name="former",
        help_text=MERGED_INTO,
    )

    class Meta:
        ordering = ["vendor", "name"]

    def __str__(self) -> str:
        return self.name


class System(models.Model):
    """One storage system of one site, under the name that its results give it."""

    slug = models.SlugField(max_length=160, unique=True)
    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="systems")
    name = models.CharField(max_length=200, blank=True, help_text="Empty where the source names no system.")
    platform = models.ForeignKey(Platform, null=True, blank=True, on_delete=models.SET_NULL, related_name="systems")
    merged_into = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.RESTRICT,
        related_name="former",
        help_text=MERGED_INTO,
    )

    class Meta:
        ordering = ["name", "slug"]
        constraints = [models.UniqueConstraint(fields=["site", "name"], name="one_system_per_name_at_a_site")]
        indexes = [
            # systems/ in its order, and results/?system= by name.
            models.Index(Lower("name"), F("id"), name="system_in_order"),
            models.Index(Upper("name"), name="system_by_name"),
            # Parts of names, folded: search.
            GinIndex(OpClass(Fold("name"), name="gin_trgm_ops"), name="system_folded"),
        ]

    def __str__(self) -> str:
        return self.name or self.slug
