"""What an upload sends."""

from __future__ import annotations

from rest_framework import serializers as s


class UploadRequest(s.Serializer[None]):
    bundle = s.FileField(required=False, help_text="The archive, at most 64 MiB. Only a draft begins without it.")
    sha256 = s.CharField(required=False, help_text="Of the bundle, 64 hexadecimal digits; required with it.")
    release = s.CharField(required=False, help_text="Slug of the release that it is meant for.")
    lists = s.ListField(child=s.CharField(), required=False, help_text="Repeated, or separated by commas.")
    metadata = s.CharField(required=False, help_text="One JSON object, see schemas/metadata.1/.")
    reproduces = s.CharField(required=False, help_text="Public id of the result that this run is to reproduce.")
    test = s.BooleanField(required=False, help_text="For trying out; never submitted to a release.")
    draft = s.BooleanField(required=False, help_text="Without a file: begin a draft, whose files come later.")
    signature = s.CharField(required=False, help_text="Of the bag's manifest, as ssh-keygen -Y sign writes it.")
