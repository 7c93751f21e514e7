"""Everything that one result folder says about its run, read once and kept together."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from validators.benchmarks.io500 import rawtext
from validators.benchmarks.io500.files import RAW_LIMIT, lines_of
from validators.benchmarks.io500.layout import Folder, Layout, raw_of
from validators.benchmarks.io500.options import Settings, read_settings
from validators.benchmarks.io500.phases import Phase, merge, number
from validators.benchmarks.io500.ranktables import FindTable, RankTable, read_find, read_table
from validators.benchmarks.io500.rawfacts import Figures, ior_figures, mdtest_figures
from validators.benchmarks.io500.rawtext import Launch
from validators.benchmarks.io500.resultfile import ResultFile, read_result
from validators.benchmarks.io500.summary import Summary, read_summary
from validators.findings import Finding

if TYPE_CHECKING:
    from validators.bundle import Bundle

_DECLARED = re.compile(r"^io500_info_(\w+)=(.*)$")
_FIND_COMMAND = re.compile(r"^\[Exec\] (.*(?:find|mmfind)\S*\s.*)$")
_FIND_MATCHED = re.compile(r"^\[FIND\] MATCHED (\d{1,15})/(\d{1,15}) in (\d{1,9}(?:\.\d{1,9})?) seconds")
_STARTED = re.compile(r"^\[Exec\] (.{1,4000})")
_KEPT_IN = re.compile(r"^\[Results\] in \S{0,1000}/(\w{1,40})\.txt")
_PRIVATE = frozenset({"submitter", "email", "contact"})
_DECLARED_LIMIT = 64
_COMMAND_LIMIT = 4000


@dataclass(slots=True)
class Raw:
    """What the raw text of one phase says: `value` in GiB/s or kIOPS, None if it does not tell."""

    path: str
    launch: Launch
    value: float | None
    figures: Figures = field(default_factory=Figures)


@dataclass(slots=True)
class Evidence:
    """One run as its files tell it. `findings` are those of reading the files themselves."""

    folder: Folder
    summary: Summary | None = None
    result: ResultFile | None = None
    phases: list[Phase] = field(default_factory=list)
    settings: dict[str, Settings] = field(default_factory=dict)
    raw: dict[str, Raw] = field(default_factory=dict)
    tables: dict[str, RankTable] = field(default_factory=dict)
    find_table: FindTable | None = None
    file_system: dict[str, str | float] = field(default_factory=dict)
    declared: dict[str, str] = field(default_factory=dict)
    find_command: str = ""
    matched: tuple[float, float, str] | None = None
    """Files and seconds of find as the log of the shell script has them, and where."""
    matches: tuple[float, str] | None = None
    """How many files find matched, by the log of the shell script, and where."""
    log: Summary | None = None
    """The results in the log of the shell script, where a summary stands beside it."""
    copies: list[Evidence] = field(default_factory=list)
    """Other files of the archive that say the figures of this run."""
    started_with: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By phase, the command line that the log of the shell script has, and where."""
    job_scripts: list[str] = field(default_factory=list)
    job_outputs: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def recognised(self) -> bool:
        """Any phase or score that io500 prints: else the files only have its names."""
        has_score = bool(self.summary and self.summary.scores) or bool(self.result and "SCORE" in self.result.sections)
        return bool(self.phases) or has_score

    @property
    def version(self) -> str | None:
        """The version that io500 printed of itself; "" where it printed none, None where it never did (shell)."""
        if self.result is not None and "version" in self.result.header:
            return self.result.header["version"]
        return self.summary.version if self.summary else None

    @property
    def mode(self) -> str:
        header_mode = self.result.header.get("mode", "") if self.result else ""
        return header_mode or (self.summary.mode if self.summary else "")

    @property
    def where(self) -> str:
        """The file that a reader should open first."""
        return self.folder.result or self.folder.summary or self.folder.shell_log

    def phase(self, name: str) -> Phase | None:
        return next((phase for phase in self.phases if phase.name == name), None)

    def setting(self, section: str, option: str) -> str | None:
        """The value that was set; what the run dumped goes before what the user wrote."""
        for settings in self.settings.values():
            if (section, option) in settings:
                return settings[section, option]
        return None

    def command(self, phase: str) -> str:
        """The command line of a phase, from result.txt or from its raw text."""
        phase_record = self.phase(phase)
        command = phase_record.command if phase_record is not None else ""
        if not command and phase in self.raw:
            command = self.raw[phase].launch.command
        return command[:_COMMAND_LIMIT]

    @property
    def launches(self) -> list[Launch]:
        """How mdtest was started, then how IOR was: mdtest has always counted its nodes."""
        by_tool = sorted(self.raw, key=lambda phase: not phase.startswith("mdtest"))
        return [self.raw[phase].launch for phase in by_tool if self.raw[phase].launch.tasks]

    def whole_table(self, phase: str) -> RankTable | None:
        """The table of a phase if it has a row for each of its tasks; some were cut on their way."""
        table, raw = self.tables.get(phase), self.raw.get(phase)
        has_all_rows = table is not None and raw is not None and len(table.rates) == raw.launch.tasks
        return table if has_all_rows else None

    @property
    def scc(self) -> bool:
        return (self.setting("global", "scc") or "").lower() == "true"

    def fingerprints(self) -> set[tuple[tuple[str, float], ...]]:
        """The values by which a copy of this run is known: as its summary has them, and as result.txt has them."""
        phase_values = {fingerprint(self.phases)}
        if self.summary is not None and self.result is not None:
            phase_values.add(fingerprint(merge(self.summary, None)))
        return phase_values


