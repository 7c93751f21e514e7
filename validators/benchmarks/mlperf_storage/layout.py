"""Which files of a bundle are results of MLPerf Storage, and which of them belong together.

Runs lie at any depth below their report and are called anything (run1, run-1, runs/run1, run1/host). A report is the
nearest one above; without one, runs of the same workload side by side are one result, as version 2.0 leaves them.
The first of the six runs of training of version 3.0 is a warm-up, which is set aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from validators.benchmarks.mlperf_storage import documents, places, versions
from validators.benchmarks.mlperf_storage.configuration import Configuration, Configurations
from validators.benchmarks.mlperf_storage.documents import RunFolder, Summary
from validators.benchmarks.mlperf_storage.places import Place
from validators.benchmarks.mlperf_storage.round_3 import FACTS, is_since_3
from validators.benchmarks.mlperf_storage.versions import Evidence, VersionVerdict
from validators.bundle import Bundle
from validators.findings import Finding
from validators.outputs import Output, Refusal

TOOL = "mlperf-storage"
NAMES = ("mlperf_storage_report.json", "summary.json")
_DIVISION = re.compile(r"(?:^|/)(closed|open)(?=/)", re.IGNORECASE)
_MODEL_NAMES = {model.replace("-", "_"): model for model in FACTS["models"][places.CHECKPOINTING]}
"""What a file is called that was cut before all by which its content is known."""


@dataclass(slots=True)
class MlperfResult:
    """A report, if there is one, and the runs that belong to it."""

    path: str
    report: dict[str, Any] = field(default_factory=dict)
    runs: list[RunFolder] = field(default_factory=list)
    configurations: list[Configuration] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    place: Place = field(default_factory=Place)
    phases: set[str] = field(default_factory=set)
    evidence: list[Evidence] = field(default_factory=list)
    separations: list[bool | None] = field(default_factory=list)
    settings_by_folder: dict[PurePosixPath, dict[str, int]] = field(default_factory=dict)
    overrides_by_folder: dict[PurePosixPath, dict[str, str]] = field(default_factory=dict)
    verdict: VersionVerdict = field(default_factory=VersionVerdict)
    warm_up: RunFolder | None = None
    is_ambiguous: bool = False
    """Whether it can't be told which of the runs count: more than six of version 3.0, or six in no order."""

    def absorb(self, other: MlperfResult) -> None:
        """Take over the runs of another result, with all that is known of them."""
        self.runs += other.runs
        self.configurations += other.configurations
        self.findings += other.findings
        self.evidence += other.evidence
        self.separations += other.separations
        self.settings_by_folder |= other.settings_by_folder
        self.overrides_by_folder |= other.overrides_by_folder
        self.path = min(self.path, other.path)

    @property
    def is_training(self) -> bool:
        """Whether it measured training; a checkpoint after the last epoch does not make it one of checkpoints."""
        return not any(run.checkpoints for run in self.runs)

    @property
    def all_runs(self) -> list[RunFolder]:
        """Those that count, behind the warm-up."""
        return [*([self.warm_up] if self.warm_up else []), *self.runs]

    def checkpoints_of(self, index: int) -> dict[str, int]:
        """How many checkpoints the run at a place was told to write (`save`) and read (`load`), where that is known."""
        return self.settings_by_folder.get(PurePosixPath(self.runs[index].path).parent, {})

    def checkpoints_asked(self, kind: str) -> int | None:
        """How many checkpoints all runs together were told to write or read, None where one does not tell."""
        counts = [self.checkpoints_of(index).get(kind) for index in range(len(self.runs))]
        stated = [count for count in counts if count is not None]
        return sum(stated) if stated and len(stated) == len(counts) else None

    @property
    def configured_model(self) -> str:
        """As the configuration has it, in the spelling of the folders."""
        model = str(self.configured("model") or "")
        return str(_MODEL_NAMES.get(model, model))

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
        since_3 = is_since_3(self.verdict.version)
        return sorted(
            {
                name
                for configuration in self.configurations
                for name in (configuration.open_since_3 if since_3 else configuration.open_parameters)
            }
        )


@dataclass(slots=True)
class Contents:
    """What a bundle holds: results of training and of checkpoints, and files of the kinds that came with v3.0."""

    bundle: Bundle
    results: list[MlperfResult] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    kv_caches: list[str] = field(default_factory=list)
    searches: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    configurations: Configurations | None = None
    images: versions.Images | None = None

    def configuration_of(self, folder: PurePosixPath) -> Configuration:
        return self.configurations.of(folder) if self.configurations else Configuration()

    def evidence(self, folder: PurePosixPath) -> list[Evidence]:
        return list(self.images.evidence(folder)) if self.images else []


def find_results(bundle: Bundle) -> Contents:
    """Every result of training and checkpoints of a bundle, the files of others, and the paths that were read."""
    return _Search(bundle).contents()


