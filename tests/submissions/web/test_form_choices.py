"""Choices that are filled in when a form is made."""

from __future__ import annotations

import pytest
from django import forms

from submissions.web.form_choices import set_choices


class Order(forms.Form):
    meal = forms.ChoiceField()
    sides = forms.MultipleChoiceField()
    note = forms.CharField()


@pytest.mark.parametrize("name", ["meal", "sides"])
def test_only_offered_choices_are_valid(name: str) -> None:
    form = Order({"meal": "soup", "sides": ["soup"], "note": "hot"})
    set_choices(form, name, [("rice", "Rice")])
    assert "Select a valid choice" in form.errors[name][0]


def test_offered_choices_are_accepted() -> None:
    form = Order({"meal": "soup", "sides": ["rice", "soup"], "note": "hot"})
    set_choices(form, "meal", [("soup", "Soup")])
    set_choices(form, "sides", [("soup", "Soup"), ("rice", "Rice")])
    assert form.is_valid()
    assert (form.cleaned_data["meal"], form.cleaned_data["sides"]) == ("soup", ["rice", "soup"])


def test_a_field_that_takes_any_text_has_no_choices() -> None:
    with pytest.raises(TypeError, match="note is no field of choices"):
        set_choices(Order(), "note", [("hot", "Hot")])
