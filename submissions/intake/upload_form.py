"""What an upload declares beside its file."""

from __future__ import annotations

from rest_framework.request import Request

from submissions.bundles.upload_api import form_fields, list_names
from submissions.intake import receive as intake_receive


def declared_by_form(request: Request) -> intake_receive.Declared:
    fields = form_fields(request)
    return intake_receive.parse_declared(
        fields.get("release", ""), list_names(fields), fields.get("metadata"), fields.get("reproduces", "")
    )
