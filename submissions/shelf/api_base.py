"""Addresses of the read API that `scope` asks of shelved runs too: then they need an account, and nobody keeps them."""

from __future__ import annotations

from functools import cached_property
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, QueryDict
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request

from registry.query.row_sources import RowSource
from registry.web.api_base import PublicRead
from submissions.shelf import scope
from submissions.web.api_base import REFUSED
from submissions.web.request_account import account_of

PARAMETERS = [
    OpenApiParameter(
        "scope",
        str,
        enum=scope.SCOPES,
        description="Whose results are asked: the public record, what the account's institutions have checked and what "
        "is shared with it, or both. Anything but `public` needs a token with the scope `read`.",
    ),
    OpenApiParameter("project", str, description="Shelved runs of that project alone. Needs another scope."),
    OpenApiParameter("label", str, description="Shelved runs with that label alone. Needs another scope."),
]


class ScopedRead(PublicRead):
    """The public answer, unless the query names another scope."""

    @classmethod
    def asks_private(cls, request: HttpRequest | Request) -> bool:
        scope_names = {name: request.GET.getlist(name) for name in scope.NAMES if name in request.GET}
        return bool(scope_names) and scope_names != {"scope": [scope.RECORD]}

    @cached_property
    def _asked_source(self) -> RowSource:
        return scope.source_of(account_of(self.request), self.request.query_params)

    def asked_source(self) -> RowSource:
        return self._asked_source if self.asks_private(self.request) else super().asked_source()

    def question_query(self) -> QueryDict:
        return scope.without_scope(super().question_query())


def ask_scoped(view: type[PublicRead]) -> type[ScopedRead]:
    """A view of the record that may be asked of shelved runs too."""
    kind: Any = type(view.__name__, (ScopedRead, view), {"__doc__": view.__doc__, "__module__": __name__})
    kind.query_names = (*view.query_names, *scope.NAMES)
    scoped_view: Any = extend_schema_view(get=extend_schema(parameters=PARAMETERS))(kind)
    described: Any = scoped_view.get.kwargs["schema"]
    scoped_view.get.kwargs["schema"] = type("ScopedSchema", (_ScopedSchema, described), {})
    typed_view: type[ScopedRead] = scoped_view
    return typed_view


class _ScopedSchema:
    """What openapi.json says of such an address beside what it says of the public one."""

    def get_response_serializers(self) -> dict[Any, Any]:
        answers: Any = super().get_response_serializers()  # type: ignore[misc]  # of the view's own schema
        named = answers if isinstance(answers, dict) else {200: answers}
        return named | {key: shape for key, shape in REFUSED.items() if key[0] == HTTPStatus.UNAUTHORIZED}

    def get_auth(self) -> list[dict[str, list[str]]]:
        """None is needed for the record, a token or a session for all else."""
        return [{}, {"tokenAuth": []}, {"cookieAuth": []}]
