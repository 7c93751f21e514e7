"""Is a bundle the one that was packed? Every file against the manifests, the system document against its schema.

Works on a .tar.gz, .tar, .zip or folder without unpacking anything; the codes are those of the registry.
"""

import hashlib
import io
import json
import os
import re
import zipfile

from collectors.bundle import archive, archive_limits, bag
from collectors.bundle.spool import blocks
from collectors.document import schema

# Tag files and the system document are read whole; anything larger is not ours.
MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
LINE = re.compile(r"([0-9a-f]{64})  (.+)", re.DOTALL)
ENCODED = re.compile("%(0A|0D|25)", re.IGNORECASE)
# The fixed part of RFC 1952's header as archive.write makes it: no name, no time, best compression, any system.
GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
MOST_FINDINGS = 20
HINT_AGAIN = "Pack it again, or copy it again from where it was packed."


class Contents:
    """What lies in a bundle: the sha256 of every file by name, and the bytes of those that are read."""

    def __init__(self, path):
        self.path = path
        self.sha256 = {}
        self.kept = {}
        self.repeated = []

    def read(self):
        """Read all of it; raises BundleError for what does not open or is beyond the limits."""
        with archive.readable(self.path):
            size = 0
            for name, stream in open_files(self.path):
                digest, buffer = hashlib.sha256(), io.BytesIO()
                for block in blocks(stream):
                    size += len(block)
                    archive_limits.require_unpacked_size(size)
                    digest.update(block)
                    if buffer.tell() <= MAX_DOCUMENT_BYTES:
                        buffer.write(block)
                self.add(name, digest.hexdigest(), buffer)
        return self

    def add(self, name, sha256, buffer):
        if name in self.sha256:
            self.repeated.append(name)
        self.sha256[name] = sha256
        archive_limits.require_file_count(len(self.sha256))
        if is_bag_document(name):
            self.kept[name] = buffer.getvalue()

    def root(self):
        """The folder of the bag with its slash, "" for the top; None for what is no bag."""
        declared = [name for name in self.sha256 if name.rpartition("/")[2] == bag.DECLARATION and name.count("/") <= 1]
        return min(declared, key=len)[: -len(bag.DECLARATION)] if declared else None


def open_files(path):
    """Yield (name, open file) of every regular file of a folder or archive."""
    if os.path.isdir(path):
        for member in archive_limits.scan_folder(os.path.realpath(path), "").members:
            with member.open() as stream:
                yield member.name.lstrip("/"), stream
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            for entry in packed.infolist():
                if not entry.filename.endswith("/"):
                    with packed.open(entry) as stream:
                        yield entry.filename, stream
    else:
        yield from archive.tar_files(path)


def is_bag_document(name):
    return name.count("/") <= 1 or name.endswith("/" + bag.SYSTEM) or name == bag.SYSTEM


def findings(path):
    """(code, level, message, hint) of what is wrong with a bag; None for what is no bag."""
    contents = Contents(path).read()
    root = contents.root()
    if root is None:
        return None
    bag_findings = list(verified(contents, root))
    bag_findings += list(system_findings(contents.kept.get(root + bag.SYSTEM)))
    return bag_findings


def verified(contents, root):
    """Yield an error for each thing in a bag that its manifests do not confirm."""
    for name in contents.repeated[:MOST_FINDINGS]:
        yield error("bundle.duplicate-path", name + " is in the bag twice.")
    listed = {}
    for manifest in (bag.MANIFEST, bag.TAG_MANIFEST):
        text = contents.kept.get(root + manifest)
        if text is None:
            yield error("bundle.manifest-missing", "The bag has no %s: its files cannot be verified." % manifest)
            continue
        entries, bad = parse_manifest(text)
        if bad:
            yield error("bundle.manifest-line", "%s: %d lines are no sha256 and path." % (manifest, bad))
        yield from compare_digests(contents, root, entries, manifest)
        listed.update(entries)
    inside = {name[len(root) :] for name in contents.sha256} - {bag.TAG_MANIFEST}
    for name in sorted(inside - set(listed))[:MOST_FINDINGS]:
        yield error("bundle.manifest-extra-file", name + " is in the bag and in no manifest.")
    if is_ours(contents, root) and not has_our_header(contents.path):
        yield error("bundle.gzip-header", "The archive does not begin as it was packed.")


def parse_manifest(text):
    """The sha256 of each path of a manifest, and how many lines are none."""
    lines = text.decode("utf-8", "surrogateescape").split("\n")
    matches = [LINE.match(line) for line in lines if line]
    entries = {decode_path(match.group(2)): match.group(1) for match in matches if match}
    return entries, matches.count(None) + (lines[-1] != "")


def decode_path(path):
    return ENCODED.sub(lambda match: chr(int(match.group(1), 16)), path)


def compare_digests(contents, root, entries, manifest):
    missing = [path for path in entries if root + path not in contents.sha256]
    for path in missing[:MOST_FINDINGS]:
        yield error("bundle.manifest-missing-file", "%s is listed in %s and is not in the bag." % (path, manifest))
    changed = [path for path in entries if contents.sha256.get(root + path, entries[path]) != entries[path]]
    for path in changed[:MOST_FINDINGS]:
        yield error("bundle.manifest-mismatch", path + " is not the file that was packed: its sha256 is another.")


def is_ours(contents, root):
    return contents.kept.get(root + bag.INFO, b"").startswith(bag.AGENT.encode("ascii"))


def has_our_header(path):
    if os.path.isdir(path) or zipfile.is_zipfile(path):
        return True
    with open(path, "rb") as stream:
        head = stream.read(len(GZIP_HEADER))
    return head == GZIP_HEADER or not head.startswith(archive.GZIP_MAGIC)


def system_findings(content):
    """What is wrong with the bytes of a system document; nothing where there is none."""
    if content is None:
        return
    try:
        document = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        yield error("system.unreadable", "The system document is not JSON.")
        return
    for pointer, message in schema.errors(document, at_most=MOST_FINDINGS):
        yield error("system.schema", "system document, %s: %s" % (pointer or "/", message), "Collect and pack again.")


def error(code, message, hint=HINT_AGAIN):
    return code, "error", message, hint
