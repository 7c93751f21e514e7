"""Sign-up and reset of passwords, answered by a worker, so that the web does the same for every address.

A request is one row. Whether the mail address has an account is looked up later, and the answer goes to that address:
no status, header or delay of the page tells anybody else. The row goes with its letter.
"""

from __future__ import annotations

import hashlib
import io
import logging
from contextlib import suppress
from datetime import datetime, timedelta
from smtplib import SMTPException
from urllib.parse import urlsplit

from allauth.account.adapter import get_adapter
from allauth.account.forms import ResetPasswordForm
from allauth.account.internal.userkit import filter_users_by_email
from allauth.account.models import EmailAddress
from allauth.core import context
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.cache import cache
from django.core.handlers.wsgi import WSGIRequest
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.text import slugify
from redis.exceptions import RedisError

from registry.models import Site
from submissions.accounts.entry.provider_groups import is_of_directory
from submissions.accounts.provisioning import join_institution
from submissions.errors import AccessRequestRefused, NoAccessRequest
from submissions.lifecycle import quotas
from submissions.models import AccessRequest, Account, AccountRequest

log = logging.getLogger(__name__)

Kind = AccountRequest.Kind
AT_ONCE = 50
RETRY_AFTER = timedelta(minutes=1)
MOST_WAITING = 1000
WAITS_FOR = timedelta(days=90)
"""Requests for access that wait for an administrator: how many at most, and how long."""
KEPT_FOR = timedelta(days=1)
"""So long a letter is tried that can't be sent; then the person has to ask again."""
MOST_LETTERS_TO_MAILBOX = 10
"""Answers to sign-up and reset that one mailbox gets within a day, whoever asks. What is beyond is dropped unsaid."""


def request_sign_up(email: str, username: str, password: str, origin: str) -> None:
    """Have an account made; `origin` is the address of this site, to which the link in the letter leads."""
    AccountRequest.objects.create(
        kind=Kind.SIGN_UP, email=email, username=username, password=make_password(password), origin=origin
    )


def request_reset(email: str, origin: str) -> None:
    """Have a letter sent with which the owner of the address sets another password."""
    AccountRequest.objects.create(kind=Kind.RESET, email=email, origin=origin)


def note_grant(email: str, origin: str) -> None:
    """Have a letter sent that an administrator gave an account, with the link to set its password."""
    AccountRequest.objects.create(kind=Kind.GRANTED, email=email, origin=origin)


def note_refusal(email: str, reason: str, origin: str) -> None:
    """Have a letter sent that an administrator gave no account, with the reason."""
    AccountRequest.objects.create(kind=Kind.REFUSED, email=email, note=reason, origin=origin)


def due_requests(now: datetime) -> QuerySet[AccountRequest]:
    """Those to be answered or forgotten."""
    return AccountRequest.objects.filter(Q(due_at__lte=now) | Q(made_at__lt=now - KEPT_FOR))


def answer_due() -> None:
    """Answer what was asked for, each in a transaction with its letter; what can't be sent is tried again."""
    now = timezone.now()
    AccountRequest.objects.filter(made_at__lt=now - KEPT_FOR).delete()
    for pk in list(AccountRequest.objects.filter(due_at__lte=now).values_list("pk", flat=True)[:AT_ONCE]):
        try:
            with transaction.atomic():
                row = AccountRequest.objects.select_for_update(skip_locked=True).filter(pk=pk).first()
                if row is not None:
                    row.delete()
                    _answer_within_limit(row)
        except (OSError, SMTPException) as error:
            log.warning("A letter about an account was not sent: %s", error)
            AccountRequest.objects.filter(pk=pk).update(due_at=timezone.now() + RETRY_AFTER)


def _answer_within_limit(row: AccountRequest) -> None:
    """Answer unless strangers have filled the mailbox today. A letter that could not be sent does not count."""
    digest = hashlib.sha256(quotas.mailbox_of(row.email).encode()).hexdigest()
    key = f"account-letters:{digest}"
    try:
        cache.add(key, 0, timedelta(days=1).total_seconds())
        answered = cache.get(key, 0)
    except RedisError:  # letters go out uncounted, as pages are read
        answered = 0
    if answered >= MOST_LETTERS_TO_MAILBOX and row.kind not in (Kind.GRANTED, Kind.REFUSED):
        return
    _answer_request(row)
    with suppress(RedisError, ValueError):  # ValueError: the day has just ended
        cache.incr(key)


def _answer_request(row: AccountRequest) -> None:
    request = _request_to(row.origin)
    request.is_granted_access = row.kind == Kind.GRANTED  # type: ignore[attr-defined]  # the letter asks for it
    with context.request_context(request):
        if row.kind == Kind.SIGN_UP:
            _make_account(row, request)
        elif row.kind == Kind.REFUSED:
            letter = {"reason": row.note, "site": row.origin, "read_requires_login": settings.READ_REQUIRES_LOGIN}
            get_adapter().send_mail("accounts/access_refused", row.email, letter)
        elif (form := ResetPasswordForm({"email": row.email})).is_valid():
            form.users = [user for user in form.users if not is_of_directory(user)]
            if form.users:
                form.save(request)


