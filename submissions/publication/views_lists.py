"""A list before and after it is published, for reviewers; editors decide there otherwise than the definition."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from registry.lists.definitions import ranked_measure, title_of
from registry.models import Override, Release
from registry.presentation import numbers
from registry.presentation.result_rows import name_releases
from registry.query import public_record
from submissions.errors import ProposalInvalid
from submissions.models import Account
from submissions.permissions import has_role
from submissions.publication import amendments
from submissions.publication import preview as previewing
from submissions.publication.forms import OverrideForm, ProposalForm
from submissions.web.page_base import staff_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page(Account.Role.REVIEWER)
def preview_page(request: HttpRequest, release: str, name: str) -> HttpResponse:
    """What would stand on the list, and why not what doesn't; a POST asks the same under what it proposes."""
    release_row = public_record.find_release(release)
    if request.method != "POST":
        list_preview = previewing.preview_list(release_row, name, account_of(request))
        return _preview_page(request, release_row, name, list_preview=list_preview)
    form, previews = ProposalForm(request.POST), []

    def preview_proposal(**texts: str) -> None:
        previews.append(previewing.preview_list(release_row, name, account_of(request), **_proposed_documents(texts)))

    if not form.carry_out(preview_proposal):
        return _preview_page(request, release_row, name, refused=form)
    return _preview_page(request, release_row, name, form, list_preview=previews[0])


@require_POST
@staff_page(Account.Role.EDITOR)
def override_page(request: HttpRequest, release: str, name: str) -> HttpResponse:
    """A decision about one result of a published list, with its reason."""
    account = account_of(request)
    release_row = public_record.find_release(release)
    form = OverrideForm(request.POST)
    ranked = public_record.ranked_list(release, name)
    if not form.carry_out(lambda **fields: amendments.override_result(ranked, account, **fields)):
        list_preview = previewing.preview_list(release_row, name, account)
        return _preview_page(request, release_row, name, list_preview=list_preview, refused=form)
    return redirect("list", release=release_row.slug, name=name)


def _proposed_documents(texts: Mapping[str, str]) -> dict[str, Any]:
    """The JSON documents of the form; what is left empty stays as it is. Raises ProposalInvalid."""
    documents = {}
    for field, sent in texts.items():
        text = sent.strip()
        try:
            documents[field] = json.loads(text) if text else None
        except (ValueError, RecursionError) as error:
            why = f"This is not JSON: {str(error)[:200]}."
            raise ProposalInvalid(f"The {field} is no JSON document.", errors={field: [why]}) from error
    return documents


def _preview_page(
    request: HttpRequest,
    release: Release,
    name: str,
    form: ProposalForm | None = None,
    *,
    list_preview: previewing.Preview | None = None,
    refused: PageForm | None = None,
) -> HttpResponse:
    context = {
        "section": "review",
        "release": release,
        "name": name,
        "title": list_preview.body["title"] if list_preview else title_of(name),
        "form": form or ProposalForm(),
        "override_form": OverrideForm(),
        "preview": list_preview,
        "ranks": ranked_measure(list_preview.body) if list_preview else None,
        "rows": [_format_row(row) for row in name_releases(list_preview.entries)] if list_preview else [],
        "not_listed": name_releases(list_preview.excluded) if list_preview else [],
        "current": json.dumps(list_preview.body, indent=2) if list_preview else "",
        "may_override": bool(release.published_at) and has_role(account_of(request), Account.Role.EDITOR),
        "decisions": Override.objects.filter(release=release, list_name=name).select_related("result"),
    }
    return form_page(request, "publication/preview.html", context, refused)


def _format_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **row,
        "score": numbers.format_decimal(row["score"]),
        "range": numbers.format_rank_range(row["rank_low"], row["rank_high"]),
    }
