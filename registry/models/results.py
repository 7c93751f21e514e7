"""Results as published: a snapshot of measurements and facts that never moves; corrections are new revisions."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce, Now, NullIf, Upper

from registry.models.releases import Release
from registry.models.sites import Platform, Site, System

FAMILY_OR_TYPE = Coalesce(NullIf("filesystem_family", Value("")), "filesystem_type")
"""Of a result the family of its file system; where that is not known, the type as it is printed."""
VIOLATED = "violated"
"""The outcome of a rule that a run breaks."""


class ViolatedRules(models.Func):
    """How many rules of a snapshot came out as violated; null where no rule has an outcome."""

    template = (
        "CASE WHEN jsonb_path_exists(%(expressions)s, '$.rules[*].outcome') THEN jsonb_array_length("
        f"jsonb_path_query_array(%(expressions)s, '$.rules[*] ? (@.outcome == \"{VIOLATED}\")')) END"
    )
    output_field = models.PositiveSmallIntegerField()


class Result(models.Model):
    """One published run. Printed texts stay as the source has them, canonical ones stand beside them.

    Units: score none; bandwidth GiB/s (2^30 B/s); rate kIOPS (1,000 operations/s).
    """

    class Trust(models.TextChoices):
        VERIFIED = "verified", "verified"
        DERIVED = "derived", "derived"
        IMPORTED = "imported", "imported"
        REPORTED = "reported", "reported"

    class Reproducibility(models.TextChoices):
        UNDEFINED = "undefined", "undefined"
        LIMITED = "limited", "limited"
        PROPRIETARY = "proprietary", "proprietary"
        FULLY = "fully", "fully reproducible"

    public_id = models.CharField(max_length=60, unique=True, help_text="Stands in addresses; never reused.")
    origin_id = models.CharField(max_length=40, blank=True, help_text="Number in the published archive it came from.")
    tool = models.CharField(max_length=40)
    tool_version = models.CharField(max_length=80, blank=True)
    mode = models.CharField(max_length=40, blank=True)
    trust = models.CharField(max_length=10, choices=Trust)
    source = models.CharField(max_length=300, blank=True)

    release = models.ForeignKey(
        Release,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="results",
        help_text="Null for what a document reports, and for a published archive whose release is not known.",
    )
    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="results")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="results")
    platform = models.ForeignKey(Platform, null=True, blank=True, on_delete=models.SET_NULL, related_name="results")

    institution = models.CharField(max_length=200, help_text="As printed.")
    system_name = models.CharField(max_length=200, blank=True, help_text="As printed; empty where none was.")
    filesystem_type = models.CharField(max_length=120, blank=True, help_text="As printed.")
    filesystem_family = models.CharField(max_length=80, blank=True, help_text="Canonical, from the alias table.")
    filesystem_name = models.CharField(max_length=120, blank=True)
    filesystem_version = models.CharField(max_length=80, blank=True)
    storage_vendor = models.CharField(max_length=120, blank=True, help_text="As printed.")
    vendor = models.CharField(max_length=120, blank=True, help_text="Canonical, from the alias table.")

    client_nodes = models.PositiveIntegerField(null=True, blank=True)
    tasks = models.PositiveIntegerField(null=True, blank=True, help_text="Client processes in all.")
    ten_node = models.BooleanField(null=True, help_text="Declared for the 10-node lists of the source.")
    opted_in = models.BooleanField(default=True, help_text="May stand on ranked lists.")
    production = models.BooleanField(null=True, help_text="Awarded: a production system; null: not said.")
    lists = models.JSONField(default=list, blank=True, help_text="Lists of its release that it was accepted for.")
    reproducibility = models.CharField(max_length=12, choices=Reproducibility, default=Reproducibility.UNDEFINED)

    score = models.FloatField(null=True, blank=True)
    bandwidth_gib_per_s = models.FloatField(null=True, blank=True)
    rate_kiops = models.FloatField(null=True, blank=True)

    repeated_scores = models.JSONField(
        default=dict,
        blank=True,
        help_text="By column, score, bandwidth and rate of each run of the configuration in its archive, this one too.",
    )

    submitted_on = models.DateField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True, help_text="Null for what was imported.")
    recorded_at = models.DateTimeField(
        db_default=Now(), editable=False, help_text="Since when the record has it; studies as of a date go by it."
    )
    parameters = models.JSONField(default=dict, blank=True)
    snapshot = models.JSONField(
        default=dict, blank=True, help_text="Findings shown, rules, hashes, scores, versions, what was scrubbed."
    )
    rules_violated = models.GeneratedField(
        expression=ViolatedRules("snapshot"), output_field=models.PositiveSmallIntegerField(null=True), db_persist=True
    )
    bundle_sha256 = models.CharField(
        max_length=64, blank=True, help_text="Of the bytes as received, which stay private; empty of anonymous results."
    )
    public_sha256 = models.CharField(max_length=64, blank=True, help_text="Of the scrubbed derivative.")
    archive_missing_since = models.DateTimeField(
        null=True, blank=True, help_text="Since when the bytes as received are known to be gone from the storage."
    )
    copy_missing_since = models.DateTimeField(
        null=True, blank=True, help_text="Since when the public copy is known to be gone from the storage."
    )
    archive_damaged_since = models.DateTimeField(
        null=True, blank=True, help_text="Since when the stored bytes are known to be others than those that came."
    )
    copy_damaged_since = models.DateTimeField(
        null=True, blank=True, help_text="Since when the stored public copy is known to be another one."
    )
    copy_withheld_at = models.DateTimeField(
        null=True, blank=True, help_text="When the public copy went into quarantine: it holds a key or a token."
    )

    later_evidence = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        help_text="What later rules found in its files, with day and version; nothing else changes by it.",
    )

    same_as = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="printed_again",
        db_index=False,
        help_text="The result whose measurement this prints once more; what counts results counts that one.",
    )

    revision = models.PositiveSmallIntegerField(default=1)
    revises = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="revised_by")
    revision_reason = models.TextField(blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_reason = models.TextField(blank=True)

    search = models.GeneratedField(
        expression=SearchVector(
            "institution",
            "system_name",
            "filesystem_type",
            "filesystem_family",
            "storage_vendor",
            "public_id",
            config="simple",
        ),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(score__isnull=True) | models.Q(score__gte=0), name="result_score_not_negative"
            ),
            models.CheckConstraint(
                condition=~models.Q(trust="verified")
                | ~models.Q(bundle_sha256="")
                | models.Q(snapshot__contains={"anonymous": True})
                | models.Q(snapshot__contains={"erased": True}),
                name="verified_result_has_a_bundle",
            ),
            models.CheckConstraint(
                condition=models.Q(release__isnull=False) | models.Q(trust__in=["derived", "reported"]),
                name="result_without_release_is_of_no_list",
            ),
            models.CheckConstraint(
                condition=~models.Q(public_id__istartswith="demo-"), name="result_is_no_demonstration"
            ),
            models.CheckConstraint(
                condition=models.Q(trust__in=["verified", "derived", "imported", "reported"]),
                name="result_has_a_level_of_trust",
            ),
        ]
        indexes = [
            # Filters of results/ and the pages of a release, site and system, newest first.
            models.Index(fields=["release", "-id"], name="result_by_release"),
            models.Index(fields=["site", "-id"], name="result_by_site"),
            models.Index(fields=["system", "-id"], name="result_by_system"),
            models.Index(fields=["tool", "-id"], name="result_by_tool"),
            # Filters by printed and canonical texts, in any case.
            models.Index(Upper("filesystem_type"), name="result_by_filesystem"),
            models.Index(Upper("filesystem_family"), F("id").desc(), name="result_by_family_newest"),
            models.Index(Upper("vendor"), name="result_by_vendor"),
            models.Index(Upper("storage_vendor"), name="result_by_printed_vendor"),
            models.Index(Upper("institution"), name="result_by_institution"),
            # results/?ordering=, with the keys of registry/query/cursor_pages.py: what is missing counts as -1.
            models.Index(Coalesce(F("score"), Value(-1.0)).desc(), F("id").desc(), name="result_by_score"),
            models.Index(
                Coalesce(F("bandwidth_gib_per_s"), Value(-1.0)).desc(), F("id").desc(), name="result_by_bandwidth"
            ),
            models.Index(Coalesce(F("rate_kiops"), Value(-1.0)).desc(), F("id").desc(), name="result_by_rate"),
            models.Index(Coalesce(F("client_nodes"), Value(-1)).desc(), F("id").desc(), name="result_by_clients"),
            # The best of each system, as registry/query/best_results.py reads them: no number of a document among them.
            *(
                models.Index(
                    Coalesce(F(column), Value(-1.0)).desc(), F("id"), condition=~Q(trust="reported"), name=name
                )
                for column, name in (
                    ("score", "result_best_scores"),
                    ("bandwidth_gib_per_s", "result_best_bandwidths"),
                    ("rate_kiops", "result_best_rates"),
                )
            ),
            # What a study reads of all results that count, from the index alone: rows of results are wide.
            models.Index(
                fields=["id"],
                include=["trust", "tool", "mode", "recorded_at", "score", "bandwidth_gib_per_s", "rate_kiops"],
                condition=Q(withdrawn_at__isnull=True),
                name="result_standing",
            ),
            # The newest withdrawal, on which the ETag of a frozen list depends.
            models.Index(F("withdrawn_at").desc(), condition=Q(withdrawn_at__isnull=False), name="result_withdrawn"),
            # How many entries of a list violate rules, which its label says: few.
            models.Index(fields=["id"], condition=Q(rules_violated__gt=0), name="result_violating"),
            # Which results print a measurement once more: few.
            models.Index(fields=["same_as"], condition=Q(same_as__isnull=False), name="result_printed_again"),
            GinIndex(fields=["parameters"], opclasses=["jsonb_path_ops"], name="result_parameters"),
            GinIndex(fields=["search"], name="result_search"),
        ]

    def __str__(self) -> str:
        return self.public_id


class Measurement(models.Model):
    """One number of one result: canonical value and unit beside the value as printed."""

    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="measurements")
    position = models.PositiveSmallIntegerField()
    op = models.CharField(max_length=60)
    quantity = models.CharField(max_length=30)
    stat = models.CharField(max_length=30)
    value = models.FloatField()
    unit = models.CharField(max_length=12)
    printed_value = models.FloatField()
    printed_unit = models.CharField(max_length=12)
    scored = models.BooleanField(null=True)
    context = models.JSONField(default=dict, blank=True)
    repeats = ArrayField(
        models.FloatField(),
        null=True,
        blank=True,
        help_text="Canonical, of each run of the configuration in its archive, this one too; null: it ran once.",
    )

    class Meta:
        ordering = ["result", "position"]
        constraints = [models.UniqueConstraint(fields=["result", "position"], name="measurement_position_unique")]
        indexes = [
            # The median of a phase over a list, and one metric over all results: a study reads it from here alone.
            models.Index(
                fields=["op", "quantity", "stat", "result"],
                include=["value", "unit", "printed_value", "printed_unit", "id"],
                name="measurement_of_metric",
            ),
            # Numbers that their source calls bounds or estimates: few.
            models.Index(
                fields=["op", "quantity", "stat", "result"],
                condition=Q(context__has_key="qualifier"),
                name="measurement_qualified",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.op} {self.quantity} {self.printed_value} {self.printed_unit}"


class ResultFile(models.Model):
    """One file of the scrubbed derivative of a result."""

    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="files")
    path = models.CharField(max_length=1000)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    scrubbed = models.BooleanField(default=False, help_text="Differs from the file as received.")

    class Meta:
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["result", "path"], name="result_file_path_unique")]

    def __str__(self) -> str:
        return self.path
