"""Results of kv_cache, which came with v3.0: how fast a key-value cache of language models is kept on storage.

A summary holds three options. Rates are sums over the ranks of a trial, and means over trials; what is called `gbps` is
GiB/s. The P95 latency of the summary is of whole requests, with the time that they queued. That of the device stands
only in the files of the ranks: its maximum over ranks and trials is told where all of them are here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from validators.benchmarks.mlperf_storage import documents, layout, places, versions
from validators.benchmarks.mlperf_storage.configuration import Configuration
from validators.benchmarks.mlperf_storage.figures import figure_disagrees
from validators.benchmarks.mlperf_storage.layout import TOOL, Contents
from validators.benchmarks.mlperf_storage.round_3 import FACTS
from validators.benchmarks.mlperf_storage.round_3_findings import of_model, of_version
from validators.benchmarks.mlperf_storage.versions import Evidence
from validators.findings import ERROR, WARNING, Finding
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal
from validators.reading.accounting import lines_missing

_OPTIONS = tuple(FACTS["kv_cache"]["models"])
_FIGURES = (
    ("-read", "bandwidth", "mean", "aggregated_read_bandwidth_gbps", "GiB/s"),
    ("-write", "bandwidth", "mean", "aggregated_write_bandwidth_gbps", "GiB/s"),
    ("", "token_rate", "mean", "aggregated_avg_throughput_tokens_per_sec", "tokens/s"),
    ("-storage", "token_rate", "mean", "aggregated_storage_throughput_tokens_per_sec", "tokens/s"),
    ("", "latency", "p95", "aggregated_p95_latency_ms", "ms"),
)
_DEVICE = (("-read", "storage_read_device_p95_ms"), ("-write", "storage_write_device_p95_ms"))
_RANK_FILE = re.compile(r"option_(\d)/trial_(\d{1,4})/rank_(\d{1,6})/kvcache_results_\w{1,40}\.json", re.ASCII)
_MOST_RANK_FILES = 2_000


def find_runs(contents: Contents) -> tuple[list[Run], set[str]]:
    """A run for each summary, and the paths that were read."""
    runs, read = [], set(contents.kv_caches)
    ranks = _RankFiles(contents)
    for path in contents.kv_caches:
        try:
            document = documents.load(Output(contents.bundle, path))
        except Refusal as refusal:
            runs.append(Run(TOOL, path, mode=places.KV_CACHE, findings=[refusal.finding(TOOL, path)]))
            continue
        folder = PurePosixPath(path).parent
        configuration = contents.configuration_of(folder)
        read |= configuration.read | ranks.paths(folder)
        runs.append(_run(contents, path, document, configuration, ranks))
    return runs, read


class _RankFiles:
    """The files of the ranks of a bundle, by the folder of their run and by option."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self.incomplete: dict[PurePosixPath, tuple[str, str]] = {}
        """By folder of a run, the first file that lacks what others have, or its ranks need, and what that is."""
        self.found: dict[tuple[PurePosixPath, str], dict[tuple[str, str], str]] = {}
        for path in contents.bundle.files if contents.kv_caches else ():
            place = PurePosixPath(path)
            if len(place.parts) > 4 and (match := _RANK_FILE.fullmatch("/".join(place.parts[-4:]))):
                self.found.setdefault((place.parents[3], match[1]), {})[match[2], match[3]] = path

    def paths(self, folder: PurePosixPath) -> set[str]:
        return {path for (above, _), files in self.found.items() if above == folder for path in files.values()}

    def device(self, folder: PurePosixPath, option: str, ranks: int | None, trials: int | None) -> dict[str, float]:
        """The largest P95 of the device over all ranks and trials, by what it was of; nothing where one is missing."""
        files = self.found.get((folder, option), {})
        if files and not (ranks and trials):
            self.incomplete.setdefault(folder, ((folder / "summary.json").as_posix(), "total_ranks or trial_count"))
        if not ranks or not trials or len(files) != ranks * trials or len(files) > _MOST_RANK_FILES:
            return {}
        figures: dict[str, list[float | None]] = {}
        by_path = {path: self._statistics(path) for path in files.values()}
        for suffix, name in _DEVICE:
            figures[suffix] = [documents.number(statistics, name) for statistics in by_path.values()]
            if any(value is not None for value in figures[suffix]) and None in figures[suffix]:
                path = list(by_path)[figures[suffix].index(None)]
                self.incomplete.setdefault(folder, (path, name))
        return {
            suffix: max(value for value in values if value is not None)
            for suffix, values in figures.items()
            if None not in values
        }

    def _statistics(self, path: str) -> object:
        try:
            document = documents.load(Output(self.contents.bundle, path))
        except Refusal:
            return None
        summary = document.get("summary")
        return summary.get("cache_stats") if isinstance(summary, dict) else None


