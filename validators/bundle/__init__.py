"""Open what was uploaded, safely: one file, a folder, a tar or zip, compressed files, and archives inside archives.

Everything in here is hostile until proven otherwise. Sizes are counted while bytes are decompressed, never believed;
content goes to one temporary file beyond SPOOL_BYTES; nothing is extracted to a path that an archive names.
A member of an inner archive has the path `outer/inner.zip/member`.

What makes an archive unreadable or dangerous as a whole raises BundleError. A single member that must not be there
(traversal, absolute path, link, device) is left out and becomes an error finding, so that the rest can still be read.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import struct
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, NoReturn

from validators.bundle import compressed, sources, tar, zip_members
from validators.findings import ERROR, INFO, WARNING, Finding

CHUNK = 256 * 1024
SPOOL_BYTES = 32 * 1024 * 1024
LINE_LIMIT = 512 * 1024
"""Bytes of one line that a parser has to read; longer ones are refused as `line-too-long`."""
HEAD_BYTES = 64 * 1024
"""Bytes by which an output is known; launchers print a line per rank before the tool's own first one."""
_HEADS_KEPT = 512
"""At most 32 MiB; the heads of further files are read again."""
_ZIP_DIRECTORY_BYTES = 4 * 1024 * 1024
_PATH_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bundle may cost. The ratio binds once `ratio_from_bytes` came out: honest small ones reach 133:1."""

    packed_bytes: int = 64 * 1024 * 1024
    files: int = 2_000  # of one archive
    files_in_all: int = 10_000  # with those of archives inside: a published bundle of nine zips holds 2,792
    headers: int = 20_000  # folders and what is left out count as well: reading a header costs time
    unpacked_bytes: int = 1024 * 1024 * 1024
    ratio: int = 100
    ratio_from_bytes: int = 32 * 1024 * 1024
    depth: int = 4


LIMITS = Limits()


class BundleError(Exception):
    """The bundle can't be read as a whole; `finding` says why and what to do."""

    def __init__(self, code: str, message: str, hint: str, where: str = "") -> None:
        super().__init__(message)
        self.finding = Finding(code, ERROR, message, hint, where)


class StoredFile(NamedTuple):
    """A file on disk that is opened as part of a bundle, and the sha256 under which it is stored, "" if unknown."""

    path: Path
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One regular file of a bundle: `size` in bytes; where its content lies is the bundle's affair.

    `sources` are the sha256 of the stored files that the content was read from: one, unless two hold the same file.
    """

    size: int
    offset: int = 0
    file: Path | None = None
    sources: frozenset[str] = frozenset()


@dataclass(slots=True)
class Bundle:
    """The files of a bundle by normalised relative POSIX path, in the order they were met.

    `unread` are contents that no reader gets: litter, refused names, the second file of a path, what lies before the
    damage of an archive. Whoever searches stored bytes must look into them, too.
    """

    files: dict[str, ArchiveEntry] = field(default_factory=dict)
    unread: list[tuple[str, ArchiveEntry]] = field(default_factory=list)
    unopened: dict[str, str] = field(default_factory=dict)
    """Why files stayed packed that could have been opened, by path."""
    unreadable: BundleError | None = None
    findings: list[Finding] = field(default_factory=list)
    packed_bytes: int = 0
    unpacked_bytes: int = 0
    _heads: dict[str, bytes] = field(default_factory=dict)
    _spool: IO[bytes] = field(default_factory=lambda: tempfile.SpooledTemporaryFile(SPOOL_BYTES))  # noqa: SIM115

    def read(self, path: str, limit: int | None = None) -> bytes:
        """The content of a file, at most `limit` bytes of it. KeyError for a path that isn't in `files`."""
        entry = self.files[path]
        size = entry.size if limit is None else min(entry.size, limit)
        if entry.file is not None:
            with sources.open_regular(entry.file) as file:
                file.seek(entry.offset)
                return file.read(size)
        self._spool.seek(entry.offset)
        return self._spool.read(size)

    def head(self, path: str, size: int = HEAD_BYTES) -> bytes:
        """The first `size` bytes of a file; read once, however many look at it. KeyError as with `read`."""
        if self.files[path].size > HEAD_BYTES < size:
            return self.read(path, size)
        if (head := self._heads.get(path)) is None:
            head = self.read(path, HEAD_BYTES)
            if len(self._heads) < _HEADS_KEPT:
                self._heads[path] = head
        return head[:size]

    def chunks(self, path: str) -> Iterator[bytes]:
        """The whole content of a file in pieces of at most CHUNK bytes. KeyError for a path that isn't in `files`."""
        yield from self.pieces(self.files[path])

    def pieces(self, entry: ArchiveEntry) -> Iterator[bytes]:
        """The whole content of an entry in pieces of at most CHUNK bytes."""
        for begun in range(0, entry.size, CHUNK):
            yield self.slice(entry, begun)

    def slice(self, entry: ArchiveEntry, begun: int) -> bytes:
        """At most CHUNK bytes of a file, from the byte `begun` on."""
        if entry.file is not None:
            with sources.open_regular(entry.file) as file:
                file.seek(entry.offset + begun)
                return file.read(min(CHUNK, entry.size - begun))
        self._spool.seek(entry.offset + begun)
        return self._spool.read(min(CHUNK, entry.size - begun))

    def without(self, paths: Container[str]) -> Bundle:
        """The same bundle to who shall not see some of its files. Only the whole one is closed."""
        return replace(self, files={path: entry for path, entry in self.files.items() if path not in paths})

    def store(self, content: bytes, like: ArchiveEntry) -> ArchiveEntry:
        """Keep another form of a file, for who reads it; `like` is the file that it was made of."""
        offset = self._spool.seek(0, os.SEEK_END)
        self._spool.write(content)
        return ArchiveEntry(len(content), offset, sources=like.sources)

    def close(self) -> None:
        self._spool.close()


