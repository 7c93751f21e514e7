"""Forms of accounts, tokens and institutions."""

from __future__ import annotations

from django import forms

from submissions.accounts import tokens
from submissions.models import Membership, Token
from submissions.web.page_forms import PageForm


class VendorsForm(forms.Form):
    """Vendors that an account is tied to, one to a line."""

    vendors = forms.CharField(max_length=4000, required=False)

    def clean_vendors(self) -> list[str]:
        return list(
            dict.fromkeys(
                " ".join(line.split())[:120] for line in self.cleaned_data["vendors"].splitlines() if line.strip()
            )
        )


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
