"""Ranked lists: definitions as versioned data, entries with their own score, manual decisions with a reason."""

from __future__ import annotations

from django.db import models
from django.db.models import F

from registry.models.releases import Release
from registry.models.results import Result

AMENDED = "Amended on "
"""How the line begins that an amendment adds to the note of its list."""


class ListDefinition(models.Model):
    """How a list is made. A version that was used is never edited; a new one stands beside it."""

    name = models.CharField(max_length=30)
    version = models.PositiveSmallIntegerField()
    body = models.JSONField()

    class Meta:
        ordering = ["name", "version"]
        constraints = [models.UniqueConstraint(fields=["name", "version"], name="list_definition_version_unique")]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class RankedList(models.Model):
    """One list of one release. Frozen when published; what changes later is an amendment with a reason."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="ranked_lists")
    name = models.CharField(max_length=30)
    title = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField(default=0, help_text="Order of the lists of a release.")
    definition = models.ForeignKey(ListDefinition, null=True, blank=True, on_delete=models.PROTECT)
    trust = models.CharField(max_length=10, choices=Result.Trust)
    complete = models.BooleanField(default=True, help_text="False: only the first ranks are known.")
    source = models.CharField(max_length=300, blank=True)
    note = models.TextField(blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True)
    entered_until = models.DateTimeField(
        null=True, blank=True, help_text="Results published until then are candidates; null: until its release was."
    )
    digest = models.CharField(max_length=64, blank=True, help_text="sha256 of the frozen entries; the ETag.")

    class Meta:
        ordering = ["release", "position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "name"], name="one_list_per_name_and_release"),
            models.CheckConstraint(
                condition=models.Q(trust__in=["verified", "derived", "imported", "reported"]),
                name="list_has_a_level_of_trust",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title}, {self.release}"

    @property
    def amendments(self) -> int:
        """How often the list was amended: the note has a line for each."""
        return sum(line.startswith(AMENDED) for line in self.note.splitlines())


class ListEntry(models.Model):
    """One row of one list, with the score that this list gives it (SC18 and SC18-recomputed differ)."""

    ranked_list = models.ForeignKey(RankedList, on_delete=models.CASCADE, related_name="entries")
    result = models.ForeignKey(Result, on_delete=models.PROTECT, related_name="entries")
    position = models.PositiveIntegerField(help_text="Order on the list, from 1; ties share a rank, not a position.")
    rank = models.PositiveIntegerField()
    rank_low = models.PositiveIntegerField()
    rank_high = models.PositiveIntegerField()
    score = models.FloatField()
    bandwidth_gib_per_s = models.FloatField(null=True, blank=True)
    rate_kiops = models.FloatField(null=True, blank=True)
    new = models.BooleanField(default=False)
    institution = models.CharField(max_length=200)
    system_name = models.CharField(max_length=200, blank=True)
    filesystem_type = models.CharField(max_length=120, blank=True)
    client_nodes = models.PositiveIntegerField(null=True, blank=True)
    note = models.CharField(max_length=300, blank=True, help_text="What a reader must know of this row.")

    class Meta:
        ordering = ["ranked_list", "position"]
        verbose_name_plural = "list entries"
        constraints = [
            # Also the index of the list page and API, which read one list in order.
            models.UniqueConstraint(fields=["ranked_list", "position"], name="list_entry_position_unique"),
            models.UniqueConstraint(fields=["ranked_list", "result"], name="one_entry_per_result_and_list"),
        ]
        indexes = [
            # Whether an entry shares its rank, which the page of its result says.
            models.Index(fields=["ranked_list", "rank"], name="list_entry_by_rank"),
            # The list page ordered by another column, as its SORTABLE (registry/lists/views.py): what is missing comes
            # last either way, and ties stand as on the list.
            *(
                models.Index(F("ranked_list"), order, F("position"), name=f"list_entry_{name}")
                for name, order in (
                    ("score_up", F("score").asc()),
                    ("bandwidth_down", F("bandwidth_gib_per_s").desc(nulls_last=True)),
                    ("bandwidth_up", F("bandwidth_gib_per_s").asc()),
                    ("rate_down", F("rate_kiops").desc(nulls_last=True)),
                    ("rate_up", F("rate_kiops").asc()),
                    ("clients_down", F("client_nodes").desc(nulls_last=True)),
                    ("clients_up", F("client_nodes").asc()),
                )
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rank} {self.system_name or self.result_id}"


class RankRange(models.Model):
    """Ranks that an entry may have, as sure as its score is. Derived; the frozen entry beside it never moves."""

    entry = models.OneToOneField(
        ListEntry,
        # The constraint of migration 0014 deletes it; Django would read every entry first to find its range.
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        primary_key=True,
        related_name="range",
    )
    low = models.PositiveIntegerField(help_text="The best rank.")
    high = models.PositiveIntegerField(help_text="The worst.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(low__lte=models.F("high")), name="rank_range_low_to_high")
        ]

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


class Override(models.Model):
    """A decision of people about one result and one list that the definition alone would not make."""

    class Action(models.TextChoices):
        INCLUDE = "include", "include"
        EXCLUDE = "exclude", "exclude"
        SCORE = "score", "use another score"

    WITHHELD_COLUMNS = ("decided_by",)

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="overrides")
    list_name = models.CharField(max_length=30)
    result = models.ForeignKey(Result, on_delete=models.PROTECT, related_name="overrides")
    action = models.CharField(max_length=8, choices=Action)
    score = models.FloatField(null=True, blank=True)
    reason = models.TextField()
    decided_by = models.CharField(max_length=150)
    decided_at = models.DateTimeField(null=True, blank=True, help_text="Null where the source gives no time.")

    class Meta:
        ordering = ["release", "list_name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["release", "list_name", "result"], name="one_override_per_result_and_list"),
            models.CheckConstraint(condition=~models.Q(reason=""), name="override_has_a_reason"),
            models.CheckConstraint(
                condition=models.Q(action="score") ^ models.Q(score__isnull=True), name="override_score_when_it_says_so"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.result_id} on {self.list_name}"
