"""The form of answers that come as a file."""

from __future__ import annotations

from django import forms

from submissions.web.page_forms import PageForm


class AnswersFileForm(PageForm):
    """A file of answers."""

    context_name = "file_form"
    main_field = "file"
    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        label="File of answers (JSON)",
        widget=forms.FileInput(attrs={"accept": ".json,application/json", "required": True}),
    )
    """What is missing or no JSON is refused by the act, with its code."""
