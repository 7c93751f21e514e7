"""The tree is that of RFC 9162: the roots that other logs publish for the same entries, and proofs of every pair."""

from __future__ import annotations

import hashlib

import pytest

from registry.log.merkle_tree import (
    EMPTY_ROOT,
    NotInTree,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    root_of_entries,
    root_of_full,
)

# The test vectors of the reference implementation of certificate transparency.
ENTRIES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def read_node(entries: list[bytes]):
    hashes = [leaf_hash(entry) for entry in entries]
    return lambda level, index: root_of_full(hashes[index << level : (index + 1) << level])


def pair_hash(first: bytes, second: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + first + second).digest()


def root_by_inclusion(entry: bytes, index: int, size: int, proof: list[bytes]) -> bytes:
    """RFC 9162, 2.1.3.2, as it stands there."""
    fn, sn, r = index, size - 1, hashlib.sha256(b"\x00" + entry).digest()
    for p in proof:
        assert sn
        if fn & 1 or fn == sn:
            r = pair_hash(p, r)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = pair_hash(r, p)
        fn, sn = fn >> 1, sn >> 1
    assert sn == 0
    return r


def roots_by_consistency(first: int, second: int, first_root: bytes, proof: list[bytes]) -> tuple[bytes, bytes]:
    """RFC 9162, 2.1.4.2, as it stands there."""
    path = [first_root, *proof] if first & (first - 1) == 0 else list(proof)
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for c in path[1:]:
        assert sn
        if fn & 1 or fn == sn:
            fr, sr = pair_hash(c, fr), pair_hash(c, sr)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = pair_hash(sr, c)
        fn, sn = fn >> 1, sn >> 1
    assert sn == 0
    return fr, sr


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_are_those_of_another_implementation(size: int) -> None:
    assert root_of_entries(ENTRIES[:size]).hex() == ROOTS[size - 1]


def test_the_empty_tree_has_the_hash_of_no_bytes() -> None:
    assert root_of_entries([]) == EMPTY_ROOT == hashlib.sha256(b"").digest()


def test_every_entry_of_every_small_tree_is_proven() -> None:
    entries = [bytes([number]) for number in range(40)]
    for size in range(1, 41):
        root = root_of_entries(entries[:size])
        for index in range(size):
            proof = inclusion_proof(index, size, read_node(entries[:size]))
            assert root_by_inclusion(entries[index], index, size, proof) == root


def test_every_small_tree_begins_with_every_smaller_one() -> None:
    entries = [bytes([number]) for number in range(40)]
    roots = [root_of_entries(entries[:size]) for size in range(41)]
    for size in range(2, 41):
        for old in range(1, size):
            proof = consistency_proof(old, size, read_node(entries[:size]))
            assert roots_by_consistency(old, size, roots[old], proof) == (roots[old], roots[size])


def test_equal_trees_need_no_consistency_proof() -> None:
    assert consistency_proof(7, 7, read_node(ENTRIES)) == []


@pytest.mark.parametrize(("index", "size"), [(-1, 8), (8, 8), (0, 0)])
def test_an_index_outside_the_tree_is_refused(index: int, size: int) -> None:
    with pytest.raises(NotInTree):
        inclusion_proof(index, size, read_node(ENTRIES))


@pytest.mark.parametrize(("old", "size"), [(0, 8), (9, 8)])
def test_consistency_from_a_larger_or_empty_tree_is_refused(old: int, size: int) -> None:
    with pytest.raises(NotInTree):
        consistency_proof(old, size, read_node(ENTRIES))
