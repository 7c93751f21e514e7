"""Forms of mail and webhooks."""

from __future__ import annotations

from django import forms

from submissions.models import Account


class WebhookForm(forms.Form):
    url = forms.CharField(max_length=500)


class MailForm(forms.ModelForm):  # type: ignore[type-arg]  # it takes none at run time
    class Meta:
        model = Account
        fields = ["mail"]
