"""Read results of MLPerf Storage: the report of v0.5 and v1.0, the summaries of the runs, the folders since v2.0.

The report's numbers count where there is one, and the runs' are compared with them. Its deviations are those of a
population, over runs. Utilisation stands only in the summaries: `mean` and `min_run` are over the means of the runs.
A key that is absent from a row of `tests` of v3.0 does not apply to its kind; null is what was not recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from statistics import fmean, pstdev
from typing import Any

from validators.benchmarks.mlperf_storage import (
    agreement,
    documents,
    kv_cache,
    layout,
    recipe,
    round_3_findings,
    vector_database,
)
from validators.benchmarks.mlperf_storage.documents import RunFolder
from validators.benchmarks.mlperf_storage.layout import TOOL, MlperfResult
from validators.benchmarks.mlperf_storage.round_3 import is_since_3
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.distributions import Distribution, summed
from validators.findings import ERROR, INFO, Finding, has_error
from validators.measurements import Measurement, Run
from validators.reading.accounting import lines_missing
from validators.reading.endings import interruption_in
from validators.times import printed_time

_LOG_SUFFIXES = (".log", ".out", ".err", ".txt")
_END_OF_LOG = re.compile(rb"^[^\n]{0,200}Saved outputs in ", re.MULTILINE)
"""The last that DLIO prints of a run."""
_CHECKPOINT_OPS = {"save": "checkpoint-write", "load": "checkpoint-read"}


def find_runs(bundle: Bundle) -> Reading:
    """Every result in a bundle, each with all its runs; never raises on any content."""
    contents = layout.find_results(bundle)
    runs, read = [_run(result) for result in contents.results], contents.read
    logs = _group_logs_by_folder(bundle)
    for run, result in zip(runs, contents.results, strict=True):
        folders = [_get_folder(folder.path) for folder in result.all_runs]
        _add_interruption(run, bundle, [log for folder in folders for log in logs.get(folder, ())])
    for kind in (kv_cache, vector_database):
        more, paths = kind.find_runs(contents)
        for run in more:
            runs_folder = _get_folder(_get_folder(run.path))  # its runs lie side by side
            of_it = [log for folder, of_run in logs.items() if _get_folder(folder) == runs_folder for log in of_run]
            _add_interruption(run, bundle, of_it)
        runs, read = runs + more, read | paths
    return Reading(runs, 0 if len(runs) == 1 else None, _apple_double(bundle) if runs else [], claimed=read)


def _group_logs_by_folder(bundle: Bundle) -> dict[str, list[str]]:
    """What programs printed, by the folder that it lies in."""
    logs: dict[str, list[str]] = {}
    for path, entry in bundle.files.items():
        if entry.size and PurePosixPath(path).suffix in _LOG_SUFFIXES:
            logs.setdefault(_get_folder(path), []).append(path)
    return logs


def _get_folder(path: str) -> str:
    return path.rpartition("/")[0]


def _add_interruption(run: Run, bundle: Bundle, logs: list[str]) -> None:
    if not has_error(run.findings):
        run.findings += interruption_in(bundle, TOOL, logs, _END_OF_LOG)


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


def _run(result: MlperfResult) -> Run:
    run = Run(TOOL, result.path, version=_version(result), mode="training")
    run.findings = list(result.findings)
    if any(folder.checkpoints for folder in result.runs):
        run.mode = "checkpointing"
    since_3 = is_since_3(run.version)
    model = _model(result)
    threshold = agreement.THRESHOLDS.get(model, result.configured("au_target"))
    run.tests = [_test_since_3(folder, result) if since_3 else _test(folder) for folder in result.all_runs]
    if not result.is_ambiguous:
        run.measurements = list(_overall(result, model, run))
    for index, run_folder in enumerate(result.runs):
        run.operations_done += [
            (op, {"run": run_folder.name})
            for kind, op in _CHECKPOINT_OPS.items()
            if run_folder.checkpoints and run_folder.has_phase(kind)
        ]
        run.measurements += _of_run(run_folder, model, run, result.checkpoints_of(index), since_3)
    run.distributions = [epoch for folder in result.runs for epoch in _over_epochs(folder, model)]
    run.parameters = _parameters(result, model, threshold)
    folders = [PurePosixPath(run_folder.path).parent for run_folder in result.all_runs]
    run.given_options = recipe.find_options(result.overrides_by_folder.get(folder, {}) for folder in folders)
    run.started, run.ended = _times(result, "start", min), _times(result, "end", max)
    run.findings += [*agreement.findings(result, threshold), *round_3_findings.findings(result)]
    run.findings += _figures_missing(result)
    if not run.measurements and not has_error(run.findings):
        message, hint = "Neither report nor summaries hold a rate.", "Repeat the run; dlio.log says why it ended."
        run.findings.append(Finding("mlperf-storage.no-results", ERROR, message, hint, result.path))
    return run


def _figures_missing(result: MlperfResult) -> Iterator[Finding]:
    """That a summary has lost a line that others have, or whose partner it has: a finding for the first."""
    summaries = [summary for folder in result.runs for summary in folder.summaries]
    usual = {name for summary in summaries for name in documents.usual_figures(summary.document)}
    for summary in summaries:
        absent = sorted(usual - documents.usual_figures(summary.document))
        if missing := documents.partners_missing(summary.document.get("metric")) or absent:
            yield lines_missing(TOOL, f"A summary has no {', '.join(missing)}.", summary.path)
            return


def _times(result: MlperfResult, name: str, chosen: Any) -> str | None:
    """The first start or the last end of the runs; None where one of them has none."""
    summaries = [folder.summaries[0].document for folder in result.runs]
    times = [printed_time(str(summary.get(name))) for summary in summaries if isinstance(summary, dict)]
    return chosen(times) if len(times) == len(summaries) and times and all(times) else None


def _apple_double(bundle: Bundle) -> list[Finding]:
    """A word on the attributes that macOS packs beside each file, under its name with `._` before."""
    paths = [finding.where for finding in bundle.findings if PurePosixPath(finding.where).name.startswith("._")]
    if not paths:
        return []
    message = f"{len(paths)} files hold macOS attributes (._NAME); they are no results and were left out."
    return [Finding("mlperf-storage.appledouble-files", INFO, message, "Pack with COPYFILE_DISABLE=1.", paths[0])]


def _version(result: MlperfResult) -> str:
    """Since 2.0 files tell it; 0.5 knows no accelerator, and its summaries are of one host."""
    if result.verdict.version or result.verdict.contradiction:
        return result.verdict.version
    if any(configuration.kind for configuration in result.configurations):
        return "2.0"
    if result.report:
        return "1.0" if documents.word(result.report, "overall", "accelerator") else "0.5"
    if not result.runs or result.place.kind or not result.is_training:
        return ""
    return "0.5" if result.runs[0].summaries[0].of_a_host else "1.0"


def _model(result: MlperfResult) -> str:
    named = documents.word(result.report, "overall", "model") or result.configured_model or result.place.model
    if not named and result.runs:
        first = result.runs[0].summaries[0].document
        named = documents.word(first, "model") or documents.word(first, "workload")
    return str(named or "unknown")


def _overall(result: MlperfResult, model: str, run: Run) -> Iterator[Measurement]:
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
    run_count = documents.integer(overall, "num_benchmark_runs")
    is_single = (max(len(result.reported_runs), len(result.runs)) or run_count) == 1
    for quantity, stat, value, unit in figures:
        if stat == "stdev" and not value and is_single:
            run.not_measured += [] if value is None else [f"{model} {quantity} {stat}"]
        elif value is not None:
            yield Measurement.printed(model, quantity, stat, value, unit)


def _reported(overall: object, name: str, computed: Any, values: list[float]) -> float | None:
    reported = documents.number(overall, f"train_throughput_{name}_per_second")
    if reported is not None or len(values) < (2 if computed is pstdev else 1):
        return reported
    return float(computed(values))


def _of_run(run: RunFolder, model: str, into: Run, checkpoints: dict[str, int], since_3: bool) -> Iterator[Measurement]:
    """The figures of one run. A deviation of 0 is that of a single checkpoint, unless more are known to be configured.

    In v3.0 a checkpoint beside training is no result.
    """
    context = {"run": run.name}
    figures = [
        (model, "samples_rate", "run", run.samples_per_s, "samples/s"),
        (model, "bandwidth", "run", run.mib_per_s, "MiB/s"),
        (model, "au", "run", run.au_mean, "%"),
    ]
    for kind, op in _CHECKPOINT_OPS.items() if run.checkpoints or not since_3 else ():
        figures += [
            (op, "bandwidth", "mean", run.metric(f"{kind}_checkpoint_io_mean_GB_per_second"), "GiB/s"),
            (op, "bandwidth", "stdev", run.metric(f"{kind}_checkpoint_io_stdev_GB_per_second"), "GiB/s"),
            (op, "time", "mean", run.metric(f"{kind}_checkpoint_duration_mean_seconds"), "s"),
            (op, "time", "stdev", run.metric(f"{kind}_checkpoint_duration_stdev_seconds"), "s"),
        ]
    several = {_CHECKPOINT_OPS[kind] for kind, count in checkpoints.items() if count > 1}
    with_mean = {(op, quantity) for op, quantity, stat, value, _ in figures if stat != "stdev" and value is not None}
    for op, quantity, stat, value, unit in figures:
        if stat == "stdev" and (op, quantity) not in with_mean:
            continue  # a deviation of what?
        if stat == "stdev" and value == 0 and op not in several:
            into.not_measured.append(f"{op} {quantity} {stat}")
        elif value is not None:
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
        "epochs": run.whole_number("epochs"),
        "au_mean": run.au_mean,
        "au_min_epoch": min(run.au_epochs, default=None),
        "au_epochs": run.au_epochs[:1000],
        "samples_per_s_epochs": run.samples_epochs[:1000],
        "meet": run.meets,
        "samples_per_s": run.samples_per_s,
        "MiB_per_s": run.mib_per_s,
        "num_files_train": run.whole_number("num_files_train"),
        "host_memory_GiB_sum": run.host_memory_gib,
        "dataset_GiB": run.dataset_gib,
        "potential_caching": run.hosts_with_caching,
    }


def _test_since_3(run: RunFolder, result: MlperfResult) -> dict[str, Any]:
    """The same for v3.0: a key is there where it applies. `counts` is false for the warm-up."""
    row = _test(run)
    if run.checkpoints:
        checkpoint = {
            f"{op}_GiB_per_s": run.metric(f"{kind}_checkpoint_io_mean_GB_per_second")
            for kind, op in _CHECKPOINT_OPS.items()
            if run.has_phase(kind)
        }
        names = ("run", "path", "num_accelerators", "num_hosts", "host_memory_GiB_sum")
        return {name: row[name] for name in names} | {
            "checkpoint_size_GiB": run.metric("checkpoint_size_GB"),
            **checkpoint,
        }
    return row | {"counts": None if result.is_ambiguous else run is not result.warm_up}


def _parameters(result: MlperfResult, model: str, threshold: float | None) -> dict[str, Any]:
    """What was measured, and what the rules compare; left out where it is not known."""
    first = result.runs[0] if result.runs else None
    accelerators = documents.integer(result.report, "overall", "train_num_accelerators")
    hosts = first.num_hosts if first else documents.integer(result.report, "overall", "num_client_hosts")
    utilisations = [run.au_mean for run in result.runs if run.au_mean is not None]
    parameters = {
        "model": model,
        "accelerator": documents.word(result.report, "overall", "accelerator") or result.configured("accelerator"),
        "num_accelerators": accelerators if accelerators is not None else first and first.num_accelerators,
        "num_hosts": hosts,
        "client_nodes": hosts,
        "num_samples_per_file": documents.integer(result.report, "overall", "num_samples_per_file"),
        "au_threshold": threshold,
        "au_min_run": min(utilisations, default=None),
        "runs": len(result.runs),
        "runs_reported": len(result.reported_runs) or None,
        "dataset_over_memory": agreement.memory_ratio(result),
        "hosts_flagged_potential_caching": agreement.caching_flags(result),
        "report_equals_runs": agreement.report_equals_runs(result),
        "division": _division(result),
        "open_parameters": result.open_parameters,
        **(result.configured("settings") or {}),
        **(_since_3(result, first) if is_since_3(result.verdict.version) else {}),
    }
    return {name: value for name, value in parameters.items() if value not in (None, "")}


def _since_3(result: MlperfResult, first: RunFolder | None) -> dict[str, Any]:
    """What only the rules of v3.0 ask for; keys that do not apply to the kind are left out."""
    values: dict[str, Any] = {
        **result.verdict.as_parameters(),
        "filesystems_apart": layout.all_apart(result.separations),
    }
    if first is None:
        return values
    if result.is_training:
        files, per_file = first.whole_number("num_files_train"), first.whole_number("num_samples_per_file")
        batch = (result.configured("settings") or {}).get("batch_size")
        accelerators = first.num_accelerators
        step = batch * accelerators if batch and accelerators else None
        return values | {
            "run_folders": len(result.all_runs),
            "steps_per_epoch": files * per_file // step if files and per_file and step else None,
            "phases": sorted(result.phases),
        }
    return values | {
        "runs": None,
        "checkpoint_size_GiB": first.metric("checkpoint_size_GB"),
        "checkpoints_written": result.checkpoints_asked("save"),
        "checkpoints_read": result.checkpoints_asked("load"),
        "written_over_memory": agreement.written_over_memory(result),
        "phase_gap_s": agreement.phase_gap(result),
    }


def _division(result: MlperfResult) -> str | None:
    """`closed`, `open` or `invalid`: what version 2.0 verified, else the folder that a submission is sorted into."""
    verified = result.configured("verification")
    if verified in ("closed", "open", "invalid"):
        return str(verified)
    return layout.division_of(result.path) or None
