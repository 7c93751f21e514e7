"""Merkle trees as RFC 6962 and RFC 9162 define them: what a leaf hashes to, and whether a proof leads to a root.

Hashes are 32 bytes. A tree of n leaves has one root; a proof is a list of hashes.
"""

import hashlib

EMPTY_ROOT = hashlib.sha256(b"").digest()
"""Of a tree without leaves, with which every other begins."""


def leaf_hash(entry):
    """The hash of a leaf, from the bytes that the log recorded."""
    return hashlib.sha256(b"\0" + entry).digest()


def node_hash(first, second):
    return hashlib.sha256(b"\1" + first + second).digest()


def root_by_inclusion(index, size, leaf, proof):
    """The root of a tree of `size` leaves that has the leaf hash at `index` (RFC 9162, section 2.1.3.2).

    None where the proof has another length than a tree of that size needs, or the index lies beyond it.
    """
    if not 0 <= index < size:
        return None
    place, last, root = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return None
        if place & 1 or place == last:
            root = node_hash(sibling, root)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            root = node_hash(root, sibling)
        place, last = place >> 1, last >> 1
    return root if last == 0 else None


def is_consistent(old_size, old_root, new_size, new_root, proof):
    """Whether a larger tree begins with all leaves of a smaller one (RFC 9162, section 2.1.4.2)."""
    if old_size == new_size:
        return old_root == new_root and not proof
    if old_size == 0:
        return old_root == EMPTY_ROOT and not proof
    if not 0 < old_size < new_size:
        return False
    # A whole smaller tree is its own first hash.
    hashes = list(proof) if old_size & (old_size - 1) else [old_root] + list(proof)
    if not hashes:
        return False
    place, last = old_size - 1, new_size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and old == old_root and new == new_root


def consistency_proof(old_size, new_size, read_node):
    """The hashes that prove a tree of `old_size` the beginning of one of `new_size` (RFC 9162, section 2.1.4.1).

    `read_node(level, index)` gives the hash over the 2^level leaves that begin at index * 2^level.
    """
    if not 0 < old_size < new_size:
        return []
    return list(consistency_hashes(old_size, 0, new_size, True, read_node))


def consistency_hashes(old_size, begin, end, is_whole, read_node):
    """Yield SUBPROOF of the RFC over the leaves from `begin` to `end`, of which `old_size` were there before."""
    count = end - begin
    if old_size == count:
        if not is_whole:
            yield root_of(begin, end, read_node)
        return
    split = largest_power_below(count)
    if old_size <= split:
        yield from consistency_hashes(old_size, begin, begin + split, is_whole, read_node)
        yield root_of(begin + split, end, read_node)
    else:
        yield from consistency_hashes(old_size - split, begin + split, end, False, read_node)
        yield root_of(begin, begin + split, read_node)


def root_of(begin, end, read_node):
    """The root over the leaves from `begin` to `end`; `begin` is a multiple of the power of two that fits in."""
    count = end - begin
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return read_node(level, begin >> level)
    split = largest_power_below(count)
    return node_hash(root_of(begin, begin + split, read_node), root_of(begin + split, end, read_node))


def largest_power_below(count):
    """The largest power of two that is smaller than a count above 1."""
    return 1 << ((count - 1).bit_length() - 1)
