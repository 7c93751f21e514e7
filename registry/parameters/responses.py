"""Shapes of parameters."""

from __future__ import annotations

from rest_framework import serializers as s

from registry.web.responses import _Page


class ParameterPlace(s.Serializer):
    """A path where a parameter is read; * stands for one name, releases are Lustre's."""

    path = s.CharField()
    root = s.CharField(help_text="procfs, sysfs, debugfs, module or file.")
    from_release = s.CharField(required=False)
    to_release = s.CharField(required=False)


class LustreDefault(s.Serializer):
    """What a parameter is from one release to another: a value, a share of something, or words."""

    first = s.CharField()
    last = s.CharField(required=False)
    value = s.JSONField(required=False, help_text="In the unit of the parameter.")
    also = s.ListField(required=False, help_text="Values that are the default on other machines.")
    or_more = s.BooleanField(required=False)
    share = s.FloatField(required=False)
    of = s.CharField(required=False, help_text="ram, or the id of another parameter.")
    at_least = s.IntegerField(required=False)
    at_most = s.IntegerField(required=False)
    words = s.CharField(required=False)


class Parameter(s.Serializer):
    """What can be known of a node, a job or a system; schema parameters.1 says what the words mean."""

    id = s.CharField()
    group = s.CharField()
    meaning = s.CharField()
    unit = s.CharField()
    kind = s.CharField()
    value_type = s.CharField()
    scope = s.CharField()
    roles = s.ListField(child=s.CharField())
    volatile = s.BooleanField(help_text="Changes by itself; left out of comparisons.")
    run_critical = s.CharField(help_text="What a change during the run means: invalidating, warning or info.")
    privilege = s.CharField()
    privilege_note = s.CharField(allow_blank=True)
    readable_unprivileged = s.BooleanField()
    redaction = s.CharField()
    redaction_note = s.CharField(allow_blank=True)
    paths = ParameterPlace(many=True)
    command = s.CharField(allow_blank=True)
    reason = s.CharField(allow_blank=True)
    note = s.CharField(allow_blank=True)
    lustre_defaults = LustreDefault(many=True)
    url = s.URLField()


class ParameterPage(_Page):
    version = s.CharField()
    results = Parameter(many=True)


class ValueSeen(s.Serializer):
    """One value of a parameter on published systems."""

    key = s.CharField(allow_blank=True, help_text="Entry of a parameter that is a map.")
    role = s.CharField()
    value = s.JSONField()
    text = s.CharField(help_text="As p.NAME= compares it.")
    results = s.IntegerField()
    instances = s.IntegerField()


class ParameterDetail(Parameter):
    values_seen = ValueSeen(many=True)
