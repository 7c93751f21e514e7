"""What the views of this API have in common: who is asking, and how a body is read."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response

from registry.web.responses import Problem
from submissions.web.request_bodies import WritingView

REFUSED = {(status, "application/problem+json"): OpenApiResponse(Problem) for status in (400, 401, 403, 404, 422)}
CONFLICT = {(409, "application/problem+json"): OpenApiResponse(Problem)}
LARGE = {(413, "application/problem+json"): OpenApiResponse(Problem)}


class PrivateView(WritingView):
    """Needs an account; nothing on the way may keep its answers."""

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Cache-Control"] = "private, no-store"
        return response


def validated_body(request: Request, serializer: type) -> dict[str, Any]:
    """The body as the serializer takes it. Raises ValidationError with the fields at fault."""
    checked = serializer(data=request.data)
    checked.is_valid(raise_exception=True)
    validated: dict[str, Any] = checked.validated_data
    return validated
