"""Who runs this registry and how they are reached, for pages; and what a public host is refused or warned of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

_MAIL = re.compile(r"[^\s@<>:/]+@[^\s@<>:/]+")


def operator_contact() -> dict[str, str]:
    """`text` of the contact and `href`, where it is a mail address or an address of the web; both "" without one."""
    text = settings.CONTACT
    if _MAIL.fullmatch(text):
        return {"text": text, "href": f"mailto:{quote(text, safe='@')}"}
    return {"text": text, "href": text if text.startswith(("https://", "http://")) else ""}


@register(Tags.security, deploy=True)
def check_operator(app_configs: object, **kwargs: Any) -> Iterable[CheckMessage]:
    """Name what of OPERATOR, CONTACT and IMPRINT_URL is missing (warnings) or cannot be followed (errors)."""
    messages: list[CheckMessage] = []
    contact, imprint = settings.CONTACT, settings.IMPRINT_URL
    if not contact:
        hint = "Set CONTACT to a mail address or the address of a page (docs/operate.md)."
        messages.append(
            Warning("CONTACT is empty: nobody learns how to get an account.", hint=hint, id="registry.W001")
        )
    elif not (_MAIL.fullmatch(contact) or _is_https(contact)):
        hint = "Set CONTACT to a mail address or to https://host/path."
        messages.append(Error("CONTACT is no mail address and no https address.", hint=hint, id="registry.E001"))
    if imprint and not _is_https(imprint):
        hint = "Set IMPRINT_URL to https://host/path, or leave it out."
        messages.append(Error("IMPRINT_URL is no https address.", hint=hint, id="registry.E002"))
    if not settings.OPERATOR:
        hint = "Set OPERATOR to the name of who runs this registry (docs/operate.md)."
        messages.append(Warning("OPERATOR is empty: /about/ names nobody.", hint=hint, id="registry.W002"))
    return messages


def _is_https(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    plain = not any(sign.isspace() or sign in "<>\"'" for sign in address)
    return plain and parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc
