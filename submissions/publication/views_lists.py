"""A list before and after it is published, for reviewers; editors decide there otherwise than the definition."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from registry.errors import Problem
from registry.lists.definitions import measure
from registry.models import Override, Release
from registry.presentation import numbers
from registry.query import public_record
from submissions.errors import ProposalInvalid
from submissions.models import Account
from submissions.permissions import has_role
from submissions.publication import amendments
from submissions.publication import preview as previewing
from submissions.publication.forms import OverrideForm, ProposalForm
from submissions.web.formatting import FormInvalid
from submissions.web.page_base import staff_page


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page(Account.Role.REVIEWER)
def preview(request: HttpRequest, release: str, name: str) -> HttpResponse:
    """What would stand on the list, and why not what doesn't; a POST asks the same under what it proposes."""
    found = public_record.release(release)
    form = ProposalForm(request.POST or None)
    try:
        asked = _proposed(form) if request.method == "POST" else {}
        made = previewing.preview_list(found, name, request.user, **asked)
    except Problem as problem:
        return _page(request, found, name, form, problem=problem)
    return _page(request, found, name, form, made=made)


@require_POST
@staff_page(Account.Role.EDITOR)
def override(request: HttpRequest, release: str, name: str) -> HttpResponse:
    """A decision about one result of a published list, with its reason."""
    found = public_record.release(release)
    form = OverrideForm(request.POST)
    try:
        if not form.is_valid():
            raise FormInvalid(errors={field: [str(one) for one in why] for field, why in form.errors.items()})
        amendments.override(public_record.ranked_list(release, name), request.user, **form.cleaned_data)
    except Problem as problem:
        made = previewing.preview_list(found, name, request.user)
        return _page(request, found, name, ProposalForm(), made=made, problem=problem)
    return redirect("list", release=found.slug, name=name)


def _proposed(form: ProposalForm) -> dict[str, Any]:
    """The JSON documents of the form; what is left empty stays as it is. Raises ProposalInvalid."""
    documents = {}
    for field in ("definition", "score"):
        text = form.data.get(field, "").strip()
        try:
            documents[field] = json.loads(text) if text else None
        except (ValueError, RecursionError) as error:
            raise ProposalInvalid(f"The {field} is no JSON document: {str(error)[:200]}.") from error
    return documents


def _page(
    request: HttpRequest,
    release: Release,
    name: str,
    form: ProposalForm,
    *,
    made: previewing.Preview | None = None,
    problem: Problem | None = None,
) -> HttpResponse:
    context = {
        "section": "review",
        "release": release,
        "name": name,
        "form": form,
        "problem": problem,
        "made": made,
        "ranks": measure(made.body) if made else None,
        "rows": [_written(row) for row in made.entries] if made else [],
        "current": json.dumps(made.body, indent=2) if made else "",
        "may_override": bool(release.published_at) and has_role(request.user, Account.Role.EDITOR),
        "actions": Override.Action.choices,
        "decisions": Override.objects.filter(release=release, list_name=name).select_related("result"),
    }
    return render(request, "review/preview.html", context, status=problem.status if problem else 200)


def _written(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **row,
        "score": numbers.format_decimal(row["score"]),
        "range": numbers.format_rank_range(row["rank_low"], row["rank_high"]),
    }
