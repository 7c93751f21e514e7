"""With which rights a request reads: a reader whom nobody knows reads with a role that sees the public record alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.checks import Warning as CheckWarning
from django.core.checks import register
from django.core.signals import request_finished, request_started
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.permissions import SAFE_METHODS

from registry.database import rights
from registry.web.api_base import PublicRead

request_started.connect(rights.use_application)
request_finished.connect(rights.use_application)


class RequestRoleMiddleware:
    """Chooses the role once it is known which view answers. Stands behind the middleware that knows the account."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        rights.use_application()
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, *_: object) -> None:
        """Take rights away before the view runs; nothing is asked of the database for that."""
        if settings.DATABASE_PUBLIC_ROLE and is_public(request, view):
            rights.use_public()


def is_public(request: HttpRequest, view: Any) -> bool:
    """Whether the answer is what everybody gets: the API looks at no account when it reads, a page at a session."""
    if getattr(view, "reads_private", False):
        return False
    api_view = getattr(view, "cls", None)
    if isinstance(api_view, type) and issubclass(api_view, PublicRead):
        return request.method in SAFE_METHODS and not api_view.asks_private(request)
    of_record = view.__module__.partition(".")[0] == "registry"
    return of_record and not (settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated)


@register(deploy=True)
def warn_of_rights(**_: object) -> list[CheckWarning]:
    """Without roles the application may do to the database what the owner may."""
    lacking = rights.lacking_roles()
    if not lacking:
        return []
    message = f"No database role is set for: {', '.join(lacking)}. Then it has all rights of DATABASE_URL."
    hint = "Set DATABASE_APP_ROLE and DATABASE_PUBLIC_ROLE, and run `manage grant_rights` after each `migrate`."
    return [CheckWarning(message, hint=hint, id="registry.W003")]
