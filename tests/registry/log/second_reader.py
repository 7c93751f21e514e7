"""A second reader of the log, written from docs/log.md, RFC 6962, RFC 8785 and the C2SP formats.

It shares nothing with the registry or the collector: it reads the whole log, entry by entry, and hashes all of it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Fetch = Callable[[str], bytes]
_REPR = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$")


class Disagreement(Exception):
    """The log, a proof or an answer of the API is not what another of them says."""


@dataclass(frozen=True)
class Head:
    """A signed checkpoint: entries and their root, and when it says that it was signed; None: it does not."""

    size: int
    root: bytes
    signed_s: int | None = None


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def require(condition: bool, sentence: str) -> None:
    if not condition:
        raise Disagreement(sentence)


def read_head(note: str, keys: list[str]) -> Head:
    """The head in a note that one of the keys (NAME+ID+KEY) signed."""
    text, signatures = note.split("\n\n")
    name, size, root = text.split("\n")
    signed, signed_s = False, None
    for key in keys:
        key_name, key_id, encoded = key.split("+", 2)
        kind, public = base64.b64decode(encoded)[:1], base64.b64decode(encoded)[1:]
        require(kind == b"\1" and sha256(key_name.encode(), b"\n", kind, public)[:4].hex() == key_id, "a key's id")
        for line in signatures.splitlines():
            dash, signer, blob = line.split(" ")
            content = base64.b64decode(blob)
            if (dash, signer) == ("\u2014", key_name) == ("\u2014", name) and content[:4].hex() == key_id:
                Ed25519PublicKey.from_public_bytes(public).verify(content[4:], f"{text}\n".encode())
                signed = True
            if signer == key_name == name and content[:4] == sha256(name.encode(), b"\n\4", public)[:4]:
                signed_s = int.from_bytes(content[4:12], "big")
                message = f"cosignature/v1\ntime {signed_s}\n{text}\n".encode()
                Ed25519PublicKey.from_public_bytes(public).verify(content[12:], message)
    require(signed, "no key signed the checkpoint")
    return Head(int(size), base64.b64decode(root), signed_s)


def tile_name(level: str, number: int, width: int) -> str:
    digits = f"{number:03d}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    path = "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])
    return f"tile/{level}/{path}" + (f".p/{width}" if width < 256 else "")


def root_over(hashes: list[bytes]) -> bytes:
    """MTH over leaf hashes: the left side is the largest power of two that leaves something for the right."""
    if not hashes:
        return sha256()
    while len(hashes) > 1:  # pairing neighbours and passing on an odd one gives the same tree
        pairs = [sha256(b"\1", *hashes[at : at + 2]) for at in range(0, len(hashes) - 1, 2)]
        hashes = pairs + hashes[2 * len(pairs) :]
    return hashes[0]


class SecondReader:
    """Reads a log through `fetch`, which gives the file at a path below /log/."""

    def __init__(self, fetch: Fetch) -> None:
        self.fetch = fetch
        self.keys = fetch("key").decode().split()
        self.head = read_head(fetch("checkpoint").decode(), self.keys)
        self.entries = list(self._read_entries())
        self.leaves = [sha256(b"\0", entry) for entry in self.entries]
        require(root_over(self.leaves) == self.head.root, "the entries do not have the signed root")
        self._read_tiles()

    def _read_entries(self) -> Iterator[bytes]:
        for first in range(0, self.head.size, 256):
            width = min(256, self.head.size - first)
            content = self.fetch(tile_name("entries", first // 256, width))
            require(len(content) == width * 34, "a bundle of entries has another length")
            for at in range(0, len(content), 34):
                require(content[at : at + 2] == b"\0\x20", "an entry is not 32 bytes")
                yield content[at + 2 : at + 34]

    def _read_tiles(self) -> None:
        """Each tile of each level is what the level below makes."""
        level, hashes = 0, self.leaves
        while hashes:
            for first in range(0, len(hashes), 256):
                row = hashes[first : first + 256]
                content = self.fetch(tile_name(str(level), first // 256, len(row)))
                require(content == b"".join(row), f"a tile of level {level} does not fit")
            hashes = [root_over(hashes[at : at + 256]) for at in range(0, len(hashes) - 255, 256)]
            level += 1

    def require_continues(self, earlier: Head) -> None:
        """Raise Disagreement unless this log begins with all entries of an earlier head."""
        require(earlier.size <= self.head.size, "entries were taken back")
        is_same = earlier.size == self.head.size
        require(not is_same or earlier.signed_s == self.head.signed_s, "a checkpoint was signed at two times")
        require(root_over(self.leaves[: earlier.size]) == earlier.root, "the log has another past")

    def require_proof(self, proof: dict[str, Any]) -> None:
        """Raise Disagreement unless a proof's record is the entry where it says, in this log."""
        canonical, salt = proof["canonical"], bytes.fromhex(proof["salt"])
        require(json.loads(canonical) == proof["record"], "the record is not its text")
        require(canonical_json(proof["record"]) == canonical, "the text is not canonical")
        require(hashlib.sha256(canonical.encode()).hexdigest() == proof["digest"], "the digest")
        entry = sha256(salt, canonical.encode())
        require(len(salt) == 32 and entry.hex() == proof["leaf"], "the leaf is not of this record")
        head = read_head(proof["checkpoint"], self.keys)
        self.require_continues(head)
        index, size = proof["leaf_index"], proof["tree_size"]
        require(size == head.size and self.entries[index] == entry, "the log has something else there")
        require(_root_by_path(index, size, sha256(b"\0", entry), proof["inclusion_proof"]) == head.root, "the path")


