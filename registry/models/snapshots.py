"""The system that a result was measured on, as its bundle describes it, and each parameter of it to ask for."""

from __future__ import annotations

import json
from typing import Any

from django.db import models

from registry.models.results import Result

TEXT_LIMIT = 200


class PublicSystemSnapshot(models.Model):
    """The published form of a system document (schema system.1): no node has a name in it."""

    result = models.OneToOneField(Result, on_delete=models.CASCADE, related_name="system_snapshot")
    sha256 = models.CharField(max_length=64, help_text="Of the document as received, which stays private.")
    summary = models.JSONField(help_text="The document in short.")
    document = models.JSONField()

    class Meta:
        db_table = "registry_systemsnapshot"

    def __str__(self) -> str:
        return f"System of {self.result}"


def text_of(value: Any) -> str:
    """A value as filters compare it: 8, 8.0 and "8" are the same, true is "true"."""
    if isinstance(value, str):
        return value[:TEXT_LIMIT]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value)[:TEXT_LIMIT]


class ObservedParameter(models.Model):
    """One value that one parameter had on the nodes of one role; parameters of many values have many rows."""

    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="observed_parameters")
    parameter = models.CharField(max_length=120, help_text="Id in the registry of parameters.")
    key = models.CharField(max_length=120, blank=True, help_text="Entry of a parameter that is a map.")
    role = models.CharField(max_length=10)
    value = models.JSONField()
    text = models.CharField(max_length=TEXT_LIMIT, help_text="The value as filters compare it.")
    instances = models.PositiveBigIntegerField(help_text="Targets, devices or nodes that have it.")

    class Meta:
        ordering = ["result", "parameter", "key", "role", "-instances"]
        indexes = [
            # Filters p.NAME= of results, and the values seen of one parameter.
            models.Index(fields=["parameter", "key", "text", "result"], name="observed_by_value"),
        ]

    def __str__(self) -> str:
        return f"{self.parameter} {self.text}"
