"""Signing in and out, and the tokens of an account."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from allauth.account.utils import passthrough_next_redirect_url
from allauth.account.views import LoginView, SignupView
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from registry.errors import Problem
from registry.web.client_address import site_address
from registry.web.error_pages import refusal_page
from registry.web.throttles import LoopbackAwareThrottle
from submissions.accounts import account_requests, ties, tokens
from submissions.accounts import memberships as accounts_memberships
from submissions.accounts.forms import FingerprintForm, NewTokenForm, SigningKeyForm, TokenForm, VendorsForm
from submissions.bundles import signatures
from submissions.errors import NoToken
from submissions.web.page_base import private_page
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
        return context | ways_to_an_account() | {"why_here": sign_in_reason(context.get("redirect_field_value") or "")}

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
        return {**super().get_context_data(**kwargs), **ways_to_an_account()}

    def form_valid(self, form: Any) -> HttpResponse:
        """Note what was asked for; a worker answers by mail, also where the address has an account already."""
        data = form.cleaned_data
        origin = site_address(self.request)
        account_requests.request_sign_up(data["email"], data["username"], data["password1"], origin)
        return redirect("account_email_verification_sent")

    def closed(self) -> HttpResponse:
        address = passthrough_next_redirect_url(self.request, "/login/", "next")
        return render(self.request, "accounts/signup_closed.html", {"login_url": address} | ways_to_an_account())


def ways_to_an_account() -> dict[str, bool]:
    """What templates/accounts/ways.html asks, beside the frame of the page."""
    return {"signup_open": settings.SIGNUP_OPEN, "on_this_machine": settings.INSECURE_LOCAL}


SIGN_IN_REASONS = (
    ("/submissions/new/", "To submit a run you need an account."),
    ("/submissions/", "To see your submissions you need an account."),
    ("/review/", "To review runs you need an account with the role of a reviewer."),
    ("/account/invitations/", "To accept an invitation you need an account."),
    ("/account/", "To see your account you have to sign in."),
)


def sign_in_reason(path: str) -> str:
    """Why somebody who wanted to go to an address of this site has to sign in, as a sentence."""
    usual = "Reading the public record needs no account. Submitting and reviewing do."
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
    }
    return form_page(request, "accounts/account.html", context, refused)
