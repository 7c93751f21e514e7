"""Signatures, held against the vectors of RFC 8032 and against `cryptography`, which shares no code with ours."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from collectors.server.log import ed25519

VECTORS = [line.split(" ") for line in Path(__file__).with_name("rfc8032_vectors.txt").read_text().splitlines()]
ORDER = 2**252 + 27742317777372353535851937790883648493
# Encodings of the eight points of small order, and those that write the same y another way.
SMALL = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]
NOT_CANONICAL = [
    "0100000000000000000000000000000000000000000000000000000000000080",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]


def is_accepted_elsewhere(key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def signed(seed: int, message: bytes) -> tuple[bytes, bytes]:
    key = Ed25519PrivateKey.from_private_bytes(seed.to_bytes(32, "big"))
    return key.public_key().public_bytes_raw(), key.sign(message)


@pytest.mark.parametrize(("key", "message", "signature"), VECTORS, ids=["1", "2", "3", "1024", "SHA(abc)"])
def test_vectors_of_the_rfc_verify_and_changed_ones_do_not(key: str, message: str, signature: str) -> None:
    parts = [bytes.fromhex(part) for part in (key, message, signature)]
    assert ed25519.is_signature(*parts)
    for part in range(3):
        for at in range(0, 8 * len(parts[part]), 8 * 37 + 3):
            changed = bytearray(parts[part])
            changed[at // 8] ^= 1 << at % 8
            assert not ed25519.is_signature(*parts[:part], bytes(changed), *parts[part + 1 :])


@given(seed=st.integers(0, 2**256 - 1), message=st.binary(max_size=200), at=st.integers(0, 511))
def test_a_signature_by_cryptography_verifies_and_a_flipped_bit_does_not(seed: int, message: bytes, at: int) -> None:
    key, signature = signed(seed, message)
    assert ed25519.is_signature(key, message, signature)
    changed = bytearray(signature)
    changed[at // 8] ^= 1 << at % 8
    assert not ed25519.is_signature(key, message, bytes(changed))
    assert not ed25519.is_signature(key, message + b"x", signature)


def test_another_number_for_the_same_point_is_refused() -> None:
    key, signature = signed(7, b"m")
    number = int.from_bytes(signature[32:], "little")
    for again in range(1, 16):
        if number + again * ORDER < 2**256:
            other = signature[:32] + (number + again * ORDER).to_bytes(32, "little")
            assert not ed25519.is_signature(key, b"m", other)
            assert not is_accepted_elsewhere(key, b"m", other)


@pytest.mark.parametrize("key", SMALL + NOT_CANONICAL)
def test_low_order_keys_are_refused(key: str) -> None:
    """With such a key, S = 0 and R of small order verify for many messages."""
    public, zero = bytes.fromhex(key), bytes(32)
    for nonce in SMALL + NOT_CANONICAL:
        for message in (b"", b"one", b"two", b"three"):
            assert not ed25519.is_signature(public, message, bytes.fromhex(nonce) + zero)


def test_some_low_order_keys_verify_in_other_libraries() -> None:
    """Else the test above would not show anything."""
    zero, neutral = bytes(32), bytes.fromhex(SMALL[0])
    assert is_accepted_elsewhere(neutral, b"anything", neutral + zero)


@pytest.mark.parametrize("length", [0, 31, 33, 63, 64, 65, 4096])
def test_wrong_lengths_are_refused(length: int) -> None:
    key, signature = signed(7, b"m")
    assert length == 32 or not ed25519.is_signature((key * 128)[:length], b"m", signature)
    assert length == 64 or not ed25519.is_signature(key, b"m", (signature * 64)[:length])


def test_hostile_signatures_get_the_verdict_of_cryptography() -> None:
    """Random mixtures of real, small, not canonical and random parts. Ours may be stricter about the key alone."""
    source, accepted = random.Random(8032), 0
    for number in range(600):
        message = source.randbytes(source.choice((0, 1, 64, 300)))
        key, signature = signed(number, message)
        nonce, factor = signature[:32], signature[32:]
        small = bytes.fromhex(source.choice(SMALL + NOT_CANONICAL))
        key = source.choice((key, key, key, small, source.randbytes(32)))
        nonce = source.choice((nonce, nonce, small, source.randbytes(32)))
        beyond = (int.from_bytes(factor, "little") + ORDER).to_bytes(32, "little")
        factor = source.choice((factor, factor, factor, bytes(32), beyond, source.randbytes(32)))
        ours, theirs = (check(key, message, nonce + factor) for check in (ed25519.is_signature, is_accepted_elsewhere))
        assert ours == (theirs and key.hex() not in SMALL + NOT_CANONICAL)
        accepted += ours
    assert accepted > 50
