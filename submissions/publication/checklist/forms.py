"""Forms of a checklist. What a label or a position may be is told by the items; a refusal stands at its field."""

from __future__ import annotations

from django import forms

from submissions.models.checklists import LONGEST_LABEL
from submissions.web.page_forms import PageForm


class NewItemForm(PageForm):
    """An item at the end."""

    context_name = "add"
    main_field = "label"
    label = forms.CharField(
        required=False,
        label="New item",
        widget=forms.TextInput(attrs={"maxlength": LONGEST_LABEL, "required": True}),
    )


class RenameForm(NewItemForm):
    """Another label of an item."""

    context_name = "rename"

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["label"].label = "New label"


class MoveForm(PageForm):
    """Another place of an item, from 1."""

    context_name = "move"
    main_field = "position"
    position = forms.CharField(required=False, widget=forms.NumberInput(attrs={"min": 1, "required": True}))


FORMS: dict[str, type[PageForm]] = {form.context_name: form for form in (NewItemForm, RenameForm, MoveForm)}
"""By the act of the page; ticking and removing ask for nothing."""
