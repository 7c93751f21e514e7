"""Form fields of filters (registry/query/questions/filters.py), for filter_field.html; and the address of the form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from registry.errors import Problem
from registry.query.questions.facets import Choice
from registry.query.questions.filters import FILTERS

View = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form. `choices` are offered below `every`, which stands for no value; None: it is typed."""

    name: str
    label: str
    value: str
    input: str = "text"
    placeholder: str = "any"
    title: str = ""
    choices: Iterable[Choice] | None = None
    every: str = "any"
    error: str = ""


def filter_fields(
    names: Iterable[str],
    values: Mapping[str, str],
    choices: Mapping[str, Iterable[Choice]],
    texts: Mapping[str, Mapping[str, str]] | None = None,
    refusal: Problem | None = None,
) -> list[Field]:
    """The fields that a page shows of the filters of these names, in their order.

    `values` are those of the query. `texts` replaces label, placeholder or `every` where a page says it otherwise.
    What `refusal` says of a name stands at its field.
    """
    errors = error_texts(refusal)
    inputs = {"q": "search"} | {row.name: "number" for row in FILTERS if row.kind is int}
    return [
        Field(
            row.name,
            value=values.get(row.name, ""),
            input=inputs.get(row.name, "text"),
            choices=choices.get(row.name),
            error=errors.get(row.name, ""),
            **{"label": row.label, "placeholder": row.placeholder, **(texts or {}).get(row.name, {})},
        )
        for row in FILTERS
        if row.has_field and row.name in names
    ]


def form_context(fields: list[Field]) -> dict[str, Any]:
    """What a page with these fields needs: them, how many have a value, and whether one was refused."""
    return {
        "fields": fields,
        "set_fields": sum(bool(field.value) for field in fields),
        "has_field_errors": any(field.error for field in fields),
    }


def error_texts(refusal: Problem | None) -> dict[str, str]:
    """By name of the query: what was refused of it, as a sentence. Empty where no name is to blame."""
    errors = (refusal.errors if refusal else None) or {}
    return {name: as_sentence("; ".join(map(str, reasons))) for name, reasons in errors.items()}


def as_sentence(text: str) -> str:
    """ "one of a, b" -> "One of a, b."."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def tidy_address(view: View) -> View:
    """A page that leads from an address with empty fields to the same one without them.

    A form sends its empty fields, and their names would stand in every link.
    """

    @wraps(view)
    def tidied_page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The page, or the way to its tidy address."""
        if all(value.strip() for values in request.GET.lists() for value in values[1]):
            return view(request, *args, **kwargs)
        query = request.GET.copy()
        for name, values in request.GET.lists():
            query.setlist(name, [value for value in values if value.strip()])
        encoded = query.urlencode()
        return redirect(f"{request.path}?{encoded}" if encoded else request.path)

    return tidied_page
