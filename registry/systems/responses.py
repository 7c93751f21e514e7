"""Shapes of sites, systems and platforms."""

from __future__ import annotations

from rest_framework import serializers as s

from registry.web.responses import _Page


class Best(s.Serializer):
    """The highest score of one benchmark in one release, and how many results that release has."""

    release = s.CharField()
    tool = s.CharField()
    score = s.FloatField()
    results = s.IntegerField()


class Site(s.Serializer):
    """An institution."""

    slug = s.CharField()
    name = s.CharField()


class SitePage(_Page):
    results = Site(many=True)


class System(s.Serializer):
    """One storage system of one institution."""

    slug = s.CharField()
    name = s.CharField(allow_blank=True)
    site = s.CharField()
    institution = s.CharField()
    platform = s.CharField(allow_null=True)


class SystemPage(_Page):
    results = System(many=True)


class SystemDetail(System):
    best = Best(many=True)
    results = s.URLField()


class SiteDetail(Site):
    also_printed_as = s.ListField(child=s.CharField())
    systems = System(many=True)
    best = Best(many=True)
    results = s.URLField()


class Platform(s.Serializer):
    """One product generation of storage."""

    slug = s.CharField()
    name = s.CharField()
    vendor = s.CharField(allow_blank=True)
    predecessor = s.CharField(allow_null=True)


class PlatformPage(_Page):
    results = Platform(many=True)


class PlatformDetail(Platform):
    successors = s.ListField(child=s.CharField())
    source = s.CharField(allow_blank=True)
    best = Best(many=True)
    results = s.URLField()
