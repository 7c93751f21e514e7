"""Verify a bundle that is a bag: every payload file is there, is listed, and has the checksum of its manifest.

The manifest itself and the other tag files are held against the tag manifest, where there is one.

Source: RFC 8493, The BagIt File Packaging Format, section 2.1. Of its checksums, sha256 is read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from validators.bundle import Bundle, is_litter
from validators.findings import ERROR, WARNING, Finding

_MANIFEST_BYTES = 4 * 1024 * 1024
_LINE = re.compile(r"([0-9A-Fa-f]{64}) [ \t*]*(\S.*)")
_ENCODED = {"%0A": "\n", "%0D": "\r", "%25": "%"}
_MOST = 20
"""Findings of one kind; more of them say nothing new."""


def verify(bundle: Bundle) -> list[Finding]:
    """Findings on the bag that a bundle is, in its root or in its only folder; none for what is not a bag."""
    declaration = min((path for path in bundle.files if _declares(path)), key=len, default=None)
    if declaration is None:
        return []
    root = declaration.removesuffix("bagit.txt")
    manifest = root + "manifest-sha256.txt"
    if manifest not in bundle.files:
        message = "The bag has no manifest-sha256.txt: its files cannot be verified."
        return [Finding("bundle.manifest-missing", WARNING, message, "Pack with sha256 checksums.", declaration)]
    findings: list[Finding] = []
    listed = _read_manifest(bundle, manifest, findings)
    findings += _limited(_compare(bundle, root, manifest, listed))
    findings += _limited(_unlisted(bundle, root, listed))
    tag_manifest = root + "tagmanifest-sha256.txt"
    if tag_manifest in bundle.files:
        tags = _read_manifest(bundle, tag_manifest, findings)
        findings += _limited(_compare(bundle, root, tag_manifest, tags))
    return findings


def _declares(path: str) -> bool:
    return path.rpartition("/")[2] == "bagit.txt" and path.count("/") <= 1


def _read_manifest(bundle: Bundle, manifest: str, findings: list[Finding]) -> dict[str, str]:
    """The checksum of each payload path, lower case; lines that cannot be read become a finding."""
    listed: dict[str, str] = {}
    lines = bundle.read(manifest, _MANIFEST_BYTES).decode("utf-8", "replace").split("\n")
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line.rstrip("\r"))
        if match and (match[1].islower() or match[1].isupper() or match[1].isdecimal()):
            listed[_decoded(match[2])] = match[1].lower()
        elif line.strip() and not any(finding.code == "bundle.manifest-line" for finding in findings):
            message = "A line of the manifest is not a sha256 and a path."
            findings.append(Finding("bundle.manifest-line", ERROR, message, "Pack again.", f"{manifest}:{number}"))
    return listed


def _decoded(path: str) -> str:
    """The path with its line breaks and percent signs, which a manifest encodes."""
    return re.sub("%(?:0[AaDd]|25)", lambda match: _ENCODED[match[0].upper()], path)


def _compare(bundle: Bundle, root: str, manifest: str, listed: dict[str, str]) -> Iterator[Finding]:
    """Each file once, however often it is listed; what desktops leave is not read from any bundle."""
    for path, expected in listed.items():
        if is_litter(path.split("/")):
            continue
        if root + path not in bundle.files:
            message = f"{path[:200]} is listed in the manifest and is not in the bag."
            yield Finding("bundle.manifest-missing-file", ERROR, message, "Pack the complete folder again.", manifest)
            continue
        actual = _sha256(bundle, root + path)
        if actual != expected:
            message = f"{path[:200]} is not the file that was packed: its sha256 is another."
            hint = "Pack again after the last change, or copy the bag again."
            yield Finding("bundle.manifest-mismatch", ERROR, message, hint, root + path, expected, actual)


def _unlisted(bundle: Bundle, root: str, listed: dict[str, str]) -> Iterator[Finding]:
    for path in bundle.files:
        payload = path.removeprefix(root)
        if path.startswith(root + "data/") and payload not in listed and not _in_archive(bundle, path):
            message = f"{payload[:200]} is in the bag and not in its manifest."
            yield Finding("bundle.manifest-extra-file", ERROR, message, "Pack again after the last change.", path)


def _in_archive(bundle: Bundle, path: str) -> bool:
    """True for a member of an archive inside: the manifest lists the archive."""
    parts = path.split("/")
    return any("/".join(parts[:depth]) in bundle.files for depth in range(1, len(parts)))


def _sha256(bundle: Bundle, path: str) -> str:
    digest = hashlib.sha256()
    for chunk in bundle.chunks(path):
        digest.update(chunk)
    return digest.hexdigest()


def _limited(findings: Iterator[Finding]) -> list[Finding]:
    """The first findings of each code."""
    first_findings: list[Finding] = []
    for finding in findings:
        if sum(other.code == finding.code for other in first_findings) < _MOST:
            first_findings.append(finding)
    return first_findings
