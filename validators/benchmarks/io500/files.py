"""Reading text of a bundle that anyone may have written: bounded, decoded, and with a finding where it is not text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validators.findings import ERROR, WARNING, Finding

if TYPE_CHECKING:
    from validators.bundle import Bundle

TEXT_LIMIT = 1024 * 1024
"""Bytes read of a summary, result or configuration file: the longest published one has 65 KiB."""
RAW_LIMIT = 8 * 1024 * 1024
"""Bytes read of the raw output of one phase: shell-era stonewall logs reach 2 MiB."""
LINE_LIMIT = 64 * 1024
"""Characters of one line: host lists on command lines have reached 20 KiB."""


def is_litter(path: str) -> bool:
    """Files that editors and desktops leave: AppleDouble forks, swap and backup files."""
    name = path.rsplit("/", 1)[-1]
    return name.startswith(("._", ".DS_Store")) or name.endswith((".swp", ".swo", "~")) or "__MACOSX/" in path


def lines_of(bundle: Bundle, path: str, findings: list[Finding]) -> list[str]:
    """The lines of a text file, at most TEXT_LIMIT bytes of it; what keeps it from being read goes to `findings`."""
    content = bundle.read(path, TEXT_LIMIT)
    problem = _problem(content, path, bundle.files[path].size)
    if problem is not None:
        findings.append(problem)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return []
    text = content.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"?").decode("utf-8", "replace")
    return [line.rstrip("\r")[:LINE_LIMIT] for line in text.split("\n")]


def _problem(content: bytes, path: str, size: int) -> Finding | None:
    if not content.strip():
        return Finding(
            "io500.file.empty-file", ERROR, f"{path} is empty.", "Upload the file as the run wrote it.", path
        )
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Finding(
            "io500.file.bad-encoding",
            ERROR,
            f"{path} is UTF-16 text.",
            "Save it as UTF-8, or upload the original.",
            path,
        )
    if b"\0" in content:
        return Finding(
            "io500.file.binary-file",
            ERROR,
            f"{path} has NUL bytes: it is not the text that io500 wrote.",
            "Copy the file again; a crash or a full disk leaves such holes.",
            path,
        )
    if max(map(len, content.split(b"\n")), default=0) > LINE_LIMIT:
        return Finding(
            "io500.file.line-too-long",
            ERROR,
            f"{path} has a line of more than {LINE_LIMIT} characters.",
            "Upload the file as the run wrote it.",
            path,
        )
    if size > TEXT_LIMIT:
        return Finding(
            "io500.file.too-large",
            ERROR,
            f"{path} has {size} bytes; only the first {TEXT_LIMIT} were read.",
            "Upload the file as the run wrote it: a few kilobytes.",
            path,
        )
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return Finding(
            "io500.file.bad-encoding",
            WARNING,
            f"{path} has bytes that are not UTF-8.",
            "Check that the file was copied without conversion.",
            f"{path}:{line}",
        )
    return None
