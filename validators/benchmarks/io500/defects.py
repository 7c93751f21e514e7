"""What can be wrong with a run, one function per question. Codes and levels are told in docs/findings.md.

An error means that this is not a valid run; a warning is for a reviewer to read; an info explains.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

from validators.benchmarks.io500 import random_read, score
from validators.benchmarks.io500.evidence import Evidence, is_dry_run, printed_scores, seconds_of
from validators.benchmarks.io500.evidence_kinds import earlier
from validators.benchmarks.io500.evidence_kinds.agreement import raw_agrees, tables_agree
from validators.benchmarks.io500.phases import LABELS, TIME_ROUNDING_S, Phase, merge, number
from validators.findings import ERROR, INFO, WARNING, Finding
from validators.scoring import ScoreError

STONEWALL_S = random_read.STONEWALL_S
WRITE_PHASES = ("ior-easy-write", "mdtest-easy-write", "ior-hard-write", "mdtest-hard-write")
SCC_STONEWALL_S = 30.0
_HINT_ORIGINAL = "Upload the files as the run wrote them."


def defects(evidence: Evidence) -> list[Finding]:
    """All findings on one run; a dry run has only that one."""
    if is_dry_run(evidence):
        message = "Nothing was measured: every phase is 0."
        return [Finding("io500.dry-run", ERROR, message, "Run io500 without --dry-run.", evidence.where)]
    findings = list(evidence.findings)
    for question in QUESTIONS:
        findings += question(evidence)
    return findings


def _marks(evidence: Evidence) -> Iterator[Finding]:
    """The [INVALID] mark of the program, and the reasons it wrote."""
    marked = [phase.name for phase in evidence.phases if phase.invalid]
    sections = evidence.result.sections if evidence.result else {}
    lines = evidence.summary.scores if evidence.summary else {}
    marked += [name for name in ("SCORE", "SCOREX") if name in sections and sections[name].invalid]
    marked += [name for name in ("SCORE", "SCOREX") if name not in marked and name in lines and lines[name].invalid]
    if marked:
        yield Finding(
            "io500.invalid-mark",
            ERROR,
            f"io500 marked as [INVALID]: {', '.join(marked)}.",
            "Repeat the run so that no phase is marked; the reasons stand beside the marks.",
            evidence.where,
        )
    reasons = evidence.result.errors if evidence.result else []
    if marked or reasons:
        texts = list(dict.fromkeys(text for _, text in reasons))
        yield Finding(
            "io500.invalid-by-tool",
            WARNING,
            "io500 wrote against this run: " + ("; ".join(texts[:10]) or "the mark [INVALID]") + ".",
            "Read the lines that begin with ERROR in result.txt.",
            f"{evidence.result.path}:{reasons[0][0]}" if evidence.result and reasons else evidence.where,
        )


def _files(evidence: Evidence) -> Iterator[Finding]:
    """Files that a complete result folder has."""
    is_c = evidence.result is not None or bool(evidence.summary and evidence.summary.dialect == "c")
    if is_c and evidence.result is None:
        yield Finding(
            "io500.result.missing",
            WARNING,
            "There is no result.txt: hashes and times of the phases cannot be checked.",
            "Upload the whole result folder.",
            evidence.where,
        )
    if evidence.summary is None:
        message = "There is no result_summary.txt."
        yield Finding("io500.summary.missing", WARNING, message, "Upload the whole result folder.", evidence.where)
    expected = [phase for phase in score.definition(score.STANDARD).phases if phase != "find"]
    absent = [phase for phase in expected if phase not in evidence.raw and evidence.phase(phase)]
    if absent:
        yield Finding(
            "io500.raw.missing",
            WARNING,
            f"The raw output is missing of: {', '.join(absent)}.",
            "Upload the whole result folder with the text file of each phase.",
            evidence.where,
        )


def _truncation(evidence: Evidence) -> Iterator[Finding]:
    """A result.txt or a summary that ends too early."""
    if evidence.result is not None and not evidence.result.complete:
        yield Finding(
            "io500.result.truncated",
            ERROR,
            "result.txt ends before the score and its hash.",
            "The run was killed or the file was cut: upload the complete file or repeat the run.",
            evidence.result.path,
        )
    summary = evidence.summary
    if summary is not None and "SCORE" not in summary.scores:
        yield Finding(
            "io500.summary.truncated",
            ERROR,
            "The summary has no score line.",
            "The run was killed or the file was cut: upload the complete file or repeat the run.",
            summary.path,
        )
    for line in summary.odd_lines[:5] if summary else []:
        yield Finding(
            "io500.summary.line-not-recognised",
            WARNING,
            "This line begins like a result but does not read like one.",
            _HINT_ORIGINAL,
            f"{summary.path if summary else ''}:{line}",
        )


def _presence(evidence: Evidence) -> Iterator[Finding]:
    """All scored phases, once each, and none that io500 does not have."""
    names = {phase.name for phase in evidence.phases}
    missing = [name for name in score.definition(score.STANDARD).phases if name not in names]
    if missing:
        yield Finding(
            "io500.phase.missing",
            ERROR,
            f"Phases of the score are missing: {', '.join(missing)}.",
            "Run all phases in one run: a score needs all twelve.",
            evidence.where,
        )
    repeated: list[tuple[str, str, str]] = []
    if evidence.summary is not None:
        repeated += [(name, "the summary", evidence.summary.path) for name in evidence.summary.repeated]
    if evidence.result is not None:
        path = evidence.result.path
        repeated += [(name, "result.txt", f"{path}:{line}") for name, line in evidence.result.repeated.items()]
    for name, file, where in sorted(repeated):
        message = f"{name} stands more than once in {file}; the last one is read."
        yield Finding("io500.phase.repeated", ERROR, message, _HINT_ORIGINAL, where)
    for phase in evidence.phases:
        if score.quantity(phase.name) is None:
            message = f"No release of io500 has a phase {phase.name}."
            yield Finding("io500.phase.unknown", WARNING, message, "It is shown and not scored.", phase.where)


def out_of_order(evidence: Evidence) -> list[str]:
    """Phases that stand before one that io500 runs earlier, by their place in either file or by their start."""
    late: list[str] = []
    for names in _orders(evidence):
        dialect = "c" if evidence.result or (evidence.summary and evidence.summary.dialect == "c") else "shell"
        rank = {name: place for place, name in enumerate(score.stored()["order"][dialect])}
        ranked = [name for name in names if name in rank]
        late += [name for name, after in itertools.pairwise(ranked) if rank[name] > rank[after]]
    return list(dict.fromkeys(late))


def _orders(evidence: Evidence) -> Iterator[list[str]]:
    if evidence.summary is not None:
        yield list(evidence.summary.phases)
    if evidence.result is not None:
        yield list(evidence.result.phases)
    started = [(phase.started, phase.name) for phase in evidence.phases if phase.started is not None]
    yield [name for _, name in sorted(started, key=lambda pair: pair[0])]


def _mode(evidence: Evidence) -> Iterator[Finding]:
    """An extended run has two scores, a standard run one."""
    if evidence.result is None or not evidence.result.complete or not evidence.mode:
        return
    mode = "extended" if "SCOREX" in evidence.result.sections else "standard"
    if evidence.mode != mode:
        yield Finding(
            "io500.mode.inconsistent",
            WARNING,
            f"The mode is {evidence.mode[:40]}, but result.txt has the scores of a {mode} run.",
            "The file was edited, or another mode was run. " + _HINT_ORIGINAL,
            evidence.result.path,
            expected=mode,
            actual=evidence.mode[:40],
        )


def _order(evidence: Evidence) -> Iterator[Finding]:
    late = out_of_order(evidence)
    if late:
        yield Finding(
            "io500.phase.order",
            ERROR,
            f"The phases do not stand in the order in which io500 runs them: {', '.join(late)} came too early.",
            "All phases belong to one uninterrupted run; repeat it.",
            evidence.where,
        )


def _values(evidence: Evidence) -> Iterator[Finding]:
    """Each value must be a positive finite number with a unit that io500 prints."""
    for phase in evidence.phases:
        if not phase.is_measured:
            continue
        yield from _value(phase)
        if phase.label not in LABELS[phase.quantity]:
            yield Finding(
                "io500.unit.unit-not-understood",
                ERROR,
                f"{phase.name} is printed in {phase.label}.",
                _HINT_ORIGINAL,
                phase.where,
                expected=LABELS[phase.quantity][0],
                actual=phase.label,
            )
    labels = {phase.label for phase in evidence.phases}
    labels |= {line.unit for line in evidence.summary.scores.values()} if evidence.summary else set()
    if "GB/s" in labels:
        yield Finding(
            "io500.unit.GB-means-GiB",
            INFO,
            "The label says GB/s; this version of io500 means GiB/s (2^30 bytes per second), and so it is read.",
            where=evidence.where,
        )


def _value(phase: Phase) -> Iterator[Finding]:
    code = ""
    if math.isnan(phase.value) and phase.text and phase.text.strip("+-").lower() != "nan":
        code, message = "io500.value.number-format", f"{phase.name}: {phase.text!r} is not a number as io500 prints it."
    elif not math.isfinite(phase.value):
        code, message = "io500.value.not-a-number", f"{phase.name} is {phase.text or 'empty'}."
    elif phase.value < 0:
        code, message = "io500.value.negative", f"{phase.name} is negative: {phase.text}."
    elif phase.value == 0 and phase.scored:
        code, message = "io500.value.zero", f"{phase.name} is 0: it was skipped or did not work."
    if code:
        hint = "Repeat the run: every scored phase needs a positive value."
        yield Finding(code, ERROR, message[:300], hint, phase.where, actual=phase.text[:40])
    elif not (math.isfinite(phase.seconds) and phase.seconds >= 0) and phase.value:
        message = f"{phase.name} has no time that could be read."
        yield Finding("io500.value.time-not-a-number", ERROR, message, _HINT_ORIGINAL, phase.where)


def _stonewall(evidence: Evidence) -> Iterator[Finding]:
    """Write phases must run for 300 s, for the student cluster competition 30 s."""
    least = SCC_STONEWALL_S if evidence.scc else STONEWALL_S
    for name in WRITE_PHASES:
        phase = evidence.phase(name)
        seconds = seconds_of(evidence, phase) if phase else math.nan
        if phase is not None and seconds < least:
            yield Finding(
                "io500.stonewall.short",
                ERROR,
                f"{name} wrote for {seconds:.2f} s; the rules ask for {least:.0f} s.",
                f"Set stonewall-time to {least:.0f} and give the phase enough to write.",
                phase.where,
                expected=f">= {least:.0f} s",
                actual=f"{seconds:.2f} s",
            )


def _summary_agrees(evidence: Evidence) -> Iterator[Finding]:
    """result.txt and the summary beside it are printed from the same numbers."""
    if evidence.summary is None or evidence.result is None:
        return
    headers = ("version", evidence.summary.version), ("mode", evidence.summary.mode)
    for name, text in headers:
        text_of_result = evidence.result.header.get(name)
        if text_of_result and text and text_of_result != text:
            yield _disagreement(f"The {name}", text_of_result, text, evidence.summary.path)
    phases_by_name = {phase.name: phase for phase in merge(evidence.summary, None)}
    for phase in evidence.phases:
        other, section = phases_by_name.get(phase.name), evidence.result.phases.get(phase.name)
        if other is None or section is None:
            if evidence.result.complete and phase.is_measured:
                there, not_there = ("present", "missing") if section else ("missing", "present")
                yield _disagreement(phase.name, there, not_there, evidence.where)
        elif other.text != phase.text and other.value != phase.value:
            yield _disagreement(phase.name, phase.text, other.text, other.where)
        elif abs(number(section.values.get("t_delta")) - other.seconds) > TIME_ROUNDING_S:
            yield _disagreement(f"The time of {phase.name}", section.values["t_delta"], str(other.seconds), other.where)
    for name, line in evidence.summary.scores.items():
        section = evidence.result.sections.get(name)
        values = section.values if section else {}
        for key, text in (("BW", line.bandwidth), ("MD", line.rate), ("SCORE", line.total)):
            if key in values and number(values[key]) != number(text):
                where = f"{evidence.summary.path}:{line.line}"
                label = name if key == "SCORE" else f"{key} of {name}"
                yield _disagreement(label, values[key], text, where)


def _disagreement(what: str, expected: str, actual: str, where: str) -> Finding:
    return Finding(
        "io500.summary.inconsistent",
        ERROR,
        f"{what} is {actual[:40]} in the summary, and {expected[:40]} in the result.txt beside it.",
        "One of the files was edited or belongs to another run. " + _HINT_ORIGINAL,
        where,
        expected=expected[:40],
        actual=actual[:40],
    )


def values_of(evidence: Evidence) -> dict[str, float]:
    """Phase values in GiB/s and kIOPS, those that can have part in a score."""
    return {phase.name: phase.value for phase in evidence.phases if math.isfinite(phase.value) and phase.value > 0}


def computed_scores(evidence: Evidence) -> dict[str, score.Score]:
    """The scores that follow from the phases; a score that was not printed is computed as well, but not SCOREX."""
    values = values_of(evidence)
    names = ["SCORE"] + [name for name in printed_scores(evidence) if name == "SCOREX"]
    scores = {}
    for name in names:
        try:
            scores[name] = score.compute(values, score.definition(score.BY_SCORE[name]))
        except ScoreError:
            continue
    return scores


def _score(evidence: Evidence) -> Iterator[Finding]:
    """The printed score must follow from the phases, as exactly as they were printed."""
    computed = computed_scores(evidence)
    for name, texts in printed_scores(evidence).items():
        total = number(texts.get("SCORE"))
        if not math.isfinite(total):
            message = f"{name} is {texts.get('SCORE', 'empty')[:40]}."
            yield Finding("io500.score.not-a-number", ERROR, message, _HINT_ORIGINAL, evidence.where)
        elif name in computed:
            yield from _score_agrees(evidence, name, texts, computed[name])


_SCORE_WORDS = {"BW": "bandwidth", "MD": "metadata rate", "SCORE": "score"}


def _score_agrees(evidence: Evidence, name: str, texts: dict[str, str], computed: score.Score) -> Iterator[Finding]:
    rule = score.definition(score.BY_SCORE[name])
    steps = {phase.name: phase.half_step for phase in evidence.phases}
    low, high = score.bounds(values_of(evidence), steps, rule)
    fields = ("BW", "bandwidth"), ("MD", "rate"), ("SCORE", "total")
    wrong = [
        key
        for (key, _), least, value, most in zip(
            fields,
            (low.bandwidth_gib_per_s, low.rate_kiops, low.value),
            (computed.bandwidth_gib_per_s, computed.rate_kiops, computed.value),
            (high.bandwidth_gib_per_s, high.rate_kiops, high.value),
            strict=True,
        )
        if key in texts and not _within(number(texts[key]), least, value, most, texts[key])
    ]
    if not wrong:
        return
    total, product = number(texts["SCORE"]), computed.bandwidth_gib_per_s * computed.rate_kiops
    if wrong == ["SCORE"] and math.isclose(total, product, rel_tol=0.02):
        yield Finding(
            "io500.score.no-root",
            WARNING,
            f"{name} is printed as the product of its halves, as before SC18; its root is {computed.value:.6g}.",
            "The score with the root counts.",
            _score_line(evidence, name),
            expected=f"{computed.value:.6g}",
            actual=texts["SCORE"][:40],
        )
        return
    changed = " and ".join(_SCORE_WORDS[key] for key in wrong)
    yield Finding(
        "io500.score.inconsistent",
        ERROR,
        f"The line {name} has another {changed} than the phases give: {computed.value:.6f}.",
        "A phase value or the score was changed. " + _HINT_ORIGINAL,
        _score_line(evidence, name),
        expected=f"{computed.value:.6f} (BW {computed.bandwidth_gib_per_s:.6f}, MD {computed.rate_kiops:.6f})",
        actual=f"{texts['SCORE'][:40]} (BW {texts.get('BW', '')[:40]}, MD {texts.get('MD', '')[:40]})",
    )


def _within(printed_value: float, low: float, value: float, high: float, text: str) -> bool:
    """Inside what the rounding of the phases and of the printed text itself allows, and never tighter than 1e-5."""
    slack = max(value * score.RELATIVE_TOLERANCE, 0.5 * 10.0 ** -len(text.partition(".")[2]))
    return min(low, value) - slack <= printed_value <= max(high, value) + slack


def _score_line(evidence: Evidence, name: str) -> str:
    if evidence.result is not None and name in evidence.result.sections:
        return f"{evidence.result.path}:{evidence.result.sections[name].line}"
    if evidence.summary is not None and name in evidence.summary.scores:
        return f"{evidence.summary.path}:{evidence.summary.scores[name].line}"
    return evidence.where


def _find(evidence: Evidence) -> Iterator[Finding]:
    """Whether find matched any file."""
    phase = evidence.phase("find")
    section = evidence.result.phases.get("find") if evidence.result else None
    if phase is None or section is None:
        return
    if number(section.values.get("found")) == 0:
        message = "find found no file: the pattern of the rules must match some."
        yield Finding("io500.find.nothing-found", WARNING, message, "Check the command line of find.", phase.where)


def is_external_find(evidence: Evidence) -> bool:
    """Another tool than the pfind that io500 brings along."""
    command = evidence.command("find")
    return bool(command) and not command.split()[0].endswith("pfind") and command != "pfind"


def _settings(evidence: Evidence) -> Iterator[Finding]:
    """Options that change what is measured."""
    packet = evidence.setting("global", "datapackettype")
    if packet is not None and packet.lower() != "timestamp":
        yield Finding(
            "io500.option.data-packet-type",
            WARNING,
            f"dataPacketType is {packet[:40]}: the data differs from that of other runs.",
            "Say why in the questionnaire.",
            evidence.where,
            expected="timestamp",
            actual=packet[:40],
        )
    if (evidence.setting("global", "drop-caches") or "").lower() == "true":
        message = "drop-caches was on: caches of the clients were dropped before each phase."
        yield Finding("io500.option.drop-caches", INFO, message, where=evidence.where)
    if is_external_find(evidence):
        message = "find was another tool than pfind; its source belongs to the upload."
        yield Finding("io500.find.external", INFO, message, "Add the script or its source.", evidence.where)
    if evidence.version == "":
        message = "io500 printed an empty version: it was built outside of its repository."
        yield Finding("io500.version.empty", WARNING, message, "Build from the tag of the call.", evidence.where)


def _nodes(evidence: Evidence) -> Iterator[Finding]:
    """All phases of one run have the same tasks on the same nodes."""
    counts = {(launch.tasks, launch.nodes) for launch in evidence.launches if launch.nodes}
    if len(counts) > 1:
        texts = [f"{tasks} tasks on {nodes} nodes" for tasks, nodes in sorted(counts, key=str)]
        yield Finding(
            "io500.nodes.inconsistent",
            WARNING,
            f"The phases did not run on the same nodes: {', '.join(texts)}.",
            "One run has one set of clients; only find may use fewer.",
            evidence.where,
        )


QUESTIONS: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (
    _marks,
    _truncation,
    _presence,
    _mode,
    _order,
    _values,
    _stonewall,
    _summary_agrees,
    earlier.clocks,
    _score,
    raw_agrees,
    tables_agree,
    _files,
    random_read.defects,
    earlier.find_rate,
    _find,
    _settings,
    _nodes,
    earlier.processes,
)
