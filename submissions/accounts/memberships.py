"""Members of institutions: who they are, who may invite, promote and remove them, and how an invitation is accepted.

To who is no member, and no administrator of the registry, an institution's members are not there: NoMembers.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from smtplib import SMTPException

from django.core import signing
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from registry.models import Site
from submissions.accounts import ties
from submissions.errors import (
    InvitationRefused,
    LastAdmin,
    MailUnavailable,
    NoInvitation,
    NoMember,
    NoMembers,
    NotAdmin,
    TooManyInvitations,
)
from submissions.lifecycle import quotas
from submissions.models import Account, Invitation, Membership
from submissions.permissions import has_role

INVITATION_LASTS = timedelta(days=14)
MOST_INVITATIONS = 100
Role = Membership.Role
_SALT = "submissions.invitation"


def visible_institution(account: Account, slug: str) -> Site:
    """The institution, for its members and the registry's administrators. Raises NoMembers for everybody else."""
    institutions = Site.objects.filter(slug=slug)
    if not has_role(account, Account.Role.ADMIN):
        institutions = institutions.filter(memberships__account=account)
    institution = institutions.first()
    if institution is None:
        raise NoMembers
    return institution


def manages_institution(account: Account, institution: Site) -> bool:
    """Whether it is an administrator of the institution, or of the registry."""
    return (
        has_role(account, Account.Role.ADMIN)
        or account.memberships.filter(institution=institution, role=Role.ADMIN).exists()
    )


def managed_by(account: Account, slug: str) -> Site:
    """The institution whose members the account may change.

    Raises NoMembers where it may not be seen, NotAdmin where it may not be changed.
    """
    institution = visible_institution(account, slug)
    if not manages_institution(account, institution):
        raise NotAdmin
    return institution


def members_of(institution: Site) -> QuerySet[Membership]:
    return institution.memberships.select_related("account").order_by("account__username")


def change_role(institution: Site, username: str, role: str) -> Membership:
    """Make a member submitter or administrator. Raises NoMember, LastAdmin."""
    with transaction.atomic():
        membership = _lock_membership(institution, username)
        if role != Role.ADMIN:
            _keep_one_admin(membership)
        membership.role = role
        membership.save(update_fields=["role"])
    return membership


def remove_member(institution: Site, username: str, *, stays_tied: bool = True) -> None:
    """End a membership; the institution keeps what was submitted for it. Raises NoMember, LastAdmin.

    The account stays tied to the institution until an editor ends that: nobody leaves in order to judge it.
    """
    with transaction.atomic():
        membership = _lock_membership(institution, username)
        _keep_one_admin(membership)
        membership.delete()
        if stays_tied:
            ties.declare_ties(membership.account, [institution.name])


def _lock_membership(institution: Site, username: str) -> Membership:
    """One change of an institution's members at a time: two administrators can't remove each other."""
    Site.objects.select_for_update().get(pk=institution.pk)
    membership = members_of(institution).filter(account__username=username).first()
    if membership is None:
        raise NoMember
    return membership


def _keep_one_admin(membership: Membership) -> None:
    admins = Membership.objects.filter(institution=membership.institution_id, role=Role.ADMIN)
    if membership.role == Role.ADMIN and not admins.exclude(pk=membership.pk).exists():
        raise LastAdmin


# Invitations


def invitations_of(institution: Site) -> QuerySet[Invitation]:
    """Those that wait for an answer, oldest first."""
    return _open_invitations().filter(institution=institution)


def invitations_for(account: Account) -> QuerySet[Invitation]:
    """Those that name the account. One that went by mail is found by its link alone, whatever an account is called."""
    return _open_invitations().filter(invitee=account.username).exclude(invitee__contains="@")


def invite_member(institution: Site, by: Account, invitee: str, role: str, link: Callable[[str], str]) -> Invitation:
    """Ask somebody, by the name of an account or by mail, to become a member; the same again renews it.

    An account's name is taken whether or not there is such an account: the answer tells nobody. `link` makes the
    address of a page out of the secret that a mail carries. Raises InvitationRefused for a member, an unusable address
    or one invitation too many, TooManyInvitations for too many by mail, MailUnavailable where no mail can be sent.
    The same address gets one mail a day of an institution.
    """
    invitee = invitee.strip()
    by_mail = "@" in invitee
    try:
        validate_email(invitee) if by_mail else Account._meta.get_field("username").clean(invitee, None)
    except ValidationError as error:
        raise InvitationRefused(errors={"invitee": error.messages}) from error
    if institution.memberships.filter(account__username=invitee).exists():
        raise InvitationRefused(f"{invitee} is a member already.")
    with transaction.atomic():
        Account.objects.lock_account(by.pk)
        if invitations_of(institution).count() >= MOST_INVITATIONS:
            raise InvitationRefused(f"There are {MOST_INVITATIONS} open invitations already.")
        fields = {"role": role, "invited_by": by, "made_at": timezone.now()}
        invitation, is_new = Invitation.objects.update_or_create(
            institution=institution, invitee=invitee, defaults=fields
        )
        if by_mail and quotas.use_letter(by, institution, invitee):
            _send_invitation(invitation, link(signing.dumps(invitation.pk, salt=_SALT)))
        elif by_mail and is_new:  # the link of today's mail was taken back
            raise TooManyInvitations
    return invitation


def invited_by_secret(secret: str) -> Invitation:
    """The invitation of a mail's link. Raises NoInvitation where it is not signed by us, too old or used up."""
    try:
        key = signing.loads(secret, salt=_SALT, max_age=INVITATION_LASTS)
    except signing.BadSignature as error:
        raise NoInvitation from error
    return _require_first(_open_invitations().filter(pk=key))


def invitation_for(account: Account, key: int) -> Invitation:
    """One that names the account. Raises NoInvitation."""
    return _require_first(invitations_for(account).filter(pk=key))


def accept_invitation(invitation: Invitation, account: Account) -> Membership:
    """Become a member; who is one keeps the role. The invitation is used up.

    Raises NoInvitation where it was used up before.
    """
    with transaction.atomic():
        # As it is now: meanwhile it may have been used, taken back, or renewed for another role.
        stored = _require_first(_open_invitations().select_for_update(of=("self",)).filter(pk=invitation.pk))
        stored.delete()
        membership, _ = Membership.objects.get_or_create(
            account=account, institution=stored.institution, defaults={"role": stored.role}
        )
    return membership


def withdraw_invitation(institution: Site, key: int) -> None:
    """Take an invitation back. Raises NoInvitation."""
    _require_first(invitations_of(institution).filter(pk=key)).delete()


def _open_invitations() -> QuerySet[Invitation]:
    fresh = Invitation.objects.filter(made_at__gt=timezone.now() - INVITATION_LASTS)
    return fresh.select_related("institution", "invited_by").order_by("made_at", "pk")


def _require_first(among: QuerySet[Invitation]) -> Invitation:
    invitation = among.first()
    if invitation is None:
        raise NoInvitation
    return invitation


def _send_invitation(invitation: Invitation, address: str) -> None:
    words = (
        f"{invitation.invited_by} invites you to submit storage benchmark results for {invitation.institution} "
        f"as {invitation.get_role_display()}.\n\nSign in and accept within {INVITATION_LASTS.days} days:\n{address}\n\n"
        "If you did not expect this email, ignore it."
    )
    try:
        send_mail(f"Invitation to {invitation.institution}", words, None, [invitation.invitee])
    except (OSError, SMTPException) as error:
        raise MailUnavailable from error
