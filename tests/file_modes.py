"""Modes of files that hold for root, too: tests of what may not be read run as any user."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_LIBC = ctypes.CDLL(None, use_errno=True)
_HEADER = (ctypes.c_uint32 * 2)(0x20080522, 0)
"""Version 3 of the call, for this thread."""
_PASSES_FILE_MODES = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


@contextmanager
def bound_by_modes() -> Iterator[None]:
    """Modes of files hold for this thread meanwhile, as for any user that is not root."""
    rights = (ctypes.c_uint32 * 6)()
    _require(_LIBC.capget(_HEADER, rights))
    before, rights[0] = rights[0], rights[0] & ~_PASSES_FILE_MODES
    _require(_LIBC.capset(_HEADER, rights))
    try:
        yield
    finally:
        rights[0] = before
        _require(_LIBC.capset(_HEADER, rights))


def _require(status: int) -> None:
    if status:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
