"""What of attached results leaves the site: their text, without what tells who, where, or with which key.

Three profiles. `default`: hosts, addresses and identifiers become pseudonyms under the site's key, persons are left
out. `strict`: nothing stands for anything, `<host>` is all there is. `full-consent`: only keys, tokens, passwords and
dumps of the environment are taken out. What is no text stays home, except with full consent.
"""

import hmac
import os
import re
import socket
from collections import Counter

from collectors.bundle.bag import RESULTS
from collectors.bundle.spool import blocks
from collectors.scrubbing import personal
from collectors.scrubbing.credentials import secrets
from collectors.scrubbing.names import Names, placeholder

# What a pseudonym stands for. Persons have none: their part in a run is nobody's business.
PSEUDONYMOUS = ("host", "address", "guid")
SNIFFED_BYTES = 64 * 1024
ONLY_SECRETS = (("secret", secrets),)
CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\r\f\x08\x1b")) + b"\x7f"
LINE_LIMIT_BYTES = 512 * 1024
HOST_VARIABLES = ("HOSTNAME", "SLURMD_NODENAME", "SLURM_SUBMIT_HOST", "PBS_O_HOST")
USER_VARIABLES = ("USER", "LOGNAME", "SUDO_USER", "SLURM_JOB_USER", "PBS_O_LOGNAME")
PSEUDONYM = re.compile(r"m-[0-9a-f]{8}$")
ITEM = re.compile(r"([^\s,]+?)(:\d+)?(?=,|$)")
LITTER = re.compile(r"(\._.*|\.DS_Store|__MACOSX|Thumbs\.db|\..*\.sw[a-p]|.*~)$")


class Redaction:
    """What is left of staged files: `files` (Staged), and what was done, as the report in the bundle tells it.

    `pairs` are each file before and after.
    """

    def __init__(self, profile):
        self.profile = profile
        self.files = []
        self.pairs = []
        self.changed = []
        self.left_out = []
        self.removed = Counter()

    def leave_out(self, path, reason):
        self.left_out.append({"path": path, "reason": reason})

    def note(self, path, counts, before, after):
        """A file that lost something. Its digest before is keyed: a plain one would let others try names out."""
        removed = {code: count for code, count in counts.items() if count}
        if removed:
            self.removed.update(removed)
            entry = {"path": path, "removed": removed, "hmac_sha256_before": before, "sha256_after": after}
            self.changed.append(entry)

    def report(self, hashes):
        """The JSON of redaction-report.json; `hashes` are those that the benchmarks printed, checked before."""
        return {
            "schema_version": "1",
            "profile": self.profile,
            "removed": self.removed,
            "files": self.changed,
            "left_out": self.left_out,
            "hashes": hashes,
        }


