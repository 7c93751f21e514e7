"""Bodies of requests: what changes of files and versions send."""

from __future__ import annotations

from rest_framework import serializers as s

from submissions.web.request_bodies import JSONObject


class FileRequest(s.Serializer[None]):
    file = s.FileField(
        required=False,
        help_text="A file of any kind, or `bundle`; with the others of the submission at most 64 MiB.",
    )
    bundle = s.FileField(required=False, help_text="The file, as the collector calls it; in place of `file`.")
    sha256 = s.CharField(required=False, help_text="Of the file, 64 hexadecimal digits.")
    replaces = s.CharField(required=False, help_text="Name of the file whose place it takes; one of its own name does.")
    version = s.IntegerField(required=False, help_text="The version that must be current, else 409.")


class ReviseRequest(s.Serializer[None]):
    reason = s.CharField(max_length=4000, help_text="Why it is revised; everybody may read it once it is published.")
    metadata = JSONObject(required=False, help_text="Replaces the earlier metadata; without it these stay.")
    answers = JSONObject(required=False, help_text="Replaces the answers; left out, they stay.")
