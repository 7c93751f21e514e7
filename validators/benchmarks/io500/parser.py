"""Find the IO500 runs of a bundle, read them, and say which one counts.

The run that counts lies where the program wrote it: beside `result.txt`, or for the shell script beside the raw text of
its phases. A summary that somebody copied elsewhere never counts while such a folder exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from validators.benchmarks.io500 import options, random_read, recipe, score
from validators.benchmarks.io500.defects import computed_scores, defects, is_external_find
from validators.benchmarks.io500.evidence import Evidence, fingerprint, gather, is_dry_run, printed_scores, seconds_of
from validators.benchmarks.io500.evidence_kinds.copies import judge_copies, read_other_files, total_of
from validators.benchmarks.io500.files import TEXT_LIMIT, lines_of
from validators.benchmarks.io500.hashes import ScoreTerms, score_hashes
from validators.benchmarks.io500.layout import Folder, Layout, group_by_text, survey
from validators.benchmarks.io500.phase_shares import list_shares
from validators.benchmarks.io500.phases import UNIT, Phase, merge, number
from validators.benchmarks.io500.ranktables import over_ranks
from validators.benchmarks.io500.summary import read_summary
from validators.benchmarks.io500.verification import MARKER as VERIFY_MARKER
from validators.benchmarks.io500.verification import read_verification
from validators.bundle import redaction_report
from validators.bundle.redaction_report import Redaction
from validators.catalogue import Reading
from validators.findings import ERROR, INFO, WARNING, Finding, has_error
from validators.measurements import Measurement, Run
from validators.rank_tables import spread
from validators.reading.endings import interruption_in

if TYPE_CHECKING:
    from validators.bundle import Bundle

TOOL = "io500"
MOST_FOLDERS = 100
"""Folders with results that are read: the archive with the most has 16."""
_SNIFFED_FILES = 20
_STDOUT_MARKERS = (b"[RESULT]", b"IO500 version")
_WITHOUT_RESULTS = b"[IOR EASY WRITE]"
_END_OF_TEXT = re.compile(rb"^(?:Finished|-- finished at|\[SCORE)", re.MULTILINE)
"""The last line of a raw text of IOR and mdtest, and of what the program prints."""
_SCRIPTS = frozenset({"io500.sh", "io500.cfg"})
_HASH_TEXT_LIMIT = 200
_NOT_REDACTED = Redaction()
_HASH_MISMATCH = {
    "config": "io500.config.hash-mismatch",
    "score": "io500.score.hash-mismatch",
    "scorex": "io500.scorex.hash-mismatch",
}
_HALVES = {score.BANDWIDTH: ("BW", "GiB/s", "bandwidth_gib_per_s"), score.RATE: ("MD", "kIOPS", "rate_kiops")}


@dataclass(slots=True)
class IO500Run(Run):
    """A run with the files it was read from; rules ask them, reports do not show them."""

    evidence: Evidence | None = None


def find_runs(bundle: Bundle) -> Reading:
    """Every IO500 run of a bundle. Never raises on any content; `runs` is empty where there is none."""
    layout = survey(bundle.files)
    if len(layout.runs) + len(layout.copies) > MOST_FOLDERS:
        return Reading(findings=[_too_many(layout)], claimed=set(_claimed(layout)))
    gathered = [gather(bundle, folder, layout) for folder in layout.runs]
    runs = [evidence for evidence in gathered if evidence.recognised]
    copies = [gather(bundle, folder, layout) for folder in layout.copies]
    findings = [*_unrecognised([*gathered, *copies])]
    copies = [evidence for evidence in copies if evidence.recognised]
    if not runs:
        runs, copies = copies, []
    if not runs:
        return _without_folders(bundle, layout, findings)
    unique_runs, repeated = _collapse(runs)
    findings += repeated
    findings += judge_copies(unique_runs, copies)
    if len(unique_runs) > 1:
        findings.append(_several(unique_runs))
    claimed = set(_claimed(layout))
    claimed |= read_other_files(bundle, layout, claimed, unique_runs)
    redacted = redaction_report.read(bundle)
    return Reading(
        runs=[_run(evidence, bundle, redacted) for evidence in unique_runs],
        primary=0 if len(unique_runs) == 1 else None,
        findings=findings,
        claimed=claimed,
    )


def explain(run: Run) -> list[str]:
    """How each score of a run is computed, line by line, from its phases."""
    values = {m.op: m.printed_value for m in run.measurements if m.stat == "phase" and m.quantity in _HALVES}
    lines: list[str] = []
    for name, recomputed in run.scores.items():
        rule = score.definition(score.BY_SCORE[name])
        for group in rule.groups:
            half, unit, key = _HALVES[group.name]
            phases = [phase for phase in group.phases if phase in values]
            result = recomputed[key]
            lines += [f"  {phase:>20} {values[phase]:14.6f} {unit}" for phase in phases]
            mean = "none" if result is None else f"{result:.6f} {unit}"
            lines.append(f"{half} = geometric mean of {len(phases)} phases = {mean}")
        value, printed_score = recomputed["value"], recomputed["printed"]
        lines.append(f"{name} = sqrt(BW x MD) = {'none' if value is None else f'{value:.6f}'}")
        lines.append(f"{name} as printed: {'none' if printed_score is None else printed_score}  [definition {rule.id}]")
    for name, pair in run.hashes.items():
        lines.append(f"{name} hash: printed {pair['printed'] or 'none'}, computed {pair['computed'] or 'none'}")
    return lines


def _run(evidence: Evidence, bundle: Bundle, redacted: Redaction = _NOT_REDACTED) -> IO500Run:
    run = IO500Run(TOOL, evidence.folder.path, evidence.version or "", evidence.mode, evidence=evidence)
    run.measurements = [
        measurement for phase in evidence.phases if phase.is_measured for measurement in _measurements(evidence, phase)
    ]
    _add_shares(run, evidence)
    run.parameters = _parameters(evidence)
    run.given_options = recipe.find_options(evidence)
    for name in evidence.tables:
        if table := evidence.whole_table(name):
            run.distributions += over_ranks(table, name)
    run.findings = defects(evidence)
    if not is_dry_run(evidence):
        run.scores = _scores(evidence)
        run.hashes = _hashes(evidence)
        run.findings += list(_without_redacted(run.hashes, evidence, redacted))
        run.findings += _hash_findings(run.hashes, evidence)
    if not has_error(run.findings):
        texts = [*evidence.folder.printed_texts, *evidence.job_outputs]
        run.findings += interruption_in(bundle, TOOL, texts, _END_OF_TEXT)
    return run


def _add_shares(run: Run, evidence: Evidence) -> None:
    """Where the time of each phase went, or why that is not known."""
    shares = [] if is_dry_run(evidence) else list(list_shares(evidence))
    run.measurements += [share.as_measurement() for share in shares if share.percent is not None]
    run.missing_measurements = [share.as_missing() for share in shares if share.percent is None]


def _measurements(evidence: Evidence, phase: Phase) -> Iterator[Measurement]:
    """The value of a phase and its time, as far as they are numbers."""
    marked = {"invalid": phase.invalid} if evidence.result is not None else {}
    if is_finite(phase.value):
        value = Measurement.printed(
            phase.name, phase.quantity, "phase", phase.value, UNIT[phase.quantity], scored=phase.scored, context=marked
        )
        yield Measurement(*_with_label(value, phase.label))
    if is_finite(phase.seconds):
        yield Measurement.printed(phase.name, "time", "phase", phase.seconds, "s")


def _with_label(value: Measurement, label: str) -> tuple[Any, ...]:
    """The fields of a measurement whose unit is shown as printed: old versions label GiB/s as GB/s."""
    return (
        value.op,
        value.quantity,
        value.stat,
        value.value,
        value.unit,
        value.printed_value,
        label,
        value.scored,
        value.context,
    )


def is_finite(value: float) -> bool:
    return abs(value) < float("inf")


def _scores(evidence: Evidence) -> dict[str, dict[str, float | None]]:
    computed = computed_scores(evidence)
    scores: dict[str, dict[str, float | None]] = {}
    texts = printed_scores(evidence)
    for name in dict.fromkeys([*texts, *computed]):
        value = computed.get(name)
        printed_value = number(texts.get(name, {}).get("SCORE"))
        scores[name] = {
            "value": value.value if value else None,
            "bandwidth_gib_per_s": value.bandwidth_gib_per_s if value else None,
            "rate_kiops": value.rate_kiops if value else None,
            "printed": printed_value if is_finite(printed_value) else None,
        }
    return scores


def _hashes(evidence: Evidence) -> dict[str, dict[str, str | None]]:
    """Printed and computed hash of configuration and scores, as far as the run printed any."""
    hashes: dict[str, dict[str, str | None]] = {}
    if evidence.result is None:
        return hashes
    printed_hash = evidence.result.header.get("config-hash")
    if printed_hash:
        candidates = [
            candidate
            for settings in evidence.settings.values()
            for candidate in options.config_hashes(settings, evidence.version or "")
        ]
        hashes["config"] = _pair(printed_hash, candidates)
    for name, key in (("SCORE", "score"), ("SCOREX", "scorex")):
        section = evidence.result.sections.get(name)
        if section is not None and "hash" in section.values:
            hashes[key] = _pair(section.values["hash"], score_hashes(_terms(evidence, name)))
    return hashes


def _pair(printed_hash: str, candidates: list[str]) -> dict[str, str | None]:
    """The printed hash beside the candidate that equals it, else beside the most common build's."""
    printed_hash = printed_hash[:16]
    computed = printed_hash if printed_hash in candidates else (candidates[0] if candidates else None)
    return {"printed": printed_hash, "computed": computed}


