"""The Merkle tree over the entries of the log: its hashes, and the hashes that prove something of it.

Everything here is arithmetic over hashes; `read_node(level, index)` says where they lie: it gives the hash over
the entries from index * 2^level on, 2^level of them. Source: RFC 9162, 2.1 (the same tree as RFC 6962).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

ReadNode = Callable[[int, int], bytes]

EMPTY_ROOT = hashlib.sha256(b"").digest()


class NotInTree(ValueError):
    """An entry or a size beyond the tree was asked for."""


def leaf_hash(entry: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(first: bytes, second: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + first + second).digest()


def root_of_full(hashes: Sequence[bytes]) -> bytes:
    """The hash over as many hashes of one level as a power of two."""
    while len(hashes) > 1:
        hashes = [node_hash(*pair) for pair in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]


def root_of_entries(entries: Sequence[bytes]) -> bytes:
    """The root over all of these entries. Costs a hash for each; `tree_root` costs a few."""
    if not entries:
        return EMPTY_ROOT
    hashes = [leaf_hash(entry) for entry in entries]
    return tree_root(len(hashes), lambda level, index: root_of_full(hashes[index << level : (index + 1) << level]))


def tree_root(size: int, read_node: ReadNode) -> bytes:
    """The root of the tree over the first `size` entries."""
    return _range_hash(0, size, read_node) if size else EMPTY_ROOT


def inclusion_proof(index: int, size: int, read_node: ReadNode) -> list[bytes]:
    """The hashes beside the way from entry `index` to the root over `size` entries, the lowest first.

    Raises NotInTree for an entry that the tree does not have.
    """
    if not 0 <= index < size:
        raise NotInTree(f"entry {index} of {size}")
    low, high, siblings = 0, size, []
    while high - low > 1:
        middle = low + _left_size(high - low)
        if index < middle:
            siblings.append((middle, high))
            high = middle
        else:
            siblings.append((low, middle))
            low = middle
    return [_range_hash(*ends, read_node) for ends in reversed(siblings)]


def consistency_proof(old_size: int, size: int, read_node: ReadNode) -> list[bytes]:
    """The hashes that show that the tree of `size` begins with the tree of `old_size`; none where they are equal.

    Raises NotInTree unless 0 < old_size <= size.
    """
    if not 0 < old_size <= size:
        raise NotInTree(f"the first {old_size} of {size}")
    ranges = _consistency_ranges(old_size, 0, size, is_beginning=True)
    return [_range_hash(*ends, read_node) for ends in ranges]


def _consistency_ranges(old_end: int, low: int, high: int, *, is_beginning: bool) -> list[tuple[int, int]]:
    """SUBPROOF of RFC 9162, 2.1.4.1, as ranges of entries; `old_end` is where the old tree ends."""
    if old_end == high:
        return [] if is_beginning else [(low, high)]
    middle = low + _left_size(high - low)
    if old_end <= middle:
        return [*_consistency_ranges(old_end, low, middle, is_beginning=is_beginning), (middle, high)]
    return [*_consistency_ranges(old_end, middle, high, is_beginning=False), (low, middle)]


def _range_hash(low: int, high: int, read_node: ReadNode) -> bytes:
    """The hash over the entries from `low` to before `high`, a node of some tree."""
    size = high - low
    if size & (size - 1) == 0:
        level = size.bit_length() - 1
        return read_node(level, low >> level)
    middle = low + _left_size(size)
    return node_hash(_range_hash(low, middle, read_node), _range_hash(middle, high, read_node))


def _left_size(size: int) -> int:
    """The largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1
