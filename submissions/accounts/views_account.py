"""Signing in and out, and the tokens of an account."""

from __future__ import annotations

from contextlib import suppress
from functools import wraps
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from allauth.account.utils import passthrough_next_redirect_url, url_str_to_user_pk
from allauth.account.views import (
    LoginView,
    PasswordChangeView,
    PasswordResetFromKeyView,
    PasswordSetView,
    SignupView,
)
from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from registry.errors import Problem
from registry.web.client_address import site_address
from registry.web.error_pages import refusal_page
from registry.web.throttles import LoopbackAwareThrottle
from submissions.accounts import account_requests, ties, tokens
from submissions.accounts import memberships as accounts_memberships
from submissions.accounts.entry import kept_input
from submissions.accounts.entry.provider_groups import is_of_directory
from submissions.accounts.forms import FingerprintForm, NewTokenForm, SigningKeyForm, TokenForm, VendorsForm
from submissions.bundles import signatures
from submissions.errors import NoToken, PasswordElsewhere
from submissions.models import Account
from submissions.web.page_base import View, private_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of


class TooManySignIns(Problem):
    status = 429
    code = "request.throttled"
    title = "Too many attempts to sign in"


class LoginThrottle(LoopbackAwareThrottle):
    """Attempts per address, right or wrong."""

    scope = "login"


class SignIn(LoginView):
    """The page of `/login/`; goes back to where it was asked for. The name may be a mail address.

    Attempts are counted in the cache; while it is away nobody guesses, and nobody signs in (503).
    """

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs: dict[str, Any] = super().get_form_kwargs()
        if "username" in kwargs.get("data", ()):
            kwargs["data"] = kwargs["data"].copy()
            kwargs["data"]["login"] = kwargs["data"]["username"]
        return kwargs

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        signed_form = self.request.POST.get(kept_input.NAME, "")
        why_here = KEPT_REASON if signed_form else sign_in_reason(context.get("redirect_field_value") or "")
        directory_name = settings.LDAP_DIRECTORY.get("name", "")
        own = {"why_here": why_here, "kept_input": signed_form, "directory_name": directory_name}
        return context | account_options() | own

    @classmethod
    def answer_form(cls, request: HttpRequest, signed_form: str) -> HttpResponse:
        """The page in place of the answer to a form that was sent without a session; it holds the signed form."""
        request.method = "GET"
        request.GET = QueryDict(urlencode({REDIRECT_FIELD_NAME: kept_input.PAGE}))
        request.POST = QueryDict(urlencode({kept_input.NAME: signed_form}))
        answer: TemplateResponse = cls.as_view()(request)
        answer.render()
        answer.status_code = HTTPStatus.FORBIDDEN
        return answer

    def form_valid(self, form: Any) -> HttpResponse:
        """Sign in, and keep what was typed before in the session that begins."""
        if signed_form := kept_input.read_form(self.request.POST.get(kept_input.NAME, "")):
            self.request.session[kept_input.NAME] = signed_form
        answer: HttpResponse = super().form_valid(form)
        return answer

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        throttle = LoginThrottle()
        if throttle.allow_request(request, self):
            response: HttpResponse = super().post(request, *args, **kwargs)
            return response
        seconds = max(1, int(throttle.wait() or 1))
        response = refusal_page(request, TooManySignIns(hint=f"Try again in {seconds} s."))
        response["Retry-After"] = str(seconds)
        return response


class SignUp(SignupView):
    """The page of `/account/signup/`; where sign-up is closed it says how to get an account."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), **account_options()}

    def form_valid(self, form: Any) -> HttpResponse:
        """Note what was asked for; a worker answers by mail, also where the address has an account already."""
        data = form.cleaned_data
        origin = site_address(self.request)
        account_requests.request_sign_up(data["email"], data["username"], data["password1"], origin)
        return redirect("account_email_verification_sent")

    def closed(self) -> HttpResponse:
        address = passthrough_next_redirect_url(self.request, "/login/", "next")
        return render(self.request, "accounts/signup_closed.html", {"login_url": address} | account_options())


def password_page(view: View) -> View:
    """A page of allauth that sets a password, for accounts that may have one here."""

    @wraps(view)
    def own_password_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Raises PasswordElsewhere."""
        if is_of_directory(account_of(request)):
            raise PasswordElsewhere
        return view(request, *args, **kwargs)

    return private_page(own_password_view)


set_password = password_page(PasswordSetView.as_view())
change_password = password_page(PasswordChangeView.as_view())


