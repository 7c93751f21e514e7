"""Read a tar from a stream in one pass, whatever its headers claim.

The standard library's reader is made for archives that one can trust: it fills the holes of sparse files without
end, keeps every header it met, and searches extended headers in quadratic time. This one reads plain files, bounded:
headers are never believed, each is checked, and content is handed out as it comes.
Formats: POSIX ustar and pax, GNU, V7 (IEEE Std 1003.1, "pax Interchange Format"; GNU tar manual, "Basic Tar Format").
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import Protocol

BLOCK = 512
CHUNK = 256 * 1024
_EXTENDED_BYTES = 64 * 1024
"""An extended header (long names, pax records) has a few hundred bytes; a longer one is an attack on memory."""
_EXTENDED_HEADERS = 8
"""Extended headers before one member: tools write one or two."""
_KINDS = {b"1": "link", b"2": "link", b"3": "device", b"4": "device", b"6": "device", b"5": "folder", b"D": "folder"}
_WITHOUT_CONTENT = frozenset(b"123456")
_NAME, _LINK, _USER, _GROUP = slice(0, 100), slice(157, 257), slice(265, 297), slice(297, 329)
_HEADER_END, _STAR_MARK = slice(500, 512), b"tar\0"
_PAX_READ = frozenset({b"path", b"size"})
_PAX_NUMBERS = frozenset({b"atime", b"ctime", b"mtime", b"uid", b"gid", b"LIBARCHIVE.creationtime"})
_PAX_NUMBER = re.compile(rb"-?[0-9.]{1,30}\Z")
_PAX_TEXTS = {
    **{b"linkpath": 1000, b"uname": 100, b"gname": 100, b"charset": 40, b"hdrcharset": 40},
    **{b"SCHILY.": 32, b"LIBARCHIVE.xattr.": 32},
}
"""How the keys of texts begin that tools write, and the most bytes of each. Systems mark files with a few bytes."""
_PAX_KEY_BYTES = 100

Unclaimed = Callable[[str, Callable[[int], bytes]], None]
"""Takes where in an archive bytes stand that belong to no file, and what reads them."""


class TarError(ValueError):
    """This is not a tar, is a damaged one, or one of a form that is not read here."""


class ReadableStream(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class TarMember:
    """One member: `name` as written, `kind` (file, folder, link, device), and its content while it is the current one.

    `read` raises EOFError where the stream ends before the content does.
    """

    __slots__ = ("_left", "_padding", "_stream", "_unclaimed", "kind", "name")

    def __init__(self, name: str, kind: str, size: int, stream: ReadableStream, unclaimed: Unclaimed) -> None:
        self.name = name
        self.kind = kind
        self._stream = stream
        self._unclaimed = unclaimed
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
        _leave_unclaimed(self._unclaimed, "padding", self._stream.read(self._padding))


def is_header(block: bytes) -> bool:
    """True for 512 bytes that begin with a tar header: its checksum is right."""
    try:
        return len(block) >= BLOCK and _checksum_is_right(block[:BLOCK])
    except TarError:
        return False


def _ignore_unclaimed(place: str, read: Callable[[int], bytes]) -> None:
    """For who asks for the members only."""


def _leave_unclaimed(unclaimed: Unclaimed, place: str, content: bytes) -> None:
    """Zeros are padding."""
    if any(content):
        unclaimed(place, io.BytesIO(content).read)


def members(stream: ReadableStream, unclaimed: Unclaimed = _ignore_unclaimed) -> Iterator[TarMember]:
    """The members in order; each can be read until the next is asked for. Raises TarError or EOFError.

    Ends at the first block of zeros, or where the stream ends between two members. `unclaimed` is called with what
    belongs to no file.
    """
    while True:
        member = _next_member(stream, unclaimed)
        if member is None:
            return
        yield member
        member.skip()


def _next_member(stream: ReadableStream, unclaimed: Unclaimed) -> TarMember | None:
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
        _leave_unclaimed(unclaimed, "unused parts of headers", _unused_parts(header))
        letter = header[156:157]
        if letter in b"xX":
            records, rest = _pax_records(_extended(header, stream, unclaimed))
            name, size = _pax_name_and_size(records, name, size)
            _leave_unclaimed(unclaimed, "pax records", _unknown_records(records, rest))
        elif letter == b"L":
            content, _, rest = _extended(header, stream, unclaimed).partition(b"\0")
            name = _text(content)
            _leave_unclaimed(unclaimed, "unused parts of headers", rest)
        elif letter == b"g":
            _leave_unclaimed(unclaimed, "pax records", _unknown_global_records(_extended(header, stream, unclaimed)))
        elif letter == b"K":
            _leave_unclaimed(
                unclaimed, "unused parts of headers", _extended(header, stream, unclaimed).partition(b"\0")[2]
            )
        elif letter == b"V":
            _leave_unclaimed(unclaimed, "label", _extended(header, stream, unclaimed))
        else:
            return _member(header, name, size, stream, unclaimed)
    raise TarError("too many extended headers before a file")


def _member(
    header: bytes, name: str | None, size: int | None, stream: ReadableStream, unclaimed: Unclaimed
) -> TarMember:
    letter = header[156:157]
    if letter in b"SM":
        raise TarError("sparse files and archives of several volumes are not read")
    name = _name(header) if name is None else name
    kind = _KINDS.get(letter, "folder" if name.endswith("/") else "file")
    size = _number(header[124:136]) if size is None else size
    return TarMember(name, kind, 0 if header[156] in _WITHOUT_CONTENT else size, stream, unclaimed)


def _unused_parts(header: bytes) -> bytes:
    """What stands in a header where nothing belongs: behind the end of its names, and at its own end."""
    names = [header[field].partition(b"\0")[2].strip(b"\0") for field in (_NAME, _USER, _GROUP)]
    has_target = header[156:157] in b"12346K"
    link = header[_LINK].partition(b"\0")[2] if has_target else header[_LINK]
    end = header[_HEADER_END].removesuffix(_STAR_MARK)
    return b"\n".join(part for part in [*names, link.strip(b"\0"), end.strip(b"\0")] if part)


def _extended(header: bytes, stream: ReadableStream, unclaimed: Unclaimed) -> bytes:
    """The content of an extended header."""
    size = _number(header[124:136])
    if size > _EXTENDED_BYTES:
        raise TarError("an extended header is too long")
    member = TarMember("", "file", size, stream, unclaimed)
    content = b"".join(iter(member.read, b""))
    member.skip()
    return content


def _pax_records(content: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Key and value of pax records, each "LENGTH KEY=VALUE\\n", and what follows a zero after them. Raises TarError."""
    records = []
    position = 0
    while position < len(content) and content[position]:
        length, blank, _ = content[position : position + 8].partition(b" ")
        if not (blank and length.isdigit() and len(length) + 2 < int(length) <= len(content) - position):
            raise TarError("a pax record has a wrong length")
        key, _, value = content[position + len(length) + 1 : position + int(length) - 1].partition(b"=")
        records.append((key, value))
        position += int(length)
    return records, content[position:]


