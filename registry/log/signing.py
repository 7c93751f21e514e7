"""With which key, and under which name, this registry signs its log."""

from __future__ import annotations

import secrets
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from registry.log import recording
from registry.log.signed_note import time_verifier_key, verifier_key
from registry.models import LogKey, LogOpening, LogState

_INFO = b"highwater-log"
KEY_SUBJECT = "log/key"
CHECKPOINTS, TIMES = "log", "times"
"""What a key is used for: to sign checkpoints, and the time of each."""


def signing_key() -> Ed25519PrivateKey:
    """The key of the setting LOG_KEY, else one that follows from SECRET_KEY."""
    if settings.LOG_KEY is not None:
        return settings.LOG_KEY
    seed = HKDF(SHA256(), 32, salt=None, info=_INFO).derive(settings.SECRET_KEY.encode())
    return Ed25519PrivateKey.from_private_bytes(seed)


@transaction.atomic
def ensure_signer() -> str:
    """The log's name, made with its first checkpoint and never changed; a key that is new is recorded in the log."""
    state, _ = LogState.objects.select_for_update().get_or_create(pk=1)
    if not state.origin:
        state.origin = _new_origin()
        state.save(update_fields=["origin"])
    public_key = signing_key().public_key()
    record_key(CHECKPOINTS, verifier_key(state.origin, public_key))
    record_key(TIMES, time_verifier_key(state.origin, public_key))
    return state.origin


def record_key(use: str, public_key: str) -> None:
    """Record a public key when it is used for the first time: for checkpoints ("log"), their times, or "receipts"."""
    if use == CHECKPOINTS:
        _, is_new = LogKey.objects.get_or_create(verifier_key=public_key, defaults={"first_used_at": timezone.now()})
        if not is_new:
            return
    if use == TIMES and LogOpening.objects.filter(subject=KEY_SUBJECT, canonical__contains=f'"{public_key}"').exists():
        return
    recording.record_own(LogOpening.Kind.KEY, {"use": use, "key": public_key}, recording.ADDED, KEY_SUBJECT)


def verifier_keys() -> list[str]:
    """Every key that signed checkpoints here, the newest first."""
    return list(LogKey.objects.values_list("verifier_key", flat=True))


def _new_origin() -> str:
    """The host that the site is served from; a registry of this machine alone gets a name that no other has."""
    address = urlsplit(settings.SITE_URL)
    is_local = address.hostname is None or address.hostname == "localhost" or address.hostname.startswith("127.")
    return f"local-{secrets.token_hex(8)}/log" if is_local else f"{address.netloc}/log"
