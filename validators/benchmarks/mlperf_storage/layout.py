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
from validators.outputs import Output, Refusal

TOOL = "mlperf-storage"
NAMES = ("mlperf_storage_report.json", "summary.json")
"""What a file is called that was cut before all by which its content is known."""


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
        return next((value for configuration in self.configurations if (value := getattr(configuration, name))), None)

    @property
    def open_parameters(self) -> list[str] | None:
        """What runs set beyond the closed division, None where no run left its overrides."""
        if not any(configuration.overrides for configuration in self.configurations):
            return None
        return sorted({name for configuration in self.configurations for name in configuration.open_parameters})


def find_results(bundle: Bundle) -> tuple[list[Result], set[str]]:
    """Every result of a bundle, and the paths that were read."""
    return _Search(bundle).results()


class _Search:
    """One search of a bundle."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.reports: dict[PurePosixPath, Result] = {}
        self.loose: dict[tuple[PurePosixPath, str, int | None], Result] = {}
        self.folders: dict[PurePosixPath, Result] = {}
        self.holding: dict[PurePosixPath, Result] = {}
        self.summaries: list[str] = []
        self.metadata: list[str] = []
        self.unknown: list[str] = []
        for path, entry in bundle.files.items():
            if entry.size:
                self._sort(path)
            elif PurePosixPath(path).name in NAMES:
                self.unknown.append(path)

    def _sort(self, path: str) -> None:
        head, place = self.bundle.head(path), PurePosixPath(path)
        if documents.REPORT.search(head):
            self.reports[place.parent] = Result(path)
        elif documents.SUMMARY.search(head):
            self.summaries.append(path)
        elif documents.METADATA.search(head):
            self.metadata.append(path)
        elif place.name in NAMES:
            self.unknown.append(path)

    def results(self) -> tuple[list[Result], set[str]]:
        if not self.reports and not self.summaries:
            return [], set()
        configurations = Configurations(self.bundle, self.metadata)
        summaries = [(path, self._load(path)) for path in self.summaries]
        for path, document in summaries:
            if isinstance(document, dict):
                self._place(Summary(path, document), configurations)
        for path, cut in [*summaries, *((path, self._load(path)) for path in self.unknown)]:
            if isinstance(cut, Refusal):
                self._owner(path).findings.append(cut.finding(TOOL, path))
        results = self._finish()
        read = {path for result in results for one in result.configurations for path in one.read}
        reports = {result.path for result in self.reports.values()}
        return results, {*reports, *self.summaries, *self.metadata, *self.unknown, *read}

    def _load(self, path: str) -> dict[str, Any] | Refusal:
        try:
            return documents.load(Output(self.bundle, path))
        except Refusal as refusal:
            return refusal

    def _place(self, summary: Summary, known: Configurations) -> None:
        """Add a summary to the report above it, or to the runs of the same kind beside it."""
        configuration = known.of(summary.folder)
        kind = " ".join((configuration.kind, configuration.model, configuration.accelerator))
        accelerators = documents.whole(summary.document, "num_accelerators")
        result = self._reported(summary.path)
        result = result or self._loose(_folder_of_run(summary).parent, kind, accelerators, summary.path)
        result.configurations.append(configuration)
        result.runs.append(RunFolder(_name(result, summary), [summary]))

    def _reported(self, path: str) -> Result | None:
        """The result whose report lies nearest above a path."""
        return next((self.reports[above] for above in PurePosixPath(path).parents if above in self.reports), None)

    def _owner(self, path: str) -> Result:
        """The result that a file which can't be read is missing in; a new one where it stands alone."""
        place = PurePosixPath(path)
        found = self._reported(path) or self.holding.get(place.parent)
        found = found or next((self.folders[above] for above in place.parents if above in self.folders), None)
        return found or self._loose(place.parent.parent, "", None, path)

    def _loose(self, folder: PurePosixPath, kind: str, accelerators: int | None, path: str) -> Result:
        """The result without a report of the runs in a folder that are of a kind."""
        key = (folder, kind, accelerators)
        if key not in self.loose:
            self.loose[key] = Result(path)
            self.folders.setdefault(folder, self.loose[key])
            for above in folder.parents:
                self.holding.setdefault(above, self.loose[key])
        return self.loose[key]

    def _finish(self) -> list[Result]:
        """Read the reports, and join the hosts of version 0.5 to runs."""
        for result in self.reports.values():
            report = self._load(result.path)
            if isinstance(report, Refusal):
                result.findings.append(report.finding(TOOL, result.path))
            else:
                result.report = report
        results = [*self.reports.values(), *self.loose.values()]
        for result in results:
            result.runs = list(_joined(result))
        return results


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
