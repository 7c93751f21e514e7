"""What the views of this API have in common: who is asking, and uploads that stream."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.http import QueryDict
from drf_spectacular.utils import OpenApiResponse
from rest_framework.exceptions import ParseError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from registry.results.responses import Problem
from registry.serving.admission import takes_uploads
from submissions.bundles.storage import BundleUploadHandler
from submissions.errors import UnknownList
from submissions.web.request_bodies import WritingView

REFUSED = {(status, "application/problem+json"): OpenApiResponse(Problem) for status in (400, 401, 403, 404, 422)}
CONFLICT = {(409, "application/problem+json"): OpenApiResponse(Problem)}
LARGE = {(413, "application/problem+json"): OpenApiResponse(Problem)}
UNAVAILABLE = {(503, "application/problem+json"): OpenApiResponse(Problem)}


class PrivateView(WritingView):
    """Needs an account."""


@takes_uploads
class UploadView(PrivateView):
    """Takes a bundle."""

    reads_ahead = False


class BundleParser(MultiPartParser):
    """Multipart whose file goes to the storage while it arrives, never into memory as a whole."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: dict[str, Any] | None = None) -> Any:
        request = parser_context["request"]
        handler = BundleUploadHandler(request)
        request.upload_handlers = [handler]
        try:
            parsed = super().parse(stream, media_type, parser_context)
        except BaseException:
            handler.file.close()
            raise
        request.skipped_files = handler.skipped
        return parsed


def list_names(data: QueryDict | dict[str, Any]) -> list[str]:
    """The names under `lists`: the field repeated, or a JSON array, or separated by commas; none without a body."""
    texts = data.getlist("lists") if isinstance(data, QueryDict) else []
    return [name for text in texts for name in _names(text)]


def _names(text: str) -> Iterable[str]:
    if text.lstrip().startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ParseError("`lists` is not a JSON array.") from error
        if not all(isinstance(name, str) for name in found):
            raise UnknownList("`lists` is an array of names.")
        return found
    return text.split(",")


def valid(request: Request, serializer: type) -> dict[str, Any]:
    """The body as the serializer takes it. Raises ValidationError with the fields at fault."""
    checked = serializer(data=request.data)
    checked.is_valid(raise_exception=True)
    return checked.validated_data
