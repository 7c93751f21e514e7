"""The submission rules of IO500 that a program can look at, each with its text, source and outcome.

A rule whose input is missing is not evaluated, never satisfied. What only a person can judge needs a person, and the
evidence for them is in the sentence beside the outcome. What depends on release, list or metadata comes from the
context; without it these rules are not evaluated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from validators.benchmarks.io500 import score
from validators.benchmarks.io500.defects import (
    SCC_STONEWALL_S,
    STONEWALL_S,
    WRITE_PHASES,
    is_external_find,
    out_of_order,
)
from validators.benchmarks.io500.evidence import Evidence, is_dry_run, seconds_of
from validators.benchmarks.io500.options import families, unknown_options
from validators.benchmarks.io500.phases import number
from validators.findings import WARNING, Finding
from validators.measurements import NEEDS_HUMAN, NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.questionnaires import each_question, load
from validators.rules import Context, Rule, RuleJudge, Verdict, load_rules, only_for
from validators.times import parse_time

Judge = Callable[[Run, Evidence, Context], Verdict]

LONGEST_PAUSE_S = 300.0
RANKED_CLIENTS = 10
UNRANKED_LISTS = frozenset({"full", "historical", "scc"})
PRODUCTION_LISTS = ("production", "ten-production")
ANSWER_WORDS = 10
NOT_WRITTEN = frozenset(
    question["id"]
    for question in each_question(load())
    if question["kind"] != "text" or question["required"] == "never"
)
"""Answers that are chosen or counted, and those that nobody has to give."""
REQUIRED_METADATA = ("institution", "system", "filesystem_type", "storage_vendor", "client_nodes", "tasks")
_FOLDER_OF_A_PHASE = re.compile(r"/(?:ior|mdtest|mdt)[-_](?:easy|hard)")
_LONGEST_FOLDER = 400
_MARKUP = re.compile(r"<[^<>]{0,1000}>")
_STONEWALL_FLAG = re.compile(r"[ '\"]-[DW][ ='\"]+(\d{1,6})")
_OTHER_NODE_IOR = re.compile(r" -C .*-Q[ =]\d| -Q[ =]\d.* -C ")
_OTHER_NODE_MDTEST = re.compile(r"-N['\" =]+\d")
_FAMILY_OF_INTERFACE = {"dfs": "daos", "daos": "daos", "beegfs": "beegfs", "cephfs": "ceph", "ime": "ime"}


def findings(run: Run, context: Context) -> list[Finding]:
    """What is wrong between a run and what is said about it: its list, its declared clients."""
    evidence = _evidence(run)
    return [] if evidence is None else [*_declared(run, context), *_scc_list(evidence, context)]


def _evidence(run: Run) -> Evidence | None:
    evidence = getattr(run, "evidence", None)
    return evidence if isinstance(evidence, Evidence) else None


def _declared(run: Run, context: Context) -> Iterator[Finding]:
    for name, code, what in (
        ("client_nodes", "io500.nodes.declared", "client nodes"),
        ("tasks", "io500.tasks.declared", "processes"),
    ):
        declared, actual = context.metadata.get(name), run.parameters.get(name)
        if declared in (None, "") or actual is None or str(declared) == str(actual):
            continue
        yield Finding(
            code,
            WARNING,
            f"The metadata declares {str(declared)[:20]} {what}; the run used {actual}.",
            "Correct the metadata, or explain the difference: some MPI libraries count each process as a node.",
            expected=str(declared)[:20],
            actual=str(actual),
        )


def _scc_list(evidence: Evidence, context: Context) -> Iterator[Finding]:
    if evidence.scc and context.list_name != "scc":
        yield Finding(
            "io500.scc.normal-list",
            WARNING,
            "scc is TRUE: the run followed the rules of the student cluster competition (30 s instead of 300 s).",
            "For any other list run with scc = FALSE.",
            evidence.where,
            expected="scc = FALSE",
            actual="scc = TRUE",
        )


def _version(run: Run, evidence: Evidence, context: Context) -> Verdict:
    allowed = _allowed_versions(context)
    if not allowed:
        return NOT_EVALUATED, "No release with its benchmark versions is named."
    if not run.version:
        return NEEDS_HUMAN, f"The run names no version; the call allows {', '.join(allowed)}."
    if run.version in allowed:
        return SATISFIED, f"{run.version} is a version of the call."
    if any(run.version.startswith(f"{tag}-") for tag in allowed):
        return NEEDS_HUMAN, f"{run.version} was built from commits after a tag of the call."
    return VIOLATED, f"{run.version} is not among {', '.join(allowed)}."


def _allowed_versions(context: Context) -> list[str]:
    """The versions that the release names, else the tags known to carry its name."""
    named = context.release.get("benchmark_versions") or []
    if named:
        return [str(version) for version in named]
    slug = str(context.release.get("slug") or "")
    if not slug:
        return []
    stem = f"io500-{slug.lower()}"
    return [tag for family in families() for tag in family.tags if tag == stem or tag.startswith(f"{stem}_")]


def _source(run: Run, evidence: Evidence, context: Context) -> Verdict:
    if not run.version:
        return NOT_EVALUATED, "The run names no version of its source."
    tags = {tag for family in families() for tag in family.tags}
    unknown = sorted({option for settings in evidence.settings.values() for option in unknown_options(settings)})
    if unknown:
        return NEEDS_HUMAN, f"No release has the options {', '.join(unknown[:5])}."
    if run.version in tags:
        return NEEDS_HUMAN, f"{run.version} is a tag and only its options are set; nothing speaks against it."
    return NEEDS_HUMAN, f"{run.version} is not a tag: ask what differs."


def _one_run(run: Run, evidence: Evidence, context: Context) -> Verdict:
    missing = [name for name in score.definition(score.STANDARD).phases if evidence.phase(name) is None]
    late = out_of_order(evidence)
    if missing:
        return VIOLATED, f"Missing: {', '.join(missing)}."
    if late:
        return VIOLATED, f"Out of order: {', '.join(late)}."
    folders = _data_folders(evidence)
    if len(folders) > 1:
        return NEEDS_HUMAN, f"The phases wrote below {len(folders)} folders; their commands name them."
    times = [(phase.started, phase.ended) for phase in evidence.phases if phase.started and phase.ended]
    if len(times) < len(evidence.phases) or not folders:
        return NOT_EVALUATED, "All phases stand in order, but the times or folders of some are not printed."
    pause = max((begin - end).total_seconds() for (_, end), (begin, _) in pairwise(times))
    if pause > LONGEST_PAUSE_S:
        return NEEDS_HUMAN, f"Between two phases lie {pause:.0f} s."
    return SATISFIED, f"All phases in order below one folder, pauses of {pause:.0f} s at most."


def _data_folders(evidence: Evidence) -> set[str]:
    """The folders below which IOR and mdtest worked, from their command lines."""
    folders = set()
    for phase in evidence.phases:
        command = evidence.command(phase.name) if phase.name.startswith(("ior", "mdtest")) else ""
        if match := _FOLDER_OF_A_PHASE.search(command):
            before = command[: match.start()].rstrip("/")[-_LONGEST_FOLDER:]
            folders.add(re.split(r"\s", before)[-1].strip("'\"").rstrip("/"))
    return folders


def _stonewall(run: Run, evidence: Evidence, context: Context) -> Verdict:
    least = SCC_STONEWALL_S if evidence.scc else STONEWALL_S
    phases = {name: evidence.phase(name) for name in WRITE_PHASES}
    times = {name: seconds_of(evidence, phase) for name, phase in phases.items() if phase is not None}
    finite_times = {name: seconds for name, seconds in times.items() if math.isfinite(seconds)}
    short = [f"{name} {seconds:.2f} s" for name, seconds in finite_times.items() if seconds < least]
    if short:
        return VIOLATED, f"Below {least:.0f} s: {', '.join(short)}."
    flags = {name: _stonewall_flag(evidence.command(name)) for name in WRITE_PHASES}
    low = [f"{name} {flag} s" for name, flag in flags.items() if flag is not None and 0 < flag < least]
    if low:
        return VIOLATED, f"Stonewalled earlier than {least:.0f} s: {', '.join(low)}."
    if len(finite_times) < len(WRITE_PHASES):
        return NOT_EVALUATED, "The time of a write phase is not known."
    return SATISFIED, f"The shortest write phase took {min(finite_times.values()):.1f} s; {least:.0f} s are asked for."


def _stonewall_flag(command: str) -> int | None:
    match = _STONEWALL_FLAG.search(command)
    return int(match[1]) if match else None


def _score(run: Run, evidence: Evidence, context: Context) -> Verdict:
    if any(finding.code in ("io500.invalid-mark", "io500.dry-run") for finding in run.findings):
        return VIOLATED, "io500 itself marked the run as invalid."
    wrong = [f.code for f in run.findings if f.code in ("io500.score.inconsistent", "io500.score.no-root")]
    if wrong:
        return VIOLATED, f"The printed score does not follow from the phases ({wrong[0]})."
    value = run.scores.get("SCORE", {}).get("value")
    if value is None or run.scores["SCORE"]["printed"] is None:
        return NOT_EVALUATED, "There is no score to compare."
    return SATISFIED, f"No mark, and the phases give the printed score: {value:.6g}."


def _hashes(run: Run, evidence: Evidence, context: Context) -> Verdict:
    wrong = [name for name, pair in run.hashes.items() if pair["computed"] and pair["computed"] != pair["printed"]]
    if wrong:
        return VIOLATED, f"Not reproduced: {', '.join(wrong)}."
    computed_names = [name for name, pair in run.hashes.items() if pair["computed"]]
    if any(finding.code == "io500.hash.redacted" for finding in run.findings):
        return NOT_EVALUATED, "Names were taken out of what a hash covers, before the upload."
    if "score" not in computed_names or "config" not in computed_names:
        return NOT_EVALUATED, "The run printed no hashes, or its configuration is missing."
    return SATISFIED, f"Reproduced: {', '.join(computed_names)}."


def _read_elsewhere(run: Run, evidence: Evidence, context: Context) -> Verdict:
    nodes = run.parameters.get("client_nodes")
    commands = {name: evidence.command(name) for name in ("ior-easy-read", "ior-hard-read", "mdtest-hard-read")}
    if nodes is None or not all(commands.values()):
        return NOT_EVALUATED, "The nodes or a command line of a read phase are not known."
    if nodes < 2 and not run.parameters.get("drop_caches"):
        return VIOLATED, "One client read its own data, and caches were not dropped."
    patterns = {"ior": _OTHER_NODE_IOR, "mdt": _OTHER_NODE_MDTEST}
    absent = [name for name, command in commands.items() if not patterns[name[:3]].search(f"{command} ")]
    if absent:
        return NEEDS_HUMAN, f"The command line shifts no ranks in {', '.join(absent)}."
    return SATISFIED, f"Ranks are shifted by a node for each read, on {nodes} nodes."


def _precreated(run: Run, evidence: Evidence, context: Context) -> Verdict:
    if not evidence.job_scripts:
        return NOT_EVALUATED, "There is no job script that would show what was prepared."
    return NEEDS_HUMAN, f"Read what is prepared in {', '.join(evidence.job_scripts[:3])[:200]}."


def _persistence(run: Run, evidence: Evidence, context: Context) -> Verdict:
    return NEEDS_HUMAN, "Read the answers on caching and trust; no program can see whether written data persisted."


def _reduction(run: Run, evidence: Evidence, context: Context) -> Verdict:
    packet = run.parameters.get("data_packet_type")
    if packet is None:
        return NEEDS_HUMAN, "The kind of data is not printed; ask about compression and deduplication."
    return NEEDS_HUMAN, f"dataPacketType is {str(packet)[:40]}; ask about compression and deduplication."


def _clients(run: Run, evidence: Evidence, context: Context) -> Verdict:
    nodes, tasks = run.parameters.get("client_nodes"), run.parameters.get("tasks")
    if context.list_name in UNRANKED_LISTS:
        return NOT_EVALUATED, f"The list {context.list_name} does not ask for it."
    if nodes is None:
        return NOT_EVALUATED, "The number of client nodes is not known."
    if nodes < RANKED_CLIENTS:
        return VIOLATED, f"{nodes} client nodes; ranked lists ask for {RANKED_CLIENTS}."
    if tasks is not None and tasks < nodes:
        return VIOLATED, f"{tasks} processes on {nodes} nodes: each client must take part."
    return SATISFIED, f"{nodes} client nodes. Whether they are physical machines is in the metadata."


def _find(run: Run, evidence: Evidence, context: Context) -> Verdict:
    command = evidence.command("find") or evidence.find_command
    section = evidence.result.phases.get("find") if evidence.result else None
    if not command:
        return NOT_EVALUATED, "The command line of find is not printed."
    if section is not None and number(section.values.get("found")) == 0:
        return VIOLATED, "find found nothing."
    if evidence.result is None or is_external_find(evidence):
        return NEEDS_HUMAN, f"Compare with pfind, and look for its source: {command[:120]}"
    if not all(part in command for part in ("-newer", "-size 3901c", "-name *01*")):
        return NEEDS_HUMAN, f"pfind had other conditions than the rules give: {command[:120]}"
    if any(finding.code == "io500.find.rate" for finding in run.findings):
        return NEEDS_HUMAN, "The rate of find does not follow from its files and time."
    return SATISFIED, "pfind with the conditions of the rules."


def _scc(run: Run, evidence: Evidence, context: Context) -> Verdict:
    if context.list_name is None:
        return NOT_EVALUATED, "No list is named."
    if not evidence.settings:
        return NOT_EVALUATED, "There is no configuration file."
    if context.list_name != "scc":
        return (VIOLATED, "scc is TRUE.") if evidence.scc else (SATISFIED, "scc is not set.")
    if not evidence.scc:
        return VIOLATED, "scc is not set."
    if run.parameters.get("client_nodes") == 1 and not run.parameters.get("drop_caches"):
        return VIOLATED, "One client without drop-caches."
    return SATISFIED, "scc is TRUE."


def _uploads(run: Run, evidence: Evidence, context: Context) -> Verdict:
    missing = [
        name
        for name, present in (
            ("raw output of the phases", evidence.raw),
            ("job script", evidence.job_scripts),
            ("job output", evidence.job_outputs),
        )
        if not present
    ]
    if missing:
        return VIOLATED, f"Not found by its name: {', '.join(missing)}."
    return SATISFIED, f"Results, {evidence.job_scripts[0][:80]} and {evidence.job_outputs[0][:80]}."


def _deadline(run: Run, evidence: Evidence, context: Context) -> Verdict:
    deadline, submitted = _instant(context.release.get("deadline")), _instant(context.submitted_at)
    if deadline is None or submitted is None:
        return NOT_EVALUATED, "The deadline or the time of submission is not known."
    if submitted > deadline:
        return VIOLATED, f"Submitted {submitted:%Y-%m-%d %H:%M} UTC, after {deadline:%Y-%m-%d %H:%M} UTC."
    return SATISFIED, f"Submitted {submitted:%Y-%m-%d %H:%M} UTC, before {deadline:%Y-%m-%d %H:%M} UTC."


def _instant(value: object) -> datetime | None:
    """A time as text in RFC 3339 or as a datetime, in UTC; None for anything else."""
    try:
        moment = parse_time(value) if isinstance(value, str) else value
    except ValueError:
        return None
    if not isinstance(moment, datetime):
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _complete_metadata(run: Run, evidence: Evidence, context: Context) -> Verdict:
    metadata = context.metadata
    if not metadata:
        return NOT_EVALUATED, "There is no metadata."
    declared = {**metadata, "institution": _institution(context)}
    missing = [name for name in REQUIRED_METADATA if declared.get(name) in (None, "")]
    if missing:
        return VIOLATED, f"Missing: {', '.join(missing)}."
    return SATISFIED, f"{', '.join(REQUIRED_METADATA)} are given."


def _institution(context: Context) -> str:
    """As the metadata print it, else the one that the submission belongs to."""
    return str(context.metadata.get("institution") or context.institution)


def _consistent_metadata(run: Run, evidence: Evidence, context: Context) -> Verdict:
    metadata = context.metadata
    compared: list[str] = []
    wrong: list[str] = []
    for name in ("client_nodes", "tasks"):
        declared, actual = metadata.get(name), run.parameters.get(name)
        if declared not in (None, "") and actual is not None:
            (compared if str(declared) == str(actual) else wrong).append(f"{name} {declared}")
    interface = str(run.parameters.get("api", "")).split(" ")[0].lower()
    family, declared = _FAMILY_OF_INTERFACE.get(interface), str(metadata.get("filesystem_type", ""))
    if family and declared:
        (compared if family in declared.lower() else wrong).append(f"{declared[:40]} with the interface {interface}")
    if wrong:
        return VIOLATED, f"The run says otherwise: {', '.join(wrong)}."
    if not compared:
        return NOT_EVALUATED, "There is no metadata that the run could confirm."
    return SATISFIED, f"The run confirms {', '.join(compared)}."


def _questionnaire(run: Run, evidence: Evidence, context: Context) -> Verdict:
    texts = {name: answer for name, answer in context.answers.items() if name not in NOT_WRITTEN}
    if not texts:
        return NOT_EVALUATED, "There are no answers."
    short = [name for name, answer in texts.items() if _words(answer) < ANSWER_WORDS]
    if short:
        return VIOLATED, f"Fewer than {ANSWER_WORDS} words: {', '.join(map(str, short))[:200]}."
    return SATISFIED, f"All {len(texts)} answers have {ANSWER_WORDS} words or more."


def _words(answer: object) -> int:
    """Words of the text itself, without markup; an answer that is no text has none."""
    return len(_MARKUP.sub(" ", answer).split()) if isinstance(answer, str) else 0


def _production(run: Run, evidence: Evidence, context: Context) -> Verdict:
    """What is declared can speak against it; whether a system is in production a person decides."""
    if context.list_name not in PRODUCTION_LISTS:
        return NOT_EVALUATED, only_for(PRODUCTION_LISTS)
    usage, weak = context.answers.get("usage"), context.answers.get("single_point_of_failure")
    if usage not in (None, "", "production"):
        return VIOLATED, f"The declared use is {str(usage)[:40]}."
    if _is_yes(weak):
        return VIOLATED, "A single point of failure is declared."
    if usage in (None, "") or weak in (None, ""):
        return NOT_EVALUATED, "The answers do not say."
    parties = (_institution(context), str(context.metadata.get("storage_vendor") or ""))
    names = [" ".join(name.lower().split()) for name in parties]
    if names[0] and names[0] == names[1]:
        return NEEDS_HUMAN, "The institution is the vendor: ask whose production it serves."
    return NEEDS_HUMAN, "Declared: in production, without a single point of failure. Look at what runs there."


def _is_yes(answer: object) -> bool:
    return str(answer).lower() in ("yes", "true")


def _exclusive(run: Run, evidence: Evidence, context: Context) -> Verdict:
    declared = context.answers.get("exclusive_cluster_usage")
    if declared in (None, ""):
        return NOT_EVALUATED, "The answers do not say."
    if _is_yes(declared):
        return SATISFIED, "Exclusive use is declared."
    return VIOLATED, "Use beside other jobs is declared."


def _guarded(judge: Judge) -> RuleJudge:
    """A run without files, such as the answer of --verify, and a dry run are not evaluated."""

    def evaluate(run: Run, context: Context) -> Verdict:
        evidence = _evidence(run)
        if evidence is None:
            return NOT_EVALUATED, "There are no files of a run."
        if is_dry_run(evidence) and judge is not _score:
            return NOT_EVALUATED, "A dry run measures nothing."
        return judge(run, evidence, context)

    return evaluate


JUDGES: dict[str, Judge] = {
    "io500.version": _version,
    "io500.source": _source,
    "io500.one-run": _one_run,
    "io500.stonewall": _stonewall,
    "io500.score": _score,
    "io500.hashes": _hashes,
    "io500.read-elsewhere": _read_elsewhere,
    "io500.precreated": _precreated,
    "io500.persistence": _persistence,
    "io500.data-reduction": _reduction,
    "io500.clients": _clients,
    "io500.find": _find,
    "io500.scc": _scc,
    "io500.uploads": _uploads,
    "io500.deadline": _deadline,
    "io500.metadata": _complete_metadata,
    "io500.metadata-consistent": _consistent_metadata,
    "io500.questionnaire": _questionnaire,
    "io500.production": _production,
    "io500.exclusive": _exclusive,
}
"""What decides each rule of rules.json that is more than one comparison."""

RULES: list[Rule] = load_rules(
    Path(__file__).with_name("rules.json"), {code: _guarded(judge) for code, judge in JUDGES.items()}
)
