"""Forms of performance changes."""

from __future__ import annotations

from django import forms

from submissions.web.page_forms import PageForm


class StepForm(PageForm):
    """What is said of a step; what of it is taken, submissions/change_points/triage.py decides."""

    context_name = "step_form"
    main_field = "note"
    state = forms.CharField(max_length=13, label="State")
    note = forms.CharField(required=False, max_length=4000, label="Note", widget=forms.Textarea(attrs={"rows": 3}))
    version = forms.IntegerField(min_value=0)
