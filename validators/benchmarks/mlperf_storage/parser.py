"""Read results of MLPerf Storage: the report of v0.5 and v1.0, the summaries of the runs, the folders of v2.0.

The report's numbers count where there is one, and the runs' are compared with them. Its deviations are those of a
population, over runs. Utilisation stands only in the summaries: `mean` and `min_run` are over the means of the runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from statistics import fmean, pstdev
from typing import Any

from validators.benchmarks.mlperf_storage import agreement, documents, layout
from validators.benchmarks.mlperf_storage.documents import RunFolder
from validators.benchmarks.mlperf_storage.layout import TOOL, Result
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.distributions import Distribution, summed
from validators.findings import ERROR, INFO, Finding, has_error
from validators.measurements import Measurement, Run

_DIVISION = re.compile(r"(?:^|/)(closed|open)(?=/)", re.IGNORECASE)
_CHECKPOINT_OPS = {"save": "checkpoint-write", "load": "checkpoint-read"}


def find_runs(bundle: Bundle) -> Reading:
    """Every result in a bundle, each with all its runs; never raises on any content."""
    results, read = layout.find_results(bundle)
    runs = [_run(result) for result in results]
    return Reading(runs, 0 if len(runs) == 1 else None, _apple_double(bundle) if runs else [], claimed=read)


def explain(run: Run) -> list[str]:
    """How the numbers of the report follow from those of the runs."""
    values = [
        measurement.printed_value
        for measurement in run.measurements
        if (measurement.quantity, measurement.stat) == ("samples_rate", "run")
    ]
    if not values:
        return [f"{TOOL} has no score, and no run is here to compute a mean from"]
    return [f"samples/s: mean of {len(values)} runs {fmean(values):.6g}, population deviation {pstdev(values):.6g}"]


def _run(result: Result) -> Run:
    run = Run(TOOL, result.path, version=_version(result), mode="training")
    run.findings = list(result.findings)
    if any(one.checkpoints for one in result.runs):
        run.mode = "checkpointing"
    model = _model(result)
    threshold = agreement.THRESHOLDS.get(model, result.configured("au_target"))
    run.tests = [_test(one) for one in result.runs]
    run.measurements = [*_overall(result, model, run), *(m for one in result.runs for m in _of_run(one, model))]
    run.distributions = [epoch for folder in result.runs for epoch in _over_epochs(folder, model)]
    run.parameters = _parameters(result, model, threshold)
    run.findings += agreement.findings(result, threshold)
    if not run.measurements and not has_error(run.findings):
        message, hint = "Neither report nor summaries hold a rate.", "Repeat the run; dlio.log says why it ended."
        run.findings.append(Finding("mlperf-storage.no-results", ERROR, message, hint, result.path))
    return run


def _apple_double(bundle: Bundle) -> list[Finding]:
    """A word on the attributes that macOS packs beside each file, under its name with `._` before."""
    left = [finding.where for finding in bundle.findings if PurePosixPath(finding.where).name.startswith("._")]
    if not left:
        return []
    message = f"{len(left)} files hold macOS attributes (._NAME); they are no results and were left out."
    return [Finding("mlperf-storage.appledouble-files", INFO, message, "Pack with COPYFILE_DISABLE=1.", left[0])]


def _version(result: Result) -> str:
    """2.0 leaves metadata beside a summary; 0.5 knows no accelerator, and its summaries are of one host."""
    if any(configuration.kind for configuration in result.configurations):
        return "2.0"
    if result.report:
        return "1.0" if documents.word(result.report, "overall", "accelerator") else "0.5"
    if not result.runs:
        return ""
    return "0.5" if result.runs[0].summaries[0].of_a_host else "1.0"


def _model(result: Result) -> str:
    named = documents.word(result.report, "overall", "model") or result.configured("model")
    if not named and result.runs:
        first = result.runs[0].summaries[0].document
        named = documents.word(first, "model") or documents.word(first, "workload")
    return str(named or "unknown")


def _overall(result: Result, model: str, run: Run) -> Iterator[Measurement]:
    """What the report says of all runs together, or what they say where there is no report.

    A single run has no deviation, though the report says 0 of it.
    """
    overall = result.report.get("overall")
    samples = [run.samples_per_s for run in result.runs if run.samples_per_s is not None]
    bandwidths = [run.mib_per_s for run in result.runs if run.mib_per_s is not None]
    utilisations = [run.au_mean for run in result.runs if run.au_mean is not None]
    figures = [
        ("samples_rate", "mean", _reported(overall, "mean_samples", fmean, samples), "samples/s"),
        ("samples_rate", "stdev", _reported(overall, "stdev_samples", pstdev, samples), "samples/s"),
        ("bandwidth", "mean", _reported(overall, "mean_MB", fmean, bandwidths), "MiB/s"),
        ("bandwidth", "stdev", _reported(overall, "stdev_MB", pstdev, bandwidths), "MiB/s"),
        ("au", "mean", fmean(utilisations) if utilisations else None, "%"),
        ("au", "min_run", min(utilisations, default=None), "%"),
    ]
    is_single = max(len(result.reported_runs), len(result.runs)) == 1
    for quantity, stat, value, unit in figures:
        if stat == "stdev" and not value and is_single:
            run.not_measured += [] if value is None else [f"{model} {quantity} {stat}"]
        elif value is not None:
            yield Measurement.printed(model, quantity, stat, value, unit)


def _reported(overall: object, name: str, computed: Any, values: list[float]) -> float | None:
    said = documents.number(overall, f"train_throughput_{name}_per_second")
    if said is not None or len(values) < (2 if computed is pstdev else 1):
        return said
    return float(computed(values))


def _of_run(run: RunFolder, model: str) -> Iterator[Measurement]:
    context = {"run": run.name}
    figures = [
        (model, "samples_rate", "run", run.samples_per_s, "samples/s"),
        (model, "bandwidth", "run", run.mib_per_s, "MiB/s"),
        (model, "au", "run", run.au_mean, "%"),
    ]
    for kind, op in _CHECKPOINT_OPS.items():
        figures += [
            (op, "bandwidth", "mean", run.metric(f"{kind}_checkpoint_io_mean_GB_per_second"), "GiB/s"),
            (op, "bandwidth", "stdev", run.metric(f"{kind}_checkpoint_io_stdev_GB_per_second"), "GiB/s"),
            (op, "time", "mean", run.metric(f"{kind}_checkpoint_duration_mean_seconds"), "s"),
            (op, "time", "stdev", run.metric(f"{kind}_checkpoint_duration_stdev_seconds"), "s"),
        ]
    for op, quantity, stat, value, unit in figures:
        if value is not None:
            yield Measurement.printed(op, quantity, stat, value, unit, context=context)


def _over_epochs(run: RunFolder, model: str) -> Iterator[Distribution]:
    """Utilisation and throughput epoch by epoch, in their order."""
    for quantity, values, unit in (("au", run.au_epochs, "%"), ("samples_rate", run.samples_epochs, "samples/s")):
        yield from summed(model, quantity, "epoch", "epochs", values, unit, {"run": run.name})


def _test(run: RunFolder) -> dict[str, Any]:
    """One run as a row, with its epochs; a host's name in the path stays out."""
    hosts = {summary.host for summary in run.summaries}
    parts = ["HOST" if part in hosts else part for part in PurePosixPath(run.path).parts]
    return {
        "run": run.name,
        "path": "/".join(parts),
        "num_accelerators": run.num_accelerators,
        "num_hosts": run.num_hosts,
        "epochs": run.whole("epochs"),
        "au_mean": run.au_mean,
        "au_min_epoch": min(run.au_epochs, default=None),
        "au_epochs": run.au_epochs[:1000],
        "samples_per_s_epochs": run.samples_epochs[:1000],
        "meet": run.meets,
        "samples_per_s": run.samples_per_s,
        "MiB_per_s": run.mib_per_s,
        "num_files_train": run.whole("num_files_train"),
        "host_memory_GiB_sum": run.host_memory_gib,
        "dataset_GiB": run.dataset_gib,
        "potential_caching": run.hosts_with_caching,
    }


