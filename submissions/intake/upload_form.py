"""What an upload declares beside its file."""

from __future__ import annotations

from rest_framework.request import Request

from submissions.bundles.upload_api import list_names
from submissions.intake import receive as intake_receive


def declared_by_form(request: Request) -> intake_receive.Declared:
    data = request.data
    return intake_receive.parse_declared(data.get("release", ""), list_names(data), data.get("metadata"))