def _terms(evidence: Evidence, name: str) -> ScoreTerms:
    section = evidence.result.sections[name] if evidence.result else None
    values = section.values if section else {}
    rule = score.definition(score.BY_SCORE[name])
    extended = name == "SCOREX"
    covered = [phase for group in rule.groups for phase in group.optional] if extended else rule.phases
    return ScoreTerms(
        version=None if extended else (evidence.version or "")[:_HASH_TEXT_LIMIT],
        phases={phase.name: phase.text[:_HASH_TEXT_LIMIT] for phase in evidence.phases if phase.name in covered},
        bandwidth=values.get("BW", "")[:_HASH_TEXT_LIMIT],
        rate=values.get("MD", "")[:_HASH_TEXT_LIMIT],
        total=values.get("SCORE", "")[:_HASH_TEXT_LIMIT],
        valid=not (section and section.invalid),
    )


def _without_redacted(
    hashes: dict[str, dict[str, str | None]], evidence: Evidence, redacted: Redaction
) -> Iterator[Finding]:
    """Forget what was computed over files that the site took names out of, where it differs for no other reason."""
    settings = evidence.folder.settings.values()
    covered = {"config": {evidence.folder.result, *settings}}
    for name, pair in hashes.items():
        files = covered.get(name, {evidence.folder.result}) & redacted.files
        known_wrong = (TOOL, name, pair["printed"] or "") in redacted.wrong
        if not files or known_wrong or pair["computed"] in (None, pair["printed"]):
            continue
        yield Finding(
            "io500.hash.redacted",
            INFO,
            f"The {name} hash can't be checked: names were taken out of {', '.join(sorted(files))} before the upload.",
            "Nothing to do. The report of the bundle tells what was taken out, by rule.",
            evidence.where,
            expected=pair["computed"] or "",
            actual=pair["printed"] or "",
        )
        pair["computed"] = None


