"""The seal of a run: what its command wrote and how it ended, under one hash; and whether results are of it.

The hash has no key. It tells a slip from the truth, not a forger.
"""

import calendar
import hashlib
import json
import os
from time import strptime

SEALED = ("ended", "exit_status", "duration_s", "nodes", "sha256", "signal", "started", "tasks")
SEALED_OF_FILE = ("added_bytes", "bytes", "from_byte", "sha256")
# Times are whole seconds, and a clock may be set a little meanwhile.
ROUNDED_S = 2.0


def seal_of(run):
    """The sha256 over what a run's record says of its end and its files; not over texts that pseudonyms may change."""
    facts = {name: run[name] for name in SEALED if name in run}
    files = [{name: entry[name] for name in SEALED_OF_FILE if name in entry} for entry in run.get("files", ())]
    facts["files"] = sorted(files, key=lambda entry: (entry["sha256"], entry["bytes"]))
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def with_seal(run):
    return dict(run, seal=seal_of(run)) if "files" in run else run


def is_edited(run):
    """Whether a sealed run says something else than when it was sealed."""
    return "files" in run and run.get("seal") != seal_of(run)


def is_of_other_times(run, captures):
    """Whether a look before the command began after it, or one after the command before it ended, by one clock."""
    if "files" not in run:
        return False
    begun, ended = seconds(run["started"]), seconds(run["ended"])
    return any(
        (capture["phase"] == "pre" and seconds(capture["started"]) - begun > ROUNDED_S)
        or (capture["phase"] == "post" and ended - seconds(capture["started"]) > ROUNDED_S)
        for capture in captures
    )


def seconds(time):
    """A time that the collector wrote, in seconds of UTC."""
    return calendar.timegm(strptime(time[:19], "%Y-%m-%dT%H:%M:%S"))


class Comparison:
    """Sealed entries held against staged files: `same`, `longer` and `changed` are pairs of both, `absent` entries.

    A file is another one where it has the name of a sealed one and other bytes; `unsealed` are files of no entry.
    """

    def __init__(self, entries, files):
        self.same, self.longer, self.changed, self.absent = [], [], [], []
        by_hash = {file.sha256: file for file in files}
        by_name = {}
        for file in files:
            by_name.setdefault(os.path.basename(file.name), []).append(file)
        for entry in entries:
            file = None if entry.get("from_byte") else by_hash.get(entry["sha256"])
            candidates = by_name.get(os.path.basename(entry["path"]), ())
            named = [file for file in candidates if is_same_name(entry["path"], file.name)]
            if file is not None:
                self.same.append((entry, file))
            elif any(begins_as_sealed(entry, file) for file in named):
                file = next(file for file in named if begins_as_sealed(entry, file))
                (self.longer if file.size > entry["bytes"] else self.same).append((entry, file))
            elif named:
                self.changed.append((entry, named[0]))
            else:
                self.absent.append(entry)
        matched = {file.name for _entry, file in self.same + self.longer + self.changed}
        self.unsealed = [file for file in files if file.name not in matched]


def is_same_name(sealed_path, name):
    """Whether two paths may be of one file: the shorter is the end of the longer. The names of folders may differ."""
    one_path, other_path = sealed_path.split("/"), name.split("/")
    shorter = min(len(one_path), len(other_path))
    return one_path[-shorter:] == other_path[-shorter:]


def begins_as_sealed(entry, file):
    """Whether a staged file has the sealed bytes where they were, with others behind or before them."""
    first, rest = entry.get("from_byte", 0), entry["bytes"]
    if file.size < first + rest:
        return False
    digest = hashlib.sha256()
    with file.open() as stream:
        while first > 0:
            block = stream.read(min(first, 1 << 20))
            first -= len(block) or first
        while rest > 0:
            block = stream.read(min(rest, 1 << 20))
            if not block:
                return False
            digest.update(block)
            rest -= len(block)
    return digest.hexdigest() == entry["sha256"]


def carried_over(run, matches):
    """The run with its seals as files leave: (entry, file before, file after names were taken out of it) each.

    What left has a hash of its own: that of the original would let others try names out. A file that stays at the site
    has neither name nor hash in the document, for the same reason.
    """
    files = []
    for entry, before, after in matches:
        carried = dict(entry, path=after.name)
        if before.sha256 != after.sha256:
            carried.update(bytes=after.size, sha256=after.sha256, scrubbed=True)
            carried.pop("from_byte", None)
            if before.size > entry["bytes"]:
                carried["added_bytes"] = before.size - entry["bytes"]
        files.append(carried)
    stay = len(run["files"]) - len(files)
    carried_run = dict(run, files=files)
    if stay:
        carried_run["files_not_packed"] = stay
    return with_seal(carried_run)


def shown_names(names):
    names = [name[-80:] for name in names]
    return ", ".join(names[:3]) + (" and %d more" % (len(names) - 3) if len(names) > 3 else "")
