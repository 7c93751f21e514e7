"""Answers kept by their ETag, in memory and, where a folder is named, on disk between sessions."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

MEMORY_BYTES = 64 * 2**20
FOLDER_BYTES = 256 * 2**20
SUFFIX = ".answer"


@dataclass(frozen=True)
class KeptAnswer:
    """The bytes of an answer and the ETag that they came with."""

    etag: str
    content: bytes


class AnswerCache:
    """Answers by address. What was asked with a token is another key for each token, and is never written to disk.

    The least recently used go first, from memory beyond `memory_bytes` and from the folder beyond `folder_bytes`.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        memory_bytes: int = MEMORY_BYTES,
        folder_bytes: int = FOLDER_BYTES,
    ) -> None:
        self.folder = Path(folder).expanduser() if folder is not None else None
        self.memory_bytes = memory_bytes
        self.folder_bytes = folder_bytes
        self._by_key: OrderedDict[str, KeptAnswer] = OrderedDict()

    def find(self, address: str, token: str = "") -> KeptAnswer | None:
        """The answer that is kept of an address; None where there is none, or it was damaged on disk."""
        key = _key_of(address, token)
        answer = self._by_key.get(key)
        if answer is not None:
            self._by_key.move_to_end(key)
            return answer
        return None if token else self._read_file(key)

    def keep(self, address: str, answer: KeptAnswer, token: str = "") -> None:
        """Keep an answer, where it fits. A folder that cannot be written to is left alone."""
        key = _key_of(address, token)
        self._by_key.pop(key, None)
        if len(answer.content) <= self.memory_bytes:
            self._by_key[key] = answer
            while sum(len(kept_answer.content) for kept_answer in self._by_key.values()) > self.memory_bytes:
                self._by_key.popitem(last=False)
        if self.folder is not None and not token and len(answer.content) <= self.folder_bytes:
            with contextlib.suppress(OSError):
                self._write_file(self.folder, key, answer)

    def clear(self) -> None:
        """Forget all answers, those in the folder too."""
        self._by_key.clear()
        for path in self._files():
            path.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return list(self.folder.glob(f"*{SUFFIX}")) if self.folder is not None and self.folder.is_dir() else []

    def _read_file(self, key: str) -> KeptAnswer | None:
        if self.folder is None:
            return None
        try:
            head, _, content = (self.folder / f"{key}{SUFFIX}").read_bytes().partition(b"\n")
            facts = json.loads(head)
            etag, digest = facts["etag"], facts["sha256"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        is_whole = isinstance(etag, str) and digest == hashlib.sha256(content).hexdigest()
        return KeptAnswer(etag, content) if is_whole else None

    def _write_file(self, folder: Path, key: str, answer: KeptAnswer) -> None:
        """Write it beside and move it, so that no reader sees half of it; nobody else may read it."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = {"etag": answer.etag, "sha256": hashlib.sha256(answer.content).hexdigest()}
        number, part = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(json.dumps(facts).encode() + b"\n" + answer.content)
            Path(part).replace(folder / f"{key}{SUFFIX}")
        finally:
            Path(part).unlink(missing_ok=True)
        self._remove_oldest()

    def _remove_oldest(self) -> None:
        files = sorted(((path.stat().st_mtime, path.stat().st_size, path) for path in self._files()), reverse=True)
        total_bytes = 0
        for _, size_bytes, path in files:
            total_bytes += size_bytes
            if total_bytes > self.folder_bytes:
                path.unlink(missing_ok=True)


def _key_of(address: str, token: str) -> str:
    """A name that is safe as that of a file, and tells nothing of the token."""
    secret = hashlib.sha256(token.encode()).hexdigest() if token else ""
    return hashlib.sha256(f"{secret} {address}".encode()).hexdigest()
