"""Forms of accounts, tokens and institutions."""

from __future__ import annotations

from typing import Any

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, BaseAuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from django import forms
from django.http import HttpRequest

from registry.web.client_address import site_address
from submissions.accounts import account_requests, second_factor, tokens
from submissions.accounts.account_requests import MOST_SLUG
from submissions.models import Account, Membership, Token
from submissions.web.page_forms import PageForm


class VendorsForm(forms.Form):
    """Vendors that an account is tied to, one to a line."""

    vendors = forms.CharField(max_length=4000, required=False)

    def clean_vendors(self) -> list[str]:
        return list(self.cleaned_data["vendors"].splitlines())


class _CodeOnce(BaseAuthenticateForm):  # type: ignore[misc]  # django-allauth has no types
    """Takes each code of an authenticator app once, so that nobody uses one that was overlooked."""

    def clean_code(self) -> str:
        code: str = super().clean_code()
        is_of_app = self.authenticator.type == Authenticator.Type.TOTP
        if is_of_app and not second_factor.use_code(self.authenticator, normalize_user_code(code)):
            self._emit_authentication_failed(self.authenticator)
            raise get_adapter().validation_error("incorrect_code")
        return code


class CodeForm(_CodeOnce, AuthenticateForm):  # type: ignore[misc]  # as above
    """The second step of signing in."""


class RepeatedCodeForm(_CodeOnce, ReauthenticateForm):  # type: ignore[misc]  # as above
    """The code that confirms who is signed in."""


class AccessForm(PageForm):
    """What somebody says who asks administrators for an account."""

    context_name = "access_form"
    name = forms.CharField(max_length=150, label="Your name")
    email = forms.EmailField(max_length=254, label="Email address", help_text="The answer goes to this address.")
    institution = forms.CharField(max_length=200, label="Institution")
    purpose = forms.CharField(
        max_length=2000, label="What you want to submit or do", widget=forms.Textarea(attrs={"rows": 3})
    )


class GrantForm(PageForm):
    """The account that is made for somebody who asked for one."""

    context_name = "grant_form"
    username = forms.CharField(max_length=150, label="User name", validators=[Account.username_validator])
    institution = forms.SlugField(
        required=False, max_length=MOST_SLUG, label="Institution, as in its address", help_text="Leave empty for none."
    )
    is_new_institution = forms.BooleanField(required=False, label="Create this institution")


class RefusalForm(PageForm):
    """Why somebody gets no account."""

    context_name = "refusal_form"
    reason = forms.CharField(
        max_length=2000,
        label="Reason",
        help_text="It is sent to the person who asked.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class ResetRequestForm(forms.Form):
    """The mail address whose owner forgot the password; a worker looks whether it has an account."""

    email = forms.EmailField(max_length=254)

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Note the request; the address, as the page of django-allauth wants it."""
        email: str = self.cleaned_data["email"]
        account_requests.request_reset(email, site_address(request))
        return email


class SigningKeyForm(PageForm):
    """A public key to add, as in id_ed25519.pub."""

    context_name = "key_form"
    main_field = "public_key"
    public_key = forms.CharField(
        required=False,
        max_length=16 * 1024,
        label="Public key, one line",
        widget=forms.TextInput(attrs={"placeholder": "ssh-ed25519 AAAA…", "spellcheck": "false", "required": True}),
    )


class FingerprintForm(forms.Form):
    """Which signing key to remove."""

    fingerprint = forms.CharField(max_length=60)


class InviteForm(PageForm):
    """Whom to invite to an institution."""

    context_name = "invite"
    main_field = "invitee"
    invitee = forms.CharField(max_length=254, label="User name or email address")
    role = forms.ChoiceField(choices=Membership.Role.choices, label="Role")


class RoleForm(PageForm):
    """Another role for a member."""

    context_name = "role_form"
    account = forms.CharField(max_length=150)
    role = forms.ChoiceField(choices=Membership.Role.choices)


class RemovalForm(PageForm):
    """Whose membership ends."""

    context_name = "removal_form"
    account = forms.CharField(max_length=150, label="Account")


class NewTokenForm(PageForm):
    """What a token is for, and how long."""

    context_name = "token_form"
    main_field = "scopes"
    name = forms.CharField(required=False, max_length=80, label="Description")
    scopes = forms.MultipleChoiceField(
        required=False,
        choices=Token.Scope.choices,
        initial=tokens.USUAL_SCOPES,
        widget=forms.CheckboxSelectMultiple,
        label="Permissions",
    )
    days = forms.TypedChoiceField(
        choices=[(days, f"{days} days") for days in (7, 30, 90, tokens.USUAL_DAYS, tokens.MOST_DAYS)],
        coerce=int,
        initial=tokens.USUAL_DAYS,
        label="Expires in",
    )


class ErasureForm(PageForm):
    """The own name, typed to confirm that the account shall be deleted."""

    context_name = "erasure_form"
    main_field = "name"
    name = forms.CharField(
        required=False, max_length=150, widget=forms.TextInput(attrs={"autocomplete": "off", "required": True})
    )


class TokenForm(forms.Form):
    """Which token to revoke."""

    beginning = forms.CharField(max_length=64)
