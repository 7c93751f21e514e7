"""Shapes of releases and ranked lists."""

from __future__ import annotations

from rest_framework import serializers as s

from registry.models import Release as ReleaseModel
from registry.web.responses import REPRODUCIBILITY, TRUST, Definition, _Page


class Ranks(s.Serializer):
    """What a list ranks: a score, which has no unit, or one measurement of a tool."""

    tool = s.CharField()
    op = s.CharField(allow_null=True)
    quantity = s.CharField()
    stat = s.CharField(allow_null=True)
    unit = s.CharField(allow_null=True, help_text="Of `score` in the entries of this list.")
    title = s.CharField()
    better = s.ChoiceField(("higher", "lower"))


class RankedList(s.Serializer):
    """The facts of a list, without its entries."""

    release = s.CharField()
    release_name = s.CharField()
    list = s.CharField()
    title = s.CharField()
    trust = s.ChoiceField(TRUST)
    complete = s.BooleanField(help_text="False: only the first ranks are known.")
    source = s.CharField(allow_blank=True)
    note = s.CharField(allow_blank=True)
    definition = Definition(allow_null=True)
    ranks = Ranks()
    frozen_at = s.DateTimeField(allow_null=True)
    length = s.IntegerField(help_text="Entries in all, whatever page or filter is shown.")


class RankedListPage(_Page):
    results = RankedList(many=True)


class Entry(s.Serializer):
    """One row of a list. Texts and figures are those of that list; units stand in the names; a score has none."""

    rank = s.IntegerField()
    rank_low = s.IntegerField()
    rank_high = s.IntegerField()
    result = s.CharField(help_text="Id of the result.")
    institution = s.CharField(allow_blank=True)
    institution_slug = s.CharField()
    system = s.CharField(allow_blank=True)
    system_slug = s.CharField()
    vendor = s.CharField(allow_blank=True)
    filesystem_type = s.CharField(allow_blank=True)
    filesystem_family = s.CharField(allow_blank=True)
    client_nodes = s.IntegerField(allow_null=True)
    tasks = s.IntegerField(allow_null=True)
    score = s.FloatField(help_text="What the list ranks, in the unit of its `ranks`.")
    bandwidth_gib_per_s = s.FloatField(allow_null=True)
    rate_kiops = s.FloatField(allow_null=True)
    reproducibility = s.ChoiceField(REPRODUCIBILITY)
    trust = s.ChoiceField(TRUST)
    new = s.BooleanField()
    entered = s.CharField(help_text="Release that the result first appeared in.")
    note = s.CharField(allow_blank=True)
    withdrawn_at = s.DateTimeField(allow_null=True)


class RankedListDetail(RankedList):
    """A list and a page of its entries."""

    entries = Entry(many=True)
    next = s.URLField(allow_null=True)


class Release(s.Serializer):
    """One call for submissions and its lists."""

    slug = s.CharField()
    name = s.CharField()
    imported = s.BooleanField(help_text="Copied from published lists, not run here.")
    held_on = s.DateField()
    opens = s.DateTimeField(allow_null=True)
    deadline = s.DateTimeField(allow_null=True)
    publishes = s.DateTimeField(allow_null=True)
    published_at = s.DateTimeField(allow_null=True)
    completeness = s.ChoiceField(ReleaseModel.Completeness.choices)
    note = s.CharField(allow_blank=True)
    source = s.CharField(allow_blank=True)
    benchmark_versions = s.ListField(child=s.CharField())
    accepting_reviewers = s.IntegerField(help_text="So many reviewers have to accept a run.")
    list_names = s.ListField(child=s.CharField(), help_text="Lists that this release makes.")
    unknown_lists = s.DictField(child=s.CharField(), help_text="Lists published elsewhere but not known here, and why.")
    lists = RankedList(many=True)


class Winner(s.Serializer):
    """The entry that won, with what decided; units stand in the names; a score has none."""

    result = s.CharField()
    institution = s.CharField(allow_blank=True)
    system = s.CharField(allow_blank=True)
    client_nodes = s.IntegerField()
    score = s.FloatField()
    bandwidth_gib_per_s = s.FloatField(allow_null=True)
    rate_kiops = s.FloatField(allow_null=True)


class AwardOfList(s.Serializer):
    list = s.CharField()
    title = s.CharField(help_text="Of the list.")
    award = s.ChoiceField(("overall", "bandwidth", "metadata"))
    value = s.FloatField()
    unit = s.CharField(allow_null=True, help_text="None: a score has no unit.")
    shared = s.BooleanField(help_text="True where several entries have the same value.")
    winners = Winner(many=True)


class Awards(s.Serializer):
    release = s.CharField()
    awards = AwardOfList(many=True)


class FilesystemCount(s.Serializer):
    name = s.CharField(help_text="Family, or as printed where none is known.")
    entries = s.IntegerField()


class ListInNumbers(s.Serializer):
    """One list of one release. Withdrawn runs are counted in `withdrawn` only; scores have no unit."""

    release = s.CharField()
    release_name = s.CharField()
    title = s.CharField(help_text="Of the list at that release.")
    trust = s.ChoiceField(TRUST)
    complete = s.BooleanField(help_text="False: only the first ranks are known, counts and sums are theirs.")
    recomputed = s.BooleanField(help_text="True: another release here has this list as computed anew.")
    entries = s.IntegerField()
    institutions = s.IntegerField(help_text="Different names as printed.")
    new = s.IntegerField(help_text="Entries that came with this release.")
    withdrawn = s.IntegerField()
    bandwidth_gib_per_s = s.FloatField(
        allow_null=True, help_text="Sum in GiB/s over the entries that give it; null where none does."
    )
    with_bandwidth = s.IntegerField()
    best_score = s.FloatField(allow_null=True)
    median_score = s.FloatField(allow_null=True, help_text="Without unit; null unless the list is complete.")
    best_score_per_client = s.FloatField(
        allow_null=True,
        help_text="Highest score divided by client nodes, without unit; null where no entry gives both.",
    )
    median_score_per_client = s.FloatField(allow_null=True, help_text="Without unit; null unless the list is complete.")
    with_client_nodes = s.IntegerField()
    filesystems = FilesystemCount(many=True)


class Analysis(s.Serializer):
    """One list over the releases, oldest first."""

    list = s.CharField()
    releases = ListInNumbers(many=True)


class ReleasePage(_Page):
    results = Release(many=True)
