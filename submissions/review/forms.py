"""Forms of reviewers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms

from registry.models import Result
from submissions.models import Comment, Judgement, Review
from submissions.web.form_choices import set_choices


class DecisionForm(forms.Form):
    """A reviewer's decision; the submitter reads the reason."""

    decision = forms.ChoiceField(choices=Review.Decision.choices)
    reproducibility = forms.ChoiceField(choices=Result.Reproducibility.choices)
    production = forms.BooleanField(required=False)
    reason = forms.CharField(max_length=10_000, widget=forms.Textarea(attrs={"rows": 4}))
    findings = forms.MultipleChoiceField(required=False)

    def __init__(self, *args: Any, codes: Iterable[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "findings", [(code, code) for code in dict.fromkeys(codes)])


class JudgementForm(forms.Form):
    """What a reviewer found of one rule."""

    rule = forms.CharField(max_length=80)
    outcome = forms.ChoiceField(choices=Judgement.Outcome.choices)
    note = forms.CharField(max_length=4000, required=False)


class CommentForm(forms.Form):
    """A comment or an answer to one."""

    text = forms.CharField(max_length=8000, required=False)
    audience = forms.ChoiceField(choices=[("", ""), *Comment.Audience.choices], required=False)
    answers = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    finding = forms.CharField(max_length=120, required=False)
