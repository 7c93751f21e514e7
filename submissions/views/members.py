"""The page of an institution's members, and the answers to invitations."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from submissions import members
from submissions.errors import InvitationRefused, NoMember
from submissions.forms import InviteForm, RoleForm
from submissions.views.private import private_page


@require_safe
@private_page
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Members and, for administrators of the institution, what changes them."""
    institution = members.institution_seen_by(request.user, slug)
    manages = members.manages(request.user, institution)
    context = {
        "section": "submissions",
        "institution": institution,
        "members": list(members.members_of(institution)),
        "manages": manages,
        "invitations": list(members.invitations_of(institution)) if manages else [],
        "invite": InviteForm(),
        "days": members.INVITATION_LASTS.days,
        "roles": members.Role.choices,
    }
    return render(request, "account/members.html", context)


@require_POST
@private_page
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    institution = members.managed_by(request.user, slug)
    form = InviteForm(request.POST)
    if not form.is_valid():
        raise InvitationRefused(errors=form.errors)
    link = lambda secret: request.build_absolute_uri(f"/account/invitations/{secret}/")  # noqa: E731
    members.invite(institution, request.user, **form.cleaned_data, link=link)
    return redirect("members", slug=slug)


@require_POST
@private_page
def withdraw(request: HttpRequest, slug: str, id: int) -> HttpResponse:
    members.withdraw(members.managed_by(request.user, slug), id)
    return redirect("members", slug=slug)


@require_POST
@private_page
def change(request: HttpRequest, slug: str) -> HttpResponse:
    """Another role for a member."""
    institution = members.managed_by(request.user, slug)
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise NoMember
    members.change_role(institution, form.cleaned_data["account"], form.cleaned_data["role"])
    return redirect("members", slug=slug)


@require_POST
@private_page
def remove(request: HttpRequest, slug: str) -> HttpResponse:
    """End a membership, another's or the own."""
    username = request.POST.get("account", "")
    leaves = username == request.user.username
    find = members.institution_seen_by if leaves else members.managed_by
    members.remove(find(request.user, slug), username)
    return redirect("account") if leaves else redirect("members", slug=slug)


@require_POST
@private_page
def accept(request: HttpRequest, id: int) -> HttpResponse:
    """Accept an invitation that names the account."""
    membership = members.accept(members.invitation_for(request.user, id), request.user)
    return redirect("members", slug=membership.institution.slug)


@require_POST
@private_page
def decline(request: HttpRequest, id: int) -> HttpResponse:
    members.invitation_for(request.user, id).delete()
    return redirect("account")


@private_page
def by_mail(request: HttpRequest, secret: str) -> HttpResponse:
    """What the link of a mail leads to; accepted by its button alone."""
    invitation = members.invited_by_secret(secret)
    if request.method == "POST":
        membership = members.accept(invitation, request.user)
        return redirect("members", slug=membership.institution.slug)
    return render(request, "account/invitation.html", {"section": "submissions", "invitation": invitation})
