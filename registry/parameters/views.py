"""Parameters: what each is, where it is read, its default by release, and the values that the record has seen."""

from __future__ import annotations

from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.presentation import numbers
from registry.query import observed_parameters
from registry.query.public_record import NotOnRecord, Row, nearest
from registry.web.caching import public_page
from validators.parameters import Parameter, Place, groups, parameters
from validators.parameters.defaults import by_release, releases_with

WORDS_LIMIT = 100
OF_LUSTRE = ("lustre", "lnet")
"""Groups of which every parameter has a default in each release, known or not."""
ROOTS = {
    "procfs": "procfs",
    "sysfs": "sysfs",
    "debugfs": "debugfs, root only",
    "module": "parameter of a kernel module",
    "file": "file",
}
READ_BY = {
    "none": "everybody",
    "root": "root",
    "group": "members of a group",
    "bmc": "the management controller",
    "admin": "an administrator",
}
LEAVES = {
    "keep": "as it is",
    "allowlist": "known entries only",
    "basename": "file names without folders",
    "pseudonym": "under a pseudonym, whose key stays at the site",
    "drop": "without what identifies",
    "attachment": "only as a file that the site adds",
    "never": "never; it is not read",
}
ON_CHANGE = {
    "invalidating": "makes the run incomparable",
    "warning": "is a warning",
    "info": "is noted",
}


@public_page
def index(request: HttpRequest) -> HttpResponse:
    """All parameters by group, or those with the words that were asked for."""
    words = request.GET.get("q", "")[:WORDS_LIMIT]
    group = request.GET.get("group", "")
    found = [one for one in matching(words) if group in ("", one.group)]
    sections = [(groups()[name], list(ones)) for name, ones in groupby(found, key=lambda one: one.group)]
    context = {"words": words, "group": group, "groups": groups(), "sections": sections, "count": len(found)}
    return render(request, "parameters/index.html", {"section": "docs", **context})


@public_page
def page(request: HttpRequest, id: str) -> HttpResponse:
    """One parameter."""
    shown = required(id)
    context = {
        "parameter": shown,
        "group": groups()[shown.group],
        "value": value_words(shown),
        "places": [(place.path, place_words(place)) for place in shown.paths],
        "read_by": READ_BY[shown.privilege],
        "leaves": leaves(shown),
        "on_change": ON_CHANGE[shown.run_critical],
        "defaults": by_release(id),
        "of_lustre": shown.group.startswith(OF_LUSTRE),
        "by_key": shown.kind in ("map", "histogram"),
        "seen": [seen_row(shown, row) for row in observed_parameters.values_seen(id)],
    }
    return render(request, "parameters/parameter.html", {"section": "docs", **context})


def required(id: str) -> Parameter:
    """Raises NotOnRecord with the nearest ids."""
    if id not in parameters():
        raise NotOnRecord("parameter", id, nearest(id, parameters()))
    return parameters()[id]


def matching(words: str) -> list[Parameter]:
    """Parameters whose id, meaning or path has every one of the words."""
    wanted = words.lower().split()
    return [parameter for parameter in parameters().values() if all(word in searched(parameter) for word in wanted)]


def searched(one: Parameter) -> str:
    return " ".join((one.id, one.meaning, *(place.path for place in one.paths), one.command)).lower()


def value_words(one: Parameter) -> str:
    """("integer", "MiB") -> "integer in MiB"."""
    unit = "" if one.unit in ("none", "mixed", "bool", "count") else f" in {one.unit}"
    kinds = {"map": ", one for each entry", "list": ", any number of them", "histogram": ", one for each bucket"}
    return f"{one.value_type}{unit}{kinds.get(one.kind, '')}"


def leaves(one: Parameter) -> str:
    """What of it leaves the site; the note says more than the class, but for what leaves as it is."""
    if one.redaction == "keep" and one.redaction_note:
        return f"{LEAVES['keep']}; {one.redaction_note}"
    return one.redaction_note or LEAVES[one.redaction]


def place_words(place: Place) -> str:
    return ROOTS[place.root] + (f"; Lustre {place.releases}" if place.releases else "")


def seen_row(one: Parameter, row: Row) -> dict[str, Any]:
    """A value of the record as the page shows it, with the address of the results that have it."""
    name = f"p.{one.id}/{row['key']}" if row["key"] else f"p.{one.id}"
    return {
        "key": row["key"],
        "role": row["role"],
        "text": row["text"],
        "results": numbers.format_int(row["results"]),
        "instances": numbers.format_int(row["instances"]),
        "default_of": releases_with(one.id, row["value"]) if not row["key"] else "",
        "query": urlencode({name: row["text"]}),
    }
