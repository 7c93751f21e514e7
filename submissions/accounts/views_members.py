"""The page of an institution's members, and the answers to invitations."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from registry.models import Site
from submissions.accounts import memberships
from submissions.accounts.forms import InviteForm, RemovalForm, RoleForm
from submissions.web.page_base import private_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of


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
    link = lambda secret: request.build_absolute_uri(f"/account/invitations/{secret}/")  # noqa: E731
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
    return render(request, "accounts/invitation.html", {"section": "submissions", "invitation": invitation})