@contextmanager
def open_bundle(
    path: str | Path,
    limits: Limits = LIMITS,
    name: str = "",
    extra_files: Mapping[str, StoredFile] | None = None,
    sha256: str = "",
    partly: bool = False,
) -> Iterator[Bundle]:
    """Open a raw file, a folder or an archive for reading. Raises BundleError; OSError where the path is not there.

    `partly`: a bundle that can't be read as a whole is given as far as it was read, and has `unreadable`.

    `name` is what a raw file was called where it came from; storage knows it by another name. `extra_files` are
    files by name, read as if they lay in the root of the bundle and within its limits. `sha256` is that of `path`
    where it is stored; each entry says from which stored file it was read.
    """
    bundle = Bundle()
    stored = [("", StoredFile(Path(path), sha256)), *(extra_files or {}).items()]
    try:
        opening = _Opening(bundle, limits, name)
        for called, file in stored:
            opening.sources = frozenset({file.sha256} - {""})
            try:
                opening.add(called, file.path) if called else opening.open(file.path)
            except BundleError as error:
                if not partly:
                    raise
                bundle.unreadable = bundle.unreadable or error
                file_stat = sources.file_status(file.path, follow_links=True)
                if stat.S_ISREG(file_stat.st_mode) and file_stat.st_size <= limits.packed_bytes:
                    entry = ArchiveEntry(file_stat.st_size, file=file.path)
                    opening.leave_unread(called or name or file.path.name, entry)
        yield bundle
    finally:
        bundle.close()


