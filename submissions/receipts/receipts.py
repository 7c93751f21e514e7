"""Receipts: what the registry says, signed, of a submission that it holds; anybody can verify one later.

The text that is signed is the receipt as JSON with sorted keys and no spaces. The signature is Ed25519 in the form of
OpenSSH (PROTOCOL.sshsig, namespace `highwater-receipt`), so `ssh-keygen -Y verify` knows it too.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import textwrap
from collections.abc import Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_ssh_public_key
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from registry.log.proofs import opened_proof, stated_record
from registry.log.signing import record_key
from submissions.errors import BadReceipt
from submissions.models import PrivateRecord, ReceiptKey, Submission
from submissions.receipts.responses import PrivateRecordRow
from validators import VERSION

NAMESPACE = "highwater-receipt"
LIMIT_BYTES = 64 * 1024
_HASH = "sha512"
_MAGIC = b"SSHSIG"
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"


def issue_receipt(submission: Submission) -> dict[str, Any]:
    """{"receipt", "signature", "public_key", "proof"}: what is held now, and under which rules it was checked.

    `rules_version` is null until a worker has checked it. `proof` shows the receipt in the transparency log. Raises
    LogAway where the files of the log cannot be read.
    """
    check = submission.checks.order_by("-made_at", "-id").first()
    receipt = {
        "registry": settings.SITE_URL or "local",
        "id": str(submission.pk),
        "sha256": submission.sha256,
        "size_bytes": submission.size,
        "received_at": _format_time(submission.received_at),
        "state": submission.state,
        "checked_at": _format_time(check.made_at) if check else None,
        "rules_version": check.validators_version if check else None,
        "issued_at": _format_time(timezone.now()),
        "issued_by": f"highwater {VERSION}",
    }
    key = signing_key()
    public_key = _public_key_line(key.public_key())
    with transaction.atomic():
        if ReceiptKey.objects.get_or_create(public_key=public_key)[1]:
            record_key("receipts", public_key)
    signature = _sign_content(key, signed_message(receipt))
    return {"receipt": receipt, "signature": signature, "public_key": public_key, "proof": _receipt_proof(submission)}


def list_records(submission: Submission) -> list[PrivateRecordRow]:
    """What the transparency log has of a submission, oldest first, with what opens it; what was erased is left out.

    Raises MalformedRecord where one is none.
    """
    rows = PrivateRecord.objects.filter(submission=submission, erased_at=None).select_related("leaf").order_by("leaf")
    return [
        PrivateRecordRow(
            record=stated_record(row.leaf, row.canonical),
            canonical=row.canonical,
            salt=bytes(row.salt).hex(),
            leaf=str(row.leaf),
            leaf_index=row.leaf.index,
        )
        for row in rows
        if row.canonical is not None and row.salt is not None
    ]


def _receipt_proof(submission: Submission) -> dict[str, Any] | None:
    """Of the bytes that are held now, that the log has their receipt; None for a draft, and before it is recorded.

    Raises MalformedRecord, LogAway.
    """
    rows = PrivateRecord.objects.filter(submission=submission, kind=PrivateRecord.Kind.RECEIPT, erased_at=None)
    row = rows.select_related("leaf").order_by("-leaf").first()
    if row is None or row.canonical is None or row.salt is None:
        return None
    return opened_proof(row.leaf, bytes(row.salt), row.canonical)


def verify_receipt(document: Any) -> dict[str, Any]:
    """The receipt inside a document of `issue`, if this registry signed it.

    Raises BadReceipt where it is none, not signed by us, or changed since.
    """
    receipt = document.get("receipt") if isinstance(document, Mapping) else None
    signature = document.get("signature") if isinstance(document, Mapping) else None
    if not isinstance(receipt, dict) or not isinstance(signature, str):
        raise BadReceipt("It has no `receipt` with its `signature`.")
    blob = _unarmour_text(signature)
    if not any(_is_signed_by(public_key, blob, signed_message(receipt)) for public_key in public_keys()):
        raise BadReceipt("No key of this registry has signed it, or it was changed since.")
    return receipt


def read_receipt(text: str) -> Any:
    """The JSON of a receipt that somebody hands in. Raises BadReceipt where it is too long or no JSON."""
    try:
        if len(text.encode()) > LIMIT_BYTES:
            raise BadReceipt(f"It is longer than {LIMIT_BYTES // 1024} KiB.")
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadReceipt("It is not JSON.") from error


def signed_message(receipt: Mapping[str, Any]) -> bytes:
    """The bytes that are signed."""
    return json.dumps(receipt, sort_keys=True, separators=(",", ":")).encode()


def public_keys() -> list[str]:
    """Every key that has signed receipts here, the newest first, as lines of an authorized_keys file."""
    now = _public_key_line(signing_key().public_key())
    recorded_keys = ReceiptKey.objects.order_by("-first_used_at").values_list("public_key", flat=True)
    return list(dict.fromkeys([now, *recorded_keys]))


def signing_key() -> Ed25519PrivateKey:
    """The key of the setting RECEIPT_KEY, else one that follows from SECRET_KEY."""
    if settings.RECEIPT_KEY is not None:
        return settings.RECEIPT_KEY
    seed = HKDF(SHA256(), 32, salt=None, info=NAMESPACE.encode()).derive(settings.SECRET_KEY.encode())
    return Ed25519PrivateKey.from_private_bytes(seed)


# The form of OpenSSH


def _sign_content(key: Ed25519PrivateKey, content: bytes) -> str:
    return _armour_blob(_signature_blob(key.public_key(), key.sign(_to_sign(content))))


def _is_signed_by(public_key: str, blob: bytes, content: bytes) -> bool:
    """Whether `blob` is exactly what `_sign` makes with that key: nothing else of the format is read."""
    key, signature = load_ssh_public_key(public_key.encode()), blob[-64:]
    if not isinstance(key, Ed25519PublicKey) or _signature_blob(key, signature) != blob:
        return False
    try:
        key.verify(signature, _to_sign(content))
    except InvalidSignature:
        return False
    return True


def _to_sign(content: bytes) -> bytes:
    digest = hashlib.sha512(content).digest()
    return _MAGIC + b"".join(map(_length_prefixed, (NAMESPACE.encode(), b"", _HASH.encode(), digest)))


def _signature_blob(key: Ed25519PublicKey, signature: bytes) -> bytes:
    kind = _length_prefixed(b"ssh-ed25519")
    public = kind + _length_prefixed(key.public_bytes(Encoding.Raw, PublicFormat.Raw))
    parts = (public, NAMESPACE.encode(), b"", _HASH.encode(), kind + _length_prefixed(signature))
    return _MAGIC + struct.pack(">I", 1) + b"".join(map(_length_prefixed, parts))


def _length_prefixed(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _armour_blob(blob: bytes) -> str:
    return "\n".join([_BEGIN, *textwrap.wrap(base64.b64encode(blob).decode(), 70), _END, ""])


def _unarmour_text(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.replace(_BEGIN, "").replace(_END, "").split()), validate=True)
    except ValueError as error:
        raise BadReceipt("The signature is not in the form of OpenSSH.") from error


def _public_key_line(key: Ed25519PublicKey) -> str:
    return key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def _format_time(moment: Any) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
