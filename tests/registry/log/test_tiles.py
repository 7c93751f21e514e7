"""Tiles have the names of C2SP tlog-tiles, and one name each."""

from __future__ import annotations

import pytest

from registry.log import tiles

PATHS = {
    (0, 0, 256): "0/000",
    (0, 0, 1): "0/000.p/1",
    (1, 67, 256): "1/067",
    (0, 1234067, 256): "0/x001/x234/067",
    (2, 1000, 255): "2/x001/000.p/255",
    ("entries", 999, 256): "entries/999",
    ("entries", 273, 112): "entries/273.p/112",
}


@pytest.mark.parametrize(("tile", "path"), PATHS.items())
def test_a_tile_has_one_path_and_a_path_one_tile(tile: tuple[int | str, int, int], path: str) -> None:
    assert tiles.tile_path(*tile) == path
    assert tiles.parse_path(path) == tile


@pytest.mark.parametrize(
    "path",
    [
        *("", "0", "0/0", "0/00", "0/0000", "0/x000/000", "0/000.p/0", "0/000.p/256", "0/000.p/", "0/000.p/01"),
        *(
            "6/000",
            "-1/000",
            "0/../000",
            "0/000/",
            "0/x001/x234",
            "entries/x000/001",
            "0/\u0660\u0660\u0660",
            "0/000\n",
            "00/000",
        ),
    ],
)
def test_other_paths_are_no_tiles(path: str) -> None:
    assert tiles.parse_path(path) is None


def test_bundles_are_read_as_they_were_packed() -> None:
    entries = [bytes([number]) * 32 for number in range(5)]
    content = tiles.pack_entries(entries)
    assert content[:4] == b"\x00\x20\x00\x00"
    assert tiles.unpack_entries(content) == entries


@pytest.mark.parametrize("content", [b"\x00", b"\x00\x20" + b"x" * 31, tiles.pack_entries([b"x" * 32])[:-1]])
def test_a_truncated_entry_bundle_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="cut short"):
        tiles.unpack_entries(content)


@pytest.mark.parametrize(
    ("level", "old", "new", "changed"),
    [
        (0, 0, 1, [0]),
        (0, 1, 1, []),
        (0, 255, 257, [0, 1]),
        (0, 256, 300, [1]),
        (1, 0, 255, []),
        (1, 255, 256, [0]),
        (1, 256, 511, []),
        (1, 0, 65_536 + 256, [0, 1]),
        (2, 65_535, 65_536, [0]),
    ],
)
def test_only_tiles_that_grew_are_written(level: int, old: int, new: int, changed: list[int]) -> None:
    assert list(tiles.changed_tiles(level, old, new)) == changed