class _Opening:
    """One opening: keeps count of what was unpacked, over all levels, and adds members to the bundle."""

    def __init__(self, bundle: Bundle, limits: Limits, name: str) -> None:
        self.bundle = bundle
        self.limits = limits
        self.name = name
        self.sources: frozenset[str] = frozenset()  # sha256 of the stored files whose bytes are being read
        self._met: Counter[str] = Counter()  # files of each archive, by its path
        self._headers = 0

    def open(self, path: Path) -> None:
        mode = sources.file_status(path, follow_links=True).st_mode
        if stat.S_ISDIR(mode):
            self._folder(path)
        elif stat.S_ISREG(mode):
            self._file(path)
        else:
            raise BundleError("bundle.device", "This is not a regular file.", "Give a file, a folder or an archive.")

    # Folders

    def _folder(self, root: Path) -> None:
        for folder, subfolders, names in os.walk(root):
            subfolders.sort()
            for name in sorted(names + [name for name in subfolders if (Path(folder) / name).is_symlink()]):
                self._folder_member(root, Path(folder) / name)
        self.bundle.packed_bytes = max(self.bundle.packed_bytes, self.bundle.unpacked_bytes)

    def _folder_member(self, root: Path, file: Path) -> None:
        self.add(file.relative_to(root).as_posix(), file)

    def add(self, name: str, file: Path) -> None:
        """Add one file on disk under a name of its own, with what is in it if it is an archive."""
        file_stat = sources.file_status(file)
        kind = _kind_of_mode(file_stat.st_mode)
        path = self._accept(_readable(name), kind)
        if path is None:
            if kind == "file":
                self.leave_unread(name, ArchiveEntry(file_stat.st_size, file=file))
            return
        self.bundle.packed_bytes += file_stat.st_size
        self._charge(file_stat.st_size)
        with sources.open_regular(file) as content:
            kind = _archive_kind(content.read(1024))
        self._add(path, ArchiveEntry(file_stat.st_size, file=file))
        if kind:
            self._inner(path, kind, depth=1)

    # Files and archives

    def _file(self, path: Path) -> None:
        with sources.open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > self.limits.packed_bytes:
                raise BundleError(
                    "bundle.too-large",
                    f"The bundle has {size} bytes; {self.limits.packed_bytes} are allowed.",
                    "Leave out what no check reads, such as per-rank tables of every phase.",
                )
            self.bundle.packed_bytes = size
            kind = _archive_kind(file.read(1024))
            file.seek(0)
            called = _readable(self.name or path.name)
            if kind and self._expand(file, kind, prefix="", depth=0, called=called):
                return
            file.seek(0)
            name = self._accept(called, "file")
            if name is None:
                self.leave_unread(called, ArchiveEntry(size, file=path))
            else:
                self._charge(size)
                self._add(name, ArchiveEntry(size, file=path))

    def _inner(self, path: str, kind: str, depth: int) -> None:
        """Open an archive inside the bundle; one that can't be read is a warning, and stays a file."""
        if depth > self.limits.depth:
            raise BundleError(
                "bundle.nested-too-deep",
                f"Archives lie more than {self.limits.depth} deep inside one another.",
                "Upload the result folder itself.",
                path,
            )
        with tempfile.TemporaryFile() as file:
            for chunk in self.bundle.chunks(path):
                file.write(chunk)
            file.seek(0)
            outer, self.sources = self.sources, self.bundle.files[path].sources
            try:
                self._expand(file, kind, prefix=path + "/", depth=depth, called=path.rpartition("/")[2])
            except BundleError as error:
                if error.finding.code not in _READ_ERRORS:
                    raise
                message = f"The archive inside can't be read: {error.finding.message}"
                self._note("bundle.inner-unreadable", WARNING, message, "Check that nothing is missing.", path)
            finally:
                self.sources = outer

    def _expand(self, file: BinaryIO | IO[bytes], kind: str, prefix: str, depth: int, called: str) -> bool:
        """Add the members of an archive, or what a compressed file holds; False where it stays the file that it is."""
        if kind == "zip":
            self._zip(file, prefix, depth)
            return True
        if kind == "tar":
            self._tar(file, prefix, depth)
            self._read_rest(file.read, prefix)
            return True
        try:
            inside = _archive_kind(_first_bytes(kind, file))
        except compressed.UnknownCompression:
            self.bundle.unopened[prefix.rstrip("/") or called] = f"{kind}, which this Python does not unpack"
            return False
        file.seek(0)
        unpacked = compressed.open_compressed(kind, file)
        if inside == "tar":
            self._tar(unpacked, prefix, depth)
            self._read_rest(unpacked.read, prefix)
        else:
            self._single(unpacked, prefix, compressed.name_without_suffix(called, kind), depth)
        self._read_rest(compressed.rest_of(unpacked), prefix)
        sizes: Counter[str] = Counter()
        self._keep_unclaimed(sizes, prefix, "headers of the gzip", io.BytesIO(compressed.unclaimed_of(unpacked)).read)
        self._note_unclaimed(sizes, prefix)
        return True

    def _single(self, content: tar.ReadableStream, prefix: str, name: str, depth: int) -> None:
        """Add the one file that a compressed file holds, under its own name without the ending."""
        path = self._accept(prefix + name, "file", prefix)
        try:
            if path is None:
                self.leave_unread(prefix + name, self._spooled(prefix + name, content, charge=True))
                return
            kind = self._store(path, content, charge=True)
        except EOFError as error:
            raise _truncated(prefix) from error
        except zlib.error as error:
            raise _corrupt(prefix) from error
        if kind:
            self._inner(path, kind, depth + 1)

    def _read_rest(self, read: Callable[[int], bytes], prefix: str) -> None:
        """Read an archive to its end, where its checksum is. Zeros are padding; other bytes have no reader."""
        try:
            size = self._keep_unread(read, f"{prefix}bytes after the end")
        except EOFError as error:
            raise _truncated(prefix) from error
        except zlib.error as error:
            raise _corrupt(prefix) from error
        if size:
            message = f"{size} bytes follow the end of the archive. No check reads them."
            self._note("bundle.trailing-bytes", WARNING, message, "Pack the folder again.", prefix.rstrip("/"))

    def _keep_unread(self, read: Callable[[int], bytes], called: str, is_charged: bool = True) -> int:
        """Leave unread what comes, without the zeros that it begins with; returns how many bytes those are."""
        spool = self.bundle._spool
        offset = end = spool.seek(0, os.SEEK_END)
        while chunk := read(CHUNK):
            if is_charged:
                self._charge(len(chunk))
            end += spool.write(chunk if end > offset else chunk.lstrip(b"\0"))
        self.leave_unread(called, ArchiveEntry(end - offset, offset))
        return end - offset

    def _keep_unclaimed(self, sizes: Counter[str], prefix: str, place: str, read: Callable[[int], bytes]) -> None:
        """Leave unread what belongs to no file of an archive, and count it by where it stands."""
        sizes[place] += self._keep_unread(read, prefix + place, is_charged=False)

    def _note_unclaimed(self, sizes: Counter[str], prefix: str) -> None:
        """Say how many bytes of an archive belong to none of its files, and where they stand."""
        if size := sum(sizes.values()):
            places = ", ".join(f"{place} ({sizes[place]})" for place in sorted(sizes) if sizes[place])
            message = f"{size} bytes of the archive belong to no file: {places}. No check reads them."
            hint = "Pack the folder again, without comments and attributes of files."
            self._note("bundle.unclaimed-bytes", WARNING, message, hint, prefix.rstrip("/"))

    def _tar(self, stream: tar.ReadableStream, prefix: str, depth: int) -> None:
        """Read a tar in one pass, whatever its headers claim."""
        inner: list[tuple[str, str]] = []
        sizes: Counter[str] = Counter()
        keep = partial(self._keep_unclaimed, sizes, prefix)
        try:
            for member in tar.members(_Metered(stream, self), keep):
                path = self._accept(prefix + member.name, member.kind, prefix)
                if path is None:
                    self.leave_unread(prefix + member.name, self._spooled(prefix + member.name, member))
                    continue
                kind = self._store(path, member)
                inner += [(path, kind)] if kind else []
        except EOFError as error:
            raise _truncated(prefix) from error
        except (tar.TarError, zlib.error) as error:
            raise _corrupt(prefix) from error
        except OSError as error:
            _refuse_unless_ours(error, prefix)
        self._note_unclaimed(sizes, prefix)
        for path, kind in inner:
            self._inner(path, kind, depth + 1)

    def _zip(self, file: BinaryIO | IO[bytes], prefix: str, depth: int) -> None:
        inner: list[tuple[str, str]] = []
        sizes: Counter[str] = Counter()
        keep = partial(self._keep_unclaimed, sizes, prefix)
        try:
            end = self._end_of_zip(file, prefix)
            with zipfile.ZipFile(file) as archive:
                _refuse_shared_bytes(archive, file.seek(0, os.SEEK_END), prefix)
                for member in zip_members.read_members(file, archive, end, keep):
                    called = prefix + _readable(member.info.filename)
                    path = self._accept(called, _kind_of_zip_member(member.info), prefix)
                    if path is None:
                        entry = self._spooled(called, member, charge=True)
                        sizes["content of folders"] += entry.size if member.info.is_dir() else 0
                        self.leave_unread(called, entry)
                        continue
                    kind = self._store(path, member, charge=True)
                    inner += [(path, kind)] if kind else []
        except (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, ValueError, LookupError) as error:
            raise _corrupt(prefix) from error
        except OSError as error:
            _refuse_unless_ours(error, prefix)
        except EOFError as error:
            raise _truncated(prefix) from error
        except RuntimeError as error:
            raise BundleError(
                "bundle.encrypted", "The zip is encrypted.", "Upload it without a password.", prefix.rstrip("/")
            ) from error
        self._note_unclaimed(sizes, prefix)
        for path, kind in inner:
            self._inner(path, kind, depth + 1)

    def _end_of_zip(self, file: BinaryIO | IO[bytes], prefix: str) -> zip_members.EndRecord:
        """ZipFile reads the whole directory at once, so look at its size first."""
        end = zip_members.end_record(file)
        if end is None:
            raise _truncated(prefix)
        if end.entries > self.limits.files * 2 or end.directory_bytes > _ZIP_DIRECTORY_BYTES:
            raise self._too_many_files()
        file.seek(0)
        return end

    def _store(self, path: str, content: tar.ReadableStream, charge: bool = False) -> str:
        """Append a member's bytes to the spool; returns what kind of archive it is, or ''."""
        entry = self._spooled(path, content, charge)
        self._add(path, entry)
        return _archive_kind(self.bundle.slice(entry, 0)[:1024])

    def _spooled(self, path: str, content: tar.ReadableStream, charge: bool = False) -> ArchiveEntry:
        """The content at the end of the spool; what comes before damage is left unread."""
        spool = self.bundle._spool
        offset = spool.seek(0, os.SEEK_END)
        try:
            while chunk := content.read(CHUNK):
                if charge:
                    self._charge(len(chunk))
                spool.write(chunk)
        except BaseException:
            self.leave_unread(path, ArchiveEntry(spool.tell() - offset, offset))
            raise
        return ArchiveEntry(spool.tell() - offset, offset)

    def leave_unread(self, path: str, entry: ArchiveEntry) -> None:
        """Keep what no reader gets, for those who search."""
        if entry.size:
            self.bundle.unread.append((_printable_name(path), replace(entry, sources=self.sources)))

    # What may be in a bundle

    def _accept(self, name: str, kind: str, prefix: str = "") -> str | None:
        """The normalised path of a member that may be read; None, with a finding, for one that may not."""
        self._headers += 1
        if self._headers > self.limits.headers:
            raise self._too_many_files()
        if kind == "folder":
            return None
        shown_name = _printable_name(name)
        member = name.removeprefix(prefix)
        parts = [part for part in member.split("/") if part not in ("", ".")]
        refusal = _refusal(member, parts, kind)
        if refusal:
            code, message = refusal
            self._note(code, ERROR, message, "Pack the plain files of the result folder only.", shown_name)
            return None
        if len(name) > _PATH_CHARACTERS:
            self._note("bundle.name", ERROR, "The path is too long.", "Shorten the folders' names.", shown_name)
            return None
        if is_litter(parts):
            self._note("bundle.litter", INFO, "Left by an editor or a desktop; not read.", "", shown_name)
            return None
        self._met[prefix] += 1
        if self._met[prefix] > self.limits.files or len(self.bundle.files) >= self.limits.files_in_all:
            raise self._too_many_files()
        return prefix + "/".join(parts)

    def _add(self, path: str, entry: ArchiveEntry) -> None:
        """Add a file. The same path again is refused unless the content is the same, for readers would differ."""
        sources = self.sources
        if path in self.bundle.files:
            if self._differs(path, entry):
                self._note("bundle.duplicate-path", ERROR, "Two files of one name.", "Pack the folder again.", path)
                self.leave_unread(path, entry)
                return
            sources |= self.bundle.files[path].sources
        self.bundle.files[path] = replace(entry, sources=sources)

    def _differs(self, path: str, entry: ArchiveEntry) -> bool:
        other = self.bundle.files[path]
        return other.size != entry.size or any(
            self.bundle.slice(other, begun) != self.bundle.slice(entry, begun) for begun in range(0, entry.size, CHUNK)
        )

    def _charge(self, size: int) -> None:
        """Count bytes that came out of a decompressor or lie in a folder."""
        bundle, limits = self.bundle, self.limits
        bundle.unpacked_bytes += size
        if bundle.unpacked_bytes > limits.unpacked_bytes:
            raise BundleError(
                "bundle.unpacked-too-large",
                f"It unpacks to more than {limits.unpacked_bytes} bytes.",
                "Leave out what no check reads.",
            )
        if bundle.unpacked_bytes > limits.ratio_from_bytes and (
            bundle.unpacked_bytes > limits.ratio * max(bundle.packed_bytes, 1)
        ):
            raise BundleError(
                "bundle.bomb",
                f"It unpacks to more than {limits.ratio} times its size.",
                "Leave out files of zeros or of one repeated line.",
            )

    def _too_many_files(self) -> BundleError:
        return BundleError(
            "bundle.too-many-files",
            f"It holds too much: {self.limits.files} files are allowed, and {self.limits.headers} entries of any kind.",
            "Upload one run, and leave out what no check reads.",
        )

    def _note(self, code: str, level: str, message: str, hint: str, where: str) -> None:
        """Add a finding, but not thousands of one kind."""
        if sum(finding.code == code for finding in self.bundle.findings) < 20:
            self.bundle.findings.append(Finding(code, level, message, hint, where))


