"""Proofs about trees: every proof of every small tree by the definition of RFC 6962, and none that was changed."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

import pytest

from collectors.server.log import merkle
from collectors.server.log.tiles import TileError, TileReader, tile_path
from tests.collectors.server.log.made_log import path_to, tile_files, tree_hash

# The leaves and roots that implementations of RFC 6962 are commonly tested with.
LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
FIRST_ROOT = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
LAST_ROOT = "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
MOST = 40


def entries_of(count: int) -> list[bytes]:
    return [hashlib.sha256(str(number).encode()).digest() for number in range(count)]


def proof_of(old: int, entries: Sequence[bytes]) -> list[bytes]:
    def node(level: int, index: int) -> bytes:
        return tree_hash(entries[index << level : (index + 1) << level])

    return merkle.consistency_proof(old, len(entries), node)


def test_roots_are_those_of_the_rfc() -> None:
    entries = [bytes.fromhex(text) for text in LEAVES]
    assert merkle.leaf_hash(entries[0]).hex() == FIRST_ROOT
    for index, entry in enumerate(entries):
        root = merkle.root_by_inclusion(index, 8, merkle.leaf_hash(entry), path_to(index, entries))
        assert root is not None and root.hex() == LAST_ROOT


def test_every_leaf_of_every_small_tree_is_found_and_no_other_place() -> None:
    for size in range(1, MOST):
        entries = entries_of(size)
        root = tree_hash(entries)
        for index in range(size):
            leaf, proof = merkle.leaf_hash(entries[index]), path_to(index, entries)
            assert merkle.root_by_inclusion(index, size, leaf, proof) == root
            assert merkle.root_by_inclusion(index, size, leaf, [*proof, bytes(32)]) is None
            assert not proof or merkle.root_by_inclusion(index, size, leaf, proof[:-1]) is None
            assert merkle.root_by_inclusion((index + 1) % size, size, leaf, proof) != root or size == 1


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0), (0, -1), (5, 2)])
def test_an_index_beyond_the_tree_has_no_root(index: int, size: int) -> None:
    assert merkle.root_by_inclusion(index, size, bytes(32), [bytes(32)] * 2) is None


def test_every_small_tree_continues_every_smaller_one() -> None:
    for size in range(1, MOST):
        entries = entries_of(size)
        for old in range(1, size + 1):
            old_root, root, proof = tree_hash(entries[:old]), tree_hash(entries), proof_of(old, entries)
            assert merkle.is_consistent(old, old_root, size, root, proof)
            assert not merkle.is_consistent(old, old_root, size, root, [*proof, bytes(32)])
            assert not proof or not merkle.is_consistent(old, old_root, size, root, proof[:-1])
            assert not merkle.is_consistent(old, bytes(32), size, root, proof)
            assert not merkle.is_consistent(old, old_root, size, bytes(32), proof)


def test_a_fork_has_no_proof() -> None:
    """The first 20 leaves but one are the same: whatever of either tree is sent, it does not prove the other."""
    first, forked = entries_of(30), entries_of(30)
    forked[11] = bytes(32)
    for entries in (first, forked):
        assert not merkle.is_consistent(20, tree_hash(first[:20]), 30, tree_hash(forked), proof_of(20, entries))


def test_a_smaller_tree_is_no_continuation() -> None:
    entries = entries_of(9)
    for proof in ([], [bytes(32)], path_to(3, entries)):
        assert not merkle.is_consistent(9, tree_hash(entries), 8, tree_hash(entries[:8]), proof)
    assert merkle.is_consistent(0, hashlib.sha256().digest(), 8, tree_hash(entries[:8]), [])
    assert not merkle.is_consistent(0, bytes(32), 8, tree_hash(entries[:8]), [])


@pytest.mark.parametrize(
    ("number", "width", "path"),
    [(0, 256, "000"), (5, 3, "005.p/3"), (1234, 256, "x001/234"), (1234067, 7, "x001/x234/067.p/7")],
)
def test_tiles_have_the_paths_of_the_format(number: int, width: int, path: str) -> None:
    assert tile_path(2, number, width) == f"tile/2/{path}"


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 600, 1025])
def test_consistency_is_read_from_tiles(size: int) -> None:
    entries = entries_of(size)
    files = tile_files(entries)
    root = tree_hash(entries)
    for old in {1, 2, 3, 255, 256, 257, 511, size - 1, size}:
        if 0 < old <= size:
            reader = TileReader(size, lambda path, limit: files.get(path))
            proof = merkle.consistency_proof(old, size, reader.read_node)
            assert merkle.is_consistent(old, tree_hash(entries[:old]), size, root, proof)
            assert len(reader.tiles) <= 5


def test_a_tile_that_has_grown_is_read_at_the_older_size() -> None:
    files = tile_files(entries_of(600))
    reader = TileReader(500, lambda path, limit: files.get(path))
    assert reader.read_tile(0, 1) == TileReader(600, lambda path, limit: files.get(path)).read_tile(0, 1)[:244]


@pytest.mark.parametrize(
    "damage", [lambda tile: tile[:-1], lambda tile: tile + b"x", lambda tile: b"", lambda tile: None]
)
def test_damaged_tiles_are_named(damage) -> None:
    files = tile_files(entries_of(300))
    reader = TileReader(300, lambda path, limit: damage(files[path]) if path in files else None)
    with pytest.raises(TileError, match="tile/0/00"):
        reader.read_node(0, 299)


def test_changed_hashes_prove_nothing() -> None:
    entries, source = entries_of(300), random.Random(6962)
    root, old_root = tree_hash(entries), tree_hash(entries[:200])
    for _ in range(30):
        files = tile_files(entries)
        path = source.choice(sorted(files))
        at = source.randrange(len(files[path]))
        files[path] = files[path][:at] + bytes([files[path][at] ^ 1 << source.randrange(8)]) + files[path][at + 1 :]
        reader = TileReader(300, lambda path, limit, files=files: files.get(path))
        proof = merkle.consistency_proof(200, 300, reader.read_node)
        untouched = merkle.consistency_proof(
            200, 300, TileReader(300, lambda p, n: tile_files(entries).get(p)).read_node
        )
        assert merkle.is_consistent(200, old_root, 300, root, proof) == (proof == untouched)