class PasswordByLetter(PasswordResetFromKeyView):
    """Where the link of a letter leads; an account that a directory took over since gets no password by it.

    Of two who send a password by one link at the same moment one sets it: the link is looked at once the other is done.
    """

    def dispatch(self, request: HttpRequest, uidb36: str, key: str, **kwargs: Any) -> HttpResponseBase:
        with transaction.atomic():
            if request.method == "POST" and (pk := _account_key(uidb36)):
                Account.objects.select_for_update().filter(pk=pk).first()
            answer: HttpResponseBase = super().dispatch(request, uidb36, key, **kwargs)
        return answer

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        try:
            answer: HttpResponseBase = super().post(request, *args, **kwargs)
        except PasswordElsewhere as refusal:
            return refusal_page(request, refusal)
        return answer


def _account_key(uidb36: str) -> int | None:
    """What a link says of whose it is; None where that can't be."""
    try:
        return int(url_str_to_user_pk(uidb36))
    except (ValueError, ValidationError):
        return None


def account_options() -> dict[str, bool]:
    """What templates/accounts/ways.html asks, beside the frame of the page."""
    return {"signup_open": settings.SIGNUP_OPEN, "on_this_machine": settings.INSECURE_LOCAL}


KEPT_REASON = "You were not signed in. What you typed is kept: after signing in you can send it."
SIGN_IN_REASONS = (
    ("/submissions/new/", "To submit a run you need an account."),
    ("/submissions/", "To see your submissions you need an account."),
    ("/review/", "To review runs you need an account with the role of a reviewer."),
    ("/account/invitations/", "To accept an invitation you need an account."),
    ("/account/requests/", "To answer requests for accounts you need an account with the role of an administrator."),
    ("/account/", "Sign in to see your account."),
    ("/shelf/", "To see your shelf you need an account."),
)


OPEN_REASON = "You can read all results without an account. Submitting and reviewing need one."
CLOSED_REASON = "You need an account to read this registry."


def sign_in_reason(path: str) -> str:
    """Why somebody who wanted to go to an address of this site has to sign in, as a sentence."""
    usual = CLOSED_REASON if settings.READ_REQUIRES_LOGIN else OPEN_REASON
    return next((why for address, why in SIGN_IN_REASONS if path.startswith(address)), usual)


@require_safe
@private_page
def account_page(request: HttpRequest) -> HttpResponse:
    return _account_page(request)


@require_POST
@private_page
def make_token(request: HttpRequest) -> HttpResponse:
    """Create token and show it, this once; only its hash is kept."""
    form = NewTokenForm(request.POST)
    new_keys: list[str] = []
    if not form.carry_out(lambda **fields: new_keys.append(tokens.create_token(account_of(request), **fields)[1])):
        return _account_page(request, refused=form)
    return _account_page(request, new_key=new_keys[0])


@require_POST
@private_page
def revoke_token(request: HttpRequest) -> HttpResponse:
    form = TokenForm(request.POST)
    if form.is_valid():
        with suppress(NoToken):
            tokens.revoke_token(account_of(request), form.cleaned_data["beginning"])
    return redirect("account")


@require_POST
@private_page
def add_signing_key(request: HttpRequest) -> HttpResponse:
    """Register a public key. A refused key stays in its field, with the reason beside it."""
    form = SigningKeyForm(request.POST)
    if not form.carry_out(lambda public_key: signatures.add_key(account_of(request), public_key)):
        return _account_page(request, refused=form)
    return redirect("account")


@require_POST
@private_page
def remove_signing_key(request: HttpRequest) -> HttpResponse:
    form = FingerprintForm(request.POST)
    if form.is_valid():
        account_of(request).signing_keys.filter(fingerprint=form.cleaned_data["fingerprint"]).delete()
    return redirect("account")


@require_POST
@private_page
def declare_vendors(request: HttpRequest) -> HttpResponse:
    """More vendors that the account is tied to: it reviews no run on their storage. Ties end on another page."""
    form = VendorsForm(request.POST)
    if form.is_valid():
        ties.declare_ties(account_of(request), form.cleaned_data["vendors"])
    return redirect("account")


def _account_page(request: HttpRequest, new_key: str = "", refused: PageForm | None = None) -> HttpResponse:
    account = account_of(request)
    context = {
        "section": "submissions",
        "memberships": list(account.memberships.select_related("institution").order_by("institution__name")),
        "invitations": list(accounts_memberships.invitations_for(account)),
        "tokens": list(tokens.list_tokens(account)),
        "ties": list(account.ties.filter(ended_at=None).order_by("vendor")),
        "token_form": NewTokenForm(),
        "now": timezone.now(),
        "signing_keys": list(account.signing_keys.all()),
        "new_key": new_key,
        "key_form": SigningKeyForm(),
        "of_directory": is_of_directory(account),
    }
    return form_page(request, "accounts/account.html", context, refused)
