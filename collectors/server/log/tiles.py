"""Hashes of the tree from the log's static files (c2sp.org/tlog-tiles): each tile has 256 hashes of one level."""

from collectors.server.log import merkle

HEIGHT = 8
WIDTH = 1 << HEIGHT
HASH_BYTES = 32


class TileError(ValueError):
    """A tile is not what its place asks for; the message names it."""


def tile_path(level, number, width):
    """Where a tile lies below the log's address: 1234067 is x001/x234/067, a tile that is not full ends in .p/W."""
    groups = ["%03d" % (number % 1000)]
    while number >= 1000:
        number //= 1000
        groups.insert(0, "x%03d" % (number % 1000))
    return "tile/%d/%s%s" % (level, "/".join(groups), "" if width == WIDTH else ".p/%d" % width)


class TileReader:
    """Nodes of a tree of `size` leaves, read from its tiles, each once.

    `fetch(path, limit_bytes)` gives the bytes of a file of the log, or None where there is none.
    """

    def __init__(self, size, fetch):
        self.size = size
        self.fetch = fetch
        self.tiles = {}

    def read_node(self, level, index):
        """The hash over the 2^level leaves from index * 2^level on. Raises TileError where the log has no such tile."""
        tile_level, above = divmod(level, HEIGHT)
        first = index << above
        number, offset = divmod(first, WIDTH)
        hashes = self.read_tile(tile_level, number)[offset : offset + (1 << above)]
        if len(hashes) != 1 << above:
            raise TileError("The log's tile of level %d, number %d, is too short." % (tile_level, number))
        while len(hashes) > 1:
            hashes = [merkle.node_hash(*hashes[place : place + 2]) for place in range(0, len(hashes), 2)]
        return hashes[0]

    def read_tile(self, level, number):
        """The hashes of a tile, as many as a tree of this size has there."""
        if (level, number) not in self.tiles:
            width = min(WIDTH, (self.size >> (HEIGHT * level)) - number * WIDTH)
            self.tiles[level, number] = self.fetch_tile(level, number, width)
        return self.tiles[level, number]

    def fetch_tile(self, level, number, width):
        """Read a tile, or the full one in its place. Raises TileError where neither is there, or one is damaged."""
        for stored in [width] if width == WIDTH else [width, WIDTH]:
            path = tile_path(level, number, stored)
            content = self.fetch(path, WIDTH * HASH_BYTES)
            if content is None:
                continue
            if len(content) != stored * HASH_BYTES:
                raise TileError("%s has %d bytes, not %d." % (path, len(content), stored * HASH_BYTES))
            return [content[at : at + HASH_BYTES] for at in range(0, width * HASH_BYTES, HASH_BYTES)]
        raise TileError("The log has no %s." % tile_path(level, number, width))
