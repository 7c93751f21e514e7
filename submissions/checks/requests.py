"""Bodies of requests: what checking again sends."""

from __future__ import annotations

from rest_framework import serializers as s

from submissions.intake.requests import UploadRequest
from submissions.web.request_bodies import JSONObject


class CheckRequest(UploadRequest):
    bundle = s.FileField(help_text="The archive, at most 64 MiB.")
    sha256 = s.CharField(required=False, help_text="Of the bundle, 64 hexadecimal digits.")
    # So the REST framework leaves out fields of the base.
    test = None  # type: ignore[assignment]  # no field
    draft = None  # type: ignore[assignment]  # no field
    signature = None  # type: ignore[assignment]  # no field


class RevalidateRequest(s.Serializer[None]):
    metadata = JSONObject(required=False, help_text="Replaces what was declared; names as in schemas/metadata.1/.")
    release = s.CharField(
        required=False,
        allow_blank=True,
        help_text="Slug of the release that it is meant for; replaces what was declared.",
    )
    lists = s.ListField(
        child=s.CharField(), required=False, help_text="Names of lists; replace those that were declared."
    )