def _root_by_path(index: int, size: int, node: bytes, path: list[str]) -> bytes:
    """RFC 9162, 2.1.3.2, from the shape of the tree: at each height the node is left, right, or has no neighbour."""
    rest = [bytes.fromhex(text) for text in path]
    width = size
    while width > 1:
        if index % 2:
            node = sha256(b"\1", rest.pop(0), node)
        elif index + 1 < width:
            node = sha256(b"\1", node, rest.pop(0))
        index, width = index // 2, (width + 1) // 2
    require(not rest, "the path is too long")
    return node


def canonical_json(value: Any) -> str:
    """RFC 8785, for values as `json.loads` gives them."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical_json(name)}:{canonical_json(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        return f'"{value}"'
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """Number::toString of ECMAScript: plain digits from 1e-6 to below 1e21, else with an exponent."""
    match = _REPR.match(repr(value))
    assert match is not None
    sign, before, after, exponent = match[1], match[2], match[3] or "", int(match[4] or 0)
    digits, point = (before + after).lstrip("0"), len(before) + exponent
    point -= len(before + after) - len(digits)
    digits = digits.rstrip("0")
    if not digits:
        return "0"
    if -6 < point <= 21:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        return f"{sign}{digits.ljust(point, '0')[:point]}" + (f".{digits[point:]}" if len(digits) > point else "")
    mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{point - 1:+d}"


def require_shown(facts: dict[str, Any], answer: dict[str, Any], open_at: tuple[str, ...] = ()) -> None:
    """Raise Disagreement, with the name, unless an answer of the API has every value of a record.

    The answer may have more at its top, and in the rows of the members that `open_at` names.
    """
    for name, value in facts.items():
        require(name in answer, f"{name} is not shown")
        rows = zip(value, answer[name], strict=False) if name in open_at else ()
        for row, shown_row in rows:
            require_shown(row, shown_row)
        if name in open_at:
            require(len(value) == len(answer[name]), f"{name}: other rows")
        else:
            require(_canonical(value) == _canonical(answer[name]), f"{name} is {answer[name]!r}, not {value!r}")


def _canonical(value: Any) -> str:
    return canonical_json(value)
