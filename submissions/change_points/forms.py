"""Forms of performance changes."""

from __future__ import annotations

from django import forms


class StepForm(forms.Form):
    """What is said of a step; what of it is taken, submissions/change_points/triage.py decides."""

    state = forms.CharField(max_length=13)
    note = forms.CharField(required=False, max_length=4000)
    version = forms.IntegerField(min_value=0)
