"""The shapes of the public read API's answers, for openapi.json. Answers are made without them, which is faster."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from registry.models import Release as ReleaseModel
from registry.models import Result as ResultModel

TRUST = ResultModel.Trust.choices
REPRODUCIBILITY = ResultModel.Reproducibility.choices

QUERY: dict[str, tuple[Any, ...]] = {
    name: (kind, "query", False, words)
    for name, (kind, words) in {
        "tool": (str, "Name of the benchmark, for example io500."),
        "measured": (str, "Operation, or OPERATION/QUANTITY, that was measured: write/bandwidth."),
        "release": (str, "Slug of a release in any case; `SC18*` is SC18-recomputed."),
        "list": (str, "Name of a list: full, historical, io500, ten, production, ten-production, scc."),
        "institution": (str, "Slug, name or a printed spelling of an institution, in any case."),
        "system": (str, "Slug or name of a system, in any case."),
        "platform": (str, "Slug or name of a platform, in any case."),
        "vendor": (str, "Vendor as printed or in its canonical spelling, in any case."),
        "filesystem_type": (str, "File system as printed or its family, in any case."),
        "trust": (str, "verified, imported or reported."),
        "reproducibility": (str, "undefined, limited, proprietary or fully."),
        "client_nodes": (int, "Exactly that many client nodes."),
        "client_nodes__gte": (int, "At least that many client nodes."),
        "client_nodes__lte": (int, "At most that many client nodes."),
        "new": (bool, "Entered with this release, or carried over."),
        "q": (str, 'Words to search for; "quoted phrases", -without and or are understood.'),
        "p.NAME": (str, "Value of the parameter NAME, as text or number; NAME is part of the name."),
        "ordering": (str, "A column, or one with - before it. Ranks are never renumbered."),
        "cursor": (str, "From `next` of the page before."),
        "page_size": (int, "Rows of one page."),
        "format": (str, "json or csv."),
        "benchmark": (str, "Name of a benchmark, for example io500."),
        "group": (str, "Group of parameters, for example lustre-client."),
    }.items()
}


class Problem(s.Serializer):
    """RFC 9457 problem; `code` never changes."""

    type = s.CharField()
    title = s.CharField()
    status = s.IntegerField()
    code = s.CharField()
    detail = s.CharField()
    hint = s.CharField(allow_blank=True)
    errors = s.DictField(child=s.ListField(), required=False)


REFUSED = {(400, "application/problem+json"): Problem}
NOT_FOUND = {(404, "application/problem+json"): Problem}


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
    parameters = s.URLField()
    openapi = s.URLField()


class _Page(s.Serializer):
    next = s.URLField(allow_null=True, help_text="Address of the next page; null on the last.")


class Definition(s.Serializer):
    """Which version of a list's definition made it."""

    name = s.CharField()
    version = s.IntegerField()


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
    bandwidth_gib_per_s = s.FloatField(allow_null=True, help_text="Sum over the entries that give it.")
    with_bandwidth = s.IntegerField()
    best_score = s.FloatField(allow_null=True)
    median_score = s.FloatField(allow_null=True, help_text="Null unless the list is complete.")
    best_score_per_client = s.FloatField(allow_null=True, help_text="Score divided by client nodes.")
    median_score_per_client = s.FloatField(allow_null=True, help_text="Null unless the list is complete.")
    with_client_nodes = s.IntegerField()
    filesystems = FilesystemCount(many=True)


class Analysis(s.Serializer):
    """One list over the releases, oldest first."""

    list = s.CharField()
    releases = ListInNumbers(many=True)


class ReleasePage(_Page):
    results = Release(many=True)


class Result(s.Serializer):
    """A result as a row of a table."""

    id = s.CharField()
    label = s.CharField(allow_null=True, help_text="What tells a reported result from its neighbours; else null.")
    tool = s.CharField()
    tool_version = s.CharField(allow_blank=True)
    mode = s.CharField(allow_blank=True)
    trust = s.ChoiceField(TRUST)
    release = s.CharField(allow_null=True, help_text="Null for a reported result, which belongs to no release.")
    institution = s.CharField(allow_blank=True)
    institution_slug = s.CharField()
    system = s.CharField(allow_blank=True)
    system_slug = s.CharField()
    platform = s.CharField(allow_null=True)
    vendor = s.CharField(allow_blank=True)
    filesystem_type = s.CharField(allow_blank=True)
    filesystem_family = s.CharField(allow_blank=True)
    client_nodes = s.IntegerField(allow_null=True)
    tasks = s.IntegerField(allow_null=True)
    score = s.FloatField(allow_null=True)
    bandwidth_gib_per_s = s.FloatField(allow_null=True)
    rate_kiops = s.FloatField(allow_null=True)
    reproducibility = s.ChoiceField(REPRODUCIBILITY)
    production = s.BooleanField(allow_null=True)
    submitted_on = s.DateField(allow_null=True)
    published_at = s.DateTimeField(allow_null=True)
    revision = s.IntegerField()


