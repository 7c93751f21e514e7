"""Bytes as received: private, under their sha256, never altered, never half there.

Bytes come in through `Incoming`, which hashes them on their way to a scratch file; `keep` puts the whole file in its
place in one step. A folder gets it by rename on one file system; any other storage through its own `save`.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopFutureHandlers
from django.http import HttpRequest

from registry.query.stored_bytes import checked_chunks, key_of, open_bytes
from submissions.errors import StorageFull, StorageUnavailable, TooLarge
from validators.bundle import StoredFile

SCRATCH = "incoming"
HELD = "check"
"""Folder of bytes that wait for a check of which nothing stays."""
CHUNK = 256 * 1024
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def received_storage() -> Storage:
    return storages["received"]


def public_storage() -> Storage:
    """Scrubbed derivatives, which anybody may read once published."""
    return storages["public"]


class Incoming:
    """A file on its way in: `name` as sent, `size` and `sha256` of what came so far. Gone when closed, unless kept.

    Raises TooLarge beyond `limit` bytes, StorageFull and StorageUnavailable where the disk refuses.
    """

    def __init__(self, name: str, limit: int | None = None, storage: Storage | None = None) -> None:
        self.name = name
        self.size = 0
        self._limit = settings.UPLOAD_LIMIT_BYTES if limit is None else limit
        self._storage = storage or received_storage()
        self._digest = hashlib.sha256()
        if storage is None:
            _require_space(self._storage)
        with _disk_errors_as_problems():
            descriptor, path = tempfile.mkstemp(dir=_scratch_folder(self._storage))
            self._path, self._file = Path(path), os.fdopen(descriptor, "wb")
        self._in_scratch = True

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def write(self, chunk: bytes) -> None:
        """Append a chunk. Raises TooLarge where more bytes came than the limit."""
        self.size += len(chunk)
        if self.size > self._limit:
            raise TooLarge(f"More than {self._limit} bytes came.")
        self._digest.update(chunk)
        with _disk_errors_as_problems():
            self._file.write(chunk)

    def keep(self, key: str | None = None) -> str:
        """Put the file in its place and on disk, under `key` or that of its sha256, which is returned."""
        key = key or key_of(self.sha256)
        with _disk_errors_as_problems():
            self._file.flush()
            os.fsync(self._file.fileno())
            if isinstance(self._storage, FileSystemStorage):
                self._rename(self._storage, key)
            else:
                _save(self._storage, key, self._path)
        return key

    def close(self) -> None:
        """Forget the scratch file, if there still is one. May be called again."""
        with suppress(OSError):
            self._file.close()
        if self._in_scratch:
            self._path.unlink(missing_ok=True)
            self._in_scratch = False

    def _rename(self, storage: FileSystemStorage, key: str) -> None:
        """Atomic, and harmless when the same bytes are there already: they have the same name."""
        target = Path(storage.path(key))
        new_folders = [folder for folder in (target.parent.parent, target.parent) if not folder.exists()]
        target.parent.mkdir(mode=storage.directory_permissions_mode or 0o777, parents=True, exist_ok=True)
        if storage.file_permissions_mode is not None:
            self._path.chmod(storage.file_permissions_mode)
        self._path.replace(target)
        self._in_scratch = False
        for folder in {target.parent, *(folder.parent for folder in new_folders)}:
            _sync_folder(folder)


FILE_FIELDS = ("bundle", "file")


class BundleUploadHandler(FileUploadHandler):
    """Django's side of Incoming: the first file called `bundle` or `file`; others are skipped unread into memory."""

    chunk_size = CHUNK

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self.file: Incoming | io.BytesIO = io.BytesIO()  # Django closes it when the form breaks off
        self.skipped: list[str] = []

    def handle_raw_input(
        self, input_data: Any, META: Any, content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        """Check the announced length, in bytes. Raises TooLarge where it is above what an upload may have."""
        if content_length > settings.UPLOAD_LIMIT_BYTES + settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise TooLarge(f"At least {content_length} bytes; {settings.UPLOAD_LIMIT_BYTES} are allowed.")

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        """Take the first file of a bundle's field as Incoming; what follows goes there and to no other handler.

        Raises StopFutureHandlers for the file that is taken, SkipFile for any other.
        """
        super().new_file(field_name, *args, **kwargs)
        if field_name not in FILE_FIELDS or isinstance(self.file, Incoming):
            self.skipped.append(field_name)
            raise SkipFile
        self.file = Incoming(self.file_name or "")
        raise StopFutureHandlers

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.file.write(raw_data)

    def file_complete(self, file_size: int) -> Any:
        """What the form gets as its file: it need not be one of Django's."""
        return self.file

    def upload_interrupted(self) -> None:
        self.file.close()


@contextmanager
def local_path(key: str, storage: Storage | None = None) -> Iterator[Path]:
    """A path on this machine to read bytes from that no sha256 names, such as those held for a check.

    Raises OSError, or what the storage's library raises.
    """
    storage = storage or received_storage()
    if isinstance(storage, FileSystemStorage):
        yield Path(storage.path(key))
        return
    with storage.open(key) as file, _scratch_copy(file.chunks(CHUNK)) as path:
        yield path


@contextmanager
def stored_path(sha256: str, storage: Storage | None = None) -> Iterator[Path]:
    """A path on this machine to read stored bytes from, once all of them were hashed.

    Raises DamagedBytes where they are others, FileNotFoundError where there are none, StorageAway.
    """
    storage = storage or received_storage()
    pieces = checked_chunks(open_bytes(storage, sha256), storage, sha256)
    if isinstance(storage, FileSystemStorage):
        deque(pieces, maxlen=0)
        yield Path(storage.path(key_of(sha256)))
        return
    with _scratch_copy(pieces) as path:
        yield path


@contextmanager
def stored_files(files: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, StoredFile]]:
    """Stored files by name, to be read here; each row has `name` and `sha256`. Raises as `stored_path` does."""
    with ExitStack() as opened:
        yield {
            file["name"]: StoredFile(opened.enter_context(stored_path(file["sha256"])), file["sha256"])
            for file in files
        }