def _hash_findings(hashes: dict[str, dict[str, str | None]], evidence: Evidence) -> Iterator[Finding]:
    for name, pair in hashes.items():
        if pair["computed"] is None or pair["computed"] == pair["printed"]:
            continue
        what = "configuration" if name == "config" else "phases and score"
        yield Finding(
            _HASH_MISMATCH[name],
            WARNING,
            f"The {name} hash does not belong to the {what} of this run.",
            "Something it covers was changed after the run, or the build hashes in another way. A hash has no key: "
            "it shows accidents, and alone it is no proof.",
            evidence.where,
            expected=pair["computed"] or "",
            actual=pair["printed"] or "",
        )


def _parameters(evidence: Evidence) -> dict[str, Any]:
    """What was run on what, as the run itself tells it; names as in README.md beside it."""
    launch = evidence.launches[0] if evidence.launches else None
    nodes = next((each.nodes for each in evidence.launches if each.nodes), None)
    tasks = launch.tasks if launch else None
    ior = next((raw.launch for phase, raw in evidence.raw.items() if phase.startswith("ior")), None)
    mdtest = next((raw.launch for phase, raw in evidence.raw.items() if phase.startswith("mdtest")), None)
    header = evidence.result.header if evidence.result else {}
    parameters: dict[str, Any] = {
        "client_nodes": nodes,
        "tasks": tasks or integer(header.get("procs")),
        "procs_per_node": tasks // nodes if tasks and nodes and tasks % nodes == 0 else (ior and ior.procs_per_node),
        "procs": integer(header.get("procs")),
        "api": (ior and ior.api) or evidence.setting("global", "api"),
        "ior_version": ior and ior.version,
        "mdtest_version": mdtest and mdtest.version,
        "format": evidence.summary.dialect if evidence.summary else "c",
        "complete": evidence.phases
        and not [name for name in score.definition(score.STANDARD).phases if evidence.phase(name) is None],
        "stonewall_s": integer(evidence.setting("debug", "stonewall-time")),
        "shortest_write_s": _shortest_write(evidence),
        "scc": evidence.scc if evidence.settings else None,
        "drop_caches": _flag(evidence.setting("global", "drop-caches")),
        "data_packet_type": evidence.setting("global", "datapackettype"),
        **random_read.settings(evidence),
        "find_tool": _find_tool(evidence),
        "find_external": is_external_find(evidence) if evidence.command("find") else None,
        "started": evidence.result.started if evidence.result else None,
        "ended": evidence.result.ended if evidence.result else None,
        "rank_rates": {
            name: spread(table.rates, table.unit) for name in evidence.tables if (table := evidence.whole_table(name))
        },
        "declared": evidence.declared,
        "job_scripts": evidence.job_scripts[:20],
        "job_outputs": evidence.job_outputs[:20],
        **evidence.file_system,
    }
    parameters |= {
        f"{section.replace('-', '_')}_{option.lower().replace('-', '_')}": evidence.setting(section, option.lower())
        for section in ("ior-easy", "ior-hard", "mdtest-easy", "mdtest-hard")
        for option in ("transferSize", "blockSize", "filePerProc", "segmentCount", "n", "collective", "files-per-dir")
    }
    return {name: value for name, value in parameters.items() if value not in (None, "", [], {})}


