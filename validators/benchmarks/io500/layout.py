"""Where the runs lie in a bundle: which folder counts, which summaries are copies, which files belong to a phase.

The C program writes `result.txt` beside the raw text of its phases, the shell script wrote the raw text beside
`result_summary.txt`. A summary alone is a copy of a run that lies elsewhere, unless there is nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from validators.benchmarks.io500 import score
from validators.benchmarks.io500.files import is_litter

SUMMARY = "result_summary.txt"
RESULT = "result.txt"
SETTINGS = ("config.ini", "config-orig.ini")
RAW_PHASES = frozenset(
    phase for phase in score.stored()["phases"] if phase.startswith(("ior-", "mdtest-")) or phase.startswith("find")
)
_LEGACY_RND4K = "ior-rnd4K-read"
_JOB_SCRIPT = (".sh", ".slurm", ".sbatch", ".job", ".pbs", ".lsf", ".batch")
_JOB_OUTPUT = (".out", ".log", ".stdout", ".o")


@dataclass(slots=True)
class Folder:
    """The files of one folder that io500 wrote: `raw` by phase, `tables` the CSV files by phase."""

    path: str
    summary: str = ""
    result: str = ""
    shell_log: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)

    @property
    def has_run(self) -> bool:
        """The folder in which a run wrote its results, not one that somebody copied a summary to."""
        return bool(self.result or ((self.summary or self.shell_log) and self.raw))

    @property
    def printed_texts(self) -> list[str]:
        """What programs printed."""
        return [path for path in (self.result, self.summary, self.shell_log, *self.raw.values()) if path]

    @property
    def files(self) -> list[str]:
        named = [self.summary, self.result, self.shell_log]
        return [path for path in (*named, *self.settings.values(), *self.raw.values(), *self.tables.values()) if path]


@dataclass(slots=True)
class Layout:
    """All folders with files of io500, those of runs first, and what lies around them."""

    runs: list[Folder]
    copies: list[Folder]
    job_scripts: list[str]
    job_outputs: list[str]


def survey(paths: Iterable[str]) -> Layout:
    """Sort the paths of a bundle into folders."""
    folders: dict[str, Folder] = {}
    scripts, outputs = [], []
    for path in sorted(path for path in paths if not is_litter(path)):
        parent, _, name = path.rpartition("/")
        if not _place(folders, parent, name, path):
            if name.lower().endswith(_JOB_SCRIPT) or name == "io500.sh":
                scripts.append(path)
            elif _is_job_output(name):
                outputs.append(path)
    candidates = [folder for folder in folders.values() if folder.summary or folder.result or folder.has_run]
    return Layout(
        runs=[folder for folder in candidates if folder.has_run],
        copies=[folder for folder in candidates if not folder.has_run],
        job_scripts=scripts,
        job_outputs=outputs,
    )


def _place(folders: dict[str, Folder], parent: str, name: str, path: str) -> bool:
    """Give the file its place in its folder; False if io500 does not write such a file."""
    phase, kind = _phase_file(name)
    if not (phase or name in (SUMMARY, RESULT, *SETTINGS) or _is_shell_log(name)):
        return False
    folder = folders.setdefault(parent, Folder(parent))
    if name == SUMMARY:
        folder.summary = path
    elif name == RESULT:
        folder.result = path
    elif name in SETTINGS:
        folder.settings[name] = path
    elif phase:
        (folder.raw if kind == "txt" else folder.tables)[phase] = path
    else:
        folder.shell_log = path
    return True


def _phase_file(name: str) -> tuple[str, str]:
    """The phase whose text or table this file is, by its name: ("ior-easy-write", "txt"), else ("", "")."""
    stem, _, kind = name.rpartition(".")
    phase = stem.replace("_", "-")
    return (phase, kind) if kind in ("txt", "csv") and phase in RAW_PHASES else ("", "")


def _is_shell_log(name: str) -> bool:
    return name.startswith("io-500-summary.") and name.endswith(".txt")


def _is_job_output(name: str) -> bool:
    lower = name.lower()
    return (
        lower.endswith(_JOB_OUTPUT) or lower in ("stdout.txt", "output.txt", "stdout", "output") or ".o" in lower[-12:]
    )


def raw_of(files: dict[str, str], phase: str, phases: Iterable[str]) -> str | None:
    """The file of a phase. Builds before ISC25 saved ior-rnd4K-easy-read under the name of another phase."""
    if phase == "ior-rnd4K-easy-read" and phase not in files and _LEGACY_RND4K not in phases:
        return files.get(_LEGACY_RND4K)
    return files.get(phase)


def group_by_text(paths: Iterable[tuple[str, object]]) -> list[list[str]]:
    """Paths whose second element is equal, together; the one nearest to the root first, groups in order of it."""
    groups: dict[object, list[str]] = defaultdict(list)
    for path, text in paths:
        groups[text].append(path)
    ordered = [sorted(group, key=_distance) for group in groups.values()]
    return sorted(ordered, key=lambda group: _distance(group[0]))


def _distance(path: str) -> tuple[int, int, str]:
    return path.count("/"), len(path), path
