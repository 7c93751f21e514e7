"""Shapes of files and versions, and what changes of them send."""

from __future__ import annotations

from rest_framework import serializers as s

from registry.results.responses import Change
from submissions.checks.responses import Finding
from submissions.lifecycle.responses import Mapping


class FileRequest(s.Serializer):
    file = s.FileField(help_text="A file of any kind; with the others of the submission at most 64 MiB.")
    bundle = s.FileField(required=False, help_text="The file, as the collector calls it; in place of `file`.")
    sha256 = s.CharField(required=False, help_text="Of the file, 64 hexadecimal digits.")
    replaces = s.CharField(required=False, help_text="Name of the file whose place it takes; one of its own name does.")
    version = s.IntegerField(required=False, help_text="The version that must be current, else 409.")


class File(s.Serializer):
    name = s.CharField()
    sha256 = s.CharField()
    size = s.IntegerField(help_text="Bytes.")


class VersionRow(s.Serializer):
    version = s.IntegerField()
    since = s.DateTimeField()
    by = s.CharField()
    files = File(many=True)
    check = Mapping(allow_null=True, help_text="status, errors, warnings; null before it was checked.")


class VersionPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = VersionRow(many=True)


class VersionDifference(s.Serializer):
    files = Change(many=True)
    scores = Change(many=True)
    measurements = Change(many=True, help_text="Printed values with their units.")
    findings_gone = Finding(many=True)
    findings_new = Finding(many=True)

    def get_fields(self) -> dict[str, s.Field]:
        return {"from": s.IntegerField(), "to": s.IntegerField()} | super().get_fields()


class Files(s.Serializer):
    received = Mapping(help_text="The bundle.")
    files = File(many=True, help_text="Of the current version, the bundle first.")
    version = s.IntegerField()
    derivative = Mapping(allow_null=True)


class ReviseRequest(s.Serializer):
    reason = s.CharField(max_length=4000)
    metadata = Mapping(required=False, help_text="Replaces what was said; left out, it stays.")
    answers = Mapping(required=False, help_text="Replaces the answers; left out, they stay.")
