"""Forms of mail and webhooks."""

from __future__ import annotations

from django import forms

from submissions.models import Account
from submissions.web.page_forms import PageForm


class WebhookForm(PageForm):
    """The address of a webhook."""

    context_name = "webhook_form"
    main_field = "url"
    url = forms.CharField(
        required=False,
        max_length=500,
        label="Address",
        widget=forms.URLInput(attrs={"placeholder": "https://…", "size": 40, "required": True}),
    )


class MailForm(forms.ModelForm):  # type: ignore[type-arg]  # it takes none at run time
    class Meta:
        model = Account
        fields = ["mail"]
