"""Shapes of submissions, and what submitting and withdrawing one send, for openapi.json."""

from __future__ import annotations

from rest_framework import serializers as s

from registry.presentation.responses import Distribution, SystemSummary
from registry.results.responses import Change
from submissions.checks.responses import Finding
from submissions.lifecycle.responses import HistoryRow, Mapping, Receipt
from submissions.models import Signature
from submissions.review.responses import ReviewRow


class SubmissionRow(Receipt):
    test = s.BooleanField()
    filename = s.CharField()
    size = s.IntegerField(help_text="Bytes as received.")
    account = s.CharField()
    institution = s.CharField(allow_null=True)
    release = s.CharField(allow_null=True)
    lists = s.ListField(child=s.CharField())
    received_at = s.DateTimeField()
    checked_at = s.DateTimeField(allow_null=True)
    submitted_at = s.DateTimeField(allow_null=True)
    result = s.CharField(allow_null=True, help_text="Public id, once published.")
    revises = s.UUIDField(allow_null=True, help_text="The published submission that it revises.")


class SubmissionDetail(SubmissionRow):
    revision_reason = s.CharField(allow_blank=True)
    changes = Change(many=True, help_text="What a revision says otherwise than what it revises.")
    metadata = Mapping()
    embargo_until = s.DateTimeField(allow_null=True)
    answers = Mapping()
    answers_missing = Mapping(help_text="By list that asks for the questionnaire, the questions without an answer.")
    checked_with = s.CharField(allow_null=True, help_text="Version of the validators.")
    signature = s.ChoiceField(
        ["none", *Signature.Outcome.values], help_text="What the signature of the bundle is worth."
    )
    system = SystemSummary(allow_null=True, help_text="The description of the system in short, where there is one.")
    status = s.CharField(allow_null=True, help_text="valid, invalid, unreadable; null before the first check.")
    primary = s.IntegerField(allow_null=True, help_text="Index in `runs` of the run that counts.")
    tool = s.CharField(allow_null=True)
    version = s.CharField(allow_null=True)
    mode = s.CharField(allow_null=True)
    path = s.CharField(allow_null=True)
    scores = Mapping()
    hashes = Mapping()
    measurements = s.ListField(child=Mapping())
    parameters = Mapping()
    parameter_sources = Mapping(help_text="Where each parameter comes from.")
    described_parameters = Mapping(help_text="What the described system says beside them.")
    tests = s.ListField(child=Mapping())
    distributions = Distribution(many=True)
    rules = s.ListField(child=Mapping())
    evidence = Mapping(help_text="What the files say twice: kinds that agree, contradict or are absent; empty: none.")
    evidence_in_short = s.CharField(help_text="`not examined` for a check from before evidence was looked at.")
    findings = Finding(many=True)
    runs = s.ListField(child=Mapping())
    assigned = s.ListField(child=s.CharField(), help_text="Usernames of the reviewers who are to decide.")
    groups = s.ListField(child=Mapping(), help_text="Repeats, sweeps and runs not known to be alike.")
    not_read = s.ListField(
        child=Mapping(), help_text="Files and lines that no benchmark read, with what they look like."
    )
    reviews = ReviewRow(many=True)
    history = HistoryRow(many=True)


class SubmissionPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = SubmissionRow(many=True)


class SubmitRequest(s.Serializer):
    release = s.CharField()
    lists = s.ListField(
        child=s.CharField(max_length=30), max_length=20, help_text="Empty for a tool without a score: no list ranks it."
    )
    acknowledge_rules = s.BooleanField()
    acknowledge_publication = s.BooleanField()
    embargo_until = s.DateTimeField(required=False, allow_null=True, default=None)
    primary = s.IntegerField(required=False, allow_null=True, default=None, min_value=0, max_value=32767)


class WithdrawRequest(s.Serializer):
    reason = s.CharField(max_length=4000)