class Scrubber:
    """Applies one profile to the files of one bundle. `pseudonyms` as in pseudonyms.py; some names known before."""

    def __init__(self, profile, pseudonyms, users=(), hosts=()):
        self.profile = profile
        self.pseudonyms = pseudonyms
        self.names = Names(self.stand_in if profile == "default" else placeholder)
        self.names.give(set(users), set(hosts))
        self.keeps_names = profile == "full-consent"

    def stand_in(self, code, word):
        """A pseudonym where the kind of word has one; each name of a list its own."""
        if code not in PSEUDONYMOUS:
            return placeholder(code, word)
        bare = word.strip("\"'")
        # The last group of a hardware address may be decimal: only a host's name is followed by a port or a count.
        if "[" in bare or code != "host":
            return self.pseudonyms.of(bare) if not PSEUDONYM.match(bare) else bare
        return ITEM.sub(lambda item: self.of_one(item.group(1)) + (item.group(2) or ""), bare)

    def of_one(self, name):
        """The pseudonym of a name that is not one already; of a host, its domain is no part."""
        return name if PSEUDONYM.match(name) else self.pseudonyms.of(name if is_address(name) else name.split(".")[0])

    def redact(self, originals, stage, tell):
        """The Redaction of Originals; what is kept is appended to `stage`. `tell` takes a line of progress."""
        redaction = Redaction(self.profile)
        for name, reason in originals.left_out:
            redaction.leave_out(name, reason)
        released_files = [file for file in originals.files if self.may_leave(file, redaction)]
        for number, file in enumerate(released_files, 1):
            tell("looking for names: %d of %d files" % (number, len(released_files)))
            if not self.keeps_names:
                self.names.learn(file.name, lines(file))
        taken = set()
        for number, file in enumerate(released_files, 1):
            tell("taking names out: %d of %d files" % (number, len(released_files)))
            redaction.files.append(self.scrubbed(file, stage, redaction, taken))
            redaction.pairs.append((originals.packed_by_name.get(file.name, file), redaction.files[-1]))
        redaction.left_out = [dict(entry, path=self.path(entry["path"], Counter())) for entry in redaction.left_out]
        return redaction

    def may_leave(self, file, redaction):
        reason = "litter" if is_litter(file.name) else ""
        if not reason and not self.keeps_names:
            reason = why_no_text(file)
        if reason:
            redaction.leave_out(file.name, reason)
        return not reason

    def path(self, name, counts):
        return name if self.keeps_names else personal.scrub_path(name, self.names, counts)

    def scrubbed(self, file, stage, redaction, taken):
        """The file as it leaves, under the name that it leaves by; what was done to it goes into the redaction."""
        counts = Counter()
        before = hmac.new(self.pseudonyms.key, digestmod="sha256")
        name = free_name(self.path(file.name, counts), taken)
        if why_no_text(file):
            with file.open() as stream:
                return stage.add(name, blocks(stream))
        rules = ONLY_SECRETS if self.keeps_names else None
        text = personal.scrub_lines(file.name, hash_lines(lines(file), before), self.names, counts, rules)
        after = stage.add(name, encode_lines(text))
        redaction.note(RESULTS + name, counts, before.hexdigest(), after.sha256)
        return after

    def document(self, value):
        """A JSON value of our own making without the names that are known; they should not be in it at all."""
        if isinstance(value, dict):
            return {name: self.document(field) for name, field in value.items()}
        if isinstance(value, list):
            return [self.document(item) for item in value]
        if isinstance(value, str) and self.names.given is not None and not self.keeps_names:
            return self.names.given.sub(lambda match: self.names.stand_in("host", match.group(0)), value)
        return value


def lines(file):
    """The lines of a staged file without their line feeds; bytes that are not UTF-8 survive the round trip."""
    last = b"\n"
    with file.open() as stream:
        for line in iter(stream.readline, b""):
            last = line
            yield line.decode("utf-8", "surrogateescape")[: -1 if line.endswith(b"\n") else None]
    if last.endswith(b"\n"):
        yield ""


def encode_lines(texts):
    """The bytes of lines, a line feed between each two."""
    between = b""
    for text in texts:
        yield between + text.encode("utf-8", "surrogateescape")
        between = b"\n"


def hash_lines(texts, digest):
    """Pass lines on, adding their bytes to a digest."""
    between = b""
    for text in texts:
        digest.update(between + text.encode("utf-8", "surrogateescape"))
        between = b"\n"
        yield text


def why_no_text(file):
    """The reason why a staged file is no text that can be looked through, or an empty one."""
    with file.open() as stream:
        head = stream.read(SNIFFED_BYTES)
        if len(head) - len(head.translate(None, CONTROL_BYTES)) > len(head) // 10:
            return "binary"
    with file.open() as stream:
        for line in iter(lambda: stream.readline(LINE_LIMIT_BYTES + 1), b""):
            if b"\0" in line:
                return "binary"
            if len(line) > LINE_LIMIT_BYTES:
                return "line-too-long"
    return ""


def is_litter(name):
    """What desktops and editors leave behind, by its name."""
    return any(LITTER.match(part) for part in name.split("/"))


def is_address(name):
    return ":" in name or name.replace(".", "").isdigit()


def free_name(name, taken):
    """The name, with a number where scrubbing gave two files one name."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = "%s-%d" % (name, number)
    taken.add(free)
    return free


def accounts_of(uid):
    """Names of a user id in /etc/passwd; the C library would ask other services over a socket."""
    try:
        with open("/etc/passwd", encoding="utf-8", errors="surrogateescape") as stream:
            entries = [line.split(":") for line in stream]
    except OSError:
        return set()
    return {entry[0] for entry in entries if len(entry) > 2 and entry[2] == str(uid)}


def own_names(environ):
    """(users, hosts) that this machine and job tell without being asked over any network."""
    users = {environ[name] for name in USER_VARIABLES if environ.get(name)}
    users.add(os.path.basename(environ.get("HOME", "").rstrip("/")))
    users |= accounts_of(os.getuid())
    hosts = {environ[name] for name in HOST_VARIABLES if environ.get(name)}
    hosts.add(socket.gethostname())
    return users, hosts
