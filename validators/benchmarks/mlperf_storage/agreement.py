"""Whether a result of MLPerf Storage holds: its report against its runs, its data set against the clients' memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean

from validators.benchmarks.mlperf_storage import documents, figures
from validators.benchmarks.mlperf_storage.documents import RunFolder
from validators.benchmarks.mlperf_storage.layout import MlperfResult
from validators.benchmarks.mlperf_storage.places import find_place
from validators.benchmarks.mlperf_storage.round_3 import is_since_3
from validators.findings import ERROR, INFO, WARNING, Finding

RUNS = 5
THRESHOLDS = {"unet3d": 90.0, "resnet50": 90.0, "bert": 90.0, "cosmoflow": 70.0, "retinanet": 85.0}
"""Least accelerator utilisation in percent, by workload (rules of v0.5 to v2.0).

That of RetinaNet (v3.0) is in no text: published results stand at 85.2 % and the benchmark calls them a success.
"""
MEMORY_FACTOR = 5.0
MEMORY_TOLERATED = 4.9
"""What rounding and units of memory explain: 23 published results lie between."""
_EXACT = 1e-6
_OF_CONFIGURATION = 0.01
_HINT_RERUN = "Write the report again from the runs that are submitted (reportgen), and upload both."


def findings(result: MlperfResult, threshold: float | None) -> Iterator[Finding]:
    """Everything that is wrong or worth to know of the runs of a result."""
    if not result.runs and not result.report:
        return
    yield from _runs(result)
    yield from _report_against_runs(result)
    for run in result.all_runs:
        yield from _missing_rates(run)
        if run is not result.warm_up:
            yield from _utilisation(run, threshold)
        yield from _own_numbers(run, result.configured("record_length"))
    yield from figures.check_figures(result)
    yield from _likeness(result)
    yield from _memory(result)
    yield from _caching(result)


def memory_ratio(result: MlperfResult) -> float | None:
    """The smallest data set over client memory of the runs, None where it was not recorded. Checkpoints have none."""
    since_3 = is_since_3(result.verdict.version)
    ratios = [
        run.dataset_gib / run.host_memory_gib
        for run in result.runs
        if run.dataset_gib and run.host_memory_gib and not run.checkpoints and (run.memory_is_whole or not since_3)
    ]
    return min(ratios) if ratios else None


def report_equals_runs(result: MlperfResult) -> bool | None:
    """Whether the report is one of the runs beside it; None where there is nothing to compare."""
    if not result.report or not result.runs:
        return None
    return not any(_contradictions(result))


def _runs(result: MlperfResult) -> Iterator[Finding]:
    missing = len(result.reported_runs) - len(result.runs)
    if missing > 0:
        yield Finding(
            "mlperf-storage.run-folders-missing",
            WARNING,
            f"The report is of {len(result.reported_runs)} runs, of which {missing} are not here.",
            "Upload the folders of all runs with the report.",
            result.path,
            expected=f"{len(result.reported_runs)} runs",
            actual=f"{len(result.runs)} runs",
        )
    checkpoints = any(run.checkpoints for run in result.runs)
    if len(result.runs) < RUNS and not checkpoints and result.warm_up is None:
        yield Finding(
            "mlperf-storage.fewer-than-5-runs",
            WARNING,
            f"There are {len(result.runs)} runs; a result has {RUNS}.",
            "Repeat the run until there are five, without a failed one between.",
            result.path,
            expected=f"{RUNS} runs",
            actual=f"{len(result.runs)} runs",
        )


def _report_against_runs(result: MlperfResult) -> Iterator[Finding]:
    if not result.report or not result.runs:
        return
    if contradictions := list(_contradictions(result)):
        what, reported, computed = contradictions[0]
        yield contradiction(
            result.path,
            f" in {len(contradictions)} numbers, first in {what}",
            expected=f"{computed:.6g} of the runs",
            actual=f"{reported:.6g} of the report",
        )


def contradiction(where: str, extent: str = "", *, expected: str, actual: str) -> Finding:
    """A report that is not one of the runs beside it."""
    return Finding(
        "mlperf-storage.report-disagrees-with-runs",
        WARNING,
        f"The report contradicts the runs beside it{extent}.",
        _HINT_RERUN,
        where,
        expected=expected,
        actual=actual,
    )


def _contradictions(result: MlperfResult) -> Iterator[tuple[str, float, float]]:
    """Name, reported number and that of the runs, for each that differs; the mean of one run of many says nothing."""
    compared: list[tuple[str, float | None, float | None]] = []
    overall = result.report.get("overall")
    if len(result.runs) > 1 or len(result.reported_runs) == 1:
        compared += [
            ("samples/s", documents.number(overall, "train_throughput_mean_samples_per_second"), samples_mean(result)),
            ("MiB/s", documents.number(overall, "train_throughput_mean_MB_per_second"), bandwidth_mean(result)),
            ("files", documents.number(overall, "num_files_train"), result.runs[0].whole_number("num_files_train")),
        ]
    compared.append(
        ("accelerators", documents.number(overall, "train_num_accelerators"), result.runs[0].num_accelerators)
    )
    for run in result.runs:
        reported = result.reported_runs.get(run.name)
        compared += [
            (
                f"samples/s of {run.name}",
                documents.number(reported, "train_throughput_samples_per_second"),
                run.samples_per_s,
            ),
            (f"MiB/s of {run.name}", documents.number(reported, "train_throughput_MB_per_second"), run.mib_per_s),
            (
                f"accelerators of {run.name}",
                documents.number(reported, "train_num_accelerators"),
                run.num_accelerators,
            ),
        ]
    for what, reported_value, computed in compared:
        if reported_value is not None and computed is not None and not _same(reported_value, computed, _EXACT):
            yield what, reported_value, computed


def samples_mean(result: MlperfResult) -> float | None:
    """Mean of the runs in samples/s, None where one has no number."""
    return _mean([run.samples_per_s for run in result.runs])


def bandwidth_mean(result: MlperfResult) -> float | None:
    """Mean of the runs in MiB/s, None where one has no number."""
    return _mean([run.mib_per_s for run in result.runs])


def _missing_rates(run: RunFolder) -> Iterator[Finding]:
    if not run.checkpoints and (run.au_mean is None or run.samples_per_s is None):
        yield Finding(
            "mlperf-storage.no-results",
            ERROR,
            f"The summary of {run.name} has no utilisation, or no samples/s.",
            "The run ended before its first epoch did; its log says why. Repeat it.",
            run.path,
        )


def _utilisation(run: RunFolder, threshold: float | None) -> Iterator[Finding]:
    mean = run.au_mean
    if mean is None:
        return
    if (threshold is not None and mean < threshold) or run.meets == "fail":
        yield Finding(
            "mlperf-storage.au-below-threshold",
            ERROR,
            f"The accelerators of {run.name} were busy {mean:.2f} % of the time.",
            "Measure with fewer accelerators, or a faster storage system.",
            run.path,
            expected=f"at least {threshold:g} %" if threshold is not None else "train_au_meet_expectation success",
            actual=f"{mean:.4g} %",
        )


def _own_numbers(run: RunFolder, record_length: float | None) -> Iterator[Finding]:
    """The means of a summary against its epochs, and its bandwidth against samples/s and the length of a record."""
    epochs, samples = run.au_epochs, run.samples_epochs
    single = len(run.summaries) == 1
    computed = run.samples_per_s * record_length / 2**20 if run.samples_per_s and record_length else None
    compared = [
        ("utilisation", run.au_mean if single else None, fmean(epochs) if epochs else None, _EXACT),
        ("samples/s", run.samples_per_s if single else None, fmean(samples) if samples else None, _EXACT),
        ("MiB/s", run.mib_per_s, computed, _OF_CONFIGURATION),
    ]
    for what, reported, derived, tolerance in compared:
        if reported is not None and derived is not None and not _same(reported, derived, tolerance):
            yield Finding(
                "mlperf-storage.inconsistent",
                ERROR,
                f"{what} of {run.name} is {reported:.6g}, but {derived:.6g} by its epochs and records.",
                "The summary was edited, or put together from two runs. Upload it as the benchmark wrote it.",
                run.path,
                expected=f"{derived:.6g}",
                actual=f"{reported:.6g}",
            )


def _likeness(result: MlperfResult) -> Iterator[Finding]:
    """Runs of one result have the same number of accelerators, hosts and files."""
    for what, values in (
        ("accelerators", {run.num_accelerators for run in result.all_runs}),
        ("hosts", {run.num_hosts for run in result.all_runs}),
        ("files", {run.whole_number("num_files_train") for run in result.all_runs}),
    ):
        numbers = sorted(value for value in values if value is not None)
        if len(numbers) > 1:
            yield Finding(
                "mlperf-storage.runs-differ",
                ERROR,
                f"The runs differ in their number of {what}: {', '.join(map(str, numbers[:5]))}.",
                "Runs of one result are repetitions. Upload each configuration as a result of its own.",
                result.path,
            )


def _memory(result: MlperfResult) -> Iterator[Finding]:
    ratio = memory_ratio(result)
    if ratio is not None:
        yield from dataset_size(ratio, result.path)


def dataset_size(ratio: float, where: str) -> Iterator[Finding]:
    """Of a data set that is `ratio` times the memory of the clients: too small, barely large enough, or nothing."""
    if ratio >= MEMORY_FACTOR:
        return
    message = f"The data set is {ratio:.3g} times the memory of the clients as their summaries record it."
    expected, actual = f"at least {MEMORY_FACTOR:g} times", f"{ratio:.3f} times"
    if ratio < MEMORY_TOLERATED:
        hint = "Training data came from memory. Generate more files (datasize), or limit the memory of the clients."
        yield Finding("mlperf-storage.dataset-too-small", ERROR, message, hint, where, expected=expected, actual=actual)
    else:
        hint = "So close to five it is a matter of how memory is counted."
        yield Finding("mlperf-storage.dataset-barely-5x", INFO, message, hint, where, expected=expected, actual=actual)


def written_over_memory(result: MlperfResult) -> float | None:
    """All checkpoints that were written over the memory of all clients, None where one of them is not known."""
    written = result.checkpoints_asked("save")
    sizes = [run.metric("checkpoint_size_GB") for run in result.runs if run.has_phase("save")]
    memory = [run.host_memory_gib for run in result.runs if run.memory_is_whole]
    if not written or not sizes or not sizes[0] or not memory or not memory[0]:
        return None
    return written * sizes[0] / memory[0]


def phase_gap(result: MlperfResult) -> float | None:
    """Seconds from the end of writing to the call that read, by the clocks of the test; None where it is one call."""
    wrote = [run for run in result.runs if run.has_phase("save")]
    read = [run for run in result.runs if run.has_phase("load")]
    if len(wrote) != 1 or len(read) != 1 or wrote[0] is read[0]:
        return None
    ended, begun = wrote[0].ended, find_place(read[0].path).begun
    return (begun - ended).total_seconds() if ended and begun else None


def caching_flags(result: MlperfResult) -> int | None:
    """The most hosts that the benchmark flagged in a run, None where its flag tells nothing.

    It compares the data of one host with its entry of a list. Since v3.0 an entry may be the memory of several hosts,
    and checkpoints have no data set.
    """
    since_3 = is_since_3(result.verdict.version)
    flags = [
        run.hosts_with_caching for run in result.runs if not run.checkpoints and not (since_3 and run.shares_lists)
    ]
    return max(flags, default=None)


def _caching(result: MlperfResult) -> Iterator[Finding]:
    flagged = [run for run in result.runs if run.hosts_with_caching] if caching_flags(result) else []
    if flagged:
        yield caching(max(run.hosts_with_caching for run in flagged), flagged[0].path, f" in {len(flagged)} run(s)")


def caching(hosts: int, where: str, extent: str = "") -> Finding:
    """Hosts that the benchmark itself flagged, the most of any run."""
    return Finding(
        "mlperf-storage.potential-caching",
        WARNING,
        f"The benchmark flagged {hosts} host(s){extent}: their data may have fitted into memory.",
        "Say how caches were dropped between the runs, or enlarge the data set.",
        where,
    )


def _same(value: float, other: float, tolerance: float) -> bool:
    return math.isclose(value, other, rel_tol=tolerance, abs_tol=1e-9)


def _mean(values: list[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return fmean(present) if present and len(present) == len(values) else None
