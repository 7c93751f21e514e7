"""Pages as tests read them: without the line breaks that only lay out a template."""

from __future__ import annotations

import re

from django.http.response import HttpResponseBase

_BLOCK = (
    "article|body|button|caption|colgroup|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header"
    "|legend|li|main|nav|ol|option|p|section|select|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_BEFORE_BLOCK = re.compile(rf"\s*\n\s*(?=</?(?:{_BLOCK})\b)")
_AFTER_BLOCK = re.compile(rf"(</?(?:{_BLOCK})\b[^>]*>)\s*\n\s*")
_LINE_BREAK = re.compile(r"\s*\n\s*")


def page_source(answer: HttpResponseBase) -> str:
    """The HTML of an answer as a browser takes it: no line break beside a block, a space for any other."""
    source = answer.content.decode()  # type: ignore[attr-defined]
    return _LINE_BREAK.sub(" ", _AFTER_BLOCK.sub(r"\1", _BEFORE_BLOCK.sub("", source)))
