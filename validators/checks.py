"""Check a bundle: open it, let every benchmark look for its runs, evaluate the rules, and report.

The same function serves the command line, the worker and a re-check of history.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from validators import catalogue, distributions, example, schema
from validators.bundle import (
    LIMITS,
    LINE_LIMIT,
    Bundle,
    BundleError,
    Limits,
    StoredFile,
    bagit,
    open_bundle,
    secret_scan,
)
from validators.failures import READER_ERRORS, reader_failed
from validators.findings import ERROR, Finding, worst_first
from validators.measurements import Run
from validators.reading import Prepared, not_read, prepare
from validators.rules import Context, system_rules
from validators.runs import completeness, extent, mlperf_description, printed_at, provenance, run_groups
from validators.runs.report import Report
from validators.system import document, filesystems

_SNIFFED_BYTES = 2 * LINE_LIMIT
_OTHER_ARCHIVES = {
    b"\x1f\x8b": "a gzip without a tar in it",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a rar archive",
}
"""What people pack with instead, by its first bytes."""


def check(
    path: str | Path,
    *,
    name: str = "",
    benchmark: str | None = None,
    release: Mapping[str, Any] | None = None,
    list_name: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    answers: Mapping[str, Any] | None = None,
    submitted_at: str | None = None,
    limits: Limits = LIMITS,
    extra_files: Mapping[str, StoredFile] | None = None,
    sha256: str = "",
    cleared: Collection[str] = (),
    institution: str = "",
    left_out: Collection[str] = (),
) -> Report:
    """The report of one raw file, result folder, archive or bundle.

    `name` is what a raw file was called before it was stored; `extra_files` are more files by name, read with it.
    `benchmark` limits the search to one tool (LookupError for an unknown one); `release` (facts: slug,
    benchmark_versions, deadline), `list_name`, `metadata`, `answers`, `submitted_at` and `institution` (the name of the
    one that the submission belongs to) give the rules what is known beside the run.
    `sha256` is that of the stored file at `path`; `cleared` are those of stored files that are known to hold no secret.
    A bundle with a private key or a live token is not read any further. Files of the paths `left_out` are treated as if
    they were not there.
    What is wrong with the content becomes a finding. Raises OSError where the path itself cannot be read.
    """
    searched = [catalogue.benchmark(benchmark)] if benchmark else list(catalogue.benchmarks())
    report = Report(findings=schema.metadata_findings(metadata or {}))
    declared = metadata if isinstance(metadata, Mapping) else {}
    report.findings += filesystems.findings(declared)
    try:
        with open_bundle(path, limits, name, extra_files, sha256, partly=True) as opened:
            bundle = opened.without(left_out) if left_out else opened
            if secret_findings := secret_scan.scan(bundle, cleared):
                return Report(findings=secret_findings)
            if bundle.unreadable:
                raise bundle.unreadable
            report.findings += bundle.findings
            with _failing_into(report.findings, "the archive's own files"):
                report.findings += bagit.verify(bundle)
                report.findings += mlperf_description.findings(bundle) + example.findings(bundle)
            with _failing_into(report.findings, "system descriptions"):
                report.system, findings = document.read(bundle)
                report.findings += findings
            report.read_files = _read(bundle, searched, report) | _documents(report)
            context = Context(
                bundle, declared, release or {}, list_name, answers or {}, submitted_at, report.system,
                catalogue.crossings(), institution,
            )  # fmt: skip
            alone = extent.alone(report.runs)
            line_finder = printed_at.LineFinder(bundle)
            for run in report.runs:
                with _failing_into(run.findings, f"rules of {run.tool}", run.path):
                    _judge(run, context, line_finder, is_alone=run.path in alone)
            with _failing_into(report.findings, "repeats"):
                copied = run_groups.copies(report.runs)
                report.groups = run_groups.groups(report.runs, copied)
                report.findings += run_groups.copy_findings(report.runs, copied)
    except BundleError as error:
        report.runs, report.primary, report.system = [], None, None
        report.findings.append(error.finding)
    report.findings = worst_first(report.findings)
    return report


def read_files(bundle: Bundle) -> frozenset[str]:
    """The paths of the files that a check reads: results that a benchmark knows, and the description of a system."""
    report = Report()
    with _failing_into(report.findings, "system descriptions"):
        report.system, _ = document.read(bundle)
    return frozenset(_read(bundle, list(catalogue.benchmarks()), report) | _documents(report))


def _documents(report: Report) -> set[str]:
    """What is read, though by no benchmark."""
    return {report.system.path} if report.system else set()


def _read(bundle: Bundle, searched: list[catalogue.Benchmark], report: Report) -> set[str]:
    """Add the runs of every benchmark; one run counts if exactly one tool found exactly one that does. What was read.

    Composite benchmarks look first: the output of IOR that IO500 ran is a phase of IO500, and no run of IOR. Then come
    those that print into the output of other programs, and leave it to the others.
    """
    readings: list[catalogue.Reading] = []
    claimed: set[str] = set()
    read: set[str] = set()
    prepared = prepare(bundle, [candidate.outline for candidate in catalogue.benchmarks()])
    for benchmark in sorted(searched, key=lambda candidate: (not candidate.is_composite, not candidate.outline.within)):
        with _failing_into(report.findings, benchmark.tool):
            readings.append(_reading(benchmark, prepared, claimed))
            read |= readings[-1].claimed
            if not benchmark.outline.within:
                claimed |= readings[-1].claimed
    for reading in readings:
        if reading.runs and reading.primary is not None and report.primary is None:
            report.primary = len(report.runs) + reading.primary
        report.runs += reading.runs
        report.findings += reading.findings
    if sum(bool(reading.runs) for reading in readings) > 1:
        report.primary = None
    tools = {run.tool for run in report.runs}
    rows = [row for candidate in searched if candidate.tool in tools for row in candidate.descriptor["files"]]
    companions = [row["pattern"] for row in rows if "contains" not in row]
    report.not_read = not_read.listed(prepared, read | _documents(report), companions)
    report.not_read += not_read.find_overlooked(prepared, report.runs, report.not_read)
    missed = [candidate for candidate in searched if not (candidate.is_composite and candidate.tool in tools)]
    report.findings += not_read.findings(
        report.not_read, {candidate.tool: candidate.descriptor["name"] for candidate in missed}
    )
    if not report.runs and not any(finding.level == ERROR for finding in report.findings):
        report.findings.append(_wrong_tool(prepared, searched) or _unrecognised(bundle, report))
    return prepared.files_read(read)


def _reading(benchmark: catalogue.Benchmark, prepared: Prepared, claimed: Collection[str]) -> catalogue.Reading:
    """What one benchmark finds in what no other has claimed, by the files and lines of the bundle."""
    reading = benchmark.find_runs(prepared.view(benchmark.outline, claimed))
    for run in reading.runs:
        prepared.restore(run)
    reading.findings = [prepared.restored(finding) for finding in reading.findings]
    return reading


@contextmanager
def _failing_into(findings: list[Finding], what: str, path: str = "") -> Iterator[None]:
    """What wrong code of ours raises inside becomes a finding, and what comes after goes on."""
    try:
        yield
    except READER_ERRORS:
        findings.append(reader_failed(what, path))


def _judge(run: Run, context: Context, line_finder: printed_at.LineFinder, *, is_alone: bool) -> None:
    """Complete a run: what was not measured, what repeats in it, its rules, and what only its context tells."""
    benchmark = catalogue.benchmark(run.tool)
    completeness.examine(run, benchmark.descriptor)
    run.distributions = distributions.limit_distributions(
        [*distributions.repeated(run.measurements), *run.distributions]
    )
    run.parameter_sources = provenance.parameter_sources(run)
    run.printed_at = line_finder.find_lines(run)
    run.described_parameters = provenance.parameters_from_system(context.system.document) if context.system else {}
    extent.fill(run, benchmark.descriptor, context.bundle, context.system, is_alone)
    run.rules = [rule.evaluate(run, context) for rule in benchmark.rules if rule.applies(run)]
    run.findings += benchmark.findings(run, context)
    system_rules.evaluate(run, context)
    run.evidence_outcomes, contradictions = benchmark.examine(run)
    run.findings += contradictions
    run.findings = worst_first([_locate(finding, run) for finding in run.findings])


def _locate(finding: Finding, run: Run) -> Finding:
    """A finding on the whole of a run, by the first line of the run where it has a part of its file."""
    return replace(finding, where=f"{run.path}:{run.lines[0]}") if run.lines and finding.where == run.path else finding


def _wrong_tool(prepared: Prepared, searched: list[catalogue.Benchmark]) -> Finding | None:
    """That it is the output of another tool than the one asked for; None where it is of no other."""
    others = [benchmark for benchmark in catalogue.benchmarks() if benchmark not in searched]
    for other in others:
        if runs := _reading(other, prepared, set()).runs:
            searched_tools = ", ".join(benchmark.tool for benchmark in searched)
            message, hint = f"This is the output of {other.tool}.", f"Give it as what it is: {other.tool}."
            return Finding(
                "bundle.wrong-tool", ERROR, message, hint, runs[0].path, expected=searched_tools, actual=other.tool
            )
    return None


def _unrecognised(bundle: Bundle, report: Report) -> Finding:
    """Why nothing was recognised: what is wrong with a single file, else that no result was found."""
    if not bundle.files:
        return Finding("bundle.empty", ERROR, "There is no file in it.", "Upload the folder that the run wrote.")
    if report.system is not None:
        message = "It describes a system and holds no result of a known benchmark."
        hint = "Pack the results with it: highwater.pyz pack --results DIR --system FILE --out FILE."
        return Finding("system.without-result", ERROR, message, hint, report.system.path)
    if len(bundle.files) > 1:
        tools = ", ".join(benchmark.tool for benchmark in catalogue.benchmarks())
        return Finding(
            "bundle.no-result",
            ERROR,
            f"No result of a known benchmark was found in {len(bundle.files)} files.",
            "Upload the whole folder that the run wrote, with its raw output.",
            expected=f"output of {tools}",
        )
    (path,) = bundle.files
    return _unrecognised_file(path, bundle.read(path, _SNIFFED_BYTES))


def _unrecognised_file(path: str, content: bytes) -> Finding:
    for beginning, kind in _OTHER_ARCHIVES.items():
        if content.startswith(beginning):
            message = f"This is {kind}; only tar, tar.gz and zip are opened."
            return Finding("bundle.archive-format", ERROR, message, "Pack the result folder as .tar.gz.", path)
    if not content.strip():
        code, message = "bundle.empty-file", "The file is empty."
    elif b"\0" in content or _share_of_control_bytes(content) > 0.1:
        code, message = "bundle.binary-file", "The file is binary, not the text that a benchmark prints."
    elif max(map(len, content.split(b"\n"))) > LINE_LIMIT:
        code, message = "bundle.line-too-long", f"The file has a line of more than {LINE_LIMIT} bytes."
    else:
        code, message = "bundle.not-recognised", "This is not the output of a known benchmark."
    return Finding(code, ERROR, message, "Upload the benchmark's own output as it was written.", path)


def _share_of_control_bytes(content: bytes) -> float:
    control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in content[:8192])
    try:
        content[:8192].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end < min(len(content), 8192) - 4:
            control += sum(byte > 127 for byte in content[:8192])
    return control / min(len(content), 8192)
