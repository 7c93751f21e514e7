"""What the registry holds of a person: all of it as one document, and its erasure.

An erased account keeps its rows under a pseudonym, because submissions, reviews and the history that proves itself
refer to it; what was published keeps its institution.
"""

from __future__ import annotations

import secrets
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import ForeignObjectRel, Model, Q
from django.utils import timezone

from registry.models import Erasure, IdentityChange, Override, SavedStudy
from submissions.accounts import memberships as accounts_memberships
from submissions.models import Account, CheckTurn, Delivery, Invitation, QuotaUse, ShelfShare, account_names

LEFT_OUT = frozenset({"password", "digest", "data", "shelved_at"})
"""Columns that are no knowledge about a person: hashes of passwords and tokens, keys of second factors, and whether a
worker has looked at a row: whose membership has ended learns nothing of a shelf."""


def export_account(account: Account) -> dict[str, list[dict[str, Any]]]:
    """Every row that is of the account or names it, by kind, without what would sign in.

    Goes by the foreign keys of the tables, so that a kind that is added later is in it too. A share of a run that has
    ended is not in it: it would tell that the run is still there. It is deleted within the hour (`tidy`).
    """
    rows_by_kind = {"account": [_row_columns(account)]}
    for relation in Account._meta.get_fields(include_hidden=True):
        if not isinstance(relation, ForeignObjectRel) or not (relation.one_to_many or relation.one_to_one):
            continue
        kind = relation.related_model
        rows = kind._base_manager.filter(**{relation.field.name: account}).order_by("pk")
        if relation.field is ShelfShare._meta.get_field("account"):
            rows = rows.filter(until__gt=timezone.now())
        if related_rows := [_row_columns(row) for row in rows]:
            rows_by_kind.setdefault(_kind_name(kind), []).extend(related_rows)
    if invited := [_row_columns(row) for row in Invitation.objects.filter(_invitations_to(account)).order_by("pk")]:
        rows_by_kind["invited"] = invited
    if decided := [_row_columns(row) for row in Override.objects.filter(decided_by=account.username).order_by("pk")]:
        rows_by_kind["override"] = decided
    if erased := [_row_columns(row) for row in Erasure.objects.filter(erased_by=account.username).order_by("pk")]:
        rows_by_kind["erasure"] = erased
    acts = IdentityChange.objects.filter(Q(decided_by=account.username) | Q(undone_by=account.username))
    if identities := [_row_columns(row) for row in acts.order_by("pk")]:
        rows_by_kind["identitychange"] = identities
    if saved := [_row_columns(row) for row in SavedStudy.objects.filter(saved_by=account.username).order_by("pk")]:
        rows_by_kind["savedstudy"] = saved
    return rows_by_kind


def erase_account(account: Account) -> str:
    """Take the person out, for good, and return the pseudonym. Raises LastAdmin."""
    pseudonym = f"erased-{secrets.token_hex(6)}"
    with transaction.atomic():
        for membership in account.memberships.select_related("institution"):
            accounts_memberships.remove_member(membership.institution, account.username, stays_tied=False)
        Invitation.objects.filter(_invitations_to(account) | Q(invited_by=account)).delete()
        for kind in (EmailAddress, Authenticator, SocialAccount):
            kind.objects.filter(user=account).delete()
        for rows in (account.tokens, account.signing_keys, account.webhooks, account.following):
            rows.all().delete()
        Delivery.objects.filter(account=account).delete()
        CheckTurn.objects.filter(account=account).delete()
        ShelfShare.objects.filter(Q(account=account) | Q(username=account.username)).delete()
        QuotaUse.objects.filter(Q(account=account) | Q(address__in=filter(None, [account.email.lower()]))).delete()
        account_names.replace_name(account.username, pseudonym)
        of_account = ContentType.objects.get_for_model(Account)
        LogEntry.objects.filter(content_type=of_account, object_id=account.pk).update(object_repr=pseudonym)
        account.groups.clear()
        account.user_permissions.clear()
        _blank_account(account, pseudonym)
    return pseudonym


def _invitations_to(account: Account) -> Q:
    """Invitations to the account's name or one of its addresses."""
    return Q(invitee__in=[account.username, *filter(None, [account.email])])


def _blank_account(account: Account, pseudonym: str) -> None:
    """No name, no right, no way to sign in: what a session holds fits no more either."""
    account.username = pseudonym
    account.first_name = account.last_name = account.email = ""
    account.is_active = False
    account.role, account.mail, account.vendors = Account.Role.SUBMITTER, Account.Mail.NONE, []
    account.last_login = None
    account.set_unusable_password()
    account.save()


def _kind_name(model: type[Model]) -> str:
    """The name of a kind of rows in an export: after its table, which keeps its name when the model gets another."""
    prefix = f"{model._meta.app_label}_"
    table = model._meta.db_table
    return table.removeprefix(prefix) if table.startswith(prefix) else str(model._meta.model_name)


def _row_columns(row: Model) -> dict[str, Any]:
    columns = [field.attname for field in row._meta.concrete_fields if field.name not in LEFT_OUT]
    return {column: getattr(row, column) for column in columns}
