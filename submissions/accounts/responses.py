"""Shapes of members, invitations and tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from registry.query.responses.row_fields import InstitutionName, MadeAt, SlugOfInstitution
from registry.query.responses.shapes import Shape
from registry.web.responses import Page
from submissions import models


class InvitationRow(Shape):
    id: Annotated[int, Meta(description="Number of the invitation.")]
    institution: SlugOfInstitution
    invitee: Annotated[str, Meta(description="Name of an account, or mail address.")]
    role: Annotated[models.Membership.Role, Meta(description="Role that it gives.")]
    invited_by: Annotated[str, Meta(description="Username of who invited.")]
    made_at: Annotated[datetime, Meta(description="When it was last made.")]
    expires_at: Annotated[datetime, Meta(description="Until when it can be accepted.")]


class InstitutionRow(Shape):
    slug: SlugOfInstitution
    name: InstitutionName
    role: Annotated[models.Membership.Role, Meta(description="Role of the account in it.")]


class InstitutionPage(Page):
    results: Annotated[list[InstitutionRow], Meta(description="Rows of this page.")]
    invitations: Annotated[list[InvitationRow], Meta(description="Those that name the account.")]


class MemberRow(Shape):
    account: Annotated[str, Meta(description="Username of the member.")]
    role: Annotated[models.Membership.Role, Meta(description="Role of the member.")]


class MemberPage(Page):
    results: Annotated[list[MemberRow], Meta(description="Rows of this page.")]
    invitations: Annotated[list[InvitationRow], Meta(description="For administrators of the institution.")]


class TieRow(Shape):
    id: Annotated[int, Meta(description="Number of the tie.")]
    account: Annotated[str, Meta(description="Username of who is tied.")]
    vendor: Annotated[str, Meta(description="Vendor, as declared.")]
    since: Annotated[datetime, Meta(description="When it was declared.")]
    ended_at: Annotated[datetime | None, Meta(description="When an editor ended it; null: it has not ended.")]
    ended_by: Annotated[str | None, Meta(description="Username of the editor who ended it; null: it has not ended.")]
    reason: Annotated[str, Meta(description="Why it ended; empty: it has not ended.")]


class TiePage(Page):
    results: Annotated[list[TieRow], Meta(description="Rows of this page.")]


class TokenRow(Shape):
    id: Annotated[str, Meta(description="What its key begins with.")]
    name: Annotated[str, Meta(description="What the token is for; may be empty.")]
    scopes: Annotated[list[models.Token.Scope], Meta(description="What the token may do.")]
    made_at: MadeAt
    expires_at: Annotated[datetime | None, Meta(description="Null: made before tokens expired.")]
    last_used_at: Annotated[datetime | None, Meta(description="To within a minute.")]


class TokenPage(Page):
    results: Annotated[list[TokenRow], Meta(description="Rows of this page.")]


class TokenMade(TokenRow):
    key: Annotated[str, Meta(description="The token itself, this once.")]


class AccountShape(Shape):
    account: Annotated[str, Meta(description="Username of the account.")]
    role: Annotated[models.Account.Role, Meta(description="Role of the account in the registry.")]
    institutions: Annotated[list[InstitutionRow], Meta(description="Institutions of the account, by name.")]
    token: Annotated[TokenRow | None, Meta(description="The token of the request; null: signed in by page.")]
