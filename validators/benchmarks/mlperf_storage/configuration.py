"""What a run was configured with: the overrides that Hydra recorded, and the metadata that there is since version 2.0.

The files are YAML, of which the few lines that are needed are read as text. Folders and hosts stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from validators.benchmarks.mlperf_storage import documents, places
from validators.benchmarks.mlperf_storage.round_3 import FACTS, ROUND
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
_LISTED_SETTINGS = frozenset(
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
_CLOSED_SINCE_3 = frozenset({*FACTS["set_by_the_tool"], *FACTS["closed_too"]})
_COUNTED = {"num_checkpoints_write": "save", "num_checkpoints_read": "load"}
_SECTIONS = ("dataset", "reader", "checkpoint")
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
    form: str = ""
    verification: str = ""
    settings: dict[str, int] = field(default_factory=dict)
    overrides: set[str] = field(default_factory=set)
    override_values: dict[str, str] = field(default_factory=dict)
    """Values of the overrides of DLIO, as its overrides.yaml has them."""
    record_length: float | None = None
    au_target: float | None = None
    checkpoints: dict[str, int] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)

    @property
    def open_parameters(self) -> list[str]:
        """What was set that the closed division does not let one set."""
        return sorted(name for name in self.overrides - CLOSED_PARAMETERS if not name.startswith(_OWN))

    @property
    def open_since_3(self) -> list[str]:
        """The same by the rules of v3.0, of which the tool sets some itself."""
        return [name for name in self.open_parameters if name not in _CLOSED_SINCE_3]


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
        """What the files of one run tell of its configuration."""
        configuration = Configuration()
        for path in self.texts.get(folder, []):
            configuration.read.add(path)
            text = self.bundle.read(path, TEXT_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
            if path.endswith("overrides.yaml"):
                configuration.override_values = dict(_OVERRIDE.findall(text))
                _add_overrides(configuration, configuration.override_values)
            else:
                _add_settings(configuration, text)
        if folder in self.metadata:
            self._add_metadata(configuration, self.metadata[folder])
        return configuration

    def _add_metadata(self, configuration: Configuration, path: str) -> None:
        configuration.read.add(path)
        try:
            document = documents.load(Output(self.bundle, path))
        except Refusal:
            return
        kind = str(document.get("benchmark_type"))[:80]
        configuration.kind = next((kind_name for kind_name in places.KINDS if kind_name in kind), places.TRAINING)
        configuration.form = _form(document, kind)
        arguments: Any = document.get("args")
        for place in (document, arguments):
            configuration.model = configuration.model or documents.word(place, "model")
            configuration.accelerator = configuration.accelerator or documents.word(place, "accelerator")
            configuration.accelerator = configuration.accelerator or documents.word(place, "accelerator_type")
        configuration.verification = str(document.get("verification") or "").rpartition(".")[2].lower()[:20]
        overrides = document.get("override_parameters")
        if isinstance(overrides, Mapping):
            _add_overrides(configuration, {str(name)[:80]: str(value)[:200] for name, value in overrides.items()})
        if configuration.form == ROUND:
            _add_parameters(configuration, document.get("parameters"))


def _form(document: Mapping[str, Any], kind: str) -> str:
    """The version whose form the metadata has: since v3.0 it says how it collected what it says of the hosts."""
    system = document.get("system_info")
    return ROUND if kind in places.KINDS and isinstance(system, Mapping) and "collection_method" in system else "2.0"


def _add_parameters(configuration: Configuration, parameters: object) -> None:
    """The settings that v3.0 records, whether they were set or not."""
    for section in _SECTIONS:
        values = parameters.get(section) if isinstance(parameters, Mapping) else None
        for name, value in values.items() if isinstance(values, Mapping) else ():
            _set(configuration, str(name)[:80], str(value)[:40])
    length = documents.number(parameters, "dataset", "record_length_bytes")
    configuration.record_length = configuration.record_length or length
    target = documents.number(parameters, "metric", "au")
    configuration.au_target = configuration.au_target or (100 * target if target and target <= 1 else None)


def _add_overrides(configuration: Configuration, overrides: Mapping[str, str]) -> None:
    for name, value in overrides.items():
        if name == "workload":
            workload = _WORKLOAD.fullmatch(value.strip())
            configuration.model, configuration.accelerator = (workload[1], workload[2] or "") if workload else ("", "")
            continue
        short = name.removeprefix("workload.")
        if re.fullmatch(r"[\w.]{1,80}", short):
            configuration.overrides.add(short)
        _set(configuration, short.rpartition(".")[2], value.strip().strip("'"))


def _add_settings(configuration: Configuration, text: str) -> None:
    for name, value in _SETTING.findall(text):
        _set(configuration, name, value)
    length, target = _RECORD_LENGTH.search(text), _TARGET.search(text)
    configuration.record_length = documents.number({"": _decimal(length[1])}, "") if length else None
    configuration.au_target = 100 * float(target[1]) if target else None


def _set(configuration: Configuration, name: str, value: str) -> None:
    if name in _COUNTED and re.fullmatch(r"\d{1,6}", value):
        configuration.checkpoints[_COUNTED[name]] = int(value)
    if name in _LISTED_SETTINGS and re.fullmatch(r"\d{1,15}", value):
        configuration.settings[name] = int(value)
    elif name in _LISTED_SETTINGS and value.lower() in ("true", "false"):
        configuration.settings[name] = value.lower() == "true"


def _decimal(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d+(\.\d*)?", text) else None
