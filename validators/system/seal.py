"""Are the results of a bundle those that the described command wrote? Its seal holds their hashes from when it ended.

The seal has no key: it finds documents and results that were mixed up or changed by a slip, not who forges both.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from validators.bundle import Bundle
from validators.times import parse_time

AGREES, DIFFERS, ABSENT = "agrees", "differs", "absent"
OUTCOMES = (AGREES, DIFFERS, ABSENT)
_SEALED = ("ended", "exit_status", "duration_s", "nodes", "sha256", "signal", "started", "tasks")
_SEALED_OF_FILE = ("added_bytes", "bytes", "from_byte", "sha256")
_MOST_HASHED_BYTES = 2 * 1024**3
"""Bytes that are hashed for one seal: a hostile one could name a file once for each of its bytes."""
_MOST_CANDIDATES = 20
_PRE, _POST = "pre", "post"
_ROUNDED_S = 2.0
"""Times are whole seconds, and the clock of the machine may be set a little meanwhile."""


@dataclass(frozen=True, slots=True)
class Seal:
    """A seal held against the files of a bundle: paths as sealed, with bytes added since, and changed.

    `why_absent` says why there is nothing to hold against, "" where there is; `edited` that the record of the run is
    not the one that was sealed; `scrubbed` are those of `same` that lost names at the site, after they were compared
    there. `missing` counts files that the command wrote and that are not here, `unsealed` are files of no entry;
    `other_times` says that the machines were looked at at other times than around the command.
    """

    why_absent: str = ""
    edited: bool = False
    same: frozenset[str] = frozenset()
    longer: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    scrubbed: frozenset[str] = frozenset()
    missing: int = 0
    unsealed: frozenset[str] = frozenset()
    other_times: bool = False

    def outcome(self, run_path: str | None = None) -> tuple[str, str]:
        """(outcome, sentence) of the bundle as a whole, or of the run that was read from a path."""
        if self.why_absent:
            return ABSENT, self.why_absent
        if self.edited:
            message = "Times, exit status, counts or files of the command are not those that were sealed when it ended."
            return DIFFERS, message
        if self.other_times:
            message = "The machines were not looked at right before and after the command: two records were mixed."
            return DIFFERS, message
        changed, same = (sorted(_below(paths, run_path)) for paths in (self.changed, self.same | self.longer))
        if changed:
            return DIFFERS, f"Not as the command left it: {_listed(changed)}."
        if not same:
            what = "No file of the bundle is" if run_path is None else f"The output of this run ({run_path}) is not"
            return DIFFERS, f"{what} one that the described command wrote."
        scrubbed = len(_below(self.scrubbed, run_path))
        told_by_site = f", {scrubbed} of them as compared at the site before names were taken out" if scrubbed else ""
        longer = sorted(_below(self.longer, run_path))
        added = f" What was added since is not sealed: {_listed(longer)}." if longer else ""
        count = "1 file is" if len(same) == 1 else f"{len(same)} files are"
        agreement = f"{count} as the command left {'it' if len(same) == 1 else 'them'}{told_by_site}.{added}"
        return AGREES, f"{agreement}{self._not_covered(run_path)}"

    def _not_covered(self, run_path: str | None) -> str:
        """What a seal that agrees does not speak of: files that are gone, and those that came into the run's folder."""
        unsealed = sorted(_inside(self.unsealed, run_path)) if run_path not in (None, "", ".") else []
        there = f" The command did not write: {_listed(unsealed)}." if unsealed else ""
        verb = "is" if self.missing == 1 else "are"
        gone = f" Of the files that the command wrote, {self.missing} {verb} not here." if self.missing else ""
        return there + gone

    def as_json(self) -> dict[str, Any]:
        outcome, why = self.outcome()
        return {"outcome": outcome, "why": why}


def compare(bundle: Bundle, document: Mapping[str, Any], path: str) -> Seal | None:
    """The seal of a document that lies at a path of a bundle; None where no command was wrapped."""
    run = document.get("run")
    if run is None:
        phases = {capture.get("phase") for capture in document.get("captures", ())}
        message = "The machines were looked at for a command, but nothing says how it ended."
        return Seal(message) if _PRE in phases else None
    if "files" not in run:
        return Seal("The collector that described the run did not seal its files.")
    if run.get("seal") != _hash_of(run):
        return Seal(edited=True)
    if not run["files"]:
        return Seal("The command wrote no file that the collector saw, or none of them is in the bundle.")
    if _are_of_other_times(run, document.get("captures", ())):
        return Seal(other_times=True)
    seal = _Comparison(bundle, path).of(run["files"])
    return replace(seal, missing=seal.missing + run.get("files_not_packed", 0))


