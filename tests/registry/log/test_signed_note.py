"""Checkpoints are signed notes of C2SP; one that anybody touched is none."""

from __future__ import annotations

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from registry.log.signed_note import BadNote, Checkpoint, open_checkpoint, sign_checkpoint, verifier_key

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
NAME = "registry.example.org/log"
HEAD = Checkpoint(NAME, 4711, hashlib.sha256(b"root").digest())
NOTE = sign_checkpoint(HEAD, KEY)
VERIFIER = verifier_key(NAME, KEY.public_key())


def test_a_checkpoint_is_three_lines_an_empty_one_and_a_signature() -> None:
    origin, size, root, empty, signature, end = NOTE.split("\n")
    assert (origin, size, empty, end) == (NAME, "4711", "", "")
    assert base64.b64decode(root) == HEAD.root
    dash, name, encoded = signature.split(" ")
    assert (dash, name) == ("\N{EM DASH}", NAME)
    content = base64.b64decode(encoded)
    public = KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    assert content[:4] == hashlib.sha256(NAME.encode() + b"\n\x01" + public).digest()[:4]
    KEY.public_key().verify(content[4:], f"{NAME}\n4711\n{root}\n".encode())


def test_the_verifier_key_is_the_one_that_the_specification_has() -> None:
    # The example key of C2SP signed-note.
    public = base64.b64decode("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")[1:]
    assert (
        verifier_key("PeterNeumann", Ed25519PublicKey.from_public_bytes(public))
        == "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    )


def test_a_signed_checkpoint_is_opened() -> None:
    assert open_checkpoint(NOTE, [VERIFIER]) == HEAD


def test_an_additional_cosignature_is_ignored() -> None:
    assert open_checkpoint(NOTE + "— witness.example.org AAAAAAAA\n", [VERIFIER]) == HEAD


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n\n",
        NOTE.replace("4711", "4712"),
        NOTE.replace("4711", "04711"),
        NOTE.replace("4711", "+4711"),
        NOTE.replace("\n\n", "\nextension\n\n"),
        NOTE.replace(f"— {NAME}", "— somebody.else"),
        NOTE.replace("— ", "- "),
        NOTE[:-10] + "\n",
        NOTE.split("\n\n")[0] + "\n\n",
        NOTE.replace(NAME, "another.example.org/log"),
    ],
)
def test_any_other_note_is_refused(note: str) -> None:
    with pytest.raises(BadNote):
        open_checkpoint(note, [VERIFIER])


def test_a_note_of_another_key_is_refused() -> None:
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    with pytest.raises(BadNote):
        open_checkpoint(NOTE, [verifier_key(NAME, other.public_key())])


@pytest.mark.parametrize(
    "key", ["", "a+b", "a+00000000+AAAA", VERIFIER.replace("+", "-"), VERIFIER[:-4], "x" + VERIFIER]
)
def test_an_invalid_verifier_key_is_refused(key: str) -> None:
    with pytest.raises(BadNote):
        open_checkpoint(NOTE, [key])
