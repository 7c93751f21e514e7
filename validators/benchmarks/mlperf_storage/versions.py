"""Which version of the benchmark a result is of, and what tells it.

A file of v3.0 tells it (its code image, `fs_separation.json`, its form of metadata, the kinds that came with it); of
two that contradict each other none is believed. Without such a file the accelerator or the model may tell, and at last
the date: the form of folders is that of v2.0 as well, of which the round closed in 2025.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from validators.benchmarks.mlperf_storage import documents, places
from validators.benchmarks.mlperf_storage.round_3 import FACTS, ROUND
from validators.bundle import Bundle
from validators.outputs import Output, Refusal

SEPARATION = "fs_separation.json"
_IMAGE, _HASH = ".mlps-code-image", ".code-hash.json"
_IMAGE_BYTES = 200
FORMER = "2.0"
DATE = "date"
_SINCE_3 = (places.KV_CACHE, places.VECTOR_DATABASE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A version, and what says so."""

    version: str
    by: str
    tool_version: str = ""


@dataclass(frozen=True, slots=True)
class VersionVerdict:
    """The version of a result; empty where it is not known, or where files contradict each other."""

    version: str = ""
    by: str = ""
    tool_version: str = ""
    contradiction: tuple[str, ...] = ()

    def as_parameters(self) -> dict[str, str]:
        return {"mlpstorage_version": self.tool_version, "version_known_by": self.by}


class Images:
    """The code images of a bundle: which version of the benchmark each was."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.read: set[str] = set()
        self.versions: dict[str, str] = {}
        for path in bundle.files:
            if PurePosixPath(path).name == _HASH:
                self._add(path)

    def _add(self, path: str) -> None:
        try:
            document = documents.load(Output(self.bundle, path))
        except Refusal:
            return
        code, version = documents.word(document, "hash"), documents.word(document, "mlpstorage_version")
        if code and version[:1].isdigit():
            self.read.add(path)
            self.versions[code] = version

    def evidence(self, folder: PurePosixPath) -> Iterator[Evidence]:
        """What the files beside a summary say."""
        image = (folder / _IMAGE).as_posix()
        if image in self.bundle.files:
            self.read.add(image)
            code = self.bundle.read(image, _IMAGE_BYTES).decode("utf-8", "replace").strip().rpartition(":")[2]
            version = self.versions.get(code, "")
            yield Evidence(".".join(version.split(".")[:2]) or ROUND, "code image", version)
        if (folder / SEPARATION).as_posix() in self.bundle.files:
            yield Evidence(ROUND, SEPARATION)


def infer_version(
    evidence: list[Evidence], kind: str, accelerator: str, model: str, begun: str, is_in_tree: bool
) -> VersionVerdict:
    """The version that the files of a result, or else its kind, accelerator, model and dates, tell.

    `begun` is when its last run began, `is_in_tree` whether it lies in folders of the form since v2.0.
    """
    stated = list(dict.fromkeys(item.version for item in evidence))
    if kind in _SINCE_3 and not stated:
        return VersionVerdict(ROUND, "kind of benchmark")
    if len(stated) > 1:
        return VersionVerdict(contradiction=tuple(sorted(stated)))
    if evidence:
        tool_version = next((item.tool_version for item in evidence if item.tool_version), "")
        return VersionVerdict(stated[0], evidence[0].by, tool_version)
    if accelerator in FACTS["accelerators"]:
        return VersionVerdict(ROUND, "accelerator")
    if model in FACTS["models"][places.TRAINING] and model != "unet3d":
        return VersionVerdict(ROUND, "model")
    if is_in_tree or kind == places.CHECKPOINTING:
        if begun >= FACTS["first_day"]:
            return VersionVerdict(ROUND, DATE)
        return VersionVerdict(FORMER, DATE) if begun else VersionVerdict()
    return VersionVerdict()
