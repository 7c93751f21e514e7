"""Checkpoints: origin, size and root of the log as a signed note that anybody can verify with the public key.

A note is its text, an empty line and a line for each signature. The second line of ours also signs the time, as
witnesses do; who does not know that form ignores the line. Source: C2SP tlog-checkpoint, signed-note, tlog-cosignature.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_ED25519, _TIMED = b"\x01", b"\x04"
"""What a key signs with it: the text of a note, or a time and the text."""
_KEY_ID_SIZE, _TIME_SIZE = 4, 8


class BadNote(ValueError):
    """The note is none, or nobody whom we know signed it."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a checkpoint says: the log's name, how many entries it has and the root over them, 32 bytes."""

    origin: str
    size: int
    root: bytes

    @property
    def signed_text(self) -> str:
        """What is signed."""
        return f"{self.origin}\n{self.size}\n{_to_base64(self.root)}\n"


def sign_checkpoint(checkpoint: Checkpoint, key: Ed25519PrivateKey, signed_at: datetime) -> str:
    """The note with two signatures, named after the origin: over the text, and over a time in whole seconds and it."""
    public, text, seconds = _raw_key(key.public_key()), checkpoint.signed_text, int(signed_at.timestamp())
    plain = _key_id(checkpoint.origin, _ED25519 + public) + key.sign(text.encode())
    time = seconds.to_bytes(_TIME_SIZE, "big")
    timed = _key_id(checkpoint.origin, _TIMED + public) + time + key.sign(_timed_text(seconds, text))
    return f"{text}\n" + "".join(f"— {checkpoint.origin} {_to_base64(line)}\n" for line in (plain, timed))


def verifier_key(name: str, key: Ed25519PublicKey) -> str:
    """The public key as one word, NAME+ID+KEY, in the form that readers of signed notes take."""
    return _as_word(name, _ED25519 + _raw_key(key))


def time_verifier_key(name: str, key: Ed25519PublicKey) -> str:
    """The same for who reads the signed time."""
    return _as_word(name, _TIMED + _raw_key(key))


def parse_verifier_key(text: str) -> tuple[str, bytes, Ed25519PublicKey]:
    """Name, id of 4 bytes and public key. Raises BadNote for what is none, or no Ed25519 key."""
    try:
        name, key_id, encoded = text.split("+", 2)
        content = base64.b64decode(encoded, validate=True)
        if content[:1] != _ED25519 or _key_id(name, content).hex() != key_id:
            raise BadNote("it is no Ed25519 key of that name")
        return name, bytes.fromhex(key_id), Ed25519PublicKey.from_public_bytes(content[1:])
    except (ValueError, binascii.Error) as error:
        raise BadNote(f"no verifier key: {error}") from error


def read_checkpoint(note: str) -> Checkpoint:
    """What a note says, whoever signed it. Raises BadNote for what is no checkpoint."""
    text, _, _ = note.rpartition("\n\n")
    return _parse_text(f"{text}\n")


def open_checkpoint(note: str, verifier_keys: list[str]) -> Checkpoint:
    """What a note says that one of these keys signed. Raises BadNote for any other."""
    return checkpoint_reader(verifier_keys)(note)


def checkpoint_reader(verifier_keys: list[str]) -> Callable[[str], Checkpoint]:
    """What opens many notes that one of these keys signed, as `open_checkpoint` does. Raises BadNote for no key."""
    keys = [parse_verifier_key(key) for key in verifier_keys]

    def read_note(note: str) -> Checkpoint:
        text, _, signatures = note.rpartition("\n\n")
        checkpoint = _parse_text(f"{text}\n")
        for line in signatures.splitlines():
            for name, key_id, key in keys:
                if name == checkpoint.origin and _is_signed(line, name, key_id, key, checkpoint.signed_text.encode()):
                    return checkpoint
        raise BadNote("no known key signed the checkpoint")

    return read_note


def read_signed_time(note: str, verifier_keys: list[str]) -> datetime | None:
    """The time that one of these keys signed with a note; None where none did.

    Raises BadNote where a line says that it is of such a key, and it is not.
    """
    text, _, signatures = note.rpartition("\n\n")
    for name, _, key in map(parse_verifier_key, verifier_keys):
        expected = _key_id(name, _TIMED + _raw_key(key))
        for line in signatures.splitlines():
            signature = _signature_of(line, name)
            if signature is None or signature[:_KEY_ID_SIZE] != expected:
                continue
            time, rest = signature[_KEY_ID_SIZE:][:_TIME_SIZE], signature[_KEY_ID_SIZE + _TIME_SIZE :]
            seconds = int.from_bytes(time, "big")
            try:
                key.verify(rest, _timed_text(seconds, f"{text}\n"))
                return datetime.fromtimestamp(seconds, UTC)
            except (InvalidSignature, ValueError, OverflowError, OSError) as error:
                raise BadNote("the time of the checkpoint is not signed") from error
    return None


def _timed_text(seconds: int, text: str) -> bytes:
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()


def _parse_text(text: str) -> Checkpoint:
    lines = text.split("\n")
    try:
        origin, size, root = lines[0], int(lines[1]), base64.b64decode(lines[2], validate=True)
    except (IndexError, ValueError) as error:
        raise BadNote("it is no checkpoint") from error
    checkpoint = Checkpoint(origin, size, root)
    if checkpoint.signed_text != text:
        raise BadNote("it has more or other lines than a checkpoint of this log")
    return checkpoint


def _is_signed(line: str, name: str, key_id: bytes, key: Ed25519PublicKey, content: bytes) -> bool:
    signature = _signature_of(line, name)
    if signature is None or signature[:_KEY_ID_SIZE] != key_id:
        return False
    try:
        key.verify(signature[_KEY_ID_SIZE:], content)
    except InvalidSignature:
        return False
    return True


def _signature_of(line: str, name: str) -> bytes | None:
    """The bytes of a line with a signature of that name; None for any other line."""
    dash, _, rest = line.partition(" ")
    signer, _, encoded = rest.partition(" ")
    if dash != "—" or signer != name:
        return None
    try:
        return base64.b64decode(encoded, validate=True)
    except ValueError:
        return None


def _as_word(name: str, typed_key: bytes) -> str:
    return f"{name}+{_key_id(name, typed_key).hex()}+{_to_base64(typed_key)}"


def _key_id(name: str, typed_key: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + typed_key).digest()[:_KEY_ID_SIZE]


def _raw_key(key: Ed25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def _to_base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
