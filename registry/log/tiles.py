"""Tiles: the hashes of the tree in files of 256, and the entries beside them, under names that anybody can compute.

Level 0 has the hash of each entry, level L + 1 the hash over each full tile of level L. A tile that is not full yet has
its width in its name. Source: C2SP tlog-tiles.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence

from registry.log.merkle_tree import ReadNode, root_of_full

TileReader = Callable[[int, int, int], list[bytes]]
"""Gives the hashes of a tile by level, index and width."""

WIDTH = 256
HEIGHT = 8
"""Levels of the tree that a tile holds: 2^8 is its width."""
HASH_SIZE = 32
ENTRIES = "entries"
HIGHEST_LEVEL = 5
"""Level of a tile over 2^48 entries; the specification stops at 63 levels of the tree."""
_PATH = re.compile(
    r"(?P<level>entries|[0-5])/(?P<index>(?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/(?P<width>[1-9][0-9]{0,2}))?"
)


def tile_path(level: int | str, index: int, width: int = WIDTH) -> str:
    """Where a tile lies below `tile/`: 0/x001/x234/067, or 0/x001/x234/067.p/8 with 8 of 256 hashes."""
    groups = [f"{index % 1000:03d}"]
    while index := index // 1000:
        groups.insert(0, f"x{index % 1000:03d}")
    return f"{level}/{'/'.join(groups)}" + (f".p/{width}" if width < WIDTH else "")


def parse_path(path: str) -> tuple[int | str, int, int] | None:
    """Level, index and width of the tile that lies there; None for what is no path of a tile."""
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    level: int | str = match["level"] if match["level"] == ENTRIES else int(match["level"])
    index, width = int(re.sub("[x/]", "", match["index"])), int(match["width"] or WIDTH)
    return (level, index, width) if tile_path(level, index, width) == path else None


def count_at(level: int, size: int) -> int:
    """How many hashes, a count without unit, a tree of `size` entries has at a level of tiles."""
    return size >> (HEIGHT * level)


def width_of(level: int, index: int, size: int) -> int:
    """How many hashes, a count without unit, that tile of a tree of `size` entries has; 0 where it has no such tile."""
    return max(0, min(WIDTH, count_at(level, size) - index * WIDTH))


def changed_tiles(level: int, old_size: int, size: int) -> range:
    """The tiles of a level that a tree of `size` has, and one of `old_size` not or not so wide."""
    first, count = count_at(level, old_size) // WIDTH, count_at(level, size)
    return range(first, -(-count // WIDTH)) if count > count_at(level, old_size) else range(0)


def pack_entries(entries: Sequence[bytes]) -> bytes:
    """A bundle of entries: before each its length, 16 bits, the high byte first."""
    return b"".join(struct.pack(">H", len(entry)) + entry for entry in entries)


def unpack_entries(content: bytes) -> list[bytes]:
    """The entries of a bundle. Raises ValueError where it is cut short."""
    return list(_iterate_bundle(content))


def _iterate_bundle(content: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(content):
        end = place + 2 + int.from_bytes(content[place : place + 2], "big")
        if end > len(content) or end < place + 2 or place + 2 > len(content):
            raise ValueError("a bundle of entries is cut short")
        yield content[place + 2 : end]
        place = end


def split_hashes(content: bytes) -> list[bytes]:
    return [content[place : place + HASH_SIZE] for place in range(0, len(content), HASH_SIZE)]


def node_reader(size: int, read_tile: TileReader) -> ReadNode:
    """How to find any whole node of a tree of `size` entries in its tiles: each is asked for once, and kept."""
    tile_hashes: dict[tuple[int, int], list[bytes]] = {}

    def read_node(level: int, index: int) -> bytes:
        tile_level, height = divmod(level, HEIGHT)
        number, place = divmod(index << height, WIDTH)
        key = (tile_level, number)
        if key not in tile_hashes:
            tile_hashes[key] = read_tile(tile_level, number, width_of(tile_level, number, size))
        return root_of_full(tile_hashes[key][place : place + (1 << height)])

    return read_node
