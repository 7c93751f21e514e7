"""The files of the log: written by one worker, read by everybody, also as they lie in the storage.

They lie in the public storage below `log/`, under the names that they have on the web, so that a mirror is a copy.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage, storages

from registry.log import tiles

FOLDER = "log"
CHECKPOINT = "checkpoint"


def read_file(name: str) -> bytes | None:
    """The content of a file of the log; None where it is not there. Raises what the storage's library raises."""
    storage = log_storage()
    try:
        with storage.open(f"{FOLDER}/{name}") as file:
            content: bytes = file.read()
            return content
    except FileNotFoundError:
        return None


def write_file(name: str, content: bytes) -> None:
    """Put a whole file in its place, in one step, on disk; one that is there is replaced."""
    storage, key = log_storage(), f"{FOLDER}/{name}"
    if isinstance(storage, FileSystemStorage):
        _replace_file(storage, Path(storage.path(key)), content)
    else:
        storage.save(key, ContentFile(content))  # the bundle storage overwrites: file_overwrite


def remove_folder(name: str) -> None:
    """Delete the files in a folder of the log, and it; nothing happens where it is not there."""
    storage, folder = log_storage(), f"{FOLDER}/{name}"
    try:
        names = storage.listdir(folder)[1]
    except FileNotFoundError:
        return
    for name_inside in names:
        storage.delete(f"{folder}/{name_inside}")
    storage.delete(folder)


def read_tile(level: int | str, index: int, width: int) -> bytes | None:
    """The first `width` hashes or entries of a tile, also cut from one that has grown; None where there is no such."""
    exact = read_file(f"tile/{tiles.tile_path(level, index, width)}")
    if exact is not None or width == tiles.WIDTH:
        return exact
    full = read_file(f"tile/{tiles.tile_path(level, index)}")
    if full is None:
        return None
    size = tiles.HASH_SIZE + (2 if level == tiles.ENTRIES else 0)
    return full[: width * size]


def log_storage() -> Storage:
    """That of what anybody may read."""
    return storages["public"]


def _replace_file(storage: FileSystemStorage, target: Path, content: bytes) -> None:
    folder_mode = storage.directory_permissions_mode or 0o777
    target.parent.mkdir(mode=folder_mode, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".new")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if storage.file_permissions_mode is not None:
            Path(name).chmod(storage.file_permissions_mode)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
