"""Accounts as an administrator makes them: with a role and an institution."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import slugify

from registry.models import Site
from submissions.models import Account, Membership


def ensure_account(username: str, role: str | None = None, institution: str | None = None) -> Account:
    """The account of that name, made if need be, with the role if one is given, as a member of the institution.

    `institution` is a slug; an unknown one is made, named after its slug. Raises ValueError for what is no slug, and
    for a name that is no account's.
    """
    try:
        Account._meta.get_field("username").clean(username, None)
    except ValidationError as error:
        raise ValueError(" ".join(error.messages)) from error
    with transaction.atomic():
        account, created = Account.objects.get_or_create(username=username)
        if created:
            account.set_unusable_password()
        if role is not None:
            account.role = role
        account.save()
        account.refresh_from_db(fields=["is_staff", "is_superuser"])
        if institution is not None:
            join_institution(account, _find_site(institution))
    return account


def join_institution(account: Account, institution: Site) -> None:
    """Make it a member; whom an administrator of the registry puts first is the institution's administrator."""
    first = not institution.memberships.filter(role=Membership.Role.ADMIN).exists()
    role = Membership.Role.ADMIN if first else Membership.Role.SUBMITTER
    Membership.objects.get_or_create(account=account, institution=institution, defaults={"role": role})


def _find_site(slug: str) -> Site:
    if not slug or slug != slugify(slug):
        raise ValueError(f"{slug!r} is no slug: lower-case letters, digits and hyphens")
    site, _ = Site.objects.get_or_create(slug=slug, defaults={"name": slug})
    return site
