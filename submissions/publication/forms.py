"""Forms of releases and overrides."""

from __future__ import annotations

from typing import Any

from django import forms

from registry.models import Override
from submissions.publication.releases import SLUG, known_lists, read_time
from submissions.web.form_choices import set_choices
from submissions.web.page_forms import PageForm


class MomentField(forms.Field):
    """A moment with its zone, as releases.read_time takes it; None where empty."""

    widget = forms.TextInput(attrs={"maxlength": 40})

    def to_python(self, value: Any) -> Any:
        """Read a time; None for an empty field. Raises ValidationError for what is no time."""
        if not value:
            return None
        try:
            return read_time(str(value)[:40])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error

    def prepare_value(self, value: Any) -> Any:
        return value.strftime("%Y-%m-%dT%H:%M:%SZ") if hasattr(value, "strftime") else value


class ReleaseForm(PageForm):
    """A call for submissions, as editors make and change it."""

    slug = forms.RegexField(
        rf"\A{SLUG.pattern}\Z",
        max_length=40,
        label="Short name",
        help_text="As in addresses: SC27",
        error_messages={"invalid": "Letters, digits and single hyphens, at most 40."},
    )
    name = forms.CharField(
        max_length=120, required=False, help_text="As readers see it. Leave empty to use the short name."
    )
    opens = MomentField(required=False, help_text="Leave empty to open now.")
    deadline = MomentField(help_text="2027-04-30 AoE, or 2027-04-30T12:00:00Z")
    publishes = MomentField(required=False, help_text="Leave empty to publish manually.")
    benchmark_versions = forms.CharField(
        required=False, max_length=2000, help_text="Separated by commas. Leave empty to allow any."
    )
    accepting_reviewers = forms.IntegerField(min_value=1, max_value=9, initial=1, label="Reviewers who must accept")
    lists = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "lists", [(name, body["title"]) for name, body in known_lists()])

    def clean_benchmark_versions(self) -> list[str]:
        return [version.strip() for version in self.cleaned_data["benchmark_versions"].split(",") if version.strip()]


class ProposalForm(PageForm):
    """Definitions under which a list is previewed, as JSON; an empty one is the current one."""

    main_field = "definition"
    definition = forms.CharField(
        required=False, label="List definition, JSON", widget=forms.Textarea(attrs={"rows": 8, "class": "mono"})
    )
    score = forms.CharField(
        required=False, label="IO500 score definition, JSON", widget=forms.Textarea(attrs={"rows": 4, "class": "mono"})
    )


class OverrideForm(PageForm):
    """A decision about one result of one list."""

    context_name = "override_form"
    main_field = "result_id"
    result_id = forms.CharField(
        max_length=60, label="Result", widget=forms.TextInput(attrs={"placeholder": "e.g. hw-12"})
    )
    action = forms.ChoiceField(choices=Override.Action.choices, label="Decision")
    score = forms.FloatField(
        required=False, min_value=0, label="Score, if another", widget=forms.TextInput(attrs={"inputmode": "decimal"})
    )
    reason = forms.CharField(
        max_length=2000, label="Reason, which readers of the list see", widget=forms.Textarea(attrs={"rows": 2})
    )


class ConfirmationForm(PageForm):
    """The short name of a release, typed to confirm that it shall be published."""

    context_name = "confirmation_form"
    main_field = "confirm"
    fields_by_code = {"release.would-be-empty": "allow_empty"}
    confirm = forms.CharField(
        required=False,
        max_length=200,
        label="Short name of the release",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false", "required": True}
        ),
    )
    allow_empty = forms.BooleanField(required=False, label="Publish all the same")
