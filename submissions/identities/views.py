"""Identities as a page for editors: what a merging would move, the act with its reason, and every act before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from registry.errors import Problem
from registry.identity.errors import NoAct
from registry.models import IdentityChange
from submissions.identities import acts, preview
from submissions.models import Account
from submissions.web.page_base import staff_page
from submissions.web.request_account import account_of

MOST_ACTS = 100
REASON_CHARACTERS = 2000
editors = staff_page(Account.Role.EDITOR)


@require_safe
@editors
def identities_page(request: HttpRequest) -> HttpResponse:
    """The form; with both slugs what would move; the acts."""
    kind, former, into = (request.GET.get(name, "").strip() for name in ("kind", "former", "into"))
    foreseen, problem = None, None
    if former and into:
        try:
            foreseen = preview.preview_merge(account_of(request), _read_kind(kind), former, into)
        except Problem as refusal:
            problem = refusal
    return _render_page(request, kind, former, into, foreseen=foreseen, problem=problem)


@require_POST
@editors
def merge_identities(request: HttpRequest) -> HttpResponse:
    """Merge what the preview showed."""
    sent = request.POST
    kind, former, into = (sent.get(name, "") for name in ("kind", "former", "into"))
    return _carry_out(
        request,
        lambda: acts.merge_identities(
            account_of(request), _read_kind(kind), former, into, _read_reason(request), sent.get("source", "")[:300]
        ),
    )


@require_POST
@editors
def split_identity(request: HttpRequest) -> HttpResponse:
    """Split off what is named, one id or slug in a line."""
    sent = request.POST
    return _carry_out(
        request,
        lambda: acts.split_identity(
            account_of(request),
            _read_kind(sent.get("kind", "")),
            sent.get("slug", "").strip(),
            sent.get("moving", "").split(),
            _read_reason(request),
            into=sent.get("into", "").strip(),
            name=sent.get("name", "").strip(),
            source=sent.get("source", "")[:300],
        ),
    )


@require_POST
@editors
def undo_act(request: HttpRequest, id: int) -> HttpResponse:
    """Take an act back."""
    return _carry_out(request, lambda: acts.undo_act(account_of(request), id, _read_reason(request)))


def _carry_out(request: HttpRequest, act: Callable[[], IdentityChange]) -> HttpResponse:
    try:
        act()
    except NoAct:
        raise
    except Problem as problem:
        sent = request.POST
        if "moving" in sent:
            return _render_page(request, problem=problem, split=sent)
        kind, former, into = (sent.get(name, "") for name in ("kind", "former", "into"))
        foreseen = preview.preview_merge(account_of(request), kind, former, into) if former and into else None
        return _render_page(request, kind, former, into, foreseen=foreseen, problem=problem)
    return redirect("identities")


def _read_reason(request: HttpRequest) -> str:
    return request.POST.get("reason", "")[:REASON_CHARACTERS]


def _read_kind(kind: str) -> str:
    if kind not in IdentityChange.Kind.values:
        raise Problem("Choose what both are.")
    return kind


def _render_page(
    request: HttpRequest,
    kind: str = "",
    former: str = "",
    into: str = "",
    *,
    foreseen: preview.Preview | None = None,
    problem: Problem | None = None,
    split: QueryDict | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {
        "section": "review",
        "kinds": IdentityChange.Kind.choices,
        "kind": kind,
        "former": former,
        "into": into,
        "preview": foreseen,
        "split": split or {},
        "merge": request.POST,
        "problem": problem or (foreseen.refused if foreseen else None),
        "acts": list(IdentityChange.objects.filter(part_of=None).prefetch_related("parts")[:MOST_ACTS]),
    }
    return render(request, "identities/identities.html", context, status=problem.status if problem else 200)
