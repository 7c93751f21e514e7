"""What the path of a file says since v2.0: the kind of benchmark, the model, the phase and the time stamp.

    closed/SUBMITTER/results/SYSTEM/training/MODEL/run/20260706_144444/summary.json
    closed/SUBMITTER/results/SYSTEM/checkpointing/MODEL/20260721_214534/summary.json
    closed/SUBMITTER/results/SYSTEM/kv_cache/MODEL/run/20260807_155647/summary.json
    closed/SUBMITTER/results/SYSTEM/vector_database/milvus/DISKANN/run/20260724_090347/summary.json

A path says it only where a time stamp stands at its place. Older results lie in folders of any name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from validators.benchmarks.mlperf_storage.round_3 import FACTS

TRAINING, CHECKPOINTING, KV_CACHE, VECTOR_DATABASE = "training", "checkpointing", "kv_cache", "vector_database"
KINDS = (TRAINING, CHECKPOINTING, KV_CACHE, VECTOR_DATABASE)
RUN = "run"
_PHASES = ("datasize", "datagen", RUN)
_STAMP = re.compile(r"\d{8}_\d{6}", re.ASCII)
_WORD = re.compile(r"[\w.-]{1,40}", re.ASCII)
_MODELS = {model: kind for kind, models in FACTS["models"].items() for model in models}


@dataclass(frozen=True, slots=True)
class Place:
    """What the folders above a file say; empty where they do not."""

    kind: str = ""
    model: str = ""
    engine: str = ""
    phase: str = ""
    stamp: str = ""
    workload: PurePosixPath | None = None
    """The folder of the model, in which the phases lie."""

    @property
    def is_preparation(self) -> bool:
        """Whether it is of the making of data, and no run."""
        return self.phase in ("datasize", "datagen")

    @property
    def begun(self) -> datetime | None:
        """When it was called, in the local time of the test."""
        return read_time(self.stamp, "%Y%m%d_%H%M%S")


def read_time(text: str, form: str) -> datetime | None:
    """The time that a text is in a form of strptime, without a zone; None for all else."""
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


def find_place(path: str) -> Place:
    """What the folders of a path say, from the nearest time stamp up."""
    above = PurePosixPath(path).parent
    for folder in (above, *above.parents):
        if _STAMP.fullmatch(folder.name):
            return _above(folder)
    return Place()


def _above(stamp: PurePosixPath) -> Place:
    folder, phase = stamp.parent, ""
    if folder.name in _PHASES:
        folder, phase = folder.parent, folder.name
    model = folder.name if _WORD.fullmatch(folder.name) else ""
    if folder.parent.name in KINDS and folder.parent.name != VECTOR_DATABASE:
        return Place(folder.parent.name, model, "", phase, stamp.name, folder)
    if folder.parent.parent.name == VECTOR_DATABASE:
        engine = folder.parent.name if _WORD.fullmatch(folder.parent.name) else ""
        return Place(VECTOR_DATABASE, model, engine, phase, stamp.name, folder)
    return Place(_MODELS.get(model, ""), model if model in _MODELS else "", "", phase, stamp.name, folder)
