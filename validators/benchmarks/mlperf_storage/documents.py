"""The JSON documents of MLPerf Storage: the report over all runs, the summary of a run, the metadata of version 2.0.

What they call MB is MiB: `train_io_mean_MB_per_second` is samples/s times the length of a record over 2^20. What they
call GB is GiB. A summary of version 0.5 is of one host, of which a run may have several; later ones are of a whole run.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from statistics import fmean
from typing import Any

from validators.outputs import Output, Refusal
from validators.signs import Sign

DOCUMENT_BYTES = 8 * 1024 * 1024
LARGEST = 1e18
"""Nothing that is counted or measured here comes near; what is beyond is no measurement."""
MOST_VALUES = 100_000

REPORT = Sign(rb'"overall"\s*:\s*\{[^{}]{0,4000}"num_benchmark_runs"', b'"num_benchmark_runs"')
SUMMARY = Sign(
    rb'"(train_au_percentage|train_au_mean_percentage|(save|load)_checkpoint_\w{1,40})"\s*:',
    *(b'_percentage"', b"_checkpoint_"),
)
METADATA = Sign(rb'"benchmark_type"\s*:\s*"?[\w.]{0,40}(training|checkpointing)', b'"benchmark_type"')
_HINT = "Upload the file as the benchmark wrote it; was it copied while the run was going on?"


def load(output: Output) -> dict[str, Any]:
    """The object of a JSON file. Raises Refusal for one that is cut, too large, or holds NaN or Infinity."""
    text = output.text(DOCUMENT_BYTES).lstrip("\ufeff")
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise Refusal("inconsistent", "The JSON is nested deeper than any report.", _HINT) from None
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        raise Refusal("truncated", "The JSON ends before its end, or is damaged.", _HINT, line) from None
    if not isinstance(document, dict):
        raise Refusal("inconsistent", "The JSON is no object.", _HINT)
    return document


def _refuse_constant(word: str) -> float:
    raise Refusal("not-a-number", f"{word} stands where a number belongs.", "Repeat the run: a rate was not computed.")


def number(document: object, *path: str) -> float | None:
    """A number that is finite and not negative below a path of keys; a text of digits counts. Else None."""
    value: object = document
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    if isinstance(value, str) and re.fullmatch(r"\d{1,15}", value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= LARGEST:
        return None
    return value


def whole(document: object, *path: str) -> int | None:
    value = number(document, *path)
    return None if value is None else int(value)


def numbers(document: object, *path: str) -> list[float]:
    """A list of numbers below a path of keys; empty where one of them is none."""
    value: object = document
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    if not isinstance(value, list) or len(value) > MOST_VALUES:
        return []
    found = [number({"": one}, "") for one in value]
    return [one for one in found if one is not None] if None not in found else []


def word(document: object, *path: str) -> str:
    """A short name below a path of keys: a model, an accelerator. Empty for all that is none."""
    value: object = document
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) and re.fullmatch(r"[\w.-]{1,40}", value) else ""


@dataclass(frozen=True, slots=True)
class Summary:
    """What one run, or in version 0.5 one host of a run, measured."""

    path: str
    document: dict[str, Any]

    @property
    def folder(self) -> PurePosixPath:
        return PurePosixPath(self.path).parent

    @property
    def host(self) -> str:
        return word(self.document, "hostname")

    @property
    def of_a_host(self) -> bool:
        """Whether it is one of version 0.5, of which each host of a run writes one."""
        return "num_hosts" not in self.document

    def metric(self, name: str) -> float | None:
        return number(self.document, "metric", name)


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run of several: its name, and the summaries of its hosts; there is one from version 1.0 on."""

    name: str
    summaries: Sequence[Summary]

    @property
    def path(self) -> str:
        return self.summaries[0].path

    @property
    def checkpoints(self) -> bool:
        """Whether it measured checkpoints, and no training."""
        return self.au_mean is None and any(self.metric(f"{kind}_checkpoint_io_mean_GB_per_second") for kind in _KINDS)

    @property
    def au_mean(self) -> float | None:
        """Mean accelerator utilisation in percent over epochs and hosts."""
        means = [summary.metric("train_au_mean_percentage") for summary in self.summaries]
        known = [mean for mean in means if mean is not None]
        return fmean(known) if known and len(known) == len(means) else None

    @property
    def au_epochs(self) -> list[float]:
        return numbers(self.summaries[0].document, "metric", "train_au_percentage")

    @property
    def samples_epochs(self) -> list[float]:
        return numbers(self.summaries[0].document, "metric", "train_throughput_samples_per_second")

    @property
    def samples_per_s(self) -> float | None:
        return self.total("metric", "train_throughput_mean_samples_per_second")

    @property
    def mib_per_s(self) -> float | None:
        return self.total("metric", "train_io_mean_MB_per_second")

    @property
    def num_accelerators(self) -> int | None:
        found = self.total("num_accelerators")
        return None if found is None else int(found)

    @property
    def num_hosts(self) -> int:
        return whole(self.summaries[0].document, "num_hosts") or len(self.summaries)

    @property
    def host_memory_gib(self) -> float | None:
        """Memory of all clients; hosts that share a process count leave zeros in the list."""
        return sum(numbers(self.summaries[0].document, "host_memory_GB")) or None

    @property
    def dataset_gib(self) -> float | None:
        per_host = number(self.summaries[0].document, "data_size_per_host_GB")
        return per_host * self.num_hosts if per_host else None

    @property
    def hosts_with_caching(self) -> int:
        """Hosts that the benchmark flagged: their share of the data set may have been in memory."""
        return sum(bool(flag) for flag in numbers(self.summaries[0].document, "potential_caching"))

    @property
    def meets(self) -> str:
        """`success` or `fail`, as the benchmark said of every host; empty where it said nothing."""
        said = [word(summary.document, "metric", "train_au_meet_expectation") for summary in self.summaries]
        return "fail" if "fail" in said else said[0]

    def metric(self, name: str) -> float | None:
        return self.summaries[0].metric(name)

    def whole(self, name: str) -> int | None:
        return whole(self.summaries[0].document, name)

    def total(self, *path: str) -> float | None:
        """The sum over hosts, None where one of them has no number."""
        values = [number(summary.document, *path) for summary in self.summaries]
        known = [value for value in values if value is not None]
        return math.fsum(known) if known and len(known) == len(values) else None


_KINDS = ("save", "load")
