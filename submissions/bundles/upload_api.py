"""Uploads by API: a multipart body that is stored while it arrives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.http import QueryDict
from rest_framework.exceptions import ParseError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from registry.serving.admission import takes_uploads
from submissions.bundles.storage import BundleUploadHandler
from submissions.errors import UnknownList
from submissions.web.api_base import PrivateView


@takes_uploads
class UploadView(PrivateView):
    """Takes a bundle."""

    reads_ahead = False


class BundleParser(MultiPartParser):
    """Multipart whose file goes to the storage while it arrives, never into memory as a whole."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        request = (parser_context or {})["request"]
        handler = BundleUploadHandler(request)
        request.upload_handlers = [handler]
        try:
            parsed = super().parse(stream, media_type, parser_context)
        except BaseException:
            handler.file.close()
            raise
        request.skipped_files = handler.skipped
        return parsed


def form_fields(request: Request) -> QueryDict:
    """The fields of a form beside its file; none without a body."""
    return request.data if isinstance(request.data, QueryDict) else QueryDict()


def list_names(fields: QueryDict) -> list[str]:
    """The names under `lists`: the field repeated, or a JSON array, or separated by commas."""
    return [name for text in fields.getlist("lists") for name in _field_names(text)]


def _field_names(text: str) -> Iterable[str]:
    if text.lstrip().startswith("["):
        try:
            names = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ParseError("`lists` is not a JSON array.") from error
        if not all(isinstance(name, str) for name in names):
            raise UnknownList("`lists` is an array of names.")
        return list(names)
    return text.split(",")
