"""Groups that an OpenID Connect provider vouches for, as roles and memberships here.

A provider's entry in LOGIN_PROVIDERS may map group names to institutions and to one role. At each sign-in by that
provider its groups are read anew: what the map names is granted, and what the map could grant but the groups no longer
hold is taken back. What the map does not name is left alone.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db import transaction

from registry.models import Site
from submissions.accounts import memberships as accounts_memberships
from submissions.errors import LastAdmin, NoMember
from submissions.models import Account, Membership
from submissions.permissions import RANKS

log = logging.getLogger(__name__)
MOST_GROUPS = 1000


@dataclass(frozen=True, slots=True)
class Grants:
    """What a map grants to somebody, and all that it could grant: `institutions` are slugs with roles of members."""

    role: str | None
    institutions: Mapping[str, str]
    mapped_institutions: frozenset[str]

    @property
    def is_any(self) -> bool:
        """Whether any group of the person is mapped."""
        return bool(self.institutions) or self.role not in (None, Account.Role.SUBMITTER)


def grants_of(provider_settings: Mapping[str, Any], claims: Mapping[str, Any]) -> Grants | None:
    """What the groups in the claims of a person are worth; None where the provider maps none.

    A claim that is missing, or is not a list of texts, names no group: nothing is granted by what cannot be read.
    """
    mapped = provider_settings.get("groups")
    if not mapped:
        return None
    held = [mapped[name] for name in _read_groups(claims.get(provider_settings["groups_claim"])) if name in mapped]
    roles = [grant["role"] for grant in held if "role" in grant]
    maps_roles = any("role" in grant for grant in mapped.values())
    institutions: dict[str, str] = {}
    for grant in held:
        slug = grant.get("institution")
        if slug and institutions.get(slug) != Membership.Role.ADMIN:
            institutions[slug] = grant.get("member", Membership.Role.SUBMITTER)
    return Grants(
        role=max([Account.Role.SUBMITTER, *roles], key=lambda role: RANKS.index(Account.Role(role)))
        if maps_roles
        else None,
        institutions=institutions,
        mapped_institutions=frozenset(grant["institution"] for grant in mapped.values() if "institution" in grant),
    )


def maps_groups(provider_id: str) -> bool:
    """Whether a provider of LOGIN_PROVIDERS vouches for who is of the house: its groups are mapped."""
    applications = (app for entry in settings.SOCIALACCOUNT_PROVIDERS.values() for app in entry.get("APPS", []))
    return any(app.get("provider_id") == provider_id and app.get("settings", {}).get("groups") for app in applications)


def is_of_directory(account: Account) -> bool:
    """Whether a directory alone signs the account in: that of LDAP_DIRECTORY, or a provider that maps groups.

    Such an account has no password here, or it would outlive its owner's entry. One that had a password before it was
    tied to a provider keeps it.
    """
    if account.directory_entry:
        return True
    if account.has_usable_password():
        return False
    return any(maps_groups(row.provider) for row in SocialAccount.objects.filter(user=account))


def apply_grants(account: Account, grants: Grants) -> None:
    """Give the account what its groups are worth now, and take back what they no longer are."""
    with transaction.atomic():
        locked = Account.objects.select_for_update().get(pk=account.pk)
        if grants.role is not None and locked.role != grants.role:
            locked.role = grants.role
            locked.save(update_fields=["role"])
            log.info("The role of account %s is %s by its groups.", account.pk, grants.role)
        for slug, role in grants.institutions.items():
            site, _ = Site.objects.get_or_create(slug=slug, defaults={"name": slug})
            _join_site(locked, site.merged_into or site, role)
        for site in Site.objects.filter(slug__in=grants.mapped_institutions - grants.institutions.keys()):
            _leave_site(locked, site.merged_into or site)
    account.refresh_from_db()


def _join_site(account: Account, site: Site, role: str) -> None:
    """Make it a member with that role; the last administrator stays one until somebody else is."""
    membership, _ = Membership.objects.get_or_create(account=account, institution=site, defaults={"role": role})
    if membership.role == role:
        return
    try:
        accounts_memberships.change_role(site, account.username, role)
    except LastAdmin:
        log.warning("Account %s stays the last administrator of %s against its groups.", account.pk, site.slug)


def _leave_site(account: Account, site: Site) -> None:
    """End the membership; the last administrator stays until somebody else is one."""
    try:
        accounts_memberships.remove_member(site, account.username)
    except NoMember:
        return
    except LastAdmin:
        log.warning("Account %s stays the last administrator of %s against its groups.", account.pk, site.slug)


def _read_groups(claim: object) -> Iterable[str]:
    if not isinstance(claim, list):
        return ()
    return [name for name in claim[:MOST_GROUPS] if isinstance(name, str)]
