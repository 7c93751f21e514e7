"""An archive as the body of a request: read from disk piece by piece, whatever its size."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PIECE_BYTES = 2**20


class UploadBody:
    """The multipart form of an upload. It may be read several times: its length and its hash are known before.

    Raises ValueError where `path` is no file.
    """

    def __init__(
        self, path: Path, metadata: Mapping[str, Any] | None, release: str, lists: Sequence[str], test: bool
    ) -> None:
        if not path.is_file():
            raise ValueError(f"{path} is no file; pack a folder with the collector first: highwater.pyz pack")
        self.path = path
        self.boundary = secrets.token_hex(16)
        fields = [("sha256", _sha256_of(path)), ("release", release), *(("lists", name) for name in lists)]
        fields += [("metadata", json.dumps(dict(metadata)))] if metadata else []
        fields += [("test", "true")] if test else []
        head = "".join(self._field(name, value) for name, value in fields if value)
        name = "".join(sign if sign.isalnum() or sign in "._-" else "_" for sign in path.name)
        head += f'--{self.boundary}\r\nContent-Disposition: form-data; name="bundle"; filename="{name}"\r\n'
        self._head = f"{head}Content-Type: application/octet-stream\r\n\r\n".encode()
        self._tail = f"\r\n--{self.boundary}--\r\n".encode()

    @property
    def headers(self) -> dict[str, str]:
        """Content-Type and Content-Length in bytes."""
        length_bytes = len(self._head) + self.path.stat().st_size + len(self._tail)
        return {
            "Content-Type": f"multipart/form-data; boundary={self.boundary}",
            "Content-Length": str(length_bytes),
        }

    def __iter__(self) -> Iterator[bytes]:
        yield self._head
        yield from _pieces(self.path)
        yield self._tail

    def _field(self, name: str, value: str) -> str:
        return f'--{self.boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(lambda: file.read(PIECE_BYTES), b"")


def _sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(path):
        digest.update(piece)
    return digest.hexdigest()
