"""Which files of a bundle are results of MLPerf Storage, and which of them belong together.

Runs lie at any depth below their report and are called anything (run1, run-1, runs/run1, run1/host). A report is the
nearest one above; without one, runs of the same workload side by side are one result, as version 2.0 leaves them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from validators.benchmarks.mlperf_storage import documents
from validators.benchmarks.mlperf_storage.configuration import Configuration, Configurations
from validators.benchmarks.mlperf_storage.documents import RunFolder, Summary
from validators.bundle import Bundle
from validators.findings import Finding
from validators.outputs import HEAD, Output, Refusal

TOOL = "mlperf-storage"


@dataclass(slots=True)
class Result:
    """A report, if there is one, and the runs that belong to it."""

    path: str
    report: dict[str, Any] = field(default_factory=dict)
    runs: list[RunFolder] = field(default_factory=list)
    configurations: list[Configuration] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def reported_runs(self) -> dict[str, Any]:
        runs = self.report.get("runs")
        return runs if isinstance(runs, dict) else {}

    def configured(self, name: str) -> Any:
        """The first value that a configuration of a run has, None where none has one."""
        return next((value for one in self.configurations if (value := getattr(one, name))), None)

    @property
    def open_parameters(self) -> list[str] | None:
        """What runs set beyond the closed division, None where no run left its overrides."""
        if not any(one.overrides for one in self.configurations):
            return None
        return sorted({name for one in self.configurations for name in one.open_parameters})


def find_results(bundle: Bundle) -> tuple[list[Result], set[str]]:
    """Every result of a bundle, and the paths that were read."""
    return _Search(bundle).results()


class _Search:
    """One search of a bundle."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.reports: list[str] = []
        self.summaries: list[str] = []
        self.metadata: list[str] = []
        unknown = []
        for path, entry in bundle.files.items():
            if entry.size and not self._sort(path) and PurePosixPath(path).name.lower() == "summary.json":
                unknown.append(path)
        if self.reports or self.summaries:
            self.summaries += unknown  # cut before anything by which it is known

    def _sort(self, path: str) -> bool:
        head = self.bundle.read(path, HEAD)
        kinds = [
            (self.reports, documents.REPORT.search(head)),
            (self.summaries, documents.SUMMARY.search(head)),
            (self.metadata, documents.METADATA.search(head)),
        ]
        for paths, known in kinds:
            if known:
                paths.append(path)
                return True
        return False

    def results(self) -> tuple[list[Result], set[str]]:
        if not self.reports and not self.summaries:
            return [], set()
        configurations = Configurations(self.bundle, self.metadata)
        reports = {PurePosixPath(path).parent: Result(path) for path in self.reports}
        loose: dict[tuple[object, ...], Result] = {}
        for path in self.summaries:
            owner = next((reports[above] for above in PurePosixPath(path).parents if above in reports), None)
            self._place(path, owner, loose, configurations)
        results = [*reports.values(), *loose.values()]
        for result in results:
            self._finish(result)
        read = {path for result in results for one in result.configurations for path in one.read}
        return results, {*self.reports, *self.summaries, *self.metadata, *read}

    def _place(
        self, path: str, owner: Result | None, loose: dict[tuple[object, ...], Result], known: Configurations
    ) -> None:
        """Add a summary to the report above it, or to the runs of the same kind beside it."""
        try:
            summary = Summary(path, documents.load(Output(self.bundle, path)))
        except Refusal as refusal:
            beside = PurePosixPath(path).parent.parent
            owner = owner or loose.setdefault((beside,), Result(path))
            owner.findings.append(refusal.finding(TOOL, path))
            return
        configuration = known.of(summary.folder)
        folder = _folder_of_run(summary)
        kind = (configuration.kind, configuration.model, configuration.accelerator)
        accelerators = documents.whole(summary.document, "num_accelerators")
        result = owner or loose.setdefault((folder.parent, kind, accelerators), Result(path))
        result.configurations.append(configuration)
        result.runs.append(RunFolder(_name(result, summary), [summary]))

    def _finish(self, result: Result) -> None:
        """Read the report, and join the hosts of version 0.5 to runs."""
        if result.path in self.reports:
            try:
                result.report = documents.load(Output(self.bundle, result.path))
            except Refusal as refusal:
                result.findings.append(refusal.finding(TOOL, result.path))
        result.runs = list(_joined(result))


def _folder_of_run(summary: Summary) -> PurePosixPath:
    """The folder of a run; the one of a host inside it bears the host's name."""
    return summary.folder.parent if summary.host and summary.folder.name == summary.host else summary.folder


def _name(result: Result, summary: Summary) -> str:
    """What a run is called, relative to the report; for one host of version 0.5 that of its run."""
    above = PurePosixPath(result.path).parent
    folder = _folder_of_run(summary)
    if above in folder.parents:
        return folder.relative_to(above).as_posix()[:80]
    return folder.name[:80]


def _joined(result: Result) -> Iterator[RunFolder]:
    """The runs under the names that the report gives them; hosts of version 0.5 are one run together."""
    named: dict[str, list[Summary]] = {}
    for run in result.runs:
        parts = run.name.split("/")
        reported = next((part for part in parts if part in result.reported_runs), run.name)
        named.setdefault(reported, []).extend(run.summaries)
    for name, summaries in sorted(named.items()):
        if all(summary.of_a_host for summary in summaries):
            yield RunFolder(name, summaries)
        else:
            for index, summary in enumerate(summaries):
                yield RunFolder(f"{name}#{index + 1}" if index else name, [summary])
