"""Stored bytes by their sha256: whether they are there, which a storage that is away can't tell."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage

from registry.errors import Unavailable


class StorageAway(Unavailable):
    code = "storage.unavailable"
    title = "The storage does not answer"
    hint = "Nothing is lost by that. Try again after the seconds in Retry-After."


def key_of(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}"


def holds_bytes(storage: Storage, sha256: str) -> bool:
    """Whether the storage has these bytes. Raises StorageAway where it can't tell.

    Each storage library has errors of its own. A folder without anything in it, though bytes are asked for, is one
    that is not mounted.
    """
    try:
        if not isinstance(storage, FileSystemStorage):
            return storage.exists(key_of(sha256))
        if _is_file(Path(storage.path(key_of(sha256)))):
            return True
        with os.scandir(storage.location) as entries:
            mounted = any(len(entry.name) == 2 for entry in entries)
    except Exception as error:
        raise StorageAway from error
    if not mounted:
        raise StorageAway
    return False


def open_bytes(storage: Storage, sha256: str) -> File[bytes]:
    """The bytes, to be read. Raises FileNotFoundError where the storage has none, StorageAway where it can't tell."""
    if not holds_bytes(storage, sha256):
        raise FileNotFoundError(sha256)
    try:
        return storage.open(key_of(sha256))
    except FileNotFoundError:
        raise
    except Exception as error:
        raise StorageAway from error


def _is_file(path: Path) -> bool:
    """Raises OSError for what can't be looked at; `Path.exists` takes that for missing."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True
