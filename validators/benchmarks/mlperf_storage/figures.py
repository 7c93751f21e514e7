"""What the figures of one run say of each other, and whether a run was counted twice."""

from __future__ import annotations

import math
from collections.abc import Iterator

from validators.benchmarks.mlperf_storage.documents import RunFolder
from validators.benchmarks.mlperf_storage.layout import MlperfResult
from validators.benchmarks.mlperf_storage.places import read_time
from validators.benchmarks.mlperf_storage.round_3 import is_since_3
from validators.findings import ERROR, Finding

_EXACT = 1e-6
_OF_CONFIGURATION = 0.01
_CLOCK_S = 2.0
_FORM = "%Y-%m-%dT%H:%M:%S"
_KINDS = {"save": "Writing", "load": "Reading"}
_GIB = 2**30
_DIGITS, _ENOUGH = 9, 2
"""Digits of a figure that was measured and not written by hand, and how many such figures tell one run from another."""


def check_figures(result: MlperfResult) -> Iterator[Finding]:
    """Sizes, rates and seconds of every run against each other, and runs that are one and the same."""
    for run in result.all_runs:
        if len(run.summaries) == 1:
            yield from _of_epochs(run)
            if is_since_3(result.verdict.version):
                yield from _of_data(run, result.configured("record_length"))
            yield from _of_checkpoints(run)
            yield from _of_clock(run)
    yield from _sizes_of_checkpoints(result)
    yield from repeated_runs({run.name: _figures_of(run) for run in result.all_runs}, result.path)


def figure_disagrees(name: str, what: str, stated: float, computed: float, where: str) -> Finding:
    """A figure that is not what others of its run give."""
    return Finding(
        "mlperf-storage.inconsistent",
        ERROR,
        f"{what} of {name[:80]} is {stated:.6g}, but {computed:.6g} by its other figures.",
        "The summary was edited, or put together from two runs. Upload it as the benchmark wrote it.",
        where,
        expected=f"{computed:.6g}",
        actual=f"{stated:.6g}",
    )


def repeated_runs(signatures: dict[str, tuple[float, ...]], where: str) -> Iterator[Finding]:
    """Two runs whose measured figures are the same to the last digit: one of them is a copy."""
    first: dict[tuple[float, ...], str] = {}
    for name, signature in signatures.items():
        if sum(_is_measured(value) for value in signature) < _ENOUGH:
            continue
        if signature in first:
            yield Finding(
                "mlperf-storage.run-twice",
                ERROR,
                f"{first[signature][:80]} and {name[:80]} have the same figures to the last digit: one is a copy.",
                "Upload each run once; repeat what is missing.",
                where,
            )
        first.setdefault(signature, name)


def _is_measured(value: float) -> bool:
    """Whether a figure has so many digits that no second run has it, too."""
    return len(f"{value:.12g}".replace(".", "").strip("0")) >= _DIGITS


def _of_epochs(run: RunFolder) -> Iterator[Finding]:
    """The epochs are those of which there are figures."""
    epochs, count = run.whole_number("epochs"), len(run.samples_epochs)
    if epochs and count and epochs != count:
        yield figure_disagrees(run.name, "The number of epochs", epochs, count, run.path)


def _of_data(run: RunFolder, record_length: float | None) -> Iterator[Finding]:
    """The data of all hosts are files times samples times the length of a record."""
    files, samples = run.whole_number("num_files_train"), run.whole_number("num_samples_per_file")
    size = run.dataset_gib
    if size and files and samples and record_length and not run.checkpoints:
        computed = files * samples * record_length / _GIB
        if not math.isclose(size, computed, rel_tol=_OF_CONFIGURATION):
            yield figure_disagrees(run.name, "The size of the data in GiB", size, computed, run.path)


def _of_checkpoints(run: RunFolder) -> Iterator[Finding]:
    """Mean rate times mean duration is the size of a checkpoint, as near as both deviations allow.

    Each checkpoint has the one size, so that the product of the means differs from it by the covariance of rates and
    durations, which is no more than the product of their deviations.
    """
    size = run.metric("checkpoint_size_GB")
    for kind, verb in _KINDS.items():
        rate, seconds = (
            run.metric(f"{kind}_checkpoint_{name}") for name in ("io_mean_GB_per_second", "duration_mean_seconds")
        )
        spreads = [
            run.metric(f"{kind}_checkpoint_{name}") for name in ("io_stdev_GB_per_second", "duration_stdev_seconds")
        ]
        if not run.checkpoints or not size or not rate or not seconds or None in spreads:
            continue
        allowed = math.prod(spread for spread in spreads if spread is not None)
        if abs(rate * seconds - size) > allowed + 1e-3 * size:
            yield figure_disagrees(
                run.name, f"{verb} a checkpoint: rate times seconds, in GiB,", rate * seconds, size, run.path
            )


def _of_clock(run: RunFolder) -> Iterator[Finding]:
    """What was measured fits between the start and the end of the run."""
    start = run.summaries[0].document.get("start")
    begun, ended = read_time(start[:19], _FORM) if isinstance(start, str) else None, run.ended
    spent_s = _measured_seconds(run)
    if begun is None or ended is None or not spent_s:
        return
    lasted = (ended - begun).total_seconds()
    if spent_s > lasted * (1 + _OF_CONFIGURATION) + _CLOCK_S:
        yield figure_disagrees(run.name, "The time in seconds from start to end", lasted, spent_s, run.path)


def _measured_seconds(run: RunFolder) -> float:
    """Seconds of all epochs, by the samples of each and their rate."""
    files, samples = run.whole_number("num_files_train"), run.whole_number("num_samples_per_file")
    if not files or not samples or run.checkpoints or not all(run.samples_epochs):
        return 0.0
    return math.fsum(files * samples / rate for rate in run.samples_epochs)


def _sizes_of_checkpoints(result: MlperfResult) -> Iterator[Finding]:
    """What is read has the size of what was written."""
    sizes = [(run, run.metric("checkpoint_size_GB")) for run in result.all_runs if run.checkpoints]
    present = [(run, size) for run, size in sizes if size]
    for run, size in present[1:]:
        if not math.isclose(size, present[0][1], rel_tol=_EXACT):
            yield figure_disagrees(run.name, "The size of a checkpoint in GiB", size, present[0][1], run.path)


def _figures_of(run: RunFolder) -> tuple[float, ...]:
    """What was measured, by which a copy is known."""
    metric = run.summaries[0].document.get("metric")
    rates = [run.metric(name) for name in metric] if isinstance(metric, dict) else []
    return (*run.au_epochs, *run.samples_epochs, *(rate for rate in rates if rate is not None))
