"""Parameters: what each is, where it is read, its default by release, and the values that the record has seen."""

from __future__ import annotations

from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.presentation import numbers
from registry.query.facts import observed_parameters
from registry.query.facts.observed_parameters import ObservedValue
from registry.query.public_record import NotOnRecord, nearest_names
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
    "none": "any user",
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
def parameter_index(request: HttpRequest) -> HttpResponse:
    """All parameters by group, or those with the words that were asked for."""
    words = request.GET.get("q", "")[:WORDS_LIMIT]
    group = request.GET.get("group", "")
    matches = [parameter for parameter in search_parameters(words) if group in ("", parameter.group)]
    sections = [(groups()[name], list(ones)) for name, ones in groupby(matches, key=lambda parameter: parameter.group)]
    context = {"words": words, "group": group, "groups": groups(), "sections": sections, "count": len(matches)}
    return render(request, "parameters/index.html", {"section": "docs", **context})


@public_page
def parameter_page(request: HttpRequest, id: str) -> HttpResponse:
    """One parameter."""
    parameter = require_parameter(id)
    context = {
        "parameter": parameter,
        "group": groups()[parameter.group],
        "value": value_words(parameter),
        "places": [(place.path, place_words(place)) for place in parameter.paths],
        "read_by": READ_BY[parameter.privilege],
        "leaves": disclosure_text(parameter),
        "on_change": ON_CHANGE[parameter.run_critical],
        "defaults": by_release(id),
        "of_lustre": parameter.group.startswith(OF_LUSTRE),
        "by_key": parameter.kind in ("map", "histogram"),
        "observed_values": [seen_row(parameter, row) for row in observed_parameters.values_seen(id)],
    }
    return render(request, "parameters/parameter.html", {"section": "docs", **context})


def require_parameter(id: str) -> Parameter:
    """Raises NotOnRecord, with the nearest ids, where there is no such parameter."""
    if id not in parameters():
        raise NotOnRecord("parameter", id, nearest_names(id, parameters()))
    return parameters()[id]


def search_parameters(words: str) -> list[Parameter]:
    """Parameters whose id, meaning or path has every one of the words."""
    search_words = words.lower().split()
    return [
        parameter for parameter in parameters().values() if all(word in search_text(parameter) for word in search_words)
    ]


def search_text(parameter: Parameter) -> str:
    return " ".join(
        (parameter.id, parameter.meaning, *(place.path for place in parameter.paths), parameter.command)
    ).lower()


def value_words(parameter: Parameter) -> str:
    """("integer", "MiB") -> "integer in MiB"."""
    unit = "" if parameter.unit in ("none", "mixed", "bool", "count") else f" in {parameter.unit}"
    kinds = {"map": ", one for each entry", "list": ", any number of them", "histogram": ", one for each bucket"}
    return f"{parameter.value_type}{unit}{kinds.get(parameter.kind, '')}"


def disclosure_text(parameter: Parameter) -> str:
    """What of it leaves the site; the note says more than the class, but for what leaves as it is."""
    if parameter.redaction == "keep" and parameter.redaction_note:
        return f"{LEAVES['keep']}; {parameter.redaction_note}"
    return parameter.redaction_note or LEAVES[parameter.redaction]


def place_words(place: Place) -> str:
    return ROOTS[place.root] + (f"; Lustre {place.releases}" if place.releases else "")


def seen_row(parameter: Parameter, row: ObservedValue) -> dict[str, Any]:
    """A value of the record as the page shows it, with the address of the results that have it."""
    name = f"p.{parameter.id}/{row['key']}" if row["key"] else f"p.{parameter.id}"
    return {
        "key": row["key"],
        "role": row["role"],
        "text": row["text"],
        "results": numbers.format_int(row["results"]),
        "instances": numbers.format_int(row["instances"]),
        "default_of": releases_with(parameter.id, row["value"]) if not row["key"] else "",
        "query": urlencode({name: row["text"]}),
    }
