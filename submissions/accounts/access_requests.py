"""Asking administrators for an account where nobody can sign up, and their answer.

Asking sends no letter: an address can't be flooded by others. One address has one open request, and a second one is
answered like the first, so that nobody learns who asked. The answer goes out through the worker.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from allauth.account.internal.userkit import filter_users_by_email
from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from registry.models import Site
from submissions.accounts import account_requests
from submissions.errors import AccessRequestRefused, NoAccessRequest
from submissions.models import AccessRequest, Account, Membership

log = logging.getLogger(__name__)
MOST_OPEN = 1000
KEPT_FOR = timedelta(days=90)


def request_access(name: str, email: str, institution: str, purpose: str) -> None:
    """Note that somebody asks for an account. Raises AccessRequestRefused while too many wait for an answer."""
    AccessRequest.objects.filter(made_at__lt=timezone.now() - KEPT_FOR).delete()
    if AccessRequest.objects.count() >= MOST_OPEN:
        raise AccessRequestRefused
    row = {"name": name, "institution": institution, "purpose": purpose}
    AccessRequest.objects.get_or_create(email=email.lower(), defaults=row)


def open_requests() -> QuerySet[AccessRequest]:
    """What waits for an answer, the oldest first."""
    return AccessRequest.objects.all()


def grant_access(pk: int, username: str, institution: str, origin: str) -> Account:
    """Make the account; its owner gets a letter with a link to set a password.

    An address that has an account already gets that letter for it, and no second account. Raises NoAccessRequest,
    AccessRequestRefused for a name that is taken and an unknown institution.
    """
    site = _named_site(institution.strip())
    with transaction.atomic():
        row = _locked_request(pk)
        users = filter_users_by_email(row.email)
        if not users and Account.objects.filter(username__iexact=username).exists():
            raise AccessRequestRefused(errors={"username": ["This name is taken. Choose another one."]})
        account = users[0] if users else Account(username=username, email=row.email)
        if not users:
            account.set_unusable_password()
            account.save()
            EmailAddress.objects.create(user=account, email=row.email, primary=True)
        if site is not None:
            Membership.objects.get_or_create(account=account, institution=site)
        account_requests.request_reset(row.email, origin)
        row.delete()
    log.info("Access was granted to account %s.", account.pk)
    return account


def refuse_access(pk: int, reason: str, origin: str) -> None:
    """Refuse it; the person gets a letter with the reason. Raises NoAccessRequest."""
    with transaction.atomic():
        row = _locked_request(pk)
        account_requests.note_refusal(row.email, reason, origin)
        row.delete()


def _named_site(slug: str) -> Site | None:
    """The institution of that slug, None for "". It may have no published result yet."""
    if not slug:
        return None
    site = Site.objects.filter(slug=slug, merged_into=None).first()
    if site is None:
        raise AccessRequestRefused(errors={"institution": ["There is no such institution. Leave it empty for none."]})
    return site


def _locked_request(pk: int) -> AccessRequest:
    row = AccessRequest.objects.select_for_update().filter(pk=pk).first()
    if row is None:
        raise NoAccessRequest
    return row