def _run(contents: Contents, path: str, document: Any, configuration: Configuration, ranks: _RankFiles) -> Run:
    folder, place = PurePosixPath(path).parent, places.find_place(path)
    evidence = contents.evidence(folder)
    evidence += [Evidence(configuration.form, "metadata")] if configuration.form else []
    verdict = versions.infer_version(evidence, places.KV_CACHE, "", "", "", bool(place.kind))
    run = Run(TOOL, path, version=verdict.version, mode=places.KV_CACHE)
    options = document.get("options")
    options = options if isinstance(options, dict) else {}
    present = [option for option in _OPTIONS if isinstance(options.get(option), dict)]
    total = documents.integer(document, "total_ranks")
    for option in present:
        figures = options[option]
        device = ranks.device(folder, option, total, documents.integer(figures, "trial_count"))
        run.measurements += _measurements(option, figures, device)
        run.operations_done += [(f"kv-option-{option}{suffix}", {}) for suffix in ("", "-read", "-write", "-storage")]
        run.tests.append(_test(option, figures))
    run.parameters = _parameters(contents, folder, document, options, configuration)
    run.parameters |= {name: text for name, text in verdict.as_parameters().items() if text}
    run.findings += [*of_version(verdict, path), *of_model(place.model, configuration.model, path)]
    run.findings += _findings(path, options, present, run)
    run.findings += _counts_of_ranks(path, document, options, present)
    if incomplete := ranks.incomplete.get(folder):
        where, name = incomplete
        what = f"A file has no {name} that can be read, and others have. No latency of the device is taken."
        run.findings.append(lines_missing(TOOL, what, where))
    return run


def _measurements(option: str, figures: Any, device: dict[str, float]) -> Iterator[Measurement]:
    for suffix, quantity, stat, name, unit in _FIGURES:
        value = documents.number(figures, name)
        if value is not None:
            yield Measurement.printed(f"kv-option-{option}{suffix}", quantity, stat, value, unit)
    for suffix, value in device.items():
        yield Measurement.printed(f"kv-option-{option}{suffix}", "latency", "p95_max", value, "ms")


def _listed(figures: Any, name: str) -> int | None:
    values = figures.get(name)
    return len(values) if isinstance(values, list) else None


def _test(option: str, figures: Any) -> dict[str, Any]:
    """One option as a row. Missing files are counted: their paths name organisations and folders."""
    return {
        "option": int(option),
        "model": FACTS["kv_cache"]["models"][option],
        "ranks": documents.integer(figures, "rank_count"),
        "trials": documents.integer(figures, "trial_count"),
        "missing_files": _listed(figures, "missing_files"),
        "cpu_tier_ranks": _listed(figures, "cpu_tier_ranks"),
    }


def _parameters(
    contents: Contents, folder: PurePosixPath, document: Any, options: Any, configuration: Configuration
) -> dict[str, Any]:
    path = (folder / "summary.json").as_posix()
    place = places.find_place(path)
    hosts = documents.integer(document, "host_count")
    values = {
        "model": configuration.model or place.model,
        "num_hosts": hosts,
        "client_nodes": hosts,
        "num_ranks": documents.integer(document, "total_ranks"),
        "ranks_per_host": documents.integer(document, "npernode"),
        "trials_per_option": documents.integer(document, "trials_per_option"),
        "division": layout.division_of(path),
        "filesystems_apart": layout.read_separation(contents.bundle, folder),
    }
    return {name: value for name, value in values.items() if value not in (None, "")}


def _counts_of_ranks(path: str, document: Any, options: Any, present: list[str]) -> Iterator[Finding]:
    """Ranks are hosts times ranks of each, and an option without missing files has all ranks and trials."""
    names = ("host_count", "npernode", "total_ranks", "trials_per_option")
    hosts, each, total, trials = (documents.integer(document, name) for name in names)
    if hosts and each and total and hosts * each != total:
        yield figure_disagrees("the run", "The number of ranks", total, hosts * each, path)
    for option in present:
        ranks, counted = (documents.integer(options[option], name) for name in ("rank_count", "trial_count"))
        is_whole = not _listed(options[option], "missing_files")
        for what, stated, expected in (("ranks", ranks, total), ("trials", counted, trials)):
            if is_whole and stated is not None and expected is not None and stated != expected:
                yield figure_disagrees(f"option {option}", f"The number of {what}", stated, expected, path)


def _findings(path: str, options: Any, present: list[str], run: Run) -> Iterator[Finding]:
    unknown = sorted(str(name)[:20] for name in options if name not in _OPTIONS)
    if not present:
        yield Finding(
            "mlperf-storage.no-results",
            ERROR,
            "The summary holds none of the three options.",
            "Repeat the run; the logs of its options say why they ended.",
            path,
        )
    elif unknown or len(present) < len(_OPTIONS):
        absent = [option for option in _OPTIONS if option not in present]
        parts = [f"options {', '.join(absent)} are missing"] if absent else []
        parts += [f"{', '.join(unknown[:5])} are none that the rules know, and were not read"] if unknown else []
        yield Finding(
            "mlperf-storage.options-differ",
            WARNING,
            f"A result has the options {', '.join(_OPTIONS)}: {'; '.join(parts)}.",
            "Run all three options, and upload the summary as the benchmark wrote it.",
            path,
        )
    wrong = [option for option in present if documents.integer(options[option], "option") not in (None, int(option))]
    if wrong:
        yield Finding(
            "mlperf-storage.inconsistent",
            ERROR,
            f"What stands as option {', '.join(wrong)} says that it is another one.",
            "The summary was edited. Upload it as the benchmark wrote it.",
            path,
        )
    missing = {row["option"]: row["missing_files"] for row in run.tests if row["missing_files"]}
    if missing:
        listed = ", ".join(f"{count} in option {option}" for option, count in missing.items())
        yield Finding(
            "mlperf-storage.ranks-missing",
            WARNING,
            f"Files of ranks were missing when the benchmark summed up: {listed}. Rates are of the others alone.",
            "Repeat the run, or upload the result that is whole.",
            path,
            expected="0 missing files",
            actual=f"{sum(missing.values())} missing files",
        )
