"""Unpacking archives in tests, with a filter of tarfile also where Python has none, as Debian 12's 3.11.2."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

FILTERS = ("data", "tar", "fully_trusted")


def extract(archive: tarfile.TarFile, folder: Path, *, filter: str) -> None:
    """`extractall` with one of FILTERS. Raises tarfile.TarError for what it refuses."""
    assert filter in FILTERS
    if hasattr(tarfile, "data_filter"):
        archive.extractall(folder, filter=filter)
        return
    for member in archive.getmembers() if filter != "fully_trusted" else ():
        if _leads_out(member.name) or (filter == "data" and not _is_data(member)):
            raise tarfile.TarError(f"{member.name!r} may not be unpacked with the filter {filter!r}")
    archive.extractall(folder)


def _leads_out(path: str) -> bool:
    return os.path.normpath(path).startswith(("/", ".."))


def _is_data(member: tarfile.TarInfo) -> bool:
    """A file, a folder, or a link that stays inside."""
    if member.issym():
        return not _leads_out(str(Path(member.name).parent / member.linkname))
    return member.isfile() or member.isdir() or (member.islnk() and not _leads_out(member.linkname))