def _are_of_other_times(run: Mapping[str, Any], captures: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a look before the command began after it, or one after it before it ended: one clock says both."""
    for capture in captures:
        if capture.get("phase") == _PRE and _seconds_after(capture["started"], run["started"]) > _ROUNDED_S:
            return True
        if capture.get("phase") == _POST and _seconds_after(run["ended"], capture["started"]) > _ROUNDED_S:
            return True
    return False


def _seconds_after(later: str, earlier: str) -> float:
    return (parse_time(later) - parse_time(earlier)).total_seconds()


def _hash_of(run: Mapping[str, Any]) -> str:
    facts: dict[str, Any] = {name: run[name] for name in _SEALED if name in run}
    files = [{name: entry[name] for name in _SEALED_OF_FILE if name in entry} for entry in run["files"]]
    facts["files"] = sorted(files, key=lambda entry: (entry["sha256"], entry["bytes"]))
    return hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(slots=True)
class _Comparison:
    bundle: Bundle
    own_path: str
    hashed_bytes: int = 0
    hashes: dict[str, str] = field(default_factory=dict)

    def of(self, entries: Iterable[Mapping[str, Any]]) -> Seal:
        by_size: dict[int, list[str]] = {}
        by_name: dict[str, list[str]] = {}
        for path, file in self.bundle.files.items():
            if path != self.own_path:
                by_size.setdefault(file.size, []).append(path)
                by_name.setdefault(path.rpartition("/")[2], []).append(path)
        same, longer, changed, scrubbed, missing = set[str](), set[str](), set[str](), set[str](), 0
        for entry in entries:
            size = 0 if entry.get("from_byte") else entry["bytes"]
            alike = [path for path in by_size.get(size, ()) if self._hash(path) == entry["sha256"]]
            named = [path for path in by_name.get(_name(entry), ())[:_MOST_CANDIDATES] if _may_be(entry["path"], path)]
            if alike:
                same |= set(alike)
                longer |= set(alike) if entry.get("added_bytes") else set()
                scrubbed |= set(alike) if entry.get("scrubbed") else set()
            elif begun := [path for path in named if self._begins(path, entry)]:
                longer |= set(begun)
            elif named:
                changed |= set(named)
            else:
                missing += 1
        changed -= same | longer
        return Seal(
            same=frozenset(same),
            longer=frozenset(longer),
            changed=frozenset(changed),
            scrubbed=frozenset(scrubbed),
            missing=missing,
            unsealed=frozenset(path for path in self.bundle.files if path not in same | longer | changed),
        )

    def _hash(self, path: str) -> str:
        if path not in self.hashes:
            self.hashes[path] = self._range(path, 0, self.bundle.files[path].size)
        return self.hashes[path]

    def _begins(self, path: str, entry: Mapping[str, Any]) -> bool:
        first = entry.get("from_byte", 0)
        if entry.get("scrubbed") or first + entry["bytes"] > self.bundle.files[path].size:
            return False
        return bool(self._range(path, first, entry["bytes"]) == entry["sha256"])

    def _range(self, path: str, first: int, count: int) -> str:
        """The sha256 of a part of a file; "" where enough was hashed for one seal."""
        self.hashed_bytes += first + count
        if self.hashed_bytes > _MOST_HASHED_BYTES:
            return ""
        digest, position = hashlib.sha256(), 0
        for piece in self.bundle.chunks(path):
            digest.update(piece[max(0, first - position) : max(0, first + count - position)])
            position += len(piece)
            if position >= first + count:
                break
        return digest.hexdigest()


def _name(entry: Mapping[str, Any]) -> str:
    return str(entry["path"]).rpartition("/")[2]


def _may_be(sealed_path: str, path: str) -> bool:
    """Whether both may be one file: the shorter path is the end of the longer."""
    sealed, there = sealed_path.split("/"), path.split("/")
    count = min(len(sealed), len(there))
    return sealed[-count:] == there[-count:]


def _below(paths: Iterable[str], run_path: str | None) -> list[str]:
    return list(paths if run_path in (None, "", ".") else _inside(paths, str(run_path)))


def _inside(paths: Iterable[str], run_path: str) -> Iterator[str]:
    return (path for path in paths if path == run_path or path.startswith(f"{run_path}/"))


def _listed(paths: list[str]) -> str:
    more = len(paths) - 3
    return ", ".join(path[-80:] for path in paths[:3]) + (f" and {more} more" if more > 0 else "")
