"""What must agree between the description of the system and the results, and what a description says against a run.

The rules are data, `rules.json` beside this file (schema rules.1). They are evaluated for runs whose bundle holds a
system document; a broken one becomes a finding of the same code. None of them is an error: a site that describes its
system must not be worse off than one that says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from validators.findings import INFO, Finding
from validators.measurements import NOT_EVALUATED, OUTPUT, SATISFIED, VIOLATED, Run
from validators.rules import Context, RuleJudge, Verdict, ceiling_rule, load_rules
from validators.system import facts, filesystems
from validators.system.facts import Document
from validators.system.seal import ABSENT, AGREES, DIFFERS
from validators.units import UNITS

Judge = Callable[[Run, Document, Context], Verdict]

CLOCKS_APART = timedelta(hours=38)
"""A day, and the 14 hours by which a local time without its zone may differ from UTC."""
STARTUP_S = 5.0
"""A benchmark prints times in whole seconds, and MPI takes its time to start and to end."""
_CAPACITY_MARGIN = 0.1


def evaluate(run: Run, context: Context) -> None:
    """Add the outcomes of all rules to a run, and a finding for each that is broken; nothing without a description."""
    if context.system is None:
        return
    outcomes = [rule.evaluate(run, context) for rule in RULES]
    run.rules += outcomes
    run.findings += [
        Finding(rule.code, rule.level, outcome.why, HINTS[rule.code], context.system.path)
        for rule, outcome in zip(RULES, outcomes, strict=True)
        if outcome.outcome == VIOLATED
    ]
    if context.system.seal is not None and context.system.seal.why_absent:
        message, hint = (
            context.system.seal.why_absent,
            "Nothing to do; to tie results to their run, wrap it with `run`.",
        )
        run.findings.append(Finding("system.seal-absent", INFO, message, hint, context.system.path))


# Nodes and processes


def _client_nodes(run: Run, document: Document, context: Context) -> Verdict:
    outcome, words = _same("client nodes", facts.client_nodes(document), _of_run(run, "client_nodes"))
    return outcome, f"{words}{_source_note(run, 'client_nodes')}"


def _job_nodes(run: Run, document: Document, context: Context) -> Verdict:
    if run.extent_sources.get("client_nodes", OUTPUT) != OUTPUT:
        return NOT_EVALUATED, "The output does not say on how many nodes the run was; only the description does."
    nearer = facts.wrapped_count(document, "nodes")
    return _same(
        "nodes", document.get("job", {}).get("nodes") if nearer is None else nearer, _of_run(run, "client_nodes")
    )


def _job_ranks(run: Run, document: Document, context: Context) -> Verdict:
    if facts.is_started_alone(document):
        return NOT_EVALUATED, "The command was started without a launcher, which has no number of processes."
    nearer = facts.wrapped_count(document, "tasks")
    described = document.get("job", {}).get("ranks") if nearer is None else nearer
    return _same("processes", described, run.parameters.get("tasks"))


def _ranks_per_node(run: Run, document: Document, context: Context) -> Verdict:
    described = document.get("job", {}).get("ranks_per_node")
    return _same("processes on each node", described, run.parameters.get("procs_per_node"))


def _same(what: str, described: Any, ran: Any) -> Verdict:
    if described is None or ran is None:
        return NOT_EVALUATED, f"The {'description' if described is None else 'run'} does not tell the {what}."
    words = f"{described:g} {what} are described, the run used {ran:g}."
    return (SATISFIED if described == ran else VIOLATED), words


# File system


def _filesystem_type(run: Run, document: Document, context: Context) -> Verdict:
    declared, described = str(context.metadata.get("filesystem_type", "")), facts.filesystem_types(document)
    family = filesystems.named_by(declared)
    if not described or not declared:
        return NOT_EVALUATED, "No file system of a known type is declared and described."
    words = f"{declared[:60]} is declared; described is {', '.join(described)}."
    if family is None:
        likely = filesystems.nearest(declared)
        return (VIOLATED if likely else NOT_EVALUATED), f"{words} No file system is known by the declared name."
    if family.type in (None, "local") and family.type not in described:
        return NOT_EVALUATED, f"{words} A description does not tell {family.name}."
    return (SATISFIED if family.type in described else VIOLATED), words


def _written_bytes(run: Run, document: Document, context: Context) -> Verdict:
    written, capacity = written_bytes(run), facts.usable_bytes(document)
    if not written or not capacity:
        return NOT_EVALUATED, "What was written, or the capacity, is not known."
    words = f"{_tib(written)} were written to a capacity of {_tib(capacity)}."
    return (SATISFIED if written <= capacity else VIOLATED), words


def written_bytes(run: Run) -> float:
    """Bytes that the write phases of a run moved: bandwidth times seconds; 0 where they are not known."""
    phases: dict[str, dict[str, float]] = {}
    for measurement in run.measurements:
        if measurement.op.startswith("ior") and measurement.op.endswith("write") and measurement.stat == "phase":
            phases.setdefault(measurement.op, {})[measurement.quantity] = measurement.value
    return sum(by_quantity.get("bandwidth", 0.0) * by_quantity.get("time", 0.0) for by_quantity in phases.values())


def _capacity(run: Run, document: Document, context: Context) -> Verdict:
    printed_bytes, described = _bytes(run.parameters.get("file_system_size")), facts.usable_bytes(document)
    if not printed_bytes or not described:
        return NOT_EVALUATED, "The run prints no capacity, or none is described."
    words = f"The run prints {_tib(printed_bytes)}, described are {_tib(described)}."
    return (SATISFIED if abs(printed_bytes - described) <= _CAPACITY_MARGIN * described else VIOLATED), words


def _bytes(text: object) -> float | None:
    """ "1.5 PiB" in bytes."""
    number, _, unit = str(text).strip().partition(" ")
    known_unit = UNITS.get(unit.strip())
    if known_unit is None or known_unit.canonical != "B" or not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", number):
        return None
    return float(number) * known_unit.factor


def _tib(count: float) -> str:
    return f"{count / 2**40:,.2f} TiB"


# Versions


def _kernel(run: Run, document: Document, context: Context) -> Verdict:
    kernels = {
        node_class["os"]["kernel"]
        for node_class in facts.classes(document, facts.CLIENT)
        if node_class["os"].get("kernel")
    }
    return _named("kernel", run.parameters.get("kernel"), sorted(kernels))


def _lustre_version(run: Run, document: Document, context: Context) -> Verdict:
    printed_version = run.parameters.get("lustre_version") or _release_in(context.metadata.get("filesystem_type"))
    described = [str(value) for value in facts.values(document, "lustre.version", facts.CLIENT)]
    return _named("Lustre release", printed_version, described)


def _release_in(declared: object) -> str | None:
    """The release in "Lustre 2.15.4"; None where only a product or a series is named."""
    match = re.search(r"lustre\D{0,3}(2\.[0-9]{1,3}(?:\.[0-9]{1,3})?)", str(declared or ""), re.IGNORECASE)
    return match[1] if match else None


def _named(what: str, printed_version: object, described: list[str]) -> Verdict:
    """A printed version holds if a described one is the same or goes on where it ends: 2.15 and 2.15.4."""
    if not printed_version or not described:
        return NOT_EVALUATED, f"The {what} is not known of the run and of the clients."
    words = f"The {what} is {str(printed_version)[:60]}; described is {', '.join(described)[:200]}."
    agrees = any(
        f"{version}.".startswith(f"{printed_version}.") or version.startswith(f"{printed_version}_")
        for version in described
    )
    return (SATISFIED if agrees else VIOLATED), words


# Times


def _capture_time(run: Run, document: Document, context: Context) -> Verdict:
    captured = facts.capture_time(document, "pre") or facts.capture_time(document, "static")
    field = "started" if _of_run(run, "started") else "ended"
    ran = _printed_time(_of_run(run, field))
    if captured is None or ran is None:
        return NOT_EVALUATED, "The time of the description or of the run is not known."
    verb = "began" if field == "started" else "ended"
    words = f"Described {captured:%Y-%m-%d %H:%M} UTC, the run {verb} {ran:%Y-%m-%d %H:%M}."
    words += _source_note(run, field)
    return (SATISFIED if abs(captured - ran) <= CLOCKS_APART else VIOLATED), words


def _run_duration(run: Run, document: Document, context: Context) -> Verdict:
    started, ended = (_printed_time(_of_run(run, name)) for name in ("started", "ended"))
    by_description = [name for name in ("started", "ended") if _source_note(run, name)]
    if "run" not in document or started is None or ended is None:
        return NOT_EVALUATED, "The run was not wrapped, or does not print when it began and ended."
    if by_description:
        return NOT_EVALUATED, f"Only the description says when the run {' and '.join(by_description)}."
    wrapped, printed_s = document["run"]["duration_s"], (ended - started).total_seconds()
    words = f"The command ran for {wrapped:,.0f} s, the benchmark says {printed_s:,.0f} s."
    return (SATISFIED if wrapped + STARTUP_S >= printed_s else VIOLATED), words


def _of_run(run: Run, field: str) -> Any:
    """A field of when and how large a run was; of a run that nothing filled, the parameter of that name."""
    value = getattr(run, field)
    return run.parameters.get(field) if value is None else value


def _source_note(run: Run, field: str) -> str:
    """The source of a field, to be said behind a sentence, where it is not the output."""
    source = run.extent_sources.get(field, "")
    return f" The run's side is of the {source}." if source.startswith("description") else ""


def _printed_time(text: object) -> datetime | None:
    return facts.moment(text) if isinstance(text, str) else None


def _run_ended(run: Run, document: Document, context: Context) -> Verdict:
    wrapped = document.get("run", {})
    if "signal" in wrapped:
        return VIOLATED, f"Signal {wrapped['signal']} ended the command."
    if "exit_status" not in wrapped:
        return NOT_EVALUATED, "The run was not wrapped."
    return (VIOLATED if wrapped["exit_status"] else SATISFIED), f"The exit status was {wrapped['exit_status']}."


def _seal(run: Run, document: Document, context: Context) -> Verdict:
    held = context.system.seal if context.system else None
    if held is None:
        return NOT_EVALUATED, "The run was not wrapped."
    outcome, why = held.outcome(run.path)
    return {AGREES: SATISFIED, DIFFERS: VIOLATED, ABSENT: NOT_EVALUATED}[outcome], why


# Use and change


def _exclusive(run: Run, document: Document, context: Context) -> Verdict:
    described = document.get("system", {}).get("exclusive_during_run")
    answered = _truth(context.answers.get("exclusive_cluster_usage"))
    if described is None:
        return NOT_EVALUATED, "The description does not say."
    if answered is not None and answered != described:
        return VIOLATED, f"Described: {_yes_no(described)}; answered: {_yes_no(answered)}."
    return (SATISFIED if described else VIOLATED), f"Exclusive use: {_yes_no(described)}."


def _truth(answer: object) -> bool | None:
    return {"yes": True, "true": True, "no": False, "false": False}.get(str(answer).lower())


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"


def _drift_critical(run: Run, document: Document, context: Context) -> Verdict:
    return _without(document, "invalidating")


def _drift(run: Run, document: Document, context: Context) -> Verdict:
    return _without(document, "warning")


def _without(document: Document, severity: str) -> Verdict:
    if facts.drift(document) is None:
        return NOT_EVALUATED, "The system was not described before and after the run."
    pointers = [row["pointer"] for row in document.get("drift", []) if row["severity"] == severity]
    if pointers:
        listed = ", ".join(pointer[:120] for pointer in pointers[:3])
        return VIOLATED, f"Changed during the run: {listed}{f' and {len(pointers) - 3} more' if pointers[3:] else ''}."
    return SATISFIED, "Nothing of the kind changed."


def _nodes_reported(run: Run, document: Document, context: Context) -> Verdict:
    failed = list(facts.failed_nodes(document))
    if failed:
        reasons = sorted({row["reason"] for row in failed})
        return VIOLATED, f"{len(failed)} nodes gave no description: {', '.join(reasons)}."
    captures = [capture for capture in document["captures"] if {"nodes_expected", "nodes_reported"} <= capture.keys()]
    if not captures:
        return NOT_EVALUATED, "How many nodes were asked is not known."
    short = [capture for capture in captures if capture["nodes_reported"] < capture["nodes_expected"]]
    example = (short or captures)[0]
    words = f"{example['nodes_reported']} of {example['nodes_expected']} nodes gave a description."
    return (VIOLATED if short else SATISFIED), words


def _outliers(run: Run, document: Document, context: Context) -> Verdict:
    if not document["node_classes"]:
        return NOT_EVALUATED, "No node is described."
    outliers = [row for node_class in document["node_classes"] for row in node_class.get("outliers", [])]
    if outliers:
        nodes = len({row["member"] for row in outliers})
        return (
            VIOLATED,
            f"{nodes} of {sum(group['count'] for group in document['node_classes'])} nodes differ from their class.",
        )
    return SATISFIED, "All nodes of a class are alike."


def _of_document(judge: Judge) -> RuleJudge:
    def decide(run: Run, context: Context) -> Verdict:
        if context.system is None:
            return NOT_EVALUATED, "The bundle holds no description of the system."
        return judge(run, context.system.document, context)

    return decide


JUDGES: Mapping[str, Judge] = {
    "system.client-nodes": _client_nodes,
    "system.job-nodes": _job_nodes,
    "system.job-ranks": _job_ranks,
    "system.ranks-per-node": _ranks_per_node,
    "system.filesystem-type": _filesystem_type,
    "system.written-bytes": _written_bytes,
    "system.capacity": _capacity,
    "system.kernel": _kernel,
    "system.lustre-version": _lustre_version,
    "system.capture-time": _capture_time,
    "system.run-duration": _run_duration,
    "system.run-ended": _run_ended,
    "system.seal": _seal,
    "system.exclusive": _exclusive,
    "system.drift-critical": _drift_critical,
    "system.drift": _drift,
    "system.nodes-reported": _nodes_reported,
    "system.outliers": _outliers,
    "system.ceiling": ceiling_rule.ceiling,
}
"""What decides each rule of rules.json."""

_ALL_NODES = "Collect on all client nodes: collect --launcher srun (or mpirun, pdsh, clush, ssh)."
_SAME_RUN = "Pack the results together with the description that was made for that run."
_EXPLAIN = "Say in the questionnaire why, or repeat the run."

HINTS: Mapping[str, str] = {
    "system.client-nodes": _ALL_NODES,
    "system.job-nodes": _SAME_RUN,
    "system.job-ranks": _SAME_RUN,
    "system.ranks-per-node": _SAME_RUN,
    "system.filesystem-type": "Correct filesystem_type in the metadata, or collect where the file system is mounted.",
    "system.written-bytes": "Correct the capacity, or say how the data was reduced.",
    "system.capacity": "Check that the file system described is the one that was measured.",
    "system.kernel": _SAME_RUN,
    "system.lustre-version": "Correct the release in filesystem_type, or pack the description of that run.",
    "system.capture-time": _SAME_RUN,
    "system.run-duration": _SAME_RUN,
    "system.run-ended": _EXPLAIN,
    "system.seal": "Pack the files as the command wrote them, with the document of that run.",
    "system.exclusive": _EXPLAIN,
    "system.drift-critical": _EXPLAIN,
    "system.drift": _EXPLAIN,
    "system.nodes-reported": _ALL_NODES,
    "system.outliers": "Look at the nodes that differ before the next run.",
    "system.ceiling": "Look for a cache that answered instead of the storage, or correct the description.",
}
"""What to do about a broken rule."""

RULES = load_rules(
    Path(__file__).parent / "data" / "system.json", {code: _of_document(judge) for code, judge in JUDGES.items()}
)
