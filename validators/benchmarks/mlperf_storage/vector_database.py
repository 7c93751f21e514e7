"""Results of vector_database, which came with v3.0: how many searches a database of vectors answers from storage.

A result is five runs of one index. Each leaves a summary, or the statistics of the tool beneath it, in which recall is
an object; of a run that has both, the summary is read and compared. Means and the deviation, that of a population, are
over runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from statistics import fmean, pstdev
from typing import Any

from validators.benchmarks.mlperf_storage import documents, layout, places, versions
from validators.benchmarks.mlperf_storage.configuration import Configuration
from validators.benchmarks.mlperf_storage.figures import repeated_runs
from validators.benchmarks.mlperf_storage.layout import TOOL, Contents
from validators.benchmarks.mlperf_storage.places import Place
from validators.benchmarks.mlperf_storage.round_3 import FACTS
from validators.benchmarks.mlperf_storage.round_3_findings import of_version
from validators.benchmarks.mlperf_storage.versions import Evidence
from validators.findings import ERROR, WARNING, Finding
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal
from validators.reading.accounting import lines_missing

OP = "search"
_LATENCIES = (
    ("mean", "mean_latency_ms"),
    ("p95", "p95_latency_ms"),
    ("p99", "p99_latency_ms"),
    ("p99.9", "p999_latency_ms"),
)
_EXACT = 1e-6
_SETTINGS = ("num_vectors", "dimension", "index_type")
_VERDICT, _CONFIGURATION = "result_verdict.json", "config.json"


@dataclass(slots=True)
class _Search:
    """One run: the document that counts, and its neighbours."""

    path: str
    document: dict[str, Any]
    others: list[dict[str, Any]] = field(default_factory=list)
    verdict: Any = None
    configured: Any = None

    @property
    def folder(self) -> PurePosixPath:
        return PurePosixPath(self.path).parent

    @property
    def rate(self) -> float | None:
        return documents.number(self.document, "throughput_qps")

    @property
    def recall(self) -> float | None:
        """A share of 1: a number in a summary, an object in statistics."""
        share = documents.number(self.document, "recall")
        share = documents.number(self.document, "recall", "recall_at_k") if share is None else share
        return share if share is not None and share <= 1 else None

    def latency(self, name: str) -> float | None:
        return documents.number(self.document, name)

    @property
    def index(self) -> str:
        return documents.word(self.document, "index_type") or documents.word(self.configured, "index_type")

    @property
    def dimension(self) -> int | None:
        dimension = documents.integer(self.document, "dimension")
        return documents.integer(self.configured, "vector_dim") if dimension is None else dimension

    @property
    def coverage(self) -> float | None:
        return documents.number(self.verdict, "flat_setup", "coverage")


@dataclass(slots=True)
class _Result:
    """The runs of one index side by side."""

    path: str
    place: Place
    searches: list[_Search] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    load: Any = None


def find_runs(contents: Contents) -> tuple[list[Run], set[str]]:
    """A run for each index, and the paths that were read."""
    read = {*contents.searches, *contents.loads} if contents.searches else set()
    by_folder: dict[PurePosixPath, list[str]] = {}
    for path in contents.searches:
        by_folder.setdefault(PurePosixPath(path).parent, []).append(path)
    results: dict[PurePosixPath, _Result] = {}
    for folder, paths in by_folder.items():
        first = min(paths, key=_rank)
        result = results.setdefault(folder.parent, _Result(first, places.find_place(first)))
        result.path = min(result.path, first)
        _add(contents, result, folder, sorted(paths, key=_rank), read)
    for result in results.values():
        _add_load(contents, result)
    return [_run(contents, result, read) for result in results.values()], read


def _rank(path: str) -> tuple[int, str]:
    """Summaries before statistics before all else."""
    name = PurePosixPath(path).name
    names = documents.SEARCH_NAMES
    return (names.index(name) if name in names else len(names)), path


def _add(contents: Contents, result: _Result, folder: PurePosixPath, paths: list[str], read: set[str]) -> None:
    loaded = []
    for path in paths:
        try:
            loaded.append((path, documents.load(Output(contents.bundle, path))))
        except Refusal as refusal:
            result.findings.append(refusal.finding(TOOL, path))
    if not loaded:
        return
    (path, document), *others = loaded
    search = _Search(path, document, [other for _, other in others])
    search.verdict = _read_beside(contents, folder / _VERDICT, read)
    search.configured = _read_beside(contents, folder / _CONFIGURATION, read)
    result.searches.append(search)


def _read_beside(contents: Contents, path: PurePosixPath, read: set[str]) -> Any:
    """A document beside a summary; None where there is none that can be read."""
    if path.as_posix() not in contents.bundle.files:
        return None
    read.add(path.as_posix())
    try:
        return documents.load(Output(contents.bundle, path.as_posix()))
    except Refusal:
        return None


def _add_load(contents: Contents, result: _Result) -> None:
    """What was loaded into the database, where the folder of that lies beside the runs."""
    for path in contents.loads:
        place = places.find_place(path)
        if result.place.kind and place.workload == result.place.workload:
            try:
                result.load = documents.load(Output(contents.bundle, path))
            except Refusal as refusal:
                result.findings.append(refusal.finding(TOOL, path))


def _run(contents: Contents, result: _Result, read: set[str]) -> Run:
    configurations = [contents.configuration_of(search.folder) for search in result.searches]
    read |= {path for configuration in configurations for path in configuration.read}
    evidence = [item for search in result.searches for item in contents.evidence(search.folder)]
    evidence += [Evidence(item.form, "metadata") for item in configurations if item.form]
    verdict = versions.infer_version(evidence, places.VECTOR_DATABASE, "", "", "", bool(result.place.kind))
    run = Run(TOOL, result.path, version=verdict.version, mode=places.VECTOR_DATABASE)
    result.searches.sort(key=lambda search: search.path)
    run.measurements = [*_overall(result.searches), *(item for search in result.searches for item in _single(search))]
    run.operations_done = [(OP, {"run": search.folder.name[:80]}) for search in result.searches]
    run.tests = [_test(search) for search in result.searches]
    run.parameters = _parameters(contents, result, configurations)
    run.parameters |= {name: text for name, text in verdict.as_parameters().items() if text}
    run.findings += [*result.findings, *of_version(verdict, result.path), *_findings(result)]
    return run


def _overall(searches: list[_Search]) -> Iterator[Measurement]:
    """Means over runs; nothing of a figure that one of them lacks, and no deviation of a single run."""
    rates = _all_or_none([search.rate for search in searches])
    if rates:
        yield Measurement.printed(OP, "query_rate", "mean", fmean(rates), "queries/s")
    if len(rates) > 1:
        yield Measurement.printed(OP, "query_rate", "stdev", pstdev(rates), "queries/s")
    if recalls := _all_or_none([search.recall for search in searches]):
        yield Measurement.printed(OP, "recall", "mean", fmean(recalls), "fraction")
    for stat, name in _LATENCIES:
        if latencies := _all_or_none([search.latency(name) for search in searches]):
            yield Measurement.printed(OP, "latency", stat, fmean(latencies), "ms")


def _single(search: _Search) -> Iterator[Measurement]:
    context = {"run": search.folder.name[:80]}
    figures = [("query_rate", "run", search.rate, "queries/s"), ("recall", "run", search.recall, "fraction")]
    figures += [("latency", stat, search.latency(name), "ms") for stat, name in _LATENCIES]
    for quantity, stat, value, unit in figures:
        if value is not None:
            yield Measurement.printed(OP, quantity, stat, value, unit, context=context)


def _all_or_none(values: list[float | None]) -> list[float]:
    present = [value for value in values if value is not None]
    return present if len(present) == len(values) else []


def _test(search: _Search) -> dict[str, Any]:
    return {
        "run": search.folder.name[:80],
        "queries_per_s": search.rate,
        "recall": search.recall,
        "queries": _queries(search.document),
        "seconds": documents.number(search.document, "total_time_seconds"),
        "reference_coverage": search.coverage,
    }


def _queries(document: Any) -> int | None:
    count = documents.integer(document, "query_count")
    return documents.integer(document, "total_queries") if count is None else count


def _same(values: list[Any]) -> Any:
    """The value of all that have one, None where they differ or none has one. Statistics hold fewer than summaries."""
    present = [value for value in values if value not in (None, "")]
    return present[0] if present and all(value == present[0] for value in present) else None


def _parameters(contents: Contents, result: _Result, configurations: list[Configuration]) -> dict[str, Any]:
    searches = result.searches
    inserted = documents.integer(result.load, "inserted_vectors")
    index = _same([search.index for search in searches]) or result.place.model
    coverages = _all_or_none([search.coverage for search in searches])
    apart = [layout.read_separation(contents.bundle, search.folder) for search in searches]
    engine = _same([documents.word(search.document, "database", "database") for search in searches])
    present = {
        "model": " ".join(part for part in (engine or result.place.engine, index) if part),
        "engine": engine or result.place.engine,
        "index_type": index,
        "num_vectors": _same([documents.integer(search.document, "num_vectors") for search in searches]),
        "dimension": _same([search.dimension for search in searches]),
        "inserted_vectors": inserted
        if inserted is not None
        else _same([documents.integer(search.document, "inserted_vectors") for search in searches]),
        "loaded_alike": _loaded_alike(result),
        "reference_coverage": min(coverages, default=None),
        "runs": len(searches),
        "division": layout.division_of(result.path),
        "filesystems_apart": layout.all_apart(apart),
    }
    return {name: value for name, value in present.items() if value not in (None, "")}


def _loaded_alike(result: _Result) -> bool | None:
    """Whether what was searched is what was loaded; None where one of them is not known."""
    if not isinstance(result.load, dict):
        return None
    pairs = [
        (result.load.get(name), search.document.get(name))
        for search in result.searches
        for name in _SETTINGS
        if name in result.load and name in search.document
    ]
    return all(item == other for item, other in pairs) if pairs else None


def _findings(result: _Result) -> Iterator[Finding]:
    run_count = FACTS["vector_database"]["runs"]
    if not result.searches and not result.findings:
        return
    if len(result.searches) < run_count:
        yield Finding(
            "mlperf-storage.fewer-than-5-runs",
            WARNING,
            f"There are {len(result.searches)} runs; a result has {run_count}.",
            "Repeat the run until there are five, without a failed one between.",
            result.path,
            expected=f"{run_count} runs",
            actual=f"{len(result.searches)} runs",
        )
    differing = [
        (what, sorted(map(str, values)))
        for what, values in (
            ("vectors", {documents.integer(search.document, "num_vectors") for search in result.searches} - {None}),
            ("dimensions", {search.dimension for search in result.searches} - {None}),
            ("index", {search.index for search in result.searches} - {""}),
        )
        if len(values) > 1
    ]
    for what, values in differing:
        yield Finding(
            "mlperf-storage.runs-differ",
            ERROR,
            f"The runs differ in {what}: {', '.join(values[:5])}.",
            "Runs of one result are repetitions. Upload each configuration as a result of its own.",
            result.path,
        )
    yield from _latencies_missing(result.searches)
    for search in result.searches:
        yield from _own_numbers(search)
    yield from repeated_runs({search.folder.name: _figures_of(search) for search in result.searches}, result.path)


def _figures_of(search: _Search) -> tuple[float, ...]:
    """What was measured, by which a copy is known; a share of hits may be the same in all runs."""
    names = ("throughput_qps", "total_time_seconds", *(name for _, name in _LATENCIES))
    values = [documents.number(search.document, name) for name in names]
    return tuple(value for value in values if value is not None)


def _latencies_missing(searches: list[_Search]) -> Iterator[Finding]:
    """That a run lacks a latency which others of the same kind of file have: a finding for the first."""
    by_form: dict[str, list[_Search]] = {}
    for search in searches:
        by_form.setdefault(PurePosixPath(search.path).name, []).append(search)
    for alike in by_form.values():
        usual = {name for search in alike for _, name in _LATENCIES if search.latency(name) is not None}
        for search in alike:
            if missing := sorted(name for name in usual if search.latency(name) is None):
                yield lines_missing(TOOL, f"A run has no {', '.join(missing)}, which others have.", search.path)
                return


def _own_numbers(search: _Search) -> Iterator[Finding]:
    """A rate against its queries and seconds, a recall against that of each query, a summary against its neighbours."""
    queries, seconds = _queries(search.document), documents.number(search.document, "total_time_seconds")
    each = documents.numbers(search.document, "recall", "per_query_recall")
    compared = [
        ("queries/s", search.rate, queries / seconds if queries is not None and seconds else None),
        ("recall", search.recall, fmean(each) if each else None),
        *(("queries/s", search.rate, documents.number(other, "throughput_qps")) for other in search.others),
    ]
    for what, stated, computed in compared:
        if (
            stated is not None
            and computed is not None
            and not math.isclose(stated, computed, rel_tol=_EXACT, abs_tol=1e-9)
        ):
            yield Finding(
                "mlperf-storage.inconsistent",
                ERROR,
                f"{what} of {search.folder.name[:80]} is {stated:.6g}, but {computed:.6g} by its other figures.",
                "A file was edited, or files of two runs were mixed. Upload them as the benchmark wrote them.",
                search.path,
                expected=f"{computed:.6g}",
                actual=f"{stated:.6g}",
            )
