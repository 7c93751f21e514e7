"""What somebody typed into a form whose session had ended: it goes through the sign-in page and is offered again.

It is signed and travels in the sign-in form, so that a stranger has nothing stored here. Only a right password puts it
into the session, from which /account/kept/ shows it once. Passwords and files are not kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core import signing
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

NAME = "kept_input"
"""Of the hidden field, and of the entry of the session."""
PAGE = "/account/kept/"
MOST_CHARACTERS = 64 * 1024
"""Of a signed form. A longer one is not kept."""
HOLDS_FOR_S = 24 * 3600
_SECRET = ("password", "csrfmiddlewaretoken", "secret")


def sign_form(request: HttpRequest) -> str:
    """The address and the fields of a form that was sent, signed; empty where there is nothing to keep, or too much."""
    fields = [(name, text) for name, texts in request.POST.lists() if _may_keep(name) for text in texts]
    if not any(text for _, text in fields):
        return ""
    signed_form = signing.dumps({"path": request.get_full_path(), "fields": fields}, salt=NAME, compress=True)
    return signed_form if len(signed_form) <= MOST_CHARACTERS else ""


def read_form(text: str) -> dict[str, Any] | None:
    """What `sign_form` signed; None for anything else, and once it is too old."""
    try:
        typed_form: dict[str, Any] = signing.loads(text, salt=NAME, max_age=HOLDS_FOR_S)
    except signing.BadSignature:
        return None
    return typed_form if url_has_allowed_host_and_scheme(typed_form["path"], allowed_hosts=None) else None


def take_form(session: Any) -> Mapping[str, Any] | None:
    """The form that the session kept, this once."""
    typed_form: Mapping[str, Any] | None = session.pop(NAME, None)
    return typed_form


def _may_keep(name: str) -> bool:
    return not any(word in name.lower() for word in _SECRET)
