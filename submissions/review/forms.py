"""Forms of reviewers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django import forms

from registry.models import Result
from submissions.models import Comment, Disposition, Judgement, Review
from submissions.web.form_choices import set_choices
from submissions.web.page_forms import PageForm


class DecisionForm(PageForm):
    """A reviewer's decision; the submitter reads the reason.

    No level is chosen at first: who accepts a run has to say which one it is awarded.
    """

    fields_by_code: ClassVar[Mapping[str, str]] = {
        "review.reason-needed": "reason",
        "review.no-such-finding": "findings",
    }
    decision = forms.ChoiceField(choices=Review.Decision.choices)
    reproducibility = forms.ChoiceField(
        choices=[("", "Choose a level"), *Result.Reproducibility.choices], required=False, label="Awarded level"
    )
    production = forms.BooleanField(required=False)
    reason = forms.CharField(
        required=False, max_length=10_000, label="Reason", widget=forms.Textarea(attrs={"rows": 4, "required": True})
    )
    """Empty, it is refused with a code of its own."""
    findings = forms.MultipleChoiceField(required=False)

    def __init__(self, *args: Any, codes: Iterable[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "findings", [(code, code) for code in dict.fromkeys(codes)])

    def clean(self) -> dict[str, Any]:
        """Who accepts a run awards a level; any other decision leaves it undefined."""
        fields: dict[str, Any] = super().clean() or {}
        if not fields.get("reproducibility"):
            if fields.get("decision") == Review.Decision.ACCEPT:
                self.add_error("reproducibility", "Choose the level that you award.")
            fields["reproducibility"] = Result.Reproducibility.UNDEFINED
        return fields


class JudgementForm(PageForm):
    """What a reviewer found of one rule."""

    context_name = "judgement"
    main_field = "note"
    rule = forms.CharField(max_length=80, widget=forms.HiddenInput)
    outcome = forms.ChoiceField(choices=Judgement.Outcome.choices, widget=forms.RadioSelect, label="Decision")
    note = forms.CharField(
        max_length=4000,
        required=False,
        label="Basis of the decision",
        widget=forms.Textarea(attrs={"rows": 2, "required": True}),
    )
    """Empty, it is refused with a code of its own."""


class DispositionForm(PageForm):
    """What becomes of the findings of one code; the submitter reads it."""

    context_name = "disposition"
    main_field = "reason"
    code = forms.CharField(max_length=120, widget=forms.HiddenInput)
    kind = forms.ChoiceField(choices=Disposition.Kind.choices, label="Outcome")
    reason = forms.CharField(
        max_length=4000,
        required=False,
        label="Reason",
        help_text="The submitter reads it.",
        widget=forms.Textarea(attrs={"rows": 2, "required": True}),
    )
    """Empty, it is refused with a code of its own."""


class QuestionForm(PageForm):
    """A question about the run of another submitter."""

    context_name = "question_form"
    main_field = "text"
    run = forms.UUIDField(widget=forms.HiddenInput)
    text = forms.CharField(
        max_length=4000,
        label="Question",
        help_text="Its submitter and reviewers read it, with your user name.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class AnswerForm(PageForm):
    """The answer to a question of another submitter; it is given once."""

    context_name = "answer_form"
    main_field = "text"
    number = forms.IntegerField(min_value=1, max_value=2**63 - 1, widget=forms.HiddenInput)
    text = forms.CharField(
        max_length=8000,
        label="Answer",
        help_text="Who asked reads it. It cannot be changed.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class AssignForm(PageForm):
    """The reviewer who shall take a run; empty: oneself."""

    context_name = "assign_form"
    main_field = "reviewer"
    reviewer = forms.CharField(
        max_length=150, required=False, label="Reviewer", widget=forms.TextInput(attrs={"autocomplete": "off"})
    )


class CommentForm(PageForm):
    """A comment or an answer to one."""

    context_name = "comment_form"
    main_field = "text"
    text = forms.CharField(
        max_length=8000,
        required=False,
        label="Comment",
        widget=forms.Textarea(attrs={"rows": 3, "required": True}),
    )
    audience = forms.ChoiceField(choices=[("", ""), *Comment.Audience.choices], required=False)
    answers = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    finding = forms.CharField(max_length=120, required=False)