class _Search:
    """One search of a bundle."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.reports: dict[PurePosixPath, MlperfResult] = {}
        self.loose: dict[tuple[PurePosixPath, str, int | None], MlperfResult] = {}
        self.folders: dict[PurePosixPath, MlperfResult] = {}
        self.holding: dict[PurePosixPath, MlperfResult] = {}
        self.summaries: list[str] = []
        self.metadata: list[str] = []
        self.unknown: list[str] = []
        self.contents_found = Contents(bundle)
        self.images = versions.Images(bundle)
        self.phases: dict[PurePosixPath | None, set[str]] = {}
        for path, entry in bundle.files.items():
            if entry.size or PurePosixPath(path).name in (*NAMES, *documents.SEARCH_NAMES):
                self._sort(path)

    def _sort(self, path: str) -> None:
        head, place, above = self.bundle.head(path), PurePosixPath(path), places.find_place(path)
        if above.phase:
            self.phases.setdefault(above.workload, set()).add(above.phase)
        if documents.REPORT.search(head):
            self.reports[place.parent] = MlperfResult(path)
        elif documents.KV_CACHE.search(head) or (place.name in NAMES and above.kind == places.KV_CACHE):
            self.contents_found.kv_caches.append(path)
        elif documents.LOADED.search(head) and above.is_preparation:
            self.contents_found.loads.append(path)
        elif documents.is_search(head) or (
            place.name in documents.SEARCH_NAMES
            and above.kind == places.VECTOR_DATABASE
            and not above.is_preparation
            and not documents.METADATA.search(head)
        ):
            self.contents_found.searches.append(path)
        elif documents.SUMMARY.search(head):
            self.summaries.append(path)
        elif documents.METADATA.search(head):
            self.metadata.append(path)
        elif place.name in NAMES:
            self.unknown.append(path)

    def contents(self) -> Contents:
        contents = self.contents_found
        contents.configurations, contents.images = Configurations(self.bundle, self.metadata), self.images
        if self.reports or self.summaries:
            contents.results, contents.read = self.results(contents.configurations)
        elif contents.kv_caches or contents.searches:
            contents.read = {*self.metadata}
        if contents.results or contents.read:
            contents.read |= self.images.read
        return contents

    def results(self, configurations: Configurations) -> tuple[list[MlperfResult], set[str]]:
        summaries = [(path, self._load(path)) for path in self.summaries]
        for path, document in summaries:
            if isinstance(document, dict):
                self._place(Summary(path, document), configurations)
        for path, cut in [*summaries, *((path, self._load(path)) for path in self.unknown)]:
            if isinstance(cut, Refusal):
                self._owner(path).findings.append(cut.finding(TOOL, path))
        results = self._finish()
        read = {path for result in results for configuration in result.configurations for path in configuration.read}
        reports = {result.path for result in self.reports.values()}
        return results, {*reports, *self.summaries, *self.metadata, *self.unknown, *read}

    def _load(self, path: str) -> dict[str, Any] | Refusal:
        try:
            return documents.load(Output(self.bundle, path))
        except Refusal as refusal:
            return refusal

    def _place(self, summary: Summary, configurations: Configurations) -> None:
        """Add a summary to the report above it, or to the runs of the same kind beside it."""
        configuration = configurations.of(summary.folder)
        kind = " ".join((configuration.kind, configuration.model, configuration.accelerator)).strip()
        accelerators = documents.integer(summary.document, "num_accelerators")
        place = places.find_place(summary.path)
        result = self._reported(summary.path)
        if result is None:
            # Files of the same content are sometimes packed once: in the folders of v2.0 on, the folder tells the kind.
            kind = str(place.workload) if place.kind else kind
            result = self._loose(_folder_of_run(summary).parent, kind, accelerators, summary.path)
        result.place = place if place.stamp else result.place
        result.phases |= self.phases.get(place.workload, set()) if place.kind else set()
        result.evidence += self.images.evidence(summary.folder)
        result.evidence += [Evidence(configuration.form, "metadata")] if configuration.form else []
        result.separations.append(read_separation(self.bundle, summary.folder))
        result.configurations.append(configuration)
        result.settings_by_folder[summary.folder] = configuration.checkpoints
        result.overrides_by_folder[summary.folder] = configuration.override_values
        result.runs.append(RunFolder(_name(result, summary), [summary]))

    def _reported(self, path: str) -> MlperfResult | None:
        """The result whose report lies nearest above a path."""
        return next((self.reports[above] for above in PurePosixPath(path).parents if above in self.reports), None)

    def _owner(self, path: str) -> MlperfResult:
        """The result that a file which can't be read is missing in; a new one where it stands alone."""
        place = PurePosixPath(path)
        owner = self._reported(path) or self.holding.get(place.parent)
        owner = owner or next((self.folders[above] for above in place.parents if above in self.folders), None)
        return owner or self._loose(place.parent.parent, "", None, path)

    def _loose(self, folder: PurePosixPath, kind: str, accelerators: int | None, path: str) -> MlperfResult:
        """The result without a report of the runs in a folder that are of a kind."""
        key = (folder, kind, accelerators)
        if key not in self.loose:
            self.loose[key] = MlperfResult(path)
            self.folders.setdefault(folder, self.loose[key])
            for above in folder.parents:
                self.holding.setdefault(above, self.loose[key])
        return self.loose[key]

    def _merge_unconfigured(self) -> None:
        """Runs called by time, without a configuration, belong to the only configured ones beside them.

        Files of the same content are sometimes packed once.
        """
        for key in [key for key in self.loose if not key[1]]:
            folder, _, accelerators = key
            configured = [other for other in self.loose if other[::2] == (folder, accelerators) and other[1]]
            blank = self.loose[key]
            if len(configured) == 1 and blank.runs and _is_called_by_time(blank):
                self.loose[configured[0]].absorb(self.loose.pop(key))

    def _finish(self) -> list[MlperfResult]:
        """Read the reports, and join the hosts of version 0.5 to runs."""
        for result in self.reports.values():
            report = self._load(result.path)
            if isinstance(report, Refusal):
                result.findings.append(report.finding(TOOL, result.path))
            else:
                result.report = report
        self._merge_unconfigured()
        results = [*self.reports.values(), *self.loose.values()]
        for result in results:
            result.runs = list(_joined(result))
            result.verdict = _judge_version(result)
            if is_since_3(result.verdict.version) and result.is_training:
                _set_warm_up_aside(result)
        return results