class ResultPage(_Page):
    results = Result(many=True)


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
        help_text="In each run of this configuration in the archive, this one too, in its order; null: it ran once.",
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
        child=s.FloatField(), help_text="In the order of time where runs tell it, else of the archive."
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
    deviation = s.FloatField(allow_null=True, help_text="Of a sample (n - 1); null of one value.")
    quantiles = s.ListField(child=s.FloatField(), help_text="21 values, at 0, 5, ... 100 %.")
    members = s.ListField(
        child=s.FloatField(allow_null=True),
        allow_null=True,
        help_text="The values in order of number or time, null of one that gave none; null where many.",
    )


class DistributionPage(_Page):
    results = Distribution(many=True)


class Membership(s.Serializer):
    """Where a result stands on one list."""

    release = s.CharField()
    list = s.CharField()
    title = s.CharField()
    trust = s.ChoiceField(TRUST)
    rank = s.IntegerField()
    rank_low = s.IntegerField()
    rank_high = s.IntegerField()
    score = s.FloatField()
    new = s.BooleanField()


class Change(s.Serializer):
    field = s.CharField(help_text="A column, or parameters.NAME, answers.QUESTION.")
    before = s.JSONField()
    after = s.JSONField()


class ResultDetail(Result):
    """Everything that is published of one result."""

    source = s.CharField(allow_blank=True)
    origin_id = s.CharField(allow_blank=True)
    storage_vendor = s.CharField(allow_blank=True)
    filesystem_name = s.CharField(allow_blank=True)
    filesystem_version = s.CharField(allow_blank=True)
    bundle_sha256 = s.CharField(allow_blank=True, help_text="Of the bytes as received, which stay private.")
    public_sha256 = s.CharField(allow_blank=True, help_text="Of the published derivative.")
    archive_missing_since = s.DateTimeField(
        allow_null=True, help_text="Since when the bytes as received are known to be gone; null: they are stored."
    )
    copy_missing_since = s.DateTimeField(
        allow_null=True, help_text="Since when the public copy is known to be gone; null: it can be downloaded."
    )
    copy_withheld_at = s.DateTimeField(
        allow_null=True, help_text="When the public copy went into quarantine; null: it is not in quarantine."
    )
    revises = s.CharField(allow_null=True)
    revised_by = s.CharField(allow_null=True)
    revision_reason = s.CharField(allow_blank=True)
    changes = Change(many=True, help_text="What this revision changed of the one that it revises.")
    withdrawn_at = s.DateTimeField(allow_null=True)
    withdrawn_reason = s.CharField(allow_blank=True)
    parameters = s.DictField()
    parameter_sources = s.DictField(help_text="Where each parameter comes from; empty for what was not read here.")
    described_parameters = s.DictField(help_text="What the described system says under names of parameters.")
    measurements = Measurement(many=True)
    repeats = Repeated(many=True, help_text="Of several runs of one configuration in one archive one is published.")
    scores = s.DictField()
    hashes = s.DictField()
    findings = s.ListField(child=s.DictField())
    rules = s.ListField(child=s.DictField())
    tests = s.ListField()
    versions = s.DictField()
    answers = s.DictField(help_text="Questionnaire: name, state (complete, incomplete, null), missing by list, rows.")
    facts = s.DictField(help_text="Other facts kept at publication or import.")
    lists = Membership(many=True)


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


class ResultFile(s.Serializer):
    """One published file."""

    path = s.CharField()
    size = s.IntegerField(help_text="Bytes.")
    sha256 = s.CharField()
    scrubbed = s.BooleanField(help_text="Differs from the file as received.")


class ResultFilePage(_Page):
    results = ResultFile(many=True)


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
