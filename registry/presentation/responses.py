"""Shapes of measurements, distributions and system documents."""

from __future__ import annotations

from rest_framework import serializers as s

from registry.web.responses import _Page


class Measurement(s.Serializer):
    """One number in its canonical unit, beside the value and unit as printed."""

    op = s.CharField()
    quantity = s.CharField()
    stat = s.CharField()
    value = s.FloatField()
    unit = s.CharField()
    printed_value = s.FloatField()
    printed_unit = s.CharField()
    scored = s.BooleanField(allow_null=True)
    context = s.DictField()
    repeats = s.ListField(
        child=s.FloatField(),
        allow_null=True,
        help_text="Values in `unit` of each run of this configuration in the archive, this one too, in order; null: "
        "it ran once.",
    )


class Repeated(s.Serializer):
    """A score or measurement that the archive has several runs of. A score has an empty quantity, stat and unit."""

    op = s.CharField()
    quantity = s.CharField(allow_blank=True)
    stat = s.CharField(allow_blank=True)
    context = s.DictField()
    unit = s.CharField(allow_blank=True)
    printed_unit = s.CharField(allow_blank=True)
    runs = s.IntegerField(help_text="The published one too.")
    deviation_percent = s.FloatField(allow_null=True, help_text="Sample deviation, % of the mean; null below three.")
    values = s.ListField(
        child=s.FloatField(), help_text="In `unit`, in the order of time where runs tell it, else of the archive."
    )


class Distribution(s.Serializer):
    """Values under one number: iterations, runs, samples, events, ranks, targets or epochs. Canonical unit."""

    op = s.CharField()
    quantity = s.CharField()
    stat = s.CharField(help_text="What each value is: iteration, run, event, rank, epoch, slowest_second, ...")
    over = s.CharField(help_text="iterations, runs, samples, events, ranks, targets, groups or epochs.")
    context = s.DictField()
    unit = s.CharField()
    printed_unit = s.CharField()
    count = s.IntegerField()
    min = s.FloatField()
    mean = s.FloatField()
    max = s.FloatField()
    deviation = s.FloatField(
        allow_null=True, help_text="Standard deviation of a sample (n - 1), in `unit`; null of one value."
    )
    quantiles = s.ListField(child=s.FloatField(), help_text="21 values, at 0, 5, ... 100 %.")
    members = s.ListField(
        child=s.FloatField(allow_null=True),
        allow_null=True,
        help_text="The values in `unit`, in order of number or time, null of one that gave none; null where many.",
    )


class DistributionPage(_Page):
    results = Distribution(many=True)


class SystemSummary(s.Serializer):
    """A description of a system in short."""

    sha256 = s.CharField(required=False, help_text="Of the document as received.")
    schema_version = s.CharField()
    collector = s.CharField(help_text="Name and version of the program that made it.")
    redaction_profile = s.CharField(help_text="default, strict or full-consent.")
    nodes = s.DictField(child=s.IntegerField(), help_text="Described nodes by role.")
    parameters = s.IntegerField(help_text="Parameters with a value.")
    missing = s.IntegerField(help_text="Parameters without one; the document has the reasons.")
    outliers = s.IntegerField(help_text="Facts in which single nodes differ from their class.")
    drift = s.DictField(child=s.IntegerField(), allow_null=True, help_text="By severity; null: described once.")


class SystemDescription(s.Serializer):
    """A description of a system as a whole."""

    sha256 = s.CharField(help_text="Of the document as received.")
    summary = SystemSummary()
    document = s.DictField(help_text="Schema system.1.")
    missing_in_forms = s.DictField(
        child=s.ListField(child=s.CharField()),
        help_text="By form, the places that it demands and that the description does not tell.",
    )
