"""Shapes of the index, schemas, rules and benchmarks."""

from __future__ import annotations

from rest_framework import serializers as s

from registry.web.responses import _Page


class Index(s.Serializer):
    """Addresses of the API."""

    releases = s.URLField()
    lists = s.URLField()
    results = s.URLField()
    systems = s.URLField()
    sites = s.URLField()
    platforms = s.URLField()
    studies = s.URLField()
    rankings = s.URLField()
    export = s.URLField()
    schemas = s.URLField()
    questionnaires = s.URLField()
    rules = s.URLField()
    benchmarks = s.URLField()
    quantities = s.URLField()
    parameters = s.URLField()
    openapi = s.URLField()


class SchemaName(s.Serializer):
    """A JSON Schema by name and version."""

    name = s.CharField()
    title = s.CharField(allow_blank=True)
    url = s.URLField()


class SchemaPage(_Page):
    results = SchemaName(many=True)


class QuestionnairePage(_Page):
    results = SchemaName(many=True)


class Rule(s.Serializer):
    """One statement of what a valid run is."""

    benchmark = s.CharField()
    code = s.CharField()
    level = s.CharField()
    text = s.CharField()
    source = s.CharField()


class RulePage(_Page):
    version = s.CharField(help_text="Of the rules and parsers as a whole.")
    results = Rule(many=True)


class Benchmark(s.Serializer):
    """The descriptor of a benchmark: what it measures, in which units, from which files."""

    tool = s.CharField()
    name = s.CharField()
    description = s.CharField()
    source = s.CharField()
    composite = s.BooleanField(required=False, help_text="Its runs hold the output of other tools.")
    completeness = s.CharField(help_text="What tells that an output is whole.")
    crosses = s.DictField(
        required=False, help_text="The layers that its data crosses, whose ceilings hold for it: layers, stats."
    )
    operations = s.ListField(child=s.DictField(), help_text="op, quantity, unit as printed, better, description.")
    extent = s.DictField(
        required=False,
        child=s.DictField(),
        help_text="started, ended, client_nodes, tasks: how the output says it, or why it does not.",
    )
    required = s.ListField(
        required=False,
        child=s.DictField(),
        help_text="Quantities that every operation which did work is reported with.",
    )
    never_zero = s.ListField(
        required=False, child=s.CharField(), help_text="Quantities whose 0 beside work says that nothing was measured."
    )
    tried_versions = s.DictField(
        required=False, child=s.CharField(), help_text="from and through: versions whose real output was tried."
    )
    same_settings = s.ListField(
        required=False,
        child=s.JSONField(),
        help_text="Parameters that must be known before runs are called alike; of an inner list, one.",
    )
    experiment = s.DictField(
        required=False,
        child=s.ListField(child=s.CharField()),
        help_text="scale and settings: what must be known of two runs before they are held for the same experiment.",
    )
    versions = s.ListField(
        child=s.DictField(), help_text="What numbers are over, by version, and with which others they compare."
    )
    parameters = s.ListField(child=s.DictField(), help_text="Names for p.NAME= of results/.")
    defaults = s.DictField(
        required=False, help_text="Options where a run sets nothing, by the name of their parameter."
    )
    files = s.ListField(child=s.DictField(), help_text="What a run leaves, and by what it is known.")


class BenchmarkPage(_Page):
    results = Benchmark(many=True)
