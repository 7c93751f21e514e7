"""A bundle: a BagIt folder (RFC 8493) in a .tar.gz whose bytes depend on its content alone.

    highwater-bundle/bagit.txt  bag-info.txt  manifest-sha256.txt  tagmanifest-sha256.txt
    highwater-bundle/data/results/...               what the benchmark wrote, scrubbed
    highwater-bundle/data/system.json               what the machines were
    highwater-bundle/data/redaction-report.json     what was taken out, by rule and file

The bundle's id is the sha256 of manifest-sha256.txt: the same data has the same id.
"""

import hashlib
import re

from collectors import VERSION
from collectors.bundle import archive_limits

ROOT = "highwater-bundle"
DECLARATION = "bagit.txt"
INFO = "bag-info.txt"
MANIFEST = "manifest-sha256.txt"
TAG_MANIFEST = "tagmanifest-sha256.txt"
SYSTEM = "data/system.json"
REPORT = "data/redaction-report.json"
RESULTS = "data/results/"
DECLARED = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
AGENT = "Bag-Software-Agent: highwater collector "
ENCODED = re.compile("[\n\r%]")


class BagWriter:
    """A bag in the making: its payload is put in file by file, then `members` has all of it in order."""

    def __init__(self, stage):
        self.stage = stage
        self.payload = []

    def put(self, name, content):
        """A payload file from bytes."""
        self.payload.append(self.stage.add(name, [content]))

    def put_results(self, files):
        self.payload += [file.renamed(RESULTS + file.name) for file in files]

    def manifest(self):
        """The text of manifest-sha256.txt."""
        return listing(sorted(self.payload, key=archive_limits.by_name))

    def id(self):
        """The sha256 of the manifest, hexadecimal."""
        return hashlib.sha256(self.manifest()).hexdigest()

    def members(self):
        """Everything in the bag as archive.write takes it, in the order of names."""
        tags = [
            self.stage.add(DECLARATION, [DECLARED]),
            self.stage.add(INFO, [self.info()]),
            self.stage.add(MANIFEST, [self.manifest()]),
        ]
        tags.append(self.stage.add(TAG_MANIFEST, [listing(tags)]))
        members = [file.renamed(ROOT + "/" + file.name) for file in tags + self.payload]
        return sorted(members, key=archive_limits.by_name)

    def info(self):
        size = sum(file.size for file in self.payload)
        text = "%s%s\nPayload-Oxum: %d.%d\n" % (AGENT, VERSION, size, len(self.payload))
        return text.encode("ascii")


def listing(files):
    """A manifest: sha256, two spaces, path; line breaks and percent signs in a path are encoded."""
    return "".join("%s  %s\n" % (file.sha256, encode_path(file.name)) for file in files).encode("utf-8")


def encode_path(name):
    return ENCODED.sub(lambda match: "%%%02X" % ord(match.group(0)), name)
