"""Checkpoints and keys in the forms of C2SP, made here by `cryptography`, and what is none of either."""

from __future__ import annotations

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from collectors.server.log import signed_note

NAME = "registry.example/log"
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))
ROOT = base64.b64encode(bytes(range(32))).decode()
BODY = f"{NAME}\n17\n{ROOT}\n"


def key_hash(key: Ed25519PrivateKey, name: str = NAME) -> bytes:
    return hashlib.sha256(f"{name}\n".encode() + b"\1" + key.public_key().public_bytes_raw()).digest()[:4]


def key_text(key: Ed25519PrivateKey, name: str = NAME) -> str:
    encoded = base64.b64encode(b"\1" + key.public_key().public_bytes_raw()).decode()
    return f"{name}+{key_hash(key, name).hex()}+{encoded}"


def signature(key: Ed25519PrivateKey, body: str = BODY, name: str = NAME) -> str:
    return f"\u2014 {name} {base64.b64encode(key_hash(key, name) + key.sign(body.encode())).decode()}\n"


def note(*lines: str, body: str = BODY) -> str:
    return body + "\n" + "".join(lines)


def test_a_checkpoint_is_read_and_its_signature_found_among_others() -> None:
    text = note(signature(OTHER, name="witness.example"), signature(PRIVATE))
    checkpoint = signed_note.read_checkpoint(text)
    assert (checkpoint.origin, checkpoint.size, checkpoint.root) == (NAME, 17, bytes(range(32)))
    assert signed_note.is_signed_by(text, signed_note.read_key(key_text(PRIVATE)))


@pytest.mark.parametrize(
    "text",
    [
        note(signature(OTHER)),
        note(signature(PRIVATE, body=BODY.replace("17", "18"))),
        note(signature(PRIVATE), body=BODY.replace("17", "18")),
        note(signature(PRIVATE, name="registry.example/other")),
        note(signature(OTHER).replace(signature(OTHER).split()[2][:5], signature(PRIVATE).split()[2][:5])),
    ],
)
def test_signatures_of_other_keys_bodies_and_names_are_refused(text: str) -> None:
    assert not signed_note.is_signed_by(text, signed_note.read_key(key_text(PRIVATE)))


def timed_line(seconds: int = 1795906474, *, body: str = BODY, key: Ed25519PrivateKey = PRIVATE) -> str:
    """The second signature of a log: over a time and the note, by the rules of C2SP tlog-cosignature."""
    hashed = hashlib.sha256(f"{NAME}\n".encode() + b"\4" + key.public_key().public_bytes_raw()).digest()[:4]
    signed = key.sign(f"cosignature/v1\ntime {seconds}\n{body}".encode())
    return f"\u2014 {NAME} {base64.b64encode(hashed + seconds.to_bytes(8, 'big') + signed).decode()}\n"


def test_the_signed_time_is_read_beside_the_signature() -> None:
    key, text = signed_note.read_key(key_text(PRIVATE)), note(signature(PRIVATE), timed_line())
    assert signed_note.is_signed_by(text, key)
    assert signed_note.read_signed_time(text, key) == 1795906474
    assert signed_note.read_signed_time(note(signature(PRIVATE)), key) is None
    assert signed_note.read_signed_time(note(signature(PRIVATE), timed_line(key=OTHER)), key) is None


@pytest.mark.parametrize(
    "line",
    [
        timed_line(body=BODY.replace("17", "18")),
        timed_line().replace(timed_line().split()[2], timed_line(1795906475).split()[2][:16] + timed_line()[-85:-1]),
        timed_line(253402300800),
        timed_line(2**63 - 1),
        timed_line()[:-5] + "\n",
    ],
)
def test_a_time_that_is_not_signed_is_refused(line: str) -> None:
    text = note(signature(PRIVATE), line)
    with pytest.raises(signed_note.NoteError):
        signed_note.read_signed_time(text, signed_note.read_key(key_text(PRIVATE)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        BODY,
        BODY + "\n",
        note("- " + NAME + " AAAA\n"),
        note(signature(PRIVATE)).rstrip("\n"),
        note(signature(PRIVATE), body=f"{NAME}\n17\n"),
        note(signature(PRIVATE), body=f"\n17\n{ROOT}\n"),
        note(signature(PRIVATE), body=f"{NAME}\n-1\n{ROOT}\n"),
        note(signature(PRIVATE), body=f"{NAME}\n017\n{ROOT}\n"),
        note(signature(PRIVATE), body=f"{NAME}\n\u0661\u0667\n{ROOT}\n"),
        note(signature(PRIVATE), body=f"{NAME}\n{2**63}\n{ROOT}\n"),
        note(signature(PRIVATE), body=f"{NAME}\n{'9' * 5000}\n{ROOT}\n"),
        note(signature(PRIVATE), body=f"{NAME}\n17\nAAAA\n"),
        note(signature(PRIVATE), body=f"{NAME}\n17\n{ROOT[:-4]}!!!!\n"),
        note(signature(PRIVATE)).replace(NAME, NAME + "\x1b[2J"),
        note(signature(PRIVATE) * 400),
    ],
)
def test_an_invalid_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(signed_note.NoteError):
        signed_note.read_checkpoint(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "name+00000000",
        "name+00000000+AAAA",
        key_text(PRIVATE).replace("+", "-"),
        key_text(PRIVATE)[len(NAME) :],
        "other" + key_text(PRIVATE),
        key_text(PRIVATE, name="a name"),
        f"n+{hashlib.sha256(b'n' + bytes([10, 2]) + bytes(32)).hexdigest()[:8]}"
        f"+{base64.b64encode(bytes([2]) + bytes(32)).decode()}",
    ],
)
def test_an_invalid_verifier_key_is_refused(text: str) -> None:
    with pytest.raises(signed_note.NoteError):
        signed_note.read_key(text)
