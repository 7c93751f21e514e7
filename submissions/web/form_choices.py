"""Choices of a form that follow from the record, and are filled in when the form is made."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms


def set_choices(form: forms.Form, name: str, choices: Sequence[tuple[str, str]]) -> None:
    """Give a field its values with their words. Raises TypeError for a field that takes any value."""
    field = form.fields[name]
    if not isinstance(field, forms.ChoiceField):
        raise TypeError(f"{name} is no field of choices")
    field.choices = choices
