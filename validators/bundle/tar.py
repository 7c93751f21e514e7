"""Read a tar from a stream in one pass, whatever its headers claim.

The standard library's reader is made for archives that one can trust: it fills the holes of sparse files without
end, keeps every header it met, and searches extended headers in quadratic time. This one reads plain files, bounded:
headers are never believed, each is checked, and content is handed out as it comes.
Formats: POSIX ustar and pax, GNU, V7 (IEEE Std 1003.1, "pax Interchange Format"; GNU tar manual, "Basic Tar Format").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

BLOCK = 512
CHUNK = 256 * 1024
_EXTENDED_BYTES = 64 * 1024
"""An extended header (long names, pax records) has a few hundred bytes; a longer one is an attack on memory."""
_EXTENDED_HEADERS = 8
"""Extended headers before one member: tools write one or two."""
_KINDS = {b"1": "link", b"2": "link", b"3": "device", b"4": "device", b"6": "device", b"5": "folder", b"D": "folder"}
_WITHOUT_CONTENT = frozenset(b"123456")


class TarError(ValueError):
    """This is not a tar, is a damaged one, or one of a form that is not read here."""


class ReadableStream(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class TarMember:
    """One member: `name` as written, `kind` (file, folder, link, device), and its content while it is the current one.

    `read` raises EOFError where the stream ends before the content does.
    """

    __slots__ = ("_left", "_padding", "_stream", "kind", "name")

    def __init__(self, name: str, kind: str, size: int, stream: ReadableStream) -> None:
        self.name = name
        self.kind = kind
        self._stream = stream
        self._left = size
        self._padding = -size % BLOCK

    def read(self, size: int = CHUNK, /) -> bytes:
        """Up to `size` bytes of the content; b"" at its end. Raises EOFError where the tar ends inside it."""
        content = self._stream.read(min(size, self._left))
        if self._left and not content:
            raise EOFError("the tar ends inside a file")
        self._left -= len(content)
        return content

    def skip(self) -> None:
        """Pass over what was not read, and the padding after it. The very last padding may be missing."""
        while self.read():
            pass
        self._stream.read(self._padding)


def is_header(block: bytes) -> bool:
    """True for 512 bytes that begin with a tar header: its checksum is right."""
    try:
        return len(block) >= BLOCK and _checksum_is_right(block[:BLOCK])
    except TarError:
        return False


def members(stream: ReadableStream) -> Iterator[TarMember]:
    """The members in order; each can be read until the next is asked for. Raises TarError or EOFError.

    Ends at the first block of zeros, or where the stream ends between two members.
    """
    while True:
        member = _next_member(stream)
        if member is None:
            return
        yield member
        member.skip()


def _next_member(stream: ReadableStream) -> TarMember | None:
    """The next member, with what the extended headers before it say; None at the end."""
    name, size = None, None
    for _ in range(_EXTENDED_HEADERS + 1):
        header = stream.read(BLOCK)
        if not header or not any(header):
            return None
        if len(header) < BLOCK:
            raise EOFError("the tar ends inside a header")
        if not _checksum_is_right(header):
            raise TarError("a header has a wrong checksum")
        letter = header[156:157]
        if letter in b"xX":
            name, size = _pax_name_and_size(_extended(header, stream), name, size)
        elif letter == b"L":
            name = _text(_extended(header, stream).partition(b"\0")[0])
        elif letter in b"gKV":
            _extended(header, stream)
        else:
            return _member(header, name, size, stream)
    raise TarError("too many extended headers before a file")


def _member(header: bytes, name: str | None, size: int | None, stream: ReadableStream) -> TarMember:
    letter = header[156:157]
    if letter in b"SM":
        raise TarError("sparse files and archives of several volumes are not read")
    name = _name(header) if name is None else name
    kind = _KINDS.get(letter, "folder" if name.endswith("/") else "file")
    size = _number(header[124:136]) if size is None else size
    return TarMember(name, kind, 0 if header[156] in _WITHOUT_CONTENT else size, stream)


def _extended(header: bytes, stream: ReadableStream) -> bytes:
    """The content of an extended header."""
    size = _number(header[124:136])
    if size > _EXTENDED_BYTES:
        raise TarError("an extended header is too long")
    member = TarMember("", "file", size, stream)
    content = b"".join(iter(member.read, b""))
    member.skip()
    return content


def _pax_name_and_size(content: bytes, name: str | None, size: int | None) -> tuple[str | None, int | None]:
    """`path` and `size` of pax records, each "LENGTH KEY=VALUE\\n"; the values given where there are none."""
    position = 0
    while position < len(content) and content[position]:
        length, blank, _ = content[position : position + 8].partition(b" ")
        if not (blank and length.isdigit() and len(length) + 2 < int(length) <= len(content) - position):
            raise TarError("a pax record has a wrong length")
        record = content[position + len(length) + 1 : position + int(length) - 1]
        key, _, value = record.partition(b"=")
        if key.startswith(b"GNU.sparse."):
            raise TarError("sparse files are not read")
        if key == b"path":
            name = _text(value)
        elif key == b"size":
            size = _decimal(value)
        position += int(length)
    return name, size


def _decimal(value: bytes) -> int:
    if not value.isdigit() or len(value) > 20:
        raise TarError("a pax size is not a number")
    return int(value)


def _name(header: bytes) -> str:
    """The name, with the prefix that POSIX put before it; GNU uses those bytes for other things."""
    name = header[:100].partition(b"\0")[0]
    prefix = header[345:500].partition(b"\0")[0] if header[257:263] == b"ustar\0" else b""
    return _text(prefix + b"/" + name if prefix else name)


def _text(name: bytes) -> str:
    """A name as text; bytes that are not UTF-8 become replacement characters."""
    return name.decode("utf-8", "replace")


def _number(field: bytes) -> int:
    """A number in octal digits or, from 8 GiB on, in binary with the first bit set."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.partition(b"\0")[0].strip()
    try:
        number = int(digits or b"0", 8)
    except ValueError:
        number = -1
    if number < 0:
        raise TarError("a number in a header cannot be read")
    return number


def _checksum_is_right(header: bytes) -> bool:
    """The sum of all bytes, its own eight counted as blanks; very old tools summed signed bytes."""
    stored = _number(header[148:156])
    rest = header[:148] + header[156:]
    unsigned = sum(rest) + 8 * 32
    return stored == unsigned or stored == unsigned - 256 * sum(byte > 127 for byte in rest)
