"""A log made by the definitions of RFC 9162 and C2SP, with `cryptography`: nothing of the collector, nothing fast."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ORIGIN = "registry.example/log"


def leaf_hash(entry: bytes) -> bytes:
    return hashlib.sha256(b"\0" + entry).digest()


def split_of(count: int) -> int:
    split = 1
    while split * 2 < count:
        split *= 2
    return split


def tree_hash(entries: Sequence[bytes]) -> bytes:
    """MTH as section 2.1.1 of RFC 9162 defines it."""
    if not entries:
        return hashlib.sha256().digest()
    if len(entries) == 1:
        return leaf_hash(entries[0])
    split = split_of(len(entries))
    return hashlib.sha256(b"\1" + tree_hash(entries[:split]) + tree_hash(entries[split:])).digest()


def path_to(index: int, entries: Sequence[bytes]) -> list[bytes]:
    """PATH as section 2.1.3.1 defines it."""
    if len(entries) == 1:
        return []
    split = split_of(len(entries))
    if index < split:
        return [*path_to(index, entries[:split]), tree_hash(entries[split:])]
    return [*path_to(index - split, entries[split:]), tree_hash(entries[:split])]


def tile_files(entries: Sequence[bytes]) -> dict[str, bytes]:
    """The tiles of a log by their definition: level L has the hashes over 256^L leaves each, those that are whole."""
    files, level = dict[str, bytes](), 0
    while len(entries) >= (over := 256**level):
        hashes = [tree_hash(entries[at : at + over]) for at in range(0, len(entries) - over + 1, over)]
        for number in range(0, len(hashes), 256):
            row = hashes[number : number + 256]
            suffix = "" if len(row) == 256 else f".p/{len(row)}"
            files[f"tile/{level}/{number // 256:03}{suffix}"] = b"".join(row)
        level += 1
    return files


class MadeLog:
    """Grows by records; `serve` puts its files, proofs and answers where a peer gives them to everybody."""

    def __init__(self, origin: str = ORIGIN, seed: int = 1):
        self.origin = origin
        self.key = Ed25519PrivateKey.from_private_bytes(seed.to_bytes(32, "big"))
        self.entries: list[bytes] = []
        self.openings: list[tuple[bytes, str]] = []
        self.signed_s: int | None = None
        """When checkpoints are signed, where they say it: seconds since 1970."""
        self.shifted_s = 0
        """By how much another time stands there than was signed."""

    def fill(self, count: int, word: str = "private") -> MadeLog:
        for number in range(count):
            self.add({"type": word, "number": number})
        return self

    def add(self, record: dict[str, Any]) -> int:
        canonical = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        salt = hashlib.sha256(str(len(self.entries)).encode()).digest()
        self.openings.append((salt, canonical))
        self.entries.append(hashlib.sha256(salt + canonical.encode()).digest())
        return len(self.entries) - 1

    def public_key(self) -> bytes:
        return self.key.public_key().public_bytes_raw()

    def key_hash(self) -> bytes:
        return hashlib.sha256(self.origin.encode() + b"\n\1" + self.public_key()).digest()[:4]

    def verifier_key(self) -> str:
        return f"{self.origin}+{self.key_hash().hex()}+{base64.b64encode(bytes([1]) + self.public_key()).decode()}"

    def checkpoint(self, size: int | None = None) -> str:
        entries = self.entries[:size]
        body = f"{self.origin}\n{len(entries)}\n{base64.b64encode(tree_hash(entries)).decode()}\n"
        signature = base64.b64encode(self.key_hash() + self.key.sign(body.encode())).decode()
        return f"{body}\n\u2014 {self.origin} {signature}\n{self.timed_line(body)}"

    def timed_line(self, body: str) -> str:
        """By C2SP tlog-cosignature, with the key of the log."""
        if self.signed_s is None:
            return ""
        key_id = hashlib.sha256(self.origin.encode() + b"\n\4" + self.public_key()).digest()[:4]
        signed = self.key.sign(f"cosignature/v1\ntime {self.signed_s}\n{body}".encode())
        content = key_id + (self.signed_s + self.shifted_s).to_bytes(8, "big") + signed
        return f"\u2014 {self.origin} {base64.b64encode(content).decode()}\n"

    def proof(self, index: int, size: int | None = None) -> dict[str, Any]:
        salt, canonical = self.openings[index]
        entries = self.entries[:size]
        return {
            "record": json.loads(canonical),
            "canonical": canonical,
            "digest": hashlib.sha256(canonical.encode()).hexdigest(),
            "salt": salt.hex(),
            "leaf": self.entries[index].hex(),
            "leaf_index": index,
            "tree_size": len(entries),
            "inclusion_proof": [node.hex() for node in path_to(index, entries)],
            "checkpoint": self.checkpoint(size),
            "verifier_key": self.verifier_key(),
        }

    def chain(self, records: Sequence[dict[str, Any]]) -> list[int]:
        """Add records of one thing, each with the leaf of the one before it; their places."""
        places: list[int] = []
        for record in records:
            previous = self.entries[places[-1]].hex() if places else None
            places.append(self.add({**record, "previous": previous}))
            self.fill(1)
        return places

    def listed(self, places: Sequence[int]) -> list[dict[str, Any]]:
        """What a registry lists of the records at these places, the newest first."""
        return [
            {
                "leaf": self.entries[place].hex(),
                "leaf_index": place,
                "act": json.loads(self.openings[place][1])["act"],
                "recorded_at": json.loads(self.openings[place][1])["recorded_at"],
                "erased_at": None,
            }
            for place in reversed(places)
        ]

    def waiting_proof(self, index: int) -> dict[str, Any]:
        return self.proof(index) | {"leaf_index": None, "inclusion_proof": []}

    def files(self, size: int | None = None) -> dict[str, bytes]:
        return {**tile_files(self.entries[:size]), "checkpoint": self.checkpoint(size).encode()}

    def serve(self, peer, size: int | None = None) -> None:
        """Let a peer serve the files as they are at a size."""
        for path in [path for path in peer.public if path.startswith("/log/")]:
            del peer.public[path]
        peer.public.update({f"/log/{name}": content for name, content in self.files(size).items()})
