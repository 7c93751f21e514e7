"""Forms of accounts, tokens and institutions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest

from registry.web.client_address import site_address
from submissions.accounts import account_requests, tokens
from submissions.models import Membership, Token


class VendorsForm(forms.Form):
    """Vendors that an account is tied to, one to a line."""

    vendors = forms.CharField(max_length=4000, required=False)

    def clean_vendors(self) -> list[str]:
        return list(self.cleaned_data["vendors"].splitlines())


class ResetRequestForm(forms.Form):
    """The mail address whose owner forgot the password; a worker looks whether it has an account."""

    email = forms.EmailField(max_length=254)

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Note the request; the address, as the page of django-allauth wants it."""
        email: str = self.cleaned_data["email"]
        account_requests.request_reset(email, site_address(request))
        return email


class SigningKeyForm(forms.Form):
    """A public key to add, as in id_ed25519.pub."""

    public_key = forms.CharField(max_length=16 * 1024)


class FingerprintForm(forms.Form):
    """Which signing key to remove."""

    fingerprint = forms.CharField(max_length=60)


class InviteForm(forms.Form):
    """Whom to invite to an institution."""

    invitee = forms.CharField(max_length=254, label="Name or mail address")
    role = forms.ChoiceField(choices=Membership.Role.choices, label="As")


class RoleForm(forms.Form):
    """Another role for a member."""

    account = forms.CharField(max_length=150)
    role = forms.ChoiceField(choices=Membership.Role.choices)


class NewTokenForm(forms.Form):
    """What a token is for, and how long."""

    name = forms.CharField(required=False, max_length=80, label="Description")
    scopes = forms.MultipleChoiceField(
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


class TokenForm(forms.Form):
    """Which token to revoke."""

    beginning = forms.CharField(max_length=64)
