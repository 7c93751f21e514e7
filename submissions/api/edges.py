"""What the views of this API have in common: who is asking, uploads that stream, and what a dead database says."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import QueryDict
from drf_spectacular.utils import OpenApiResponse
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.api.serializers import Problem
from submissions.errors import DatabaseUnavailable, UnknownList
from submissions.storage import CHUNK, BundleUploadHandler

REFUSED = {(status, "application/problem+json"): OpenApiResponse(Problem) for status in (400, 401, 403, 404, 422)}
DROP_BYTES = 256 * 1024 * 1024
DROP_FOR_S = 10
CONFLICT = {(409, "application/problem+json"): OpenApiResponse(Problem)}
LARGE = {(413, "application/problem+json"): OpenApiResponse(Problem)}
UNAVAILABLE = {(503, "application/problem+json"): OpenApiResponse(Problem)}


class PrivateView(APIView):
    """Needs an account. A database that is away is answered with 503, so that a client tries again."""

    parser_classes = [JSONParser]

    def handle_exception(self, error: Exception) -> Response:
        if isinstance(error, OperationalError | InterfaceError):
            unavailable = DatabaseUnavailable()
            unavailable.__cause__ = error
            return super().handle_exception(unavailable)
        return super().handle_exception(error)


class UploadView(PrivateView):
    """Takes a bundle. Who is refused while still sending gets to read why: the rest is read and dropped first."""

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            drop_rest(request)
        return super().finalize_response(request, response, *args, **kwargs)


def drop_rest(request: Request) -> None:
    """Read what is left of a body, within bounds: a connection closed on unread bytes is reset, the answer with it."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > DROP_BYTES:
        return
    source = request.META["wsgi.input"] if "chunked" in request.headers.get("Transfer-Encoding", "") else request
    deadline = time.monotonic() + DROP_FOR_S
    with suppress(OSError):
        for _ in range(0, DROP_BYTES, CHUNK):
            if not source.read(CHUNK) or time.monotonic() > deadline:
                return


class BundleParser(MultiPartParser):
    """Multipart whose file goes to the storage while it arrives, never into memory as a whole."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: dict[str, Any] | None = None) -> Any:
        request = parser_context["request"]
        handler = BundleUploadHandler(request)
        request.upload_handlers = [handler]
        try:
            return super().parse(stream, media_type, parser_context)
        except BaseException:
            handler.file.close()
            raise


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
