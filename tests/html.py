"""Pages as tests read them: without the line breaks that only lay out a template."""

from __future__ import annotations

import re

from django.http.response import HttpResponseBase

_BLOCK = (
    "article|body|br|button|caption|colgroup|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header"
    "|legend|li|main|nav|ol|option|p|section|select|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_BEFORE_BLOCK = re.compile(rf"\s*\n\s*(?=</?(?:{_BLOCK})\b)")
_AFTER_BLOCK = re.compile(rf"(</?(?:{_BLOCK})\b[^>]*>)\s*\n\s*")
_LINE_BREAK = re.compile(r"\s*\n\s*")


_VERBATIM = re.compile(r"(<(?:pre|textarea)\b.*?</(?:pre|textarea)>)", re.DOTALL)


def page_source(answer: HttpResponseBase) -> str:
    """The text of an answer. HTML as a browser takes it: no line break beside a block, a space for any other.

    What is in `pre` and `textarea` is kept as it is, and so is text that is no HTML.
    """
    source = answer.content.decode()  # type: ignore[attr-defined]
    if not answer.headers.get("Content-Type", "").startswith("text/html"):
        return source
    parts = _VERBATIM.split(source)
    return "".join(part if place % 2 else _join_lines(part) for place, part in enumerate(parts))


def _join_lines(source: str) -> str:
    return _LINE_BREAK.sub(" ", _AFTER_BLOCK.sub(r"\1", _BEFORE_BLOCK.sub("", source)))
