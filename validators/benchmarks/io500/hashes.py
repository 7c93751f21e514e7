"""The two check sums that an IO500 run prints: over its configuration and over its scores.

Both are keyless and linear: they reveal accidents, not fraud, so a mismatch is never more than a warning.
Source: io500 src/util.c (u_hash_update_key_val) and src/main.c; told in README.md beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

_MASK = 0xFFFFFFFF


def _fold(state: int, data: bytes) -> int:
    """Rotate left by two bits and add each byte as a signed character, in 32 bits."""
    for byte in data:
        state = (((state << 2) | (state >> 30)) + (byte - 256 if byte > 127 else byte)) & _MASK
    return state


@lru_cache(maxsize=2048)
def _fold_key(key: str) -> int:
    return _fold(0, key.encode("utf-8", "surrogateescape"))


@lru_cache(maxsize=4096)
def pair_hash(key: str, value: str) -> int:
    """The 32-bit hash of one key with its value, as printed text."""
    return _fold(_fold_key(key), value.encode("utf-8", "surrogateescape"))


def set_hash(pairs: Iterable[tuple[str, str]]) -> int:
    """The hash of a set of pairs: the XOR of theirs, so the order does not matter."""
    combined = 0
    for key, value in pairs:
        combined ^= pair_hash(key, value)
    return combined


def format_hash(value: int) -> str:
    """As io500 prints it: upper-case hexadecimal without leading zeros."""
    return f"{value:X}"


class ScoreTerms(NamedTuple):
    """The printed texts that a score hash covers; `bandwidth`, `rate` and `total` are those of the score block."""

    version: str | None
    phases: Mapping[str, str]
    bandwidth: str
    rate: str
    total: str
    valid: bool


def score_hashes(terms: ScoreTerms) -> list[str]:
    """Every hash that a published build of io500 would print for these terms, the common one first.

    Builds from January to May 2021 left the two halves out; a build without a version string hashes an empty one.
    `version` is None for SCOREX, whose hash covers none.
    """
    common = set_hash([*terms.phases.items(), ("SCORE", terms.total)])
    if terms.version is not None:
        common ^= pair_hash("version", terms.version)
    if not terms.valid:
        common ^= pair_hash("valid", "NO")
    halves = set_hash([("MD", terms.rate), ("BW", terms.bandwidth)])
    return [format_hash(common ^ halves), format_hash(common)]
