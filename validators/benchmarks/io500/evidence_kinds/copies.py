"""Other files that say the figures of a run: a summary in another folder, a second folder, a log, the output of a job.

They must say what the run's own files say. Pairs for the kinds of evidence.json; which files they are is found here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from validators.benchmarks.io500.evidence import Evidence, Raw, fingerprint, printed_scores
from validators.benchmarks.io500.files import TEXT_LIMIT, lines_of
from validators.benchmarks.io500.layout import Folder, Layout
from validators.benchmarks.io500.phases import TIME_ROUNDING_S, merge, number
from validators.benchmarks.io500.resultfile import ResultFile, read_result
from validators.benchmarks.io500.summary import PhaseLine, ScoreLine, Summary, read_summary
from validators.evidence import Comparison
from validators.findings import ERROR, WARNING, Finding

if TYPE_CHECKING:
    from validators.bundle import Bundle

KIND, OF_THE_LOG = "io500.evidence.copies", "io500.evidence.log"
MOST_OTHER_FILES = 20
"""Files with other names that are looked at: job outputs, and what is named after a summary or a result."""
MOST_FIGURES = 20_000
"""Figures of copies that are held against those of the run: a folder of io500 has some hundred."""
_NAMES = ("summary", "result")


def judge_copies(runs: Sequence[Evidence], copies: Iterable[Evidence]) -> Iterator[Finding]:
    """Give each summary without raw output to its run, whose phases it must have, and the score with them."""
    originals = _by_phases(runs)
    for copy in copies:
        original = _run_of(copy, originals)
        if original is None:
            yield Finding(
                "io500.summary.other-run",
                WARNING,
                f"{copy.where} is the summary of a run that is not in this archive.",
                "Remove it, or upload the folder of its run. It does not count.",
                copy.where,
                expected=total_of(runs[0]),
                actual=total_of(copy),
            )
            continue
        original.copies.append(copy)
        if total_of(copy) not in (total_of(original), _total_of_summary(original)):
            yield Finding(
                "io500.summary.inconsistent",
                ERROR,
                f"{copy.where} has the phases of {original.where}, but another score.",
                "One of them was edited. Upload the files as the run wrote them.",
                copy.where,
                expected=total_of(original),
                actual=total_of(copy),
            )


def _by_phases(runs: Iterable[Evidence]) -> list[tuple[set[tuple[str, float]], Evidence]]:
    """Names and values of the phases of each run, as its summary has them and as its result.txt has them."""
    return [(set(phases), evidence) for evidence in runs for phases in evidence.fingerprints()]


def _run_of(copy: Evidence, originals: Sequence[tuple[set[tuple[str, float]], Evidence]]) -> Evidence | None:
    """The run that has the values of most phases of a copy; None where there is none."""
    phases = set(fingerprint(copy.phases))
    shared = [len(phases & values) for values, _ in originals]
    most = max(shared, default=0)
    return originals[shared.index(most)][1] if 2 * most > len(phases) else None


def _total_of_summary(evidence: Evidence) -> str:
    line = evidence.summary.scores.get("SCORE") if evidence.summary else None
    return f"SCORE {line.total[:40]}" if line else ""


def total_of(evidence: Evidence) -> str:
    """The score as printed, for messages."""
    return "SCORE " + printed_scores(evidence).get("SCORE", {}).get("SCORE", "none")[:40]


def read_other_files(bundle: Bundle, layout: Layout, claimed: set[str], runs: Sequence[Evidence]) -> set[str]:
    """Give what other files say of a run to it: older logs, outputs of jobs, copies of other names; their paths."""
    outputs, originals, copied = set(layout.job_outputs), _by_phases(runs), set()
    unclaimed = sorted(path for path in bundle.files if path not in claimed)
    paths = [path for path in unclaimed if path in outputs or any(word in _file_name(path) for word in _NAMES)]
    for path in paths[:MOST_OTHER_FILES]:
        content = bundle.read(path, TEXT_LIMIT)
        if b"[RESULT]" not in content and b"[SCORE" not in content:
            continue
        lines, evidence = lines_of(bundle, path, []), Evidence(Folder(path.rpartition("/")[0]))
        evidence.summary = read_summary(lines, path)
        if not evidence.summary.phases:
            evidence.summary, evidence.result = None, read_result(lines, path)
        evidence.phases = merge(evidence.summary, evidence.result)
        original = _run_of(evidence, originals)
        if original is not None:
            original.copies.append(evidence)
            copied.add(path)
    return copied


def _file_name(path: str) -> str:
    return path.rpartition("/")[2].lower()


def copied_figures(evidence: Evidence) -> Iterator[Comparison]:
    """Every other summary and result file of the run has its figures."""
    yield from islice((pair for copy in evidence.copies for pair in _same_figures(copy, evidence)), MOST_FIGURES)


def _same_figures(copy: Evidence, evidence: Evidence) -> Iterator[Comparison]:
    if copy.summary is not None and evidence.summary is not None:
        yield from _same_lines(KIND, copy.summary, evidence.summary)
    elif copy.summary is not None and evidence.result is not None:
        yield from _same_as_result(copy.summary, evidence.result)
    if copy.result is not None and evidence.result is not None:
        yield from _same_sections(copy.result, evidence.result)
    for name, raw in copy.raw.items():
        other = evidence.raw.get(name)
        if other is not None:
            yield Comparison(KIND, name, _figures_of_raw(raw), _figures_of_raw(other), raw.path, other.path)


def _figures_of_raw(raw: Raw) -> str:
    seconds = raw.figures.seconds
    return f"{raw.value} in {seconds.value if seconds else 'unknown'} s"


def _same_lines(kind: str, copy: Summary, summary: Summary) -> Iterator[Comparison]:
    lines: list[PhaseLine | ScoreLine] = [*copy.repeated.values(), *copy.phases.values(), *copy.scores.values()]
    others: dict[str, PhaseLine | ScoreLine] = {**summary.phases, **summary.scores}
    for line in lines:
        other = others.get(line.name)
        if other is not None:
            where, against = f"{copy.path}:{line.line}", f"{summary.path}:{other.line}"
            yield Comparison(kind, line.name, _figures_of_line(line), _figures_of_line(other), where, against)


def _figures_of_line(line: PhaseLine | ScoreLine) -> str:
    """The figures of a line as printed, and the mark of the program."""
    if isinstance(line, PhaseLine):
        text = f"{line.value} in {line.seconds} s"
    else:
        text = f"BW {line.bandwidth}, MD {line.rate}, {line.total}"
    return f"{text} [INVALID]" if line.invalid else text


def _same_as_result(copy: Summary, result: ResultFile) -> Iterator[Comparison]:
    """A copied summary against result.txt, where no summary stands beside that: its times have one digit less."""
    for name, line in copy.phases.items():
        section = result.phases.get(name)
        seconds = section.values.get("t_delta", "") if section else ""
        if section is not None and seconds:
            same = abs(number(seconds) - number(line.seconds)) <= TIME_ROUNDING_S
            where, against = f"{copy.path}:{line.line}", f"{result.path}:{section.lines['t_delta']}"
            yield Comparison(KIND, name, line.seconds, line.seconds if same else seconds, where, against)
    for name, score in copy.scores.items():
        section = result.sections.get(name)
        for key, text in (("BW", score.bandwidth), ("MD", score.rate)):
            if section is not None and key in section.values:
                where, against = f"{copy.path}:{score.line}", f"{result.path}:{section.lines[key]}"
                texts = text, (text if number(text) == number(section.values[key]) else section.values[key])
                yield Comparison(KIND, f"{key} of {name}", *texts, where, against)


def _same_sections(copy: ResultFile, result: ResultFile) -> Iterator[Comparison]:
    for name, section in copy.sections.items():
        other = result.sections.get(name)
        for key, text in section.values.items():
            if other is not None and key in other.values:
                where, against = f"{copy.path}:{section.lines[key]}", f"{result.path}:{other.lines[key]}"
                yield Comparison(KIND, f"{name}, {key}", text, other.values[key], where, against)
    for name, text in copy.header.items():
        if name in result.header:
            yield Comparison(KIND, f"the run, {name}", text, result.header[name], copy.path, result.path)


def log_lines(evidence: Evidence) -> Iterator[Comparison]:
    """The log of the shell script has the lines of its summary: when a phase ends, and again at its end."""
    if evidence.log is not None and evidence.summary is not None and evidence.log is not evidence.summary:
        yield from _same_lines(OF_THE_LOG, evidence.log, evidence.summary)


COMPARISONS = (copied_figures, log_lines)
