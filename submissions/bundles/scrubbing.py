"""The scrubbed copy of a bundle: what others may see, without what tells who ran it, where, or with which key.

The bytes as received are never altered. The copy is a .tar.gz of its own, made the same way every time: sorted names,
no times or owners, so that one bundle gives one sha256. It holds text only; lines keep their places, and the figures
of the run stay as they were. What is replaced is in collectors/personal.py.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import tarfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from urllib.parse import unquote

from validators.bundle import LIMITS, LINE_LIMIT, Bundle, Limits, StoredFile, open_bundle
from validators.scrubbing import personal

FILE_LIMIT = 32 * 1024 * 1024
"""Bytes of the largest file that is copied. Published per-rank tables have some MiB; the figures are in small files."""

TEXT_LIMIT = 256 * 1024 * 1024
"""Bytes of all files that are copied, smallest first, so that the time stays bounded."""
COPY_LIMITS = replace(LIMITS, files=LIMITS.files_in_all)
"""To open a copy with: the files of archives inside lie in one archive now."""

_SNIFFED_BYTES = 64 * 1024
_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\r\f\x08\x1b")) + b"\x7f"
_TAG_FILE = re.compile(r"(?:[^/]{1,255}/)?(?:bagit\.txt|bag-info\.txt|(?:tag)?manifest-[a-z0-9]{1,10}\.txt)")
_TAG = re.compile(
    r"BagIt-Version: [\d.]{1,8}|Tag-File-Character-Encoding: [\w-]{1,20}|Payload-Oxum: \d{1,20}\.\d{1,10}"
    r"|Bagging-Date: \d{4}-\d\d-\d\d|Bag-Size: [\d.]{1,12} [KMGT]?i?B"
    r"|Bag-Software-Agent: highwater collector [\w.+-]{1,40}"
)
"""Lines of tag files in which nothing is told. A bag may also name its sender, and say what it likes."""
_LISTED = re.compile(r"[0-9a-f]{32,128} [ *](.{1,4096})")
_HASHED_FILES = ("config.ini", "config-orig.ini", "result.txt")
"""Files of io500 whose printed hashes cover their values: a check of the copy may find that they no longer agree."""

LEFT_OUT = {
    "archive": "An archive; the files in it stand beside it on their own.",
    "binary": "Not text.",
    "too-large": f"More than {FILE_LIMIT // 1024 // 1024} MiB.",
    "too-much": f"Beyond {TEXT_LIMIT // 1024 // 1024} MiB of smaller files.",
    "line-too-long": f"A line of more than {LINE_LIMIT // 1024} KiB.",
    "not-agreed": "No benchmark read it whole, and nobody agreed that it is shown.",
    "manifest": "A list of the files of a bag, some of which are not here.",
}


@dataclass(frozen=True, slots=True)
class DerivedFile:
    """One file of the copy; `scrubbed`: the codes of the rules that changed it or its name."""

    path: str
    size: int
    sha256: str
    scrubbed: list[str]


@dataclass(slots=True)
class ScrubResult:
    """What was made: `report` says how often each rule applied and in how many files, `left_out` what is not in it.

    `names` are those that the files gave away, for what else is published of them; they are nobody else's.
    """

    sha256: str = ""
    size: int = 0
    files: list[DerivedFile] = field(default_factory=list)
    report: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[dict[str, str]] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def derive_copy(
    received: Path,
    out: BinaryIO,
    limits: Limits = LIMITS,
    *,
    name: str = "",
    extra_files: Mapping[str, StoredFile] | None = None,
    choose: Callable[[Bundle], Collection[str]] | None = None,
) -> ScrubResult:
    """Write the scrubbed copy of a bundle to `out`. The same bytes give the same copy.

    `name` is what a raw file was called by its sender; storage knows it by another name. `extra_files` are
    read with it. `choose` tells the paths that may be in the copy, by default all that are text; names are learnt from
    all of them.

    Raises BundleError where the bundle can't be opened, OSError of either file.
    """
    written = _Hashed(out)
    with open_bundle(received, limits, name, extra_files) as bundle:
        derivative = ScrubResult(left_out=_never_read(bundle))
        texts = texts_of(bundle, derivative.left_out)
        names = personal.Names()
        for path in texts:
            names.learn(path, lines_of(bundle, path))
        if choose is not None:
            texts = _choose_texts(texts, choose(bundle), tag_files(bundle, texts), derivative.left_out)
        derivative.names = names.learnt()
        derivative.left_out = [_without_names(row, names) for row in derivative.left_out]
        _write_copy(bundle, texts, names, written, derivative)
    derivative.sha256, derivative.size = written.digest.hexdigest(), written.size
    return derivative


def _write_copy(bundle: Bundle, texts: list[str], names: personal.Names, out: _Hashed, derivative: ScrubResult) -> None:
    totals: Counter[str] = Counter()
    files: Counter[str] = Counter()
    taken: set[str] = set()
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0, compresslevel=6) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in texts:
            counts: Counter[str] = Counter()
            name = _free_name(personal.scrub_path(path, names, counts), taken)
            renamed = counts.total()
            content = _scrub_file(bundle, path, names, counts)
            if counts.total() > renamed and path.rpartition("/")[2] in _HASHED_FILES:
                counts["hashed-file"] += 1
            archive.addfile(_tar_entry(name, len(content)), io.BytesIO(content))
            rules = sorted(code for code, count in counts.items() if count)
            derivative.files.append(DerivedFile(name, len(content), hashlib.sha256(content).hexdigest(), rules))
            totals.update(counts)
            files.update(rules)
    derivative.report = [{"rule": code, "count": totals[code], "files": files[code]} for code in sorted(files)]


def _scrub_file(bundle: Bundle, path: str, names: personal.Names, counts: Counter[str]) -> bytes:
    text = "\n".join(personal.scrub_lines(path, lines_of(bundle, path), names, counts))
    return text.encode("utf-8", "surrogateescape")


def lines_of(bundle: Bundle, path: str) -> Iterator[str]:
    """The lines of a file without their line feeds, one at a time; bytes that are not UTF-8 survive the round trip."""
    content, begun = bundle.read(path), 0
    while (end := content.find(b"\n", begun)) >= 0:
        yield content[begun:end].decode("utf-8", "surrogateescape")
        begun = end + 1
    yield content[begun:].decode("utf-8", "surrogateescape")


def tag_files(bundle: Bundle, texts: Iterable[str]) -> frozenset[str]:
    """Those of the texts that are of a bag (RFC 8493) and not of what is in it.

    A file that is only called so, or that says more than which files there are, is a text like any other.
    """
    return frozenset(path for path in texts if _TAG_FILE.fullmatch(path) and _is_tag_file(bundle, path))


def _is_tag_file(bundle: Bundle, path: str) -> bool:
    folder = path[: path.rfind("/") + 1]
    for line in lines_of(bundle, path):
        listed = _LISTED.fullmatch(line)
        if listed is None:
            is_of_a_bag = not line or _TAG.fullmatch(line) is not None
        else:
            is_of_a_bag = folder + unquote(listed[1]) in bundle.files
        if not is_of_a_bag:
            return False
    return folder + "bagit.txt" in bundle.files


def _choose_texts(
    texts: list[str], allowed: Collection[str], tags: Collection[str], left_out: list[dict[str, str]]
) -> list[str]:
    """Those of the texts that may be shown. A list of all files goes where one of them does."""
    chosen = [path for path in texts if path in allowed or path in tags]
    left_out += [{"path": path, "reason": "not-agreed"} for path in sorted(set(texts) - set(chosen))]
    if any(row["reason"] == "not-agreed" for row in left_out):
        left_out += [{"path": path, "reason": "manifest"} for path in chosen if path in tags]
        chosen = [path for path in chosen if path not in tags]
    left_out.sort(key=lambda row: row["path"])
    return chosen


def _without_names(row: dict[str, str], names: personal.Names) -> dict[str, str]:
    """What is said of a file that is left out, without what its own name tells."""
    return {**row, "path": personal.scrub_path(row["path"], names, Counter())}


def texts_of(bundle: Bundle, left_out: list[dict[str, str]] | None = None) -> list[str]:
    """The paths of the files that could be copied, sorted; the others are added to `left_out`."""
    left_out = [] if left_out is None else left_out
    archives = {str(parent) for path in bundle.files for parent in PurePosixPath(path).parents} & set(bundle.files)
    texts, copied = [], 0
    for path in sorted(bundle.files, key=lambda path: (bundle.files[path].size, path)):
        reason = "archive" if path in archives else _reason_against(bundle, path)
        copied += 0 if reason else bundle.files[path].size
        reason = reason or ("too-much" if copied > TEXT_LIMIT else "")
        if reason:
            left_out.append({"path": path, "reason": reason})
        else:
            texts.append(path)
    left_out.sort(key=lambda entry: entry["path"])
    return sorted(texts)


def _reason_against(bundle: Bundle, path: str) -> str:
    if bundle.files[path].size > FILE_LIMIT:
        return "too-large"
    content = bundle.read(path)
    head = content[:_SNIFFED_BYTES]
    if b"\0" in content or len(head) - len(head.translate(None, _CONTROL_BYTES)) > len(head) // 10:
        return "binary"
    begun = 0
    while begun + LINE_LIMIT < len(content):
        end = content.rfind(b"\n", begun, begun + LINE_LIMIT + 1)
        if end < 0:
            return "line-too-long"
        begun = end + 1
    return ""


def _never_read(bundle: Bundle) -> list[dict[str, str]]:
    """What the bundle itself did not let in: links, litter of editors, paths that lead out."""
    return [
        {"path": finding.where, "reason": finding.code.removeprefix("bundle.")}
        for finding in bundle.findings
        if finding.code in _REFUSED
    ]


_REFUSED = frozenset(
    f"bundle.{word}"
    for word in ("link", "device", "name", "path-traversal", "absolute-path", "litter", "duplicate-path")
)


def _free_name(path: str, taken: set[str]) -> str:
    """The path, with a number where scrubbing gave two files one name."""
    name, number = path, 1
    while name in taken:
        number += 1
        name = f"{path}-{number}"
    taken.add(name)
    return name


def _tar_entry(path: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(path)
    member.size, member.mode, member.mtime = size, 0o644, 0
    return member


class _Hashed:
    """A file that is hashed and counted while it is written."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.digest = hashlib.sha256()
        self.size = 0

    def write(self, content: bytes) -> int:
        self.digest.update(content)
        self.size += len(content)
        return self.file.write(content)

    def flush(self) -> None:
        self.file.flush()