def integer(text: str | None) -> int | None:
    """A count as an int; None for anything else."""
    return int(text) if text and text.isdecimal() and len(text) < 12 else None


def _flag(text: str | None) -> bool | None:
    return None if text is None else text.lower() == "true"


def _find_tool(evidence: Evidence) -> str | None:
    command = evidence.command("find") or evidence.find_command
    return command.split()[0].rsplit("/", 1)[-1][:80] if command.split() else None


def _shortest_write(evidence: Evidence) -> float | None:
    times = [seconds_of(evidence, phase) for phase in evidence.phases if phase.name.endswith("-write") and phase.scored]
    finite_times = [seconds for seconds in times if is_finite(seconds)]
    return min(finite_times) if finite_times else None


def _collapse(runs: list[Evidence]) -> tuple[list[Evidence], list[Finding]]:
    """One of each run: archives hold the same folder unpacked and packed, or its main files once more at the root.

    Kept is the one with the most raw text, of equals the one nearest to the root.
    """
    by_path = {evidence.where: evidence for evidence in runs}
    path_groups = group_by_text((evidence.where, fingerprint(evidence.phases)) for evidence in runs)
    groups = [sorted(group, key=lambda path: -len(by_path[path].raw)) for group in path_groups]
    findings = [
        Finding("io500.duplicate-run", INFO, f"{copy} holds the same run as {group[0]}.", where=copy)
        for group in groups
        for copy in group[1:]
    ]
    for group in groups:
        by_path[group[0]].copies += [by_path[copy] for copy in group[1:]]
    return [by_path[group[0]] for group in groups], findings


