"""Shapes of receipts."""

from __future__ import annotations

from rest_framework import serializers as s

from submissions.models import State


class ReceiptText(s.Serializer):
    """What is signed: this object as JSON with sorted keys and without spaces."""

    registry = s.CharField(help_text="Address of the registry.")
    id = s.UUIDField()
    sha256 = s.CharField(help_text="Of the bytes as received.")
    size_bytes = s.IntegerField()
    received_at = s.DateTimeField()
    state = s.ChoiceField(State.choices)
    checked_at = s.DateTimeField(allow_null=True)
    rules_version = s.CharField(allow_null=True, help_text="Of the rules and parsers that checked it; null: not yet.")
    issued_at = s.DateTimeField()
    issued_by = s.CharField()


class SignedReceipt(s.Serializer):
    receipt = ReceiptText()
    signature = s.CharField(help_text="Ed25519, as ssh-keygen -Y sign writes it.")
    public_key = s.CharField(help_text="As in authorized_keys.")


class ReceiptKeys(s.Serializer):
    namespace = s.CharField()
    public_keys = s.ListField(child=s.CharField())
