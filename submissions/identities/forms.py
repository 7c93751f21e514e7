"""Forms of merging, splitting and undoing. What may be done is told by the acts; a refusal stands at its field."""

from __future__ import annotations

from django import forms

from registry.models import IdentityChange
from submissions.web.page_forms import PageForm

REASON_CHARACTERS = 2000
_SLUG = {"autocapitalize": "off", "spellcheck": "false"}


class _Reasoned(PageForm):
    """What proves an act is asked for by each."""

    fields_by_code = {"identity.reason-needed": "reason"}
    main_field = "reason"
    reason = forms.CharField(
        required=False,
        max_length=REASON_CHARACTERS,
        help_text="What proves it. Public: name no person.",
        widget=forms.Textarea(attrs={"rows": 2, "required": True}),
    )


class _Sourced(_Reasoned):
    source = forms.CharField(required=False, max_length=300, help_text="Document or page. Public.")


class MergeForm(_Sourced):
    """The act that a preview showed."""

    context_name = "merge"
    kind = forms.ChoiceField(choices=IdentityChange.Kind.choices, widget=forms.HiddenInput)
    former = forms.CharField(max_length=160, widget=forms.HiddenInput)
    into = forms.CharField(max_length=160, widget=forms.HiddenInput)
    field_order = ["kind", "former", "into", "reason", "source"]


class SplitForm(_Sourced):
    """What leaves a system or an institution, and where it goes."""

    context_name = "split"
    main_field = "moving"
    kind = forms.ChoiceField(choices=[("system", "system"), ("site", "institution")], label="What is split")
    slug = forms.CharField(max_length=160, label="Its slug", widget=forms.TextInput(attrs=_SLUG))
    moving = forms.CharField(
        label="Entries to move",
        help_text="For a system, ids of results; for an institution, slugs of systems. One in each line.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    into = forms.CharField(
        required=False,
        max_length=160,
        label="Move to the slug",
        help_text="Of an existing entry.",
        widget=forms.TextInput(attrs=_SLUG),
    )
    name = forms.CharField(required=False, max_length=200, label="or to a new entry named")
    field_order = ["kind", "slug", "moving", "into", "name", "reason", "source"]


class UndoForm(_Reasoned):
    """Why an act is taken back."""

    context_name = "undo"
