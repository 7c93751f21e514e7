"""The page of an institution's members, the answers to invitations, and requests for accounts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from registry.models import Site
from registry.web.client_address import site_address
from registry.web.error_pages import refusal_page
from registry.web.throttles import LoopbackAwareThrottle
from submissions.accounts import account_requests, memberships
from submissions.accounts.forms import AccessForm, GrantForm, InviteForm, RefusalForm, RemovalForm, RoleForm
from submissions.errors import TooManyAccessRequests
from submissions.models import Account
from submissions.web.page_base import private_page, staff_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of

MOST_ROWS = 100
administrators = staff_page(Account.Role.ADMIN)


@require_safe
@private_page
def members_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Members and, for administrators of the institution, what changes them."""
    return _members_page(request, memberships.visible_institution(account_of(request), slug))


def _members_page(request: HttpRequest, institution: Site, refused: PageForm | None = None) -> HttpResponse:
    manages = memberships.manages_institution(account_of(request), institution)
    context = {
        "section": "submissions",
        "institution": institution,
        "members": list(memberships.members_of(institution)),
        "manages": manages,
        "invitations": list(memberships.invitations_of(institution)) if manages else [],
        "invite": InviteForm(),
        "days": memberships.INVITATION_LASTS.days,
        "roles": memberships.Role.choices,
    }
    return form_page(request, "accounts/members.html", context, refused)


@require_POST
@private_page
def invite_member(request: HttpRequest, slug: str) -> HttpResponse:
    account = account_of(request)
    institution = memberships.managed_by(account, slug)
    form = InviteForm(request.POST)
    link = lambda secret: f"{site_address(request)}/account/invitations/{secret}/"  # noqa: E731
    if not form.carry_out(lambda **fields: memberships.invite_member(institution, account, **fields, link=link)):
        return _members_page(request, institution, form)
    return redirect("members", slug=slug)


@require_POST
@private_page
def withdraw_invitation(request: HttpRequest, slug: str, id: int) -> HttpResponse:
    memberships.withdraw_invitation(memberships.managed_by(account_of(request), slug), id)
    return redirect("members", slug=slug)


@require_POST
@private_page
def change_role(request: HttpRequest, slug: str) -> HttpResponse:
    """Another role for a member."""
    institution = memberships.managed_by(account_of(request), slug)
    form = RoleForm(request.POST)
    if not form.carry_out(lambda account, role: memberships.change_role(institution, account, role)):
        return _members_page(request, institution, form)
    return redirect("members", slug=slug)


@require_POST
@private_page
def remove_member(request: HttpRequest, slug: str) -> HttpResponse:
    """End a membership, another's or the own."""
    username = request.POST.get("account", "")
    leaves = username == request.user.username
    find = memberships.visible_institution if leaves else memberships.managed_by
    institution, form = find(account_of(request), slug), RemovalForm(request.POST)
    if not form.carry_out(lambda account: memberships.remove_member(institution, account)):
        return _members_page(request, institution, form)
    return redirect("account") if leaves else redirect("members", slug=slug)


@require_POST
@private_page
def accept_invitation(request: HttpRequest, id: int) -> HttpResponse:
    """Accept an invitation that names the account."""
    account = account_of(request)
    membership = memberships.accept_invitation(memberships.invitation_for(account, id), account)
    return redirect("members", slug=membership.institution.slug)


@require_POST
@private_page
def decline_invitation(request: HttpRequest, id: int) -> HttpResponse:
    memberships.invitation_for(account_of(request), id).delete()
    return redirect("account")


@private_page
def by_mail(request: HttpRequest, secret: str) -> HttpResponse:
    """What the link of a mail leads to; accepted by its button alone."""
    invitation = memberships.invited_by_secret(secret)
    if request.method == "POST":
        membership = memberships.accept_invitation(invitation, account_of(request))
        return redirect("members", slug=membership.institution.slug)
    context = {"section": "submissions", "invitation": invitation, "days": memberships.INVITATION_LASTS.days}
    return render(request, "accounts/invitation.html", context)


class AccessThrottle(LoopbackAwareThrottle):
    """Requests per address, answered or not."""

    scope = "login"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def request_page(request: HttpRequest) -> HttpResponse:
    """Ask for an account; where everybody may sign up this leads there. The first page may have sent an institution."""
    if settings.SIGNUP_OPEN:
        return redirect("account_signup")
    if request.method != "POST":
        initial = {"institution": request.GET.get("institution", "")[:200]}
        return form_page(request, "accounts/request_access.html", {"access_form": AccessForm(initial=initial)})
    throttle = AccessThrottle()
    if not throttle.allow_request(request, None):
        return refusal_page(request, TooManyAccessRequests(max(1, int(throttle.wait() or 1))))
    form = AccessForm(request.POST)
    if not form.carry_out(account_requests.request_access):
        return form_page(request, "accounts/request_access.html", {}, form)
    return render(request, "accounts/request_noted.html", {"email": form.cleaned_data["email"]})


@require_safe
@administrators
def requests_page(request: HttpRequest) -> HttpResponse:
    """Who asks for an account."""
    return _requests_page(request)


@require_POST
@administrators
def grant_request(request: HttpRequest, id: int) -> HttpResponse:
    """Make the account."""
    form = GrantForm(request.POST, auto_id=f"grant-{id}-%s")
    origin = site_address(request)
    granted: list[Account] = []
    if not form.carry_out(lambda **fields: granted.append(account_requests.grant_access(id, origin=origin, **fields))):
        return _requests_page(request, form, id)
    messages.success(request, f"{granted[0].username} has an account. An email with a link to set a password is sent.")
    return redirect("access-requests")


@require_POST
@administrators
def refuse_request(request: HttpRequest, id: int) -> HttpResponse:
    """Make none, and say why."""
    form = RefusalForm(request.POST, auto_id=f"refusal-{id}-%s")
    origin = site_address(request)
    if not form.carry_out(lambda reason: account_requests.refuse_access(id, reason, origin)):
        return _requests_page(request, form, id)
    messages.success(request, "The request is refused. An email with your reason is sent.")
    return redirect("access-requests")


def _requests_page(request: HttpRequest, refused: PageForm | None = None, request_id: int = 0) -> HttpResponse:
    rows = [
        _request_row(row, refused if row.pk == request_id else None)
        for row in account_requests.open_requests()[:MOST_ROWS]
    ]
    return form_page(request, "accounts/access_requests.html", {"section": "review", "rows": rows}, refused)


def _request_row(row: Any, refused: PageForm | None) -> dict[str, Any]:
    name = row.email.partition("@")[0][:150]
    slug, is_new = account_requests.proposed_institution(row.institution)
    proposed = {"username": name, "institution": slug, "is_new_institution": is_new}
    return {
        "request": row,
        "grant_form": refused
        if isinstance(refused, GrantForm)
        else GrantForm(initial=proposed, auto_id=f"grant-{row.pk}-%s"),
        "refusal_form": refused if isinstance(refused, RefusalForm) else RefusalForm(auto_id=f"refusal-{row.pk}-%s"),
    }
