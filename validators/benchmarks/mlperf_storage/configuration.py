"""What a run was configured with: the overrides that Hydra recorded, and the metadata of version 2.0.

The files are YAML, of which the few lines that are needed are read as text. Folders and hosts stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from validators.benchmarks.mlperf_storage import documents
from validators.bundle import Bundle
from validators.outputs import Output, Refusal

TEXT_BYTES = 64 * 1024
CLOSED_PARAMETERS = frozenset(
    {
        "dataset.num_files_train",
        "dataset.num_subfolders_train",
        "dataset.data_folder",
        "reader.read_threads",
        "reader.computation_threads",
        "reader.transfer_size",
        "reader.odirect",
        "reader.prefetch_size",
        "checkpoint.checkpoint_folder",
        "checkpoint.num_checkpoints_write",
        "checkpoint.num_checkpoints_read",
        "checkpoint.mode",
        "storage.storage_type",
        "storage.storage_root",
    }
)
"""What a submission of the closed division may set (rules of v1.0 and v2.0); the workflow is the benchmark's own."""
_OWN = ("workload", "workflow.", "profiling.", "hydra.", "output.")
_SHOWN = frozenset(
    {
        "num_files_train",
        "num_subfolders_train",
        "read_threads",
        "computation_threads",
        "transfer_size",
        "prefetch_size",
        "batch_size",
        "odirect",
    }
)
"""Parameters that say what was measured."""
_OVERRIDE = re.compile(r"^- '?\+{0,2}([\w.]{1,80})=(.{0,200})$", re.MULTILINE)
_WORKLOAD = re.compile(r"(\w+?)(?:_([a-z]{1,2}\d{2,3}\w{0,4}))?")
_RECORD_LENGTH = re.compile(r"^[ \t]+record_length(?:_bytes)?: ([\d.]{1,20})[ \t\r]*$", re.MULTILINE)
_SETTING = re.compile(r"^[ \t]+(\w{1,40}): (\d{1,15}|true|false|True|False)[ \t\r]*$", re.MULTILINE)
_TARGET = re.compile(r"^  metric:\s+au: (0?\.\d{1,4}|1\.0)\s*$", re.MULTILINE)


@dataclass(slots=True)
class Configuration:
    """What is known of a run's configuration; empty where its files are missing."""

    model: str = ""
    accelerator: str = ""
    kind: str = ""
    verification: str = ""
    settings: dict[str, int] = field(default_factory=dict)
    overrides: set[str] = field(default_factory=set)
    record_length: float | None = None
    au_target: float | None = None
    read: set[str] = field(default_factory=set)

    @property
    def open_parameters(self) -> list[str]:
        """What was set that the closed division does not let one set."""
        return sorted(name for name in self.overrides - CLOSED_PARAMETERS if not name.startswith(_OWN))


class Configurations:
    """The configurations of a bundle, by the folder of the run that they belong to."""

    def __init__(self, bundle: Bundle, metadata: Iterable[str]) -> None:
        self.bundle = bundle
        self.metadata = {PurePosixPath(path).parent: path for path in metadata}
        self.texts: dict[PurePosixPath, list[str]] = {}
        for path in bundle.files:
            place = PurePosixPath(path)
            if place.name in ("overrides.yaml", "config.yaml"):
                self.texts.setdefault(place.parent.parent, []).append(path)

    def of(self, folder: PurePosixPath) -> Configuration:
        configuration = Configuration()
        for path in self.texts.get(folder, []):
            configuration.read.add(path)
            text = self.bundle.read(path, TEXT_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
            if path.endswith("overrides.yaml"):
                _add_overrides(configuration, dict(_OVERRIDE.findall(text)))
            else:
                _add_settings(configuration, text)
        if folder in self.metadata:
            self._add_metadata(configuration, self.metadata[folder])
        return configuration

    def _add_metadata(self, found: Configuration, path: str) -> None:
        found.read.add(path)
        try:
            document = documents.load(Output(self.bundle, path))
        except Refusal:
            return
        found.kind = "checkpointing" if "checkpointing" in str(document.get("benchmark_type"))[:80] else "training"
        arguments: Any = document.get("args")
        for place in (document, arguments):
            found.model = found.model or documents.word(place, "model")
            found.accelerator = found.accelerator or documents.word(place, "accelerator")
            found.accelerator = found.accelerator or documents.word(place, "accelerator_type")
        found.verification = str(document.get("verification") or "").rpartition(".")[2].lower()[:20]
        overrides = document.get("override_parameters")
        if isinstance(overrides, Mapping):
            _add_overrides(found, {str(name)[:80]: str(value)[:200] for name, value in overrides.items()})


def _add_overrides(found: Configuration, overrides: Mapping[str, str]) -> None:
    for name, value in overrides.items():
        if name == "workload":
            workload = _WORKLOAD.fullmatch(value.strip())
            found.model, found.accelerator = (workload[1], workload[2] or "") if workload else ("", "")
            continue
        short = name.removeprefix("workload.")
        if re.fullmatch(r"[\w.]{1,80}", short):
            found.overrides.add(short)
        _set(found, short.rpartition(".")[2], value.strip().strip("'"))


def _add_settings(found: Configuration, text: str) -> None:
    for name, value in _SETTING.findall(text):
        _set(found, name, value)
    length, target = _RECORD_LENGTH.search(text), _TARGET.search(text)
    found.record_length = documents.number({"": _decimal(length[1])}, "") if length else None
    found.au_target = 100 * float(target[1]) if target else None


def _set(found: Configuration, name: str, value: str) -> None:
    if name in _SHOWN and re.fullmatch(r"\d{1,15}", value):
        found.settings[name] = int(value)
    elif name in _SHOWN and value.lower() in ("true", "false"):
        found.settings[name] = value.lower() == "true"


def _decimal(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d+(\.\d*)?", text) else None
