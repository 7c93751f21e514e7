"""Stored bytes by their sha256: whether they are there, and whether they are still those that came.

Whoever reads them hashes them: through `checked_chunks`, which gives the last piece only when all of them are right.
A storage that is away can't tell either.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage
from django.dispatch import Signal

from registry.errors import Problem, Unavailable

CHUNK = 1024 * 1024
"""Bytes of one piece. What is no longer than that is refused before anything of it was given."""
_OF_ONE_FILE = frozenset({errno.EACCES, errno.EPERM, errno.EIO})
"""What the system says of a file that it can't read, or of a folder on the way, while the others are right."""
damage_met = Signal()
"""Somebody met damaged bytes; sent with `storage` and `sha256`. Receivers note it and tell who can help."""


class StorageAway(Unavailable):
    code = "storage.unavailable"
    title = "The storage does not answer"
    hint = "Nothing is lost by that. Try again after the seconds in Retry-After."


class DamagedBytes(Problem):
    status = 500
    code = "storage.damaged"
    title = "The stored bytes are not those that came"
    hint = "The registry gives them to nobody and notifies administrators. Send the same file again to repair them."


def key_of(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}"


def holds_bytes(storage: Storage, sha256: str) -> bool:
    """Whether the storage has these bytes. Raises StorageAway where it can't tell.

    Each storage library has errors of its own. A folder without anything in it, though bytes are asked for, is one
    that is not mounted. Of a bucket that is not there S3 says the same as of an object that is not. A file that only
    can't be read counts as there: `open_bytes` calls it damaged.
    """
    try:
        if not isinstance(storage, FileSystemStorage):
            return storage.exists(key_of(sha256)) or _require_bucket(storage)
        is_file = _is_file(Path(storage.path(key_of(sha256))))
        if is_file:
            return True
        with os.scandir(storage.location) as entries:
            mounted = any(len(entry.name) == 2 for entry in entries)
        if is_file is None:
            Path(storage.path(sha256[:2])).stat()
    except Exception as error:
        raise StorageAway from error
    if not mounted:
        raise StorageAway
    return is_file is None


def _require_bucket(storage: Storage) -> bool:
    """False for a storage that is there and has not what was asked for. Raises what boto3 raises for no bucket."""
    bucket = getattr(storage, "bucket", None)
    if bucket is not None:
        bucket.meta.client.head_bucket(Bucket=bucket.name)
    return False


def open_bytes(storage: Storage, sha256: str, *, tell: bool = True) -> File[bytes]:
    """The bytes, to be read. Raises FileNotFoundError where the storage has none, StorageAway where it can't tell.

    Raises DamagedBytes where this file alone can't be opened; unless `tell` is false, receivers of `damage_met` hear.
    """
    if not holds_bytes(storage, sha256):
        raise FileNotFoundError(sha256)
    try:
        return storage.open(key_of(sha256))
    except FileNotFoundError:
        raise
    except Exception as error:
        if not isinstance(error, OSError) or error.errno not in _OF_ONE_FILE:
            raise StorageAway from error
        if tell:
            damage_met.send(None, storage=storage, sha256=sha256)
        raise DamagedBytes(f"The storage can't open the bytes of sha256 {sha256}: {error.strerror}.") from error


def checked_chunks(file: File[bytes], storage: Storage, sha256: str, *, tell: bool = True) -> Iterator[bytes]:
    """The bytes of an open file in pieces of CHUNK, hashed on the way; closes the file at the end.

    Raises DamagedBytes instead of the last piece where they have another sha256, or the disk can't read them;
    unless `tell` is false, receivers of `damage_met` hear of it.
    """
    try:
        yield from _hashed_pieces(file, sha256)
    except DamagedBytes:
        if tell:
            damage_met.send(None, storage=storage, sha256=sha256)
        raise


def _hashed_pieces(file: File[bytes], sha256: str) -> Iterator[bytes]:
    digest, held = hashlib.sha256(), b""
    with file:
        while piece := _read_piece(file, sha256):
            digest.update(piece)
            if held:
                yield held
            held = piece
        if digest.hexdigest() != sha256:
            raise DamagedBytes(f"sha256 {sha256} was stored; the bytes have {digest.hexdigest()}.")
        if held:
            yield held


def _read_piece(file: File[bytes], sha256: str) -> bytes:
    try:
        piece: bytes = file.read(CHUNK)
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        raise DamagedBytes(f"The storage can't read the bytes of sha256 {sha256}.") from error
    return piece


def _is_file(path: Path) -> bool | None:
    """False for a folder, a pipe, or a link that leads nowhere: the bytes are not there. None for what can't be read.

    Raises any other OSError for what can't be looked at; `Path.exists` takes that for missing.
    """
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno in _OF_ONE_FILE:
            return None
        if error.errno != errno.ELOOP:
            raise
        return False
