"""Forms of mail and webhooks."""

from __future__ import annotations

from typing import Any

from django import forms

from submissions.models import Account, Subscription
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


class FollowForm(PageForm):
    """A system to follow, and of which steps."""

    context_name = "follow_form"
    main_field = "steps"
    system = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)
    steps = forms.CharField(
        required=False,
        max_length=100,
        label="Notify about",
        empty_value=Subscription.Steps.ALL,
        widget=forms.Select(
            choices=[(Subscription.Steps.ALL, "all changes"), (Subscription.Steps.WORSE, "regressions only")]
        ),
    )

    def __init__(self, *args: Any, name: str = "", **kwargs: Any) -> None:
        """`name` is that of the system, where several of these forms stand on a page."""
        super().__init__(*args, **kwargs)
        if name:
            self.fields["steps"].widget.attrs["aria-label"] = f"Notify about, {name}"


class MailForm(forms.ModelForm):  # type: ignore[type-arg]  # it takes none at run time
    class Meta:
        model = Account
        fields = ["mail"]