class _Metered:
    """A stream whose bytes are charged as they are read, headers and padding included."""

    def __init__(self, stream: tar.ReadableStream, opening: _Opening) -> None:
        self.stream = stream
        self.opening = opening

    def read(self, size: int = -1) -> bytes:
        content = self.stream.read(size)
        self.opening._charge(len(content))
        return content


_READ_ERRORS = frozenset({"bundle.corrupt", "bundle.truncated", "bundle.encrypted"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")


def _refusal(member: str, parts: list[str], kind: str) -> tuple[str, str] | None:
    """(code, message) for a member that must not be in a bundle."""
    if kind in ("link", "device"):
        what = "A link" if kind == "link" else "A device, pipe or socket"
        return f"bundle.{kind}", f"{what} is not read: only plain files are."
    if _CONTROL.search(member) or not parts:
        return "bundle.name", "The name holds control characters, or is empty."
    if ".." in parts or ".." in member.split("\\"):
        return "bundle.path-traversal", "The path leads out of the bundle."
    if member.startswith(("/", "\\")) or (_DRIVE.match(member) and "\\" in member):
        return "bundle.absolute-path", "The path is absolute."
    return None


def _printable_name(name: str) -> str:
    """A name that may hold anything, as findings show it."""
    return "".join(character if character.isprintable() else "?" for character in name)[:200]


def is_litter(parts: list[str]) -> bool:
    """True for a path, by its parts, of a file that an editor or a desktop left."""
    return parts[-1].startswith("._") or parts[-1].endswith((".swp", ".swo")) or "__MACOSX" in parts


def _kind_of_mode(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "device"


def _refuse_shared_bytes(archive: zipfile.ZipFile, size: int, prefix: str) -> None:
    """Members that overlap: the same bytes unpacked for each of thousands take hours, and may yield next to nothing."""
    if sum(member.compress_size for member in archive.infolist()) > size:
        raise _corrupt(prefix)


def _kind_of_zip_member(member: zipfile.ZipInfo) -> str:
    """By the Unix mode where the zip has one. Only stored and deflated members are read: others cost memory."""
    mode = member.external_attr >> 16
    if member.is_dir():
        return "folder"
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BundleError(
            "bundle.corrupt", "The zip uses a compression that is not read here.", "Use plain zip or tar.gz."
        )
    return _kind_of_mode(mode) if stat.S_IFMT(mode) else "file"


def _readable(name: str) -> str:
    """A member's name as text; bytes that are not UTF-8 become replacement characters."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _archive_kind(head: bytes) -> str:
    """zip, tar, or how it is compressed, by the first bytes; else ''."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    return compressed.kind_of(head) or ("tar" if tar.is_header(head) else "")


def _first_bytes(kind: str, file: BinaryIO | IO[bytes]) -> bytes:
    """The first bytes inside a compressed file. Raises BundleError where it is cut or damaged."""
    try:
        return compressed.open_compressed(kind, file).read(1024)
    except EOFError as error:
        raise _truncated("") from error
    except zlib.error as error:
        raise _corrupt("") from error


def _truncated(where: str) -> BundleError:
    return BundleError(
        "bundle.truncated",
        "The archive ends before its end.",
        "Copy it again: compare size and sha256 with the original.",
        where.rstrip("/"),
    )


def _refuse_unless_ours(error: OSError, where: str) -> NoReturn:
    """A damaged archive, unless the machine is at fault: a full disk stays an OSError."""
    if error.errno in (None, errno.EINVAL):
        raise _corrupt(where) from error
    raise error


def _corrupt(where: str) -> BundleError:
    return BundleError(
        "bundle.corrupt",
        "The archive is damaged, or not what it looks like.",
        "Pack the folder again.",
        where.rstrip("/"),
    )