def fingerprint(phases: list[Phase]) -> tuple[tuple[str, float], ...]:
    """Names and values of the phases, whatever their order."""
    return tuple(sorted((phase.name, phase.value) for phase in phases if phase.value == phase.value))


def gather(bundle: Bundle, folder: Folder, layout: Layout) -> Evidence:
    """Read the files of one folder."""
    evidence = Evidence(folder, job_scripts=layout.job_scripts, job_outputs=layout.job_outputs)
    if folder.summary:
        evidence.summary = read_summary(lines_of(bundle, folder.summary, evidence.findings), folder.summary)
    if folder.result:
        evidence.result = read_result(lines_of(bundle, folder.result, evidence.findings), folder.result)
    if folder.shell_log:
        _read_shell_log(bundle, folder.shell_log, evidence)
    evidence.phases = merge(evidence.summary, evidence.result)
    for name, path in folder.settings.items():
        evidence.settings[name] = read_settings(lines_of(bundle, path, []))
    if evidence.recognised:
        _read_raw(bundle, folder, evidence)
    return evidence


def _read_shell_log(bundle: Bundle, path: str, evidence: Evidence) -> None:
    lines, command = lines_of(bundle, path, []), ("", "")
    for place, line in enumerate(lines, 1):
        if match := _FIND_MATCHED.match(line[:200]):
            evidence.matches = float(match[1]), f"{path}:{place}"
            evidence.matched = float(match[2]), float(match[3]), f"{path}:{place}"
        elif line.startswith("io500_info_"):
            match = _DECLARED.match(line[:500])
            if match and match[1] not in _PRIVATE and len(evidence.declared) < _DECLARED_LIMIT:
                evidence.declared[match[1]] = _without_quotes(match[2].rstrip())
        elif match := _STARTED.match(line):
            command = match[1], f"{path}:{place}"
            if "find" in line and (match := _FIND_COMMAND.match(line[:4000])):
                evidence.find_command = match[1]
        elif (match := _KEPT_IN.match(line)) and len(evidence.started_with) < _DECLARED_LIMIT:
            evidence.started_with[match[1].replace("_", "-")] = command
            command = "", ""
    evidence.log = read_summary(lines, path)
    evidence.summary = evidence.summary or evidence.log


def _without_quotes(text: str) -> str:
    text = text[1:] if text.startswith(("'", '"')) else text
    return text[:-1] if text.endswith(("'", '"')) else text


def _read_raw(bundle: Bundle, folder: Folder, evidence: Evidence) -> None:
    names = [phase.name for phase in evidence.phases]
    for phase in names:
        path = raw_of(folder.raw, phase, names)
        if path is not None and not phase.startswith("find"):
            content = bundle.read(path, RAW_LIMIT)
            evidence.raw[phase] = _raw(phase, path, content)
            evidence.file_system = evidence.file_system or rawtext.file_system(content)
        table = raw_of(folder.tables, phase, names)
        if table is not None and phase.startswith(("ior", "mdtest")):
            evidence.tables[phase] = read_table(bundle.read(table, RAW_LIMIT), table, phase)
    find_path = folder.tables.get("find")
    if find_path is not None:
        content = bundle.read(find_path, RAW_LIMIT)
        rate = rawtext.find_rate(content)
        evidence.find_table = read_find(content, find_path)
        evidence.raw["find"] = Raw(find_path, Launch(), None if rate is None else rate / 1000)


def _raw(phase: str, path: str, content: bytes) -> Raw:
    operation = phase.rsplit("-", 1)[-1]
    if phase.startswith("ior"):
        rate = rawtext.ior_mib_per_s(content, operation)
        launch = rawtext.ior_launch(content)
        figures = ior_figures(content, operation, launch.tasks)
        return Raw(path, launch, None if rate is None else rate / 1024, figures)
    rate = rawtext.mdtest_ops_per_s(content, operation)
    figures = mdtest_figures(content, operation)
    return Raw(path, rawtext.mdtest_launch(content), None if rate is None else rate / 1000, figures)


def is_dry_run(evidence: Evidence) -> bool:
    """Whether nothing was measured."""
    if evidence.result is not None and evidence.result.dry_run:
        return True
    scored = [phase.value for phase in evidence.phases if phase.scored]
    return bool(scored) and all(value == 0 for value in scored)


def printed_scores(evidence: Evidence) -> dict[str, dict[str, str]]:
    """SCORE, and SCOREX in extended mode, as printed: {"SCORE": {"BW", "MD", "SCORE", "hash"}}; result.txt counts."""
    scores: dict[str, dict[str, str]] = {}
    if evidence.summary is not None:
        for name, line in evidence.summary.scores.items():
            scores[name] = {"BW": line.bandwidth, "MD": line.rate, "SCORE": line.total}
    if evidence.result is not None:
        for name in ("SCORE", "SCOREX"):
            if name in evidence.result.sections:
                scores.setdefault(name, {}).update(evidence.result.sections[name].values)
    return scores


def seconds_of(evidence: Evidence, phase: Phase) -> float:
    """How long the phase ran: t_delta of result.txt, else the time of the summary."""
    section = evidence.result.phases.get(phase.name) if evidence.result else None
    delta = number(section.values.get("t_delta")) if section else float("nan")
    return delta if delta == delta else phase.seconds
