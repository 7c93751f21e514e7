"""Identities as a page for editors: what a merging would move, the act with its reason, and every act before."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from registry.errors import Problem
from registry.identity.errors import NoAct
from registry.models import IdentityChange
from submissions.identities import acts, preview
from submissions.identities.forms import MergeForm, SplitForm, UndoForm
from submissions.models import Account
from submissions.web.page_base import staff_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of

MOST_ACTS = 100
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
    form = MergeForm(request.POST)
    if form.carry_out(partial(acts.merge_identities, account_of(request))):
        return redirect("identities")
    kind, former, into = (request.POST.get(name, "").strip() for name in ("kind", "former", "into"))
    foreseen = None
    if former and into and kind in IdentityChange.Kind.values:
        foreseen = preview.preview_merge(account_of(request), kind, former, into)
    return _render_page(request, kind, former, into, foreseen=foreseen, refused=form)


@require_POST
@editors
def split_identity(request: HttpRequest) -> HttpResponse:
    """Split off what is named, one id or slug in a line."""
    form = SplitForm(request.POST)
    if form.carry_out(
        lambda kind, slug, moving, reason, **others: acts.split_identity(
            account_of(request), kind, slug, moving.split(), reason, **others
        )
    ):
        return redirect("identities")
    return _render_page(request, refused=form)


@require_POST
@editors
def undo_act(request: HttpRequest, id: int) -> HttpResponse:
    """Take an act back."""
    form = UndoForm(request.POST, auto_id=f"undo_{id}_%s")
    if form.carry_out(partial(acts.undo_act, account_of(request), id)):
        return redirect("identities")
    if isinstance(form.problem, NoAct):
        raise form.problem
    return _render_page(request, refused=form, undone=id)


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
    refused: PageForm | None = None,
    undone: int | None = None,
) -> HttpResponse:
    """The page; `refused` is the form that was sent last, `undone` the act that it wanted to undo."""
    acts = list(IdentityChange.objects.filter(part_of=None).prefetch_related("parts")[:MOST_ACTS])
    undo_forms = [refused if act.pk == undone else UndoForm(auto_id=f"undo_{act.pk}_%s") for act in acts]
    context: dict[str, Any] = {
        "section": "review",
        "kinds": IdentityChange.Kind.choices,
        "kind": kind,
        "former": former,
        "into": into,
        "preview": foreseen,
        "merge": MergeForm(initial={"kind": kind, "former": former, "into": into}),
        "split": SplitForm(),
        "undone": undone,
        "problem": problem or (foreseen.refused if foreseen else None),
        "acts": list(zip(acts, undo_forms, strict=True)),
    }
    response = form_page(request, "identities/identities.html", context, refused)
    if refused is None and problem is not None:
        response.status_code = problem.status
    return response
