"""Who runs this registry and how they are reached, for pages; and the warning where nobody can tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.checks import Tags, Warning, register

_MAIL = re.compile(r"[^\s@<>]+@[^\s@<>]+")


def operator_contact() -> dict[str, str]:
    """`text` of the contact and `href`, where it is a mail address or an address of the web; both "" without one."""
    text = settings.CONTACT
    if _MAIL.fullmatch(text):
        return {"text": text, "href": f"mailto:{quote(text, safe='@')}"}
    return {"text": text, "href": text if text.startswith(("https://", "http://")) else ""}


@register(Tags.security, deploy=True)
def has_contact(app_configs: object, **kwargs: Any) -> Iterable[Warning]:
    """A public registry that nobody can write to leaves newcomers before a wall."""
    if settings.CONTACT:
        return []
    hint = "Set CONTACT to a mail address or the address of a page (docs/operate.md)."
    return [Warning("CONTACT is empty: nobody learns how to get an account.", hint=hint, id="registry.W001")]
