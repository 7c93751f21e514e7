"""Local copies of the published results of MLPerf Storage v3.0: where each workload lies, and which of its files count.

A copy is a folder with `closed/` or `open/`, and in them SUBMITTER/results/SYSTEM/KIND/MODEL and
SUBMITTER/systems/SYSTEM.yaml. Everything in it is hostile: symbolic links are never followed, and all is limited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

DIVISIONS = ("closed", "open")
TRAINING, CHECKPOINTING, KV_CACHE, VECTOR_DATABASE = "training", "checkpointing", "kv_cache", "vector_database"
KINDS = (TRAINING, CHECKPOINTING, KV_CACHE, VECTOR_DATABASE)
MOST_FOLDERS, MOST_FILES, MOST_FILE_BYTES, LONGEST_NAME = 60_000, 2_000, 8 * 2**20, 120
_READ = re.compile(
    r"(summary|statistics|result_verdict|fs_separation|config|\.code-hash|kvcache_results_.*|.*_metadata)\.json"
    r"|(overrides|config)\.yaml|\.mlps-code-image"
)
SUMMARY = "summary.json"
_STAMP = re.compile(r"\d{8}_\d{6}", re.ASCII)
_MODEL = re.compile(r"[\w.-]{1,40}( [\w.-]{1,40})?", re.ASCII)

Key = tuple[str, str, str, str, str]
"""Division, submitter, system, kind and model: what tells one row of the round from the others."""


class FolderError(Exception):
    """The folder is no copy of the results."""


@dataclass(frozen=True, slots=True)
class WorkloadPlace:
    """One workload of a copy. `files` are those that a reader needs, by their path in the published tree.

    `runs` are the names of its run folders in their order; of training those with a summary, since the reader counts
    summaries. `refusal` says why nothing of it may be read; empty if all
    may. `description` is the file that describes its system, None where the copy has none.
    """

    key: Key
    files: dict[str, Path]
    runs: tuple[str, ...]
    description: Path | None = None
    refusal: str = ""

    @property
    def published_folder(self) -> str:
        return published_folder(self.key)

    def list_counted_runs(self) -> tuple[str, ...]:
        """The runs that a result may be of: of kv_cache the latest, which is the one that is published; else all."""
        return self.runs[-1:] if self.key[3] == KV_CACHE else self.runs

    def list_counted_files(self) -> dict[str, Path]:
        """The files without those of runs that do not count."""
        others = set(self.runs) - set(self.list_counted_runs())
        return {path: file for path, file in self.files.items() if others.isdisjoint(PurePosixPath(path).parts)}


@dataclass(slots=True)
class Copy:
    """What lies in some copies: workloads by their key, and folders that are no workload with the reason."""

    places: dict[Key, WorkloadPlace] = field(default_factory=dict)
    passed_over: dict[str, str] = field(default_factory=dict)
    descriptions: dict[tuple[str, str, str], Path] = field(default_factory=dict)
    """Of systems, by division, submitter and system."""


def published_folder(key: Key) -> str:
    """Where a workload lies in the published tree; without a known model the folder of its kind."""
    division, submitter, system, kind, model = key
    return "/".join(filter(None, (division, submitter, "results", system, kind, model.replace(" ", "/"))))


def find_workloads(folders: list[Path]) -> Copy:
    """The workloads of copies, and the descriptions of their systems, which may lie in another copy.

    Raises FolderError for a folder that is no copy, has more folders than one, or holds a workload that another one
    has, too; OSError where one cannot be read.
    """
    copy, walk = Copy(), _Walk()
    for folder in folders:
        if folder.is_symlink() or not folder.is_dir():
            raise FolderError(f"{folder} is not a folder")
        divisions = [walk.enter(folder, name) for name in DIVISIONS]
        if not any(divisions):
            raise FolderError(f"{folder} has neither closed/ nor open/ in it")
        for division in filter(None, divisions):
            for submitter in walk.list_folders(division):
                _add_submitter(copy, walk, division.name, submitter)
    for key, place in copy.places.items():
        description = copy.descriptions.get(key[:3])
        copy.places[key] = WorkloadPlace(key, place.files, place.runs, description, place.refusal)
    return copy


class _Walk:
    """Lists folders without following links, and counts them."""

    def __init__(self) -> None:
        self.folders = 0

    def enter(self, folder: Path, name: str) -> Path | None:
        path = folder / name
        return path if path.is_dir() and not path.is_symlink() else None

    def list_folders(self, folder: Path) -> list[Path]:
        """The folders in a folder by name, those that begin with a dot left out. Raises FolderError for too many."""
        inner = [path for path in folder.iterdir() if not path.name.startswith(".")]
        folders = sorted(path for path in inner if path.is_dir() and not path.is_symlink())
        self.folders += len(folders)
        if self.folders > MOST_FOLDERS:
            raise FolderError("There are more folders than a copy of the results has")
        return folders


def _add_submitter(copy: Copy, walk: _Walk, division: str, submitter: Path) -> None:
    systems = walk.enter(submitter, "systems")
    for path in sorted(systems.glob("*.yaml")) if systems else ():
        if path.is_file() and not path.is_symlink():
            copy.descriptions[division, submitter.name, path.stem] = path
    results = walk.enter(submitter, "results")
    for system in walk.list_folders(results) if results else ():
        for kind in walk.list_folders(system):
            if kind.name not in KINDS:
                copy.passed_over[_show_path(division, submitter, kind)] = "no kind of benchmark has this name"
                continue
            for model, folder in _list_models(walk, kind):
                names = (submitter.name, system.name)
                are_plain = all(name.isprintable() and name.strip() and len(name) <= LONGEST_NAME for name in names)
                if not are_plain or not _MODEL.fullmatch(model):
                    copy.passed_over[_show_path(division, submitter, folder)] = "a name is too long or not printable"
                    continue
                key = (division, submitter.name, system.name, kind.name, model)
                if key in copy.places:
                    raise FolderError(f"{published_folder(key)} is there twice")
                copy.places[key] = _read_place(walk, key, folder)


def _show_path(division: str, submitter: Path, folder: Path) -> str:
    """The path of a folder in the published tree, as a report has it."""
    return _show_text(f"{division}/{submitter.name}/{folder.relative_to(submitter).as_posix()}")


def _show_text(text: str) -> str:
    """A text that cannot reach into the terminal: what is not printable as question marks, and cut."""
    return "".join(sign if sign.isprintable() else "?" for sign in text[: 4 * LONGEST_NAME])


def _list_models(walk: _Walk, kind: Path) -> Iterator[tuple[str, Path]]:
    """Models of a kind; a vector database has an index below its engine, as "milvus DISKANN"."""
    for folder in walk.list_folders(kind):
        if kind.name != VECTOR_DATABASE:
            yield folder.name, folder
            continue
        for index in walk.list_folders(folder):
            yield f"{folder.name} {index.name}", index


def _read_place(walk: _Walk, key: Key, folder: Path) -> WorkloadPlace:
    files, runs = dict[str, Path](), set[str]()
    above, open_folders = PurePosixPath(published_folder(key)), [folder]
    while open_folders:
        current = open_folders.pop()
        open_folders += walk.list_folders(current)
        for path in sorted(current.iterdir()):
            inner = path.relative_to(folder)
            if not _READ.fullmatch(path.name) or path.is_symlink() or not path.is_file():
                continue
            if path.stat().st_size > MOST_FILE_BYTES:
                return WorkloadPlace(key, {}, (), refusal=f"{_show_text(inner.as_posix())} is larger than a result")
            files[str(above / inner)] = path
            is_of_run = "run" in inner.parts or key[3] == CHECKPOINTING
            if is_of_run and (key[3] != TRAINING or path.name == SUMMARY):
                runs |= {part for part in inner.parts if _STAMP.fullmatch(part)}
            if len(files) > MOST_FILES:
                return WorkloadPlace(key, {}, (), refusal=f"more than {MOST_FILES} files")
    return WorkloadPlace(key, files, tuple(sorted(runs)), refusal="" if files else "no file of a result")