def _parameters(result: Result, model: str, threshold: float | None) -> dict[str, Any]:
    """What was measured, and what the rules compare; left out where it is not known."""
    first = result.runs[0] if result.runs else None
    accelerators = documents.whole(result.report, "overall", "train_num_accelerators")
    hosts = first.num_hosts if first else documents.whole(result.report, "overall", "num_client_hosts")
    utilisations = [run.au_mean for run in result.runs if run.au_mean is not None]
    known = {
        "model": model,
        "accelerator": documents.word(result.report, "overall", "accelerator") or result.configured("accelerator"),
        "num_accelerators": accelerators if accelerators is not None else first and first.num_accelerators,
        "num_hosts": hosts,
        "client_nodes": hosts,
        "num_samples_per_file": documents.whole(result.report, "overall", "num_samples_per_file"),
        "au_threshold": threshold,
        "au_min_run": min(utilisations, default=None),
        "runs": len(result.runs),
        "runs_reported": len(result.reported_runs) or None,
        "dataset_over_memory": agreement.memory_ratio(result),
        "hosts_flagged_potential_caching": max((run.hosts_with_caching for run in result.runs), default=None),
        "report_equals_runs": agreement.report_equals_runs(result),
        "division": _division(result),
        "open_parameters": result.open_parameters,
        **(result.configured("settings") or {}),
    }
    return {name: value for name, value in known.items() if value not in (None, "")}


def _division(result: Result) -> str | None:
    """`closed`, `open` or `invalid`: what version 2.0 verified, else the folder that a submission is sorted into."""
    verified = result.configured("verification")
    if verified in ("closed", "open", "invalid"):
        return str(verified)
    folder = _DIVISION.search(result.path)
    return folder[1].lower() if folder else None