def remove_bytes(key: str, storage: Storage | None = None) -> None:
    """Delete stored bytes; nothing happens where there are none."""
    (storage or received_storage()).delete(key)


@contextmanager
def _scratch_copy(pieces: Iterable[bytes]) -> Iterator[Path]:
    with tempfile.NamedTemporaryFile() as copy:
        for piece in pieces:
            copy.write(piece)
        copy.flush()
        yield Path(copy.name)


@contextmanager
def _disk_errors_as_problems() -> Iterator[None]:
    """Turn what the disk says while bytes come in into a problem that can be answered."""
    try:
        yield
    except OSError as error:
        raise (StorageFull if error.errno in _NO_ROOM else StorageUnavailable) from error


def _save(storage: Storage, key: str, path: Path) -> None:
    """Hand a whole file to a storage that is no folder."""
    try:
        with path.open("rb") as file:
            storage.save(key, File(file))
    except OSError:
        raise
    except Exception as error:  # each storage library has errors of its own, and they need not be installed here
        raise StorageUnavailable from error


def _require_space(storage: Storage) -> None:
    """Keep a reserve for what goes on without uploads, such as publication. Raises StorageFull below it.

    By default it is the smaller of 5 % of the file system and 5 GiB; of a storage that is no folder nothing is known.
    """
    if not isinstance(storage, FileSystemStorage):
        return
    with _disk_errors_as_problems():
        usage = shutil.disk_usage(_scratch_folder(storage) or storage.location)
    floor = settings.FREE_SPACE_FLOOR_BYTES
    if usage.free < (min(usage.total // 20, 5 * 1024**3) if floor is None else floor):
        raise StorageFull("Less space is free than is kept in reserve.")


def _scratch_folder(storage: Storage) -> Path | None:
    """On the file system of a folder storage, so that a rename is enough; elsewhere the system's own."""
    if not isinstance(storage, FileSystemStorage):
        return None
    folder = Path(storage.location) / SCRATCH
    folder.mkdir(mode=storage.directory_permissions_mode or 0o777, parents=True, exist_ok=True)
    return folder


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