def _too_many(layout: Layout) -> Finding:
    return Finding(
        "io500.too-many-runs",
        ERROR,
        f"There are {len(layout.runs) + len(layout.copies)} folders with results; {MOST_FOLDERS} are read at most.",
        "Upload one run.",
    )


def _several(runs: list[Evidence]) -> Finding:
    listed = ", ".join(f"{evidence.where} ({total_of(evidence)})" for evidence in runs[:10])
    return Finding(
        "io500.several-runs",
        WARNING,
        f"There are {len(runs)} different runs: {listed}.",
        "Say which one counts, or upload only that one.",
    )


def _unrecognised(gathered: list[Evidence]) -> Iterator[Finding]:
    """Files that have the name of an IO500 summary, and nothing of one in them."""
    for evidence in gathered:
        if not evidence.recognised and evidence.folder.summary:
            yield from evidence.findings
            yield Finding(
                "io500.summary.not-recognised",
                ERROR,
                f"{evidence.folder.summary} has no line that io500 prints.",
                "Upload the result folder as io500 wrote it.",
                evidence.folder.summary,
            )


def _claimed(layout: Layout) -> list[str]:
    return [path for folder in (*layout.runs, *layout.copies) for path in folder.files]


def _without_folders(bundle: Bundle, layout: Layout, findings: list[Finding]) -> Reading:
    """No folder of a run: the text of a job, the answer of `io500 --verify`, or nothing with results."""
    claimed = [path for path in bundle.files if path.rsplit("/", 1)[-1] in _SCRIPTS]
    suspects = sorted(bundle.files)[:_SNIFFED_FILES]
    without = bool(claimed)
    for path in suspects:
        head = bundle.read(path, TEXT_LIMIT)
        if VERIFY_MARKER in head:
            run = read_verification(lines_of(bundle, path, []), path)
            return Reading(runs=[run], primary=0, findings=findings, claimed={path})
        if any(marker in head for marker in _STDOUT_MARKERS):
            evidence = _from_stdout(bundle, path, layout)
            if evidence.recognised:
                return Reading(runs=[_run(evidence, bundle)], primary=0, findings=findings, claimed={path})
        without = without or _WITHOUT_RESULTS in head
    if without:
        findings.append(
            Finding(
                "io500.no-results",
                WARNING,
                "These are files of an IO500 run, but no result_summary.txt and no result.txt is among them.",
                "Upload the result folder.",
                claimed[0] if claimed else "",
            )
        )
    return Reading(runs=[], primary=None, findings=findings, claimed=set(claimed))


def _from_stdout(bundle: Bundle, path: str, layout: Layout) -> Evidence:
    """The run whose lines stand in the output of a job."""
    evidence = Evidence(Folder(path.rpartition("/")[0], summary=path), job_scripts=layout.job_scripts)
    evidence.summary = read_summary(lines_of(bundle, path, evidence.findings), path)
    evidence.phases = merge(evidence.summary, None)
    return evidence
