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
_SCOPED = re.compile(r'(?P<start>href="|<code>)(?P<path>/shelf/(?:institution|all)/[^"?#<]*)?(?P<joint>\??)')
_FORM = re.compile(r"<form\b[^<>]*>")
_SYSTEM = re.compile(rf'{_ATTRIBUTE}/systems/(?P<slug>[^/"]+)/"')
_ANY_UUID = re.compile(rf"\b{_UUID}\b")
_VERBATIM_OR_TEXT = re.compile(r"</?(?:code|pre|script|style|textarea)\b|>[^<>]+")
_API = re.compile(rf"{_ATTRIBUTE}(?P<path>/api/v1/(?:compare|study|ranking|sizing|{_OF_SYSTEM})/)(?P<joint>\??)")


def keep_scope(html: str, scope: str, groups: Mapping[str, str]) -> str:
    """A page whose links to questions, runs and the API, and whose forms, stay in a scope, a project and a label."""
    html = _RUN.sub(r"\g<attribute>/shelf/runs/\g<id>/", html)
    html = _QUESTION.sub(rf"\g<attribute>/shelf/{scope}\g<path>", html)
    html = _SYSTEM.sub(rf'\g<attribute>/shelf/{scope}/systems/\g<slug>/history/"', html)
    html = _keep_groups(html, groups) if groups else html
    query = escape(urlencode({"scope": scope, **groups}))
    return _API.sub(lambda match: _scoped_api(match, query), html)


def _keep_groups(html: str, groups: Mapping[str, str]) -> str:
    """A page whose scoped links name the project and label, and whose forms send them."""
    query = escape(urlencode(groups))
    fields = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in groups.items())
    html = _SCOPED.sub(lambda link: _grouped_link(link, query), html)
    return _FORM.sub(lambda form: form[0] + (fields if _asks_a_question(form[0]) else ""), html)


def _grouped_link(link: re.Match[str], query: str) -> str:
    if not link["path"] and not link["joint"]:
        return link[0]
    ending = "&amp;" if link["joint"] else ""
    return f"{link['start']}{link['path'] or ''}?{query}{ending}"


def _asks_a_question(form: str) -> bool:
    """Whether a form leads to a page of the shelf, or to the one that has it."""
    return 'method="post"' not in form and ('action="' not in form or 'action="/shelf/' in form)


def _scoped_api(match: re.Match[str], query: str) -> str:
    ending = "&amp;" if match["joint"] else ""
    return f"{match['attribute']}{match['path']}?{query}{ending}"


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
