"""The JSON documents of MLPerf Storage: the report over all runs, the summary of a run, the metadata since version 2.0.

What they call MB is MiB: `train_io_mean_MB_per_second` is samples/s times the length of a record over 2^20. What they
call GB is GiB. A summary of version 0.5 is of one host, of which a run may have several; later ones are of a whole run.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from statistics import fmean
from typing import Any

from validators.benchmarks.mlperf_storage.places import find_place, read_time
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
METADATA = Sign(
    rb'"benchmark_type"\s*:\s*"?[\w.]{0,40}(training|checkpointing|kv_cache|vector_database)', b'"benchmark_type"'
)
KV_CACHE = Sign(
    rb'"(trials_per_option|aggregated_(read|write)_bandwidth_gbps)"\s*:', b'"trials_per_option"', b'"aggregated_'
)
_SEARCHED = Sign(rb'"throughput_qps"\s*:', b'"throughput_qps"')
_LATENCY = Sign(rb'"(mean|p\d{2,4})_latency_ms"\s*:', b'_latency_ms"')
LOADED = Sign(rb'"inserted_vectors"\s*:', b'"inserted_vectors"')
_MEANS = frozenset(
    ("train_au_mean_percentage", "train_throughput_mean_samples_per_second", "train_io_mean_MB_per_second")
)
SEARCH_NAMES = ("summary.json", "statistics.json")
_HINT = "Upload the file as the benchmark wrote it; was it copied while the run was going on?"


def is_search(head: bytes) -> bool:
    """Whether a file begins like the figures of a search in a vector database."""
    return bool(_SEARCHED.search(head) and _LATENCY.search(head))


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


def integer(document: object, *path: str) -> int | None:
    value = number(document, *path)
    return None if value is None else int(value)


def numbers(document: object, *path: str) -> list[float]:
    """A list of numbers below a path of keys; empty where one of them is none."""
    value: object = document
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    if not isinstance(value, list) or len(value) > MOST_VALUES:
        return []
    parsed = [number({"": element}, "") for element in value]
    return [element for element in parsed if element is not None] if None not in parsed else []


def word(document: object, *path: str) -> str:
    """A short name below a path of keys: a model, an accelerator. Empty for all that is none."""
    value: object = document
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) and re.fullmatch(r"[\w.-]{1,40}", value) else ""


def partners_missing(metric: object) -> list[str]:
    """Figures of checkpoints that stand without their partner: a rate without its duration, or the other way round."""
    names = {str(name) for name in metric} if isinstance(metric, Mapping) else set()
    pairs = [
        (f"{kind}_checkpoint_io_{stat}_GB_per_second", f"{kind}_checkpoint_duration_{stat}_seconds")
        for kind in ("save", "load")
        for stat in ("mean", "stdev")
    ]
    return [name for pair in pairs if len(names.intersection(pair)) == 1 for name in pair if name not in names]


def usual_figures(document: Mapping[str, Any]) -> set[str]:
    """The figures of a summary that each run of the same workload has."""
    metric = document.get("metric")
    names = {"num_accelerators"}.intersection(document)
    return names.union(_MEANS.intersection(metric)) if isinstance(metric, Mapping) else names


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
        metric = self.summaries[0].document.get("metric")
        trained = isinstance(metric, Mapping) and any(str(name).startswith("train_") for name in metric)
        return self.au_mean is None and not trained and any(map(self.has_phase, _KINDS))

    @property
    def begun(self) -> str:
        """When it began, as text that sorts by time: local time of the test, without a zone; empty where unknown."""
        start = self.summaries[0].document.get("start")
        if isinstance(start, str) and _START.match(start):
            return start[:26]
        stamp = find_place(self.path).begun
        return stamp.isoformat() if stamp else ""

    @property
    def ended(self) -> datetime | None:
        end = self.summaries[0].document.get("end")
        return read_time(end[:19], "%Y-%m-%dT%H:%M:%S") if isinstance(end, str) else None

    @property
    def au_mean(self) -> float | None:
        """Mean accelerator utilisation in percent over epochs and hosts."""
        means = [summary.metric("train_au_mean_percentage") for summary in self.summaries]
        present = [mean for mean in means if mean is not None]
        return fmean(present) if present and len(present) == len(means) else None

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
        total = self.total("num_accelerators")
        return None if total is None else int(total)

    @property
    def num_hosts(self) -> int:
        return integer(self.summaries[0].document, "num_hosts") or len(self.summaries)

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
        verdicts = [word(summary.document, "metric", "train_au_meet_expectation") for summary in self.summaries]
        return "fail" if "fail" in verdicts else verdicts[0]

    def metric(self, name: str) -> float | None:
        return self.summaries[0].metric(name)

    def whole_number(self, name: str) -> int | None:
        return integer(self.summaries[0].document, name)

    def total(self, *path: str) -> float | None:
        """The sum over hosts, None where one of them has no number."""
        values = [number(summary.document, *path) for summary in self.summaries]
        present = [value for value in values if value is not None]
        return math.fsum(present) if present and len(present) == len(values) else None

    def has_phase(self, kind: str) -> bool:
        """Whether it holds figures of writing (`save`) or reading (`load`) checkpoints."""
        metric = self.summaries[0].document.get("metric")
        return isinstance(metric, Mapping) and any(str(name).startswith(f"{kind}_checkpoint_") for name in metric)

    @property
    def memory_is_whole(self) -> bool:
        """Whether the list of memory has an entry for each host."""
        return len(numbers(self.summaries[0].document, "host_memory_GB")) == self.num_hosts

    @property
    def shares_lists(self) -> bool:
        """Whether lists of hosts hold sums: a leader's entry is that of all its hosts, the others' are 0."""
        return 0 in numbers(self.summaries[0].document, "host_memory_GB") or not self.memory_is_whole


_KINDS = ("save", "load")
_START = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)
