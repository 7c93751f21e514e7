"""The page of a release's checklist, for editors. Every act is a form of its own and needs no JavaScript."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from registry.errors import Problem
from registry.models import Release
from registry.query import public_record
from submissions.errors import ChecklistInvalid, NoChecklistItem
from submissions.models import Account
from submissions.publication.checklist import items
from submissions.publication.checklist.forms import FORMS, MoveForm, NewItemForm, RenameForm
from submissions.web.page_base import staff_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page(Account.Role.EDITOR)
def checklist_page(request: HttpRequest, release: str) -> HttpResponse:
    """The items with their forms; a POST does one act and leads back to the page."""
    release_row = public_record.find_release(release)
    if request.method != "POST":
        return _render_page(request, release_row)
    try:
        anchor = _do_act(request, release_row, account_of(request))
    except Problem as problem:
        return _render_page(request, release_row, problem)
    response = redirect("release-checklist", release=release_row.slug)
    response["Location"] += anchor
    return response


def _do_act(request: HttpRequest, release: Release, editor: Account) -> str:
    """Do what the form asks for; the anchor of the item that is there afterwards."""
    form, act = request.POST, request.POST.get("act", "")
    if act == "add":
        return f"#item-{items.add_item(release, editor, form.get('label', '')).pk}"
    item_id, version = _read_number(form.get("item", "")), _read_number(form.get("version", ""))
    if act == "remove":
        items.remove_item(release, editor, item_id)
        return ""
    if act == "rename":
        items.change_item(release, editor, item_id, version, label=form.get("label", ""))
    elif act in ("tick", "untick"):
        items.change_item(release, editor, item_id, version, done=act == "tick")
    elif act == "move":
        items.change_item(release, editor, item_id, version, position=_read_position(form.get("position", "")))
    else:
        raise ChecklistInvalid("The form names no act.")
    return f"#item-{item_id}"


def _read_number(text: str) -> int:
    """A number of a form. Raises NoChecklistItem for what is none that could be in the database."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise NoChecklistItem
    return int(text)


def _read_position(text: str) -> int:
    """A position of a form; 0, which no item has, for what is no number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _refused_form(request: HttpRequest, problem: Problem) -> PageForm | None:
    """The form that was sent with what is wrong in it; None for an act that asks for nothing, or has no item."""
    act = request.POST.get("act", "")
    if act not in FORMS or isinstance(problem, NoChecklistItem):
        return None
    ids = {} if act == "add" else {"auto_id": _ids_of(act, request.POST.get("item", ""))}
    form = FORMS[act](request.POST, **ids)
    form.add_refusal(problem)
    return form


def _ids_of(act: str, item: object) -> str:
    return f"{act}_{item}_%s"


def _render_page(request: HttpRequest, release: Release, problem: Problem | None = None) -> HttpResponse:
    rows = items.list_items(release)
    refused = None if problem is None else _refused_form(request, problem)
    changed = request.POST.get("item", "") if refused else ""
    item_forms = []
    for place, item in enumerate(rows, 1):
        forms: dict[str, PageForm] = {
            "rename": RenameForm(initial={"label": item.label}, auto_id=_ids_of("rename", item.pk)),
            "move": MoveForm(initial={"position": place}, auto_id=_ids_of("move", item.pk)),
        }
        if refused is not None and str(item.pk) == changed:
            forms[refused.context_name] = refused
        item_forms.append((item, forms))
    context = {
        "section": "review",
        "release": release,
        "items": item_forms,
        "changed": changed,
        "open": sum(item.done_at is None for item in rows),
        "acts": items.list_acts(release),
        "add": NewItemForm(),
        "problem": problem,
    }
    response = form_page(request, "publication/checklist.html", context, refused)
    if problem is not None:
        response.status_code = problem.status
    return response
