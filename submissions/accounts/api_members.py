"""Institutions and their members by API; what each view does stands in submissions/accounts/memberships.py."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.web.client_address import site_address
from registry.web.responses import UNAVAILABLE
from submissions.accounts import memberships as accounts_memberships
from submissions.accounts import responses as shape
from submissions.models import Account, Invitation, Membership, Token
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import Choice, write_operation


class InviteRequest(s.Serializer[None]):
    invitee = s.CharField(max_length=254, help_text="Name of an account, or mail address.")
    role = Choice(Membership.Role.choices, default=Membership.Role.SUBMITTER, help_text="Role that the member gets.")


class RoleRequest(s.Serializer[None]):
    role = Choice(Membership.Role.choices, help_text="The new role of the member.")


class InstitutionList(PrivateView):
    """The account's institutions, its role in each, and the invitations that it may accept."""

    @extend_schema(operation_id="institutions_list", responses={200: shape.InstitutionPage} | REFUSED)
    def get(self, request: Request) -> Response:
        account = account_of(request)
        waiting = [_invitation_row(invitation) for invitation in accounts_memberships.invitations_for(account)]
        return Response(shape.InstitutionPage(next=None, results=institution_rows(account), invitations=waiting))


class MemberList(PrivateView):
    """The members of one of the account's institutions; its administrators invite others."""

    token_scope = Token.Scope.ACCOUNT

    @extend_schema(operation_id="members_list", responses={200: shape.MemberPage} | REFUSED)
    def get(self, request: Request, slug: str) -> Response:
        account = account_of(request)
        institution = accounts_memberships.visible_institution(account, slug)
        members = accounts_memberships.members_of(institution)
        manages = accounts_memberships.manages_institution(account, institution)
        waiting = accounts_memberships.invitations_of(institution) if manages else []
        rows, invitations = map(_member_row, members), map(_invitation_row, waiting)
        return Response(shape.MemberPage(next=None, results=list(rows), invitations=list(invitations)))

    @write_operation(
        operation_id="members_invite",
        request=InviteRequest,
        responses={201: shape.InvitationRow} | REFUSED | UNAVAILABLE,
    )
    def post(self, request: Request, slug: str) -> Response:
        account = account_of(request)
        institution = accounts_memberships.managed_by(account, slug)
        fields = validated_body(request, InviteRequest)
        invitation = accounts_memberships.invite_member(
            institution, account, **fields, link=lambda secret: _members_response(request, secret)
        )
        return Response(_invitation_row(invitation), status=201)


class MemberDetail(PrivateView):
    """One member: another role, or none any more. Everybody may leave."""

    token_scope = Token.Scope.ACCOUNT

    @write_operation(
        operation_id="members_change", request=RoleRequest, responses={200: shape.MemberRow} | REFUSED | CONFLICT
    )
    def patch(self, request: Request, slug: str, username: str) -> Response:
        institution = accounts_memberships.managed_by(account_of(request), slug)
        return Response(
            _member_row(accounts_memberships.change_role(institution, username, **validated_body(request, RoleRequest)))
        )

    @write_operation(operation_id="members_remove", responses={204: None} | REFUSED | CONFLICT)
    def delete(self, request: Request, slug: str, username: str) -> Response:
        leaves = username == request.user.username
        find = accounts_memberships.visible_institution if leaves else accounts_memberships.managed_by
        accounts_memberships.remove_member(find(account_of(request), slug), username)
        return Response(status=204)


class InvitationDetail(PrivateView):
    """An invitation that the account made for its institution, to take back."""

    token_scope = Token.Scope.ACCOUNT

    @write_operation(operation_id="invitations_withdraw", responses={204: None} | REFUSED)
    def delete(self, request: Request, slug: str, id: int) -> Response:
        accounts_memberships.withdraw_invitation(accounts_memberships.managed_by(account_of(request), slug), id)
        return Response(status=204)


class InvitationAccept(PrivateView):
    """Become a member."""

    token_scope = Token.Scope.ACCOUNT

    @write_operation(operation_id="invitations_accept", request=None, responses={200: shape.MemberRow} | REFUSED)
    def post(self, request: Request, id: int) -> Response:
        account = account_of(request)
        membership = accounts_memberships.accept_invitation(accounts_memberships.invitation_for(account, id), account)
        return Response(_member_row(membership))


def institution_rows(account: Account) -> list[shape.InstitutionRow]:
    """The institutions of an account by name, with its role in each."""
    own = account.memberships.select_related("institution").order_by("institution__name")
    return [
        shape.InstitutionRow(
            slug=membership.institution.slug,
            name=membership.institution.name,
            role=Membership.Role(membership.role),
        )
        for membership in own
    ]


def _members_response(request: Request, secret: str) -> str:
    return f"{site_address(request)}/account/invitations/{secret}/"


def _member_row(membership: Membership) -> shape.MemberRow:
    return shape.MemberRow(account=membership.account.username, role=Membership.Role(membership.role))


def _invitation_row(invitation: Invitation) -> shape.InvitationRow:
    return shape.InvitationRow(
        id=invitation.pk,
        institution=invitation.institution.slug,
        invitee=invitation.invitee,
        role=Membership.Role(invitation.role),
        invited_by=invitation.invited_by.username,
        made_at=invitation.made_at,
        expires_at=invitation.made_at + accounts_memberships.INVITATION_LASTS,
    )
