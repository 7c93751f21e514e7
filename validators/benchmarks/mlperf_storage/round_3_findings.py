"""What is to be said of results of v3.0, and of results whose version had to be inferred."""

from __future__ import annotations

from collections.abc import Iterator

from validators.benchmarks.mlperf_storage.layout import MlperfResult
from validators.benchmarks.mlperf_storage.round_3 import FACTS, is_since_3
from validators.benchmarks.mlperf_storage.versions import DATE, VersionVerdict
from validators.findings import ERROR, INFO, WARNING, Finding


def of_version(verdict: VersionVerdict, where: str) -> Iterator[Finding]:
    """That the version is inferred from a date, or that files of a result contradict each other."""
    if verdict.contradiction:
        yield Finding(
            "mlperf-storage.runs-differ",
            ERROR,
            f"The files of the result are of several versions: {'; '.join(verdict.contradiction)}.",
            "Runs of one result are of one version of the benchmark. Upload each as a result of its own.",
            where,
        )
    if verdict.by == DATE:
        yield Finding(
            "mlperf-storage.version-inferred",
            INFO,
            f"No file names the version. By its form and the day of the run it is taken as {verdict.version}.",
            "Upload the metadata of the run (*_metadata.json) or .mlps-code-image with it.",
            where,
            actual=verdict.version,
        )


def findings(result: MlperfResult) -> Iterator[Finding]:
    """Everything that concerns v3.0 alone."""
    yield from of_version(result.verdict, result.path)
    yield from of_model(result.place.model, result.configured_model, result.path)
    if not is_since_3(result.verdict.version) or not result.runs:
        return
    yield from _likeness(result)
    if result.is_training:
        yield from _warm_up(result)
        yield from _checkpoints_beside(result)


def of_model(by_folder: str, configured: str, where: str) -> Iterator[Finding]:
    """That the folder is named after another model than the run was configured with."""
    if by_folder and configured and by_folder != configured:
        yield Finding(
            "mlperf-storage.model-disagrees",
            WARNING,
            f"The folder is named {by_folder}, and the run was configured for {configured}.",
            "Put the run into the folder of its model.",
            where,
            expected=by_folder,
            actual=configured,
        )


def _likeness(result: MlperfResult) -> Iterator[Finding]:
    for what, values in (
        ("models", {configuration.model for configuration in result.configurations}),
        ("accelerators", {configuration.accelerator for configuration in result.configurations}),
    ):
        names = sorted(values - {""})
        if len(names) > 1:
            yield Finding(
                "mlperf-storage.runs-differ",
                ERROR,
                f"The runs were configured for several {what}: {', '.join(names[:5])}.",
                "Runs of one result are repetitions. Upload each configuration as a result of its own.",
                result.path,
            )


def _warm_up(result: MlperfResult) -> Iterator[Finding]:
    run_count, present = FACTS["run_folders"], len(result.all_runs)
    numbers = {"expected": f"{run_count} run folders", "actual": f"{present} run folders"}
    if present < run_count:
        yield Finding(
            "mlperf-storage.warm-up-unknown",
            WARNING,
            f"Of {run_count} run folders {present} are here. Whether the warm-up, the first of {run_count}, is among "
            "them is not known: all of them count here.",
            "Upload all six run folders of the result.",
            result.path,
            **numbers,
        )
    elif result.is_ambiguous:
        yield Finding(
            "mlperf-storage.runs-ambiguous",
            WARNING,
            f"There are {present} run folders, and which five count behind which warm-up is not known: no mean is "
            "computed.",
            "Leave the six folders that count, under the names that the benchmark gave them.",
            result.path,
            **numbers,
        )


def _checkpoints_beside(result: MlperfResult) -> Iterator[Finding]:
    sizes = [size for run in result.all_runs if (size := run.metric("checkpoint_size_GB")) is not None]
    if sizes:
        yield Finding(
            "mlperf-storage.checkpoint-beside-training",
            INFO,
            f"{len(sizes)} run(s) of training wrote a checkpoint at their end, of {max(sizes):.3g} GiB at most. "
            "Its rates are no result of checkpointing and are left out.",
            "Nothing to do.",
            result.path,
        )
