"""Shapes of findings and reports, and what a check is asked for."""

from __future__ import annotations

from rest_framework import serializers as s

from submissions.intake.requests import UploadRequest
from submissions.lifecycle.responses import Mapping


class CheckRequest(UploadRequest):
    sha256 = s.CharField(required=False, help_text="Of the bundle, 64 hexadecimal digits.")
    test = None
    draft = None
    signature = None


class Finding(s.Serializer):
    code = s.CharField()
    level = s.ChoiceField([("error", "error"), ("warning", "warning"), ("info", "info")])
    message = s.CharField()
    hint = s.CharField()
    where = s.CharField()
    expected = s.CharField()
    actual = s.CharField()
    run = s.IntegerField(required=False, help_text="Index of its run, where no run counts yet.")


class FindingPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = Finding(many=True)


class RevalidateRequest(s.Serializer):
    metadata = Mapping(required=False)
    release = s.CharField(required=False, allow_blank=True)
    lists = s.ListField(child=s.CharField(), required=False)


class Report(s.Serializer):
    status = s.CharField()
    primary = s.IntegerField(allow_null=True)
    findings = Finding(many=True)
    runs = s.ListField(child=Mapping())
