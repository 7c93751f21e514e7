"""What some results share, as a page: tunables first, then software, hardware and conditions."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.errors import Problem
from registry.parameters.shared_load import MOST_TOP, NAMES, USUAL_TOP, shared_document
from registry.presentation import numbers
from registry.query.differences.configuration_diff import load_vocabulary
from registry.query.public_record import Row
from registry.query.questions import facets, filters
from registry.query.questions.study_query import COLUMN_METRICS
from registry.web.caching import public_page
from registry.web.filter_fields import filter_fields

KINDS = {
    "tuning": "Tunables and layout",
    "software": "Software",
    "hardware": "Hardware and network",
    "conditions": "Scale and benchmark",
}
ORDERS = {"score": "score", "bandwidth_gib_per_s": "bandwidth", "rate_kiops": "metadata"}
FIELDS = ("filesystem_type", "release", "list", "client_nodes__gte", "client_nodes__lte", "trust")
MOST_ROWS = 300


@public_page
def shared_page(request: HttpRequest) -> HttpResponse:
    """The facts that the best systems under some filters share, or those of results that are named."""
    values = {name: value for name in (*FIELDS, "by", "top") if (value := request.GET.get(name))}
    choices = {
        "trust": facets.trust_choices(),
        "list": facets.include_selected(facets.list_choices(), values.get("list", "")),
    }
    context: dict[str, Any] = {
        "section": "docs",
        "fields": filter_fields(FIELDS, values, choices),
        "orders": ORDERS.items(),
        "by": values.get("by", "score"),
        "top": values.get("top", USUAL_TOP),
        "most_top": MOST_TOP,
    }
    query = filters.without_empty(request.GET)
    try:
        filters.refuse_unknown(query, (*NAMES, *filters.RESULT_NAMES), (filters.PARAMETER,))
        answer = shared_document(query)
    except Problem as problem:
        return render(request, "parameters/shared.html", context | {"problem": problem}, status=problem.status)
    context |= {
        "answer": answer,
        "number": ORDERS.get(answer["by"] or "score"),
        "unit": COLUMN_METRICS[answer["by"] or "score"][1],
        "rows": [
            row | {"written": numbers.format_decimal(row["value"]) or numbers.MISSING} for row in answer["results"]
        ],
        "kinds": _kind_rows(answer["facts"]),
        "address": f"/api/v1/parameters/shared/?{urlencode(list(query.items()), safe=',')}",
    }
    return render(request, "parameters/shared.html", context)


def _kind_rows(facts: list[Row]) -> list[tuple[str, list[Row]]]:
    """Facts under the heads of the table; heads of which nothing is known are there, too."""
    known_kinds = dict.fromkeys([*KINDS, *(str(group["kind"]) for group in load_vocabulary()["groups"])])
    return [(KINDS.get(kind, kind), [row for row in facts if row["kind"] == kind][:MOST_ROWS]) for kind in known_kinds]