def _is_called_by_time(result: MlperfResult) -> bool:
    return all(places.find_place(run.path).stamp for run in result.runs)


def read_separation(bundle: Bundle, folder: PurePosixPath) -> bool | None:
    """Whether data and logs lay on different file systems, as the benchmark tried it; None where it was not tried."""
    path = (folder / versions.SEPARATION).as_posix()
    if path not in bundle.files:
        return None
    try:
        same = documents.load(Output(bundle, path)).get("same_filesystem")
    except Refusal:
        return None
    return not same if isinstance(same, bool) else None


def all_apart(tried: Iterable[bool | None]) -> bool | None:
    """Whether every run had its data and logs apart: False where one had not, None where one did not try it."""
    outcomes = list(tried)
    if False in outcomes:
        return False
    return True if outcomes and None not in outcomes else None


def division_of(path: str) -> str:
    """`closed` or `open`, after the folder that a submission is sorted into; empty where there is none."""
    folder = _DIVISION.search(path)
    return folder[1].lower() if folder else ""


def _begun_in_round(result: MlperfResult, begun: str) -> bool:
    """Whether runs in folders that are called by time began since the round of v3.0 opened."""
    return bool(result.place.stamp) and begun >= FACTS["first_day"]


def _judge_version(result: MlperfResult) -> VersionVerdict:
    """The version of a result without a report; one with a report says it there."""
    kind = result.place.kind or ("" if result.is_training else places.CHECKPOINTING)
    if result.report:
        if any(is_since_3(item.version) for item in result.evidence):
            return VersionVerdict(contradiction=("1.0 or 0.5, by its report", "3.0, by files of its runs"))
        return VersionVerdict()
    accelerator = str(result.configured("accelerator") or "")
    model = result.configured_model or result.place.model
    begun = max((run.begun for run in result.runs), default="")
    return versions.infer_version(
        result.evidence, kind, accelerator, model, begun, bool(result.place.kind) or _begun_in_round(result, begun)
    )


def _set_warm_up_aside(result: MlperfResult) -> None:
    """The first of six runs does not count; of more, or without their times, nobody can tell which ones do."""
    run_count = FACTS["run_folders"]
    if len(result.runs) < run_count:
        return
    begun = [run.begun for run in result.runs]
    if len(result.runs) > run_count or not all(begun) or len(set(begun)) < run_count:
        result.is_ambiguous = True
        return
    result.runs.sort(key=lambda run: run.begun)
    result.warm_up = result.runs.pop(0)


def _folder_of_run(summary: Summary) -> PurePosixPath:
    """The folder of a run; the one of a host inside it bears the host's name."""
    return summary.folder.parent if summary.host and summary.folder.name == summary.host else summary.folder


def _name(result: MlperfResult, summary: Summary) -> str:
    """What a run is called, relative to the report; for one host of version 0.5 that of its run."""
    above = PurePosixPath(result.path).parent
    folder = _folder_of_run(summary)
    if above in folder.parents:
        return folder.relative_to(above).as_posix()[:80]
    return folder.name[:80]


def _joined(result: MlperfResult) -> Iterator[RunFolder]:
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
