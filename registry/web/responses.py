"""Shapes that all answers share: problems, pages, definitions."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from registry.models import Result as ResultModel
from registry.query.filters import FILTERS

TRUST = ResultModel.Trust.choices
REPRODUCIBILITY = ResultModel.Reproducibility.choices
QUERY: dict[str, tuple[Any, ...]] = {
    name: (kind, "query", False, words)
    for name, (kind, words) in {
        **{row.name: (row.kind, row.description) for row in FILTERS},
        "p.NAME": (str, "Value of the parameter NAME, as text or number; NAME is part of the name."),
        "ordering": (str, "A column, or one with - before it. Ranks are never renumbered."),
        "cursor": (str, "From `next` of the page before."),
        "page_size": (int, "Rows of one page."),
        "format": (str, "json or csv."),
        "benchmark": (str, "Name of a benchmark, for example io500."),
        "group": (str, "Group of parameters, for example lustre-client."),
    }.items()
}


class Problem(s.Serializer):
    """RFC 9457 problem; `code` never changes."""

    type = s.CharField()
    title = s.CharField()
    status = s.IntegerField()
    code = s.CharField()
    detail = s.CharField()
    hint = s.CharField(allow_blank=True)
    errors = s.DictField(child=s.ListField(), required=False)


REFUSED = {(400, "application/problem+json"): Problem}
NOT_FOUND = {(404, "application/problem+json"): Problem}


class _Page(s.Serializer):
    next = s.URLField(allow_null=True, help_text="Address of the next page; null on the last.")


class Definition(s.Serializer):
    """Which version of a list's definition made it."""

    name = s.CharField()
    version = s.IntegerField()
