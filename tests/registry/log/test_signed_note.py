"""Checkpoints are signed notes of C2SP; one that anybody touched is none."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from registry.log.signed_note import (
    BadNote,
    Checkpoint,
    open_checkpoint,
    read_signed_time,
    sign_checkpoint,
    time_verifier_key,
    verifier_key,
)

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
NAME = "registry.example.org/log"
HEAD = Checkpoint(NAME, 4711, hashlib.sha256(b"root").digest())
SIGNED_AT = datetime(2026, 11, 28, 22, 54, 34, tzinfo=UTC)
NOTE = sign_checkpoint(HEAD, KEY, SIGNED_AT.replace(microsecond=999_999))
TIME_LINE = NOTE.splitlines(keepends=True)[-1]
PLAIN = NOTE.removesuffix(TIME_LINE)
"""As it was before times were signed."""
VERIFIER = verifier_key(NAME, KEY.public_key())


def test_a_checkpoint_is_three_lines_an_empty_one_and_signatures() -> None:
    origin, size, root, empty, signature, timed, end = NOTE.split("\n")
    assert (origin, size, empty, end) == (NAME, "4711", "", "")
    assert base64.b64decode(root) == HEAD.root
    dash, name, encoded = signature.split(" ")
    assert (dash, name) == ("\N{EM DASH}", NAME)
    content = base64.b64decode(encoded)
    public = KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    assert content[:4] == hashlib.sha256(NAME.encode() + b"\n\x01" + public).digest()[:4]
    KEY.public_key().verify(content[4:], f"{NAME}\n4711\n{root}\n".encode())
    content = base64.b64decode(timed.split(" ")[2])
    assert content[:4] == hashlib.sha256(NAME.encode() + b"\n\x04" + public).digest()[:4]
    assert int.from_bytes(content[4:12], "big") == 1_795_906_474  # date -ud '2026-11-28 22:54:34' +%s
    KEY.public_key().verify(content[12:], f"cosignature/v1\ntime 1795906474\n{NAME}\n4711\n{root}\n".encode())


def test_the_verifier_key_is_the_one_that_the_specification_has() -> None:
    # The example key of C2SP signed-note.
    public = base64.b64decode("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")[1:]
    assert (
        verifier_key("PeterNeumann", Ed25519PublicKey.from_public_bytes(public))
        == "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    )


def test_a_signed_checkpoint_is_opened() -> None:
    assert open_checkpoint(NOTE, [VERIFIER]) == open_checkpoint(PLAIN, [VERIFIER]) == HEAD


def test_the_signed_time_is_in_whole_seconds() -> None:
    assert read_signed_time(NOTE, [VERIFIER]) == SIGNED_AT
    assert read_signed_time(PLAIN, [VERIFIER]) is None
    assert time_verifier_key(NAME, KEY.public_key()).split("+")[1] == base64.b64decode(TIME_LINE.split()[2])[:4].hex()


def of_other_bytes(change: Callable[[bytes], bytes]) -> str:
    """The note with other bytes in its line of the time."""
    dash, name, encoded = TIME_LINE.split()
    return f"{PLAIN}{dash} {name} {base64.b64encode(change(base64.b64decode(encoded))).decode()}\n"


@pytest.mark.parametrize(
    "note",
    [
        of_other_bytes(lambda content: content[:11] + bytes([content[11] ^ 1]) + content[12:]),
        of_other_bytes(lambda content: content[:-1] + bytes([content[-1] ^ 1])),
        of_other_bytes(lambda content: content[:4]),
        of_other_bytes(lambda content: content[:-1]),
        of_other_bytes(lambda content: content[:4] + b"\xff" * 8 + content[12:]),
        NOTE.replace("4711", "4712"),
    ],
)
def test_a_time_that_is_not_signed_is_refused(note: str) -> None:
    with pytest.raises(BadNote, match="time"):
        read_signed_time(note, [VERIFIER])


def test_a_time_beyond_the_calendar_is_refused() -> None:
    """The key signed it: no other than its owner can make one."""
    seconds = 2**63 - 1
    public = KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    signature = KEY.sign(f"cosignature/v1\ntime {seconds}\n{HEAD.signed_text}".encode())
    content = hashlib.sha256(NAME.encode() + b"\n\x04" + public).digest()[:4] + seconds.to_bytes(8, "big") + signature
    with pytest.raises(BadNote, match="time"):
        read_signed_time(f"{PLAIN}— {NAME} {base64.b64encode(content).decode()}\n", [VERIFIER])


def test_times_of_witnesses_and_other_keys_are_not_ours() -> None:
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    assert read_signed_time(NOTE, [verifier_key(NAME, other.public_key())]) is None
    assert read_signed_time(NOTE.replace(TIME_LINE, TIME_LINE.replace(NAME, "witness.example")), [VERIFIER]) is None


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
        PLAIN[:-10] + "\n",
        PLAIN.split("\n\n")[0] + "\n\n" + TIME_LINE,
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
