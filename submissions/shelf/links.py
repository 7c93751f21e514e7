"""Links on pages of another scope: a page of the record leads to the record, here it leads to the same scope.

Pages are those of the record, asked of a source. So their links are changed once the page is written, in one place, and
a link that a page gets later is changed too. Runs of the shelf have UUIDs, which no result has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from django.utils.html import escape

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ATTRIBUTE = r'(?P<attribute>(?:href|action)=")'
_OF_SYSTEM = r'systems/[^/"]+/(?:history|sweep)'
_RUN = re.compile(rf"{_ATTRIBUTE}/results/(?P<id>{_UUID})/")
_QUESTION = re.compile(rf'{_ATTRIBUTE}(?P<path>/(?:compare|study|ranking|explore|sizing|{_OF_SYSTEM})/)(?=["?#])')
_GET_FORM = re.compile(r'<form\b(?![^>]*\b(?:method="post"|action="(?!/shelf/)))[^>]*>')
_SYSTEM = re.compile(rf'{_ATTRIBUTE}/systems/(?P<slug>[^/"]+)/"')
_ANY_UUID = re.compile(rf"\b{_UUID}\b")
_VERBATIM_OR_TEXT = re.compile(r"</?(?:code|pre|script|style|textarea)\b|>[^<>]+")
_API = re.compile(rf"{_ATTRIBUTE}(?P<path>/api/v1/(?:compare|study|ranking|sizing|{_OF_SYSTEM})/)(?P<joint>\??)")


def keep_scope(html: str, scope: str, groups: Mapping[str, str]) -> str:
    """A page whose links to questions, runs and the API, and whose forms, stay in a scope, a project and a label."""
    html = _RUN.sub(r"\g<attribute>/shelf/runs/\g<id>/", html)
    html = _QUESTION.sub(rf"\g<attribute>/shelf/{scope}\g<path>", html)
    html = _SYSTEM.sub(rf'\g<attribute>/shelf/{scope}/systems/\g<slug>/history/"', html)
    html = _keep_groups(html, scope, groups) if groups else html
    asked = escape(urlencode({"scope": scope, **groups}))
    return _API.sub(lambda match: _scoped_api(match, asked), html)


def _keep_groups(html: str, scope: str, groups: Mapping[str, str]) -> str:
    """A page whose scoped links name the project and label, and whose forms send them."""
    asked = escape(urlencode(groups))
    scoped = re.compile(rf'((?:href="|<code>)(?:/shelf/{scope}/[^"?#<]+)?)(\?|(?<=/)(?=["#]))')
    fields = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in groups.items())
    html = scoped.sub(lambda match: f"{match[1]}?{asked}" + ("&amp;" if match[2] else ""), html)
    return _GET_FORM.sub(lambda match: match[0] + fields, html)


def _scoped_api(match: re.Match[str], asked: str) -> str:
    ending = "&amp;" if match["joint"] else ""
    return f"{match['attribute']}{match['path']}?{asked}{ending}"


def ids_on(html: str) -> set[str]:
    """Ids of shelved runs anywhere on a page."""
    return set(_ANY_UUID.findall(html))


def name_runs(html: str, names: Mapping[str, str]) -> str:
    """A page whose text has names for ids. Addresses, fields and code keep the ids: they are sent and copied."""
    verbatim = 0  # how many elements of code and the like are open

    def name_part(part: re.Match[str]) -> str:
        nonlocal verbatim
        if part[0].startswith("<"):
            verbatim = max(0, verbatim + (-1 if part[0].startswith("</") else 1))
        return part[0] if verbatim or part[0].startswith("<") else _name_in(part[0], names)

    return _VERBATIM_OR_TEXT.sub(name_part, html)


def _name_in(text: str, names: Mapping[str, str]) -> str:
    return _ANY_UUID.sub(lambda id: escape(names.get(id[0], id[0])), text)
