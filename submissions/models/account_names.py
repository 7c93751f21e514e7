"""The name of an account where rows have it as text: what is public refers to no account."""

from __future__ import annotations

from django.db.models import Model

from registry.models import Erasure, IdentityChange, Override, SavedStudy
from registry.models.identities import DECIDERS

NAMED_IN: tuple[tuple[type[Model], str], ...] = (
    (Override, "decided_by"),
    (SavedStudy, "saved_by"),
    (Erasure, "erased_by"),
    *((IdentityChange, column) for column in DECIDERS),
)
"""Columns with names of accounts."""


def replace_name(former: str, name: str) -> None:
    """Write the new name of an account wherever its former one stands, so that who decided is still known."""
    for model, column in NAMED_IN:
        model._default_manager.filter(**{column: former}).update(**{column: name})
