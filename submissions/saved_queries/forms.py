"""The form that saves a study or a ranking."""

from __future__ import annotations

from django import forms

from registry.studies import saved_queries
from submissions.web.page_forms import PageForm

ANSWER_CHOICES = [(saved_queries.LIVE, "follows new results"), (saved_queries.AS_OF, "stays as it is now")]


class SaveForm(PageForm):
    """A question, what it is called, and whether its answer follows the record.

    Titles and questions are judged where they are saved.
    """

    main_field = "title"
    title = forms.CharField(
        required=False,
        label="Save as",
        widget=forms.TextInput(attrs={"maxlength": saved_queries.TITLE_LIMIT, "required": True, "size": 40}),
    )
    keep = forms.ChoiceField(choices=ANSWER_CHOICES, required=False, label="Updates")
    question = forms.CharField(required=False, widget=forms.HiddenInput)
