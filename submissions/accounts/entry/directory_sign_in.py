"""Signing in by the directory of LDAP_DIRECTORY: whose account an entry is, and what its groups grant."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from submissions.accounts.entry.directory import DirectoryAway, Person, find_person
from submissions.accounts.entry.provider_groups import apply_grants, grants_of
from submissions.accounts.sign_in import OneCheckBackend
from submissions.models import Account

GROUPS = "groups"


class DirectoryBackend(OneCheckBackend):
    """Passwords of the registry first, then those of the directory: the same work for every name.

    An account that the directory signs in has no other password, or it would outlive its owner's entry.
    """

    def _authenticate(self, request: HttpRequest | None, **credentials: Any) -> AbstractBaseUser | None:
        """The account; None for a wrong password. Raises ValidationError where the directory cannot let it in."""
        account = super()._authenticate(request, **credentials)
        if isinstance(account, Account) and account.directory_entry is None:
            return account
        self._stash_user(None)
        name = str(credentials.get("username") or credentials.get("email") or "")
        try:
            person = find_person(settings.LDAP_DIRECTORY, name, str(credentials["password"]))
        except DirectoryAway as error:
            raise ValidationError(
                f"The directory of {settings.LDAP_DIRECTORY['name']} does not answer, so its passwords cannot be "
                "checked. Accounts with a password of this registry can sign in.",
                code="directory_away",
            ) from error
        if person is None:
            return None
        owner = find_or_make_account(person)
        if not self.user_can_authenticate(owner):
            self._stash_user(owner)
            return None
        if request is not None:
            request.is_directory_sign_in = True  # type: ignore[attr-defined]  # read by the adapter
        return owner


def find_or_make_account(person: Person) -> Account:
    """The account of an entry, made if need be, with what its groups grant now.

    A name alone is no proof: an account of that name without this entry stays its owner's. Raises ValidationError for
    it, for a name that no account can have, and for who is to have no account.
    """
    granted = grants_of({GROUPS: settings.LDAP_DIRECTORY["groups"], "groups_claim": GROUPS}, {GROUPS: person.groups})
    account = Account.objects.filter(directory_entry=person.entry_id).first()
    if account is None:
        if not (settings.SIGNUP_OPEN or (granted and granted.is_any)):
            raise ValidationError("The directory knows you, but none of your groups has an account here.")
        account = _make_account(person)
    if granted:
        apply_grants(account, granted)
    return account


def _make_account(person: Person) -> Account:
    account = Account(username=person.name, directory_entry=person.entry_id)
    account.set_unusable_password()
    try:
        account.full_clean()
        with transaction.atomic():
            if "@" in person.name or Account.objects.filter(username__iexact=person.name).exists():
                raise IntegrityError
            account.save()
    except (ValidationError, IntegrityError) as error:
        raise ValidationError(
            "The directory knows you, but no account can have your name there, or another one has it. "
            "An administrator can tie that account to your entry."
        ) from error
    return account
