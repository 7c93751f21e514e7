"""Shapes of results, for openapi.json. Answers are made without them, which is faster."""

from __future__ import annotations

from rest_framework import serializers as s

from registry.presentation.responses import Measurement, Repeated
from registry.web.responses import REPRODUCIBILITY, TRUST, _Page


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
    evidence = s.DictField(help_text="What its files say twice: kinds that agree, contradict or are absent.")
    evidence_in_short = s.CharField(help_text="`not examined` where it was published before evidence was looked at.")
    later_evidence = s.DictField(
        help_text="What later rules found in its files: `on` that day, by `validators`, `evidence`, `findings`."
    )
    read_from = s.DictField(
        allow_null=True,
        help_text="Where the run stands: `path` of a file or folder, and `lines` (`first`, `last`), or null. "
        "Null: not known, as of what was published before this was written down, or withheld.",
    )
    not_read = s.ListField(
        child=s.DictField(),
        allow_null=True,
        help_text="What no benchmark read of the published files: `path`, `lines` (null: all of it), `looks_like`, "
        "`reason`. Null: not known, or withheld.",
    )
    tests = s.ListField()
    versions = s.DictField()
    answers = s.DictField(help_text="Questionnaire: name, state (complete, incomplete, null), missing by list, rows.")
    facts = s.DictField(help_text="Other facts kept at publication or import.")
    lists = Membership(many=True)


class ResultFile(s.Serializer):
    """One published file."""

    path = s.CharField()
    size = s.IntegerField(help_text="Bytes.")
    sha256 = s.CharField()
    scrubbed = s.BooleanField(help_text="Differs from the file as received.")


class OmittedFile(s.Serializer):
    """A file of the archive that is not public."""

    path = s.CharField()
    reason = s.CharField()


class ResultFilePage(_Page):
    results = ResultFile(many=True)
    left_out = OmittedFile(many=True, help_text="What no benchmark read whole, and nobody agreed to show.")