def _make_account(row: AccountRequest, request: WSGIRequest) -> None:
    """The account with its unverified address, or a letter why not."""
    email = row.email.lower()
    if filter_users_by_email(email):
        get_adapter().send_account_already_exists_mail(email)
    elif Account.objects.filter(username__iexact=row.username).exists():
        signup = request.build_absolute_uri("/account/signup/")
        get_adapter().send_mail("accounts/name_taken", email, {"username": row.username, "signup_url": signup})
    else:
        account = Account.objects.create(username=row.username, email=email, password=row.password)
        address = EmailAddress.objects.create(user=account, email=email, primary=True)
        address.send_confirmation(request, signup=True)


def _request_to(origin: str) -> WSGIRequest:
    """A request to that address of this site: letters take their links from one."""
    parts = urlsplit(origin)
    return WSGIRequest(
        {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": "/",
            "HTTP_HOST": parts.netloc,
            "HTTP_X_FORWARDED_PROTO": parts.scheme,
            "wsgi.url_scheme": parts.scheme,
            "wsgi.input": io.BytesIO(),
        }
    )


# Asking administrators for an account where nobody can sign up. Asking sends no letter: nobody can flood an address.


def request_access(name: str, email: str, institution: str, purpose: str) -> None:
    """Note that somebody asks for an account. Raises AccessRequestRefused while too many wait for an answer."""
    AccessRequest.objects.filter(made_at__lt=timezone.now() - WAITS_FOR).delete()
    if AccessRequest.objects.count() >= MOST_WAITING:
        raise AccessRequestRefused
    row = {"name": name, "institution": institution, "purpose": purpose}
    AccessRequest.objects.get_or_create(email=email.lower(), defaults=row)


def open_requests() -> QuerySet[AccessRequest]:
    """What waits for an answer, the oldest first."""
    return AccessRequest.objects.all()


MOST_SLUG = Site._meta.get_field("slug").max_length
"""Characters of the slug of an institution."""


def proposed_institution(name: str) -> tuple[str, bool]:
    """Slug of the institution that somebody named in words, and whether it would have to be created.

    It is that of the same name or slug; ("", False) where no slug can be formed from the name.
    """
    slug = slugify(name)[:MOST_SLUG].strip("-")
    site = Site.objects.filter(Q(name__iexact=name.strip()) | Q(slug=slug), merged_into=None).order_by("id").first()
    return (site.slug, False) if site is not None else (slug, bool(slug))


def grant_access(pk: int, username: str, institution: str, origin: str, *, is_new_institution: bool = False) -> Account:
    """Make the account; its owner gets a letter with a link to set a password.

    An address that has an account already gets that letter for it, and no second account. `institution` is a slug, ""
    for none; a new one is created with the name that was asked for. Raises NoAccessRequest, AccessRequestRefused for a
    name that is taken, an unknown institution, and a new one whose slug is used.
    """
    with transaction.atomic():
        row = _locked_request(pk)
        users = filter_users_by_email(row.email)
        errors = _institution_errors(institution, is_new_institution)
        if not users and Account.objects.filter(username__iexact=username).exists():
            errors["username"] = ["This name is taken. Choose another one."]
        if errors:
            raise AccessRequestRefused(errors=errors)
        account = users[0] if users else Account(username=username, email=row.email)
        if not users:
            account.set_unusable_password()
            account.save()
            EmailAddress.objects.create(user=account, email=row.email, primary=True)
        if institution:
            site, _ = Site.objects.get_or_create(slug=institution, defaults={"name": row.institution})
            join_institution(account, site)
        note_grant(row.email, origin)
        row.delete()
    log.info("Access was granted to account %s.", account.pk)
    return account


def refuse_access(pk: int, reason: str, origin: str) -> None:
    """Refuse it; the person gets a letter with the reason. Raises NoAccessRequest."""
    with transaction.atomic():
        row = _locked_request(pk)
        note_refusal(row.email, reason, origin)
        row.delete()


def _institution_errors(slug: str, is_new: bool) -> dict[str, list[str]]:
    """Why nobody can be put into the institution of that slug; {} for "", for one that is there, and for a new one."""
    site = Site.objects.filter(slug=slug).first()
    if is_new and (not slug or slug != slugify(slug)):
        why = "Use lower-case letters, digits and hyphens."
    elif is_new and site is not None:
        why = f"This is the address of {site.name}. Choose another one, or do not tick that it is created."
    elif not is_new and slug and (site is None or site.merged_into_id is not None):
        why = "There is no such institution. Tick that it is created, or leave this empty for none."
    else:
        return {}
    return {"institution": [why]}


def _locked_request(pk: int) -> AccessRequest:
    row = AccessRequest.objects.select_for_update().filter(pk=pk).first()
    if row is None:
        raise NoAccessRequest
    return row
