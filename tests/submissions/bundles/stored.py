"""Stored files of a test, and what happens to them on a disk."""

from __future__ import annotations

from pathlib import Path


def flip_bit(path: Path, at: int = 100) -> bytes:
    """Change one bit of a stored file; what it held before."""
    before = path.read_bytes()
    changed = bytearray(before)
    changed[at] ^= 1
    path.write_bytes(changed)
    return before