def _pax_name_and_size(
    records: list[tuple[bytes, bytes]], name: str | None, size: int | None
) -> tuple[str | None, int | None]:
    """`path` and `size` of pax records; the values given where there are none."""
    for key, value in records:
        if key.startswith(b"GNU.sparse."):
            raise TarError("sparse files are not read")
        if key == b"path":
            name = _text(value)
        elif key == b"size":
            size = _decimal(value)
    return name, size


def _unknown_global_records(content: bytes) -> bytes:
    """What a header for all files has that tools do not write there. Nobody reads its paths and sizes."""
    try:
        records, rest = _pax_records(content)
    except TarError:
        return content
    return _unknown_records([record for record in records if record[0] not in _PAX_READ], rest) + b"\n".join(
        value for key, value in records if key in _PAX_READ
    )


def _unknown_records(records: list[tuple[bytes, bytes]], rest: bytes) -> bytes:
    """Records that tools do not write, or that a later one of the same key replaces; and what follows them."""
    last = dict(records)
    return b"\n".join(
        [key + b"=" + value for key, value in records if last[key] != value or not _is_known(key, value)]
        + [rest] * any(rest)
    )


def _is_known(key: bytes, value: bytes) -> bool:
    if key in _PAX_READ:
        return True
    if key in _PAX_NUMBERS:
        return _PAX_NUMBER.match(value) is not None
    most = max((most for beginning, most in _PAX_TEXTS.items() if key.startswith(beginning)), default=-1)
    return len(key) <= _PAX_KEY_BYTES and len(value) <= most


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
