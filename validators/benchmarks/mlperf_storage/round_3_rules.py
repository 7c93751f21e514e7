"""The rules of v3.0, and to which kinds of result rules apply.

A rule that does not apply to a version or kind is not among those of a result; one whose input is missing is not
evaluated, and says what is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from validators.benchmarks.mlperf_storage.places import CHECKPOINTING, KINDS, KV_CACHE, TRAINING, VECTOR_DATABASE
from validators.benchmarks.mlperf_storage.round_3 import FACTS, is_since_3
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Rule, RuleJudge, Verdict

_OLDER_KINDS = (TRAINING, CHECKPOINTING)
_NOT_SINCE_3 = frozenset({"report-of-runs"})
"""v3.0 writes no report."""
_KINDS: Mapping[str, Collection[str]] = {
    "five-runs": (TRAINING,),
    "utilisation": (TRAINING,),
    "dataset-size": (TRAINING,),
    "closed-parameters": _OLDER_KINDS,
    "six-run-folders": (TRAINING,),
    "phases": (TRAINING,),
    "steps": (TRAINING,),
    "equal-hosts": (TRAINING,),
    "checkpoint-ranks": (CHECKPOINTING,),
    "checkpoint-size": (CHECKPOINTING,),
    "checkpoint-phases": (CHECKPOINTING,),
    "checkpoint-count": (CHECKPOINTING,),
    "checkpoint-memory": (CHECKPOINTING,),
    "checkpoint-gap": (CHECKPOINTING,),
    "kv-options": (KV_CACHE,),
    "kv-trials": (KV_CACHE,),
    "kv-ranks": (KV_CACHE,),
    "kv-storage": (KV_CACHE,),
    "vector-runs": (VECTOR_DATABASE,),
    "vector-loaded": (VECTOR_DATABASE,),
    "vector-inserted": (VECTOR_DATABASE,),
    "vector-index": (VECTOR_DATABASE,),
    "vector-recall": (VECTOR_DATABASE,),
    "vector-reference": (VECTOR_DATABASE,),
}
"""Kinds that a rule applies to, by the last word of its code; a rule that is not here applies to all."""


def limited(rule: Rule) -> Rule:
    """The rule, which applies to results of its round and kind alone."""
    word = rule.code.rpartition(".")[2]

    def applies(run: Run) -> bool:
        if not is_since_3(run.version):
            return word not in JUDGES
        return word not in _NOT_SINCE_3 and run.mode in _KINDS.get(word, KINDS)

    return replace(rule, applies=applies)


def _missing(what: str) -> Verdict:
    return NOT_EVALUATED, f"Missing: {what}."


def _judged(holds: bool, why: str) -> Verdict:
    return (SATISFIED if holds else VIOLATED), why


def _is_open(run: Run) -> Verdict | None:
    """Why a rule of the closed division is not evaluated; None for a result of that division."""
    division = run.parameters.get("division")
    if division == "closed":
        return None
    return _missing("the division") if division is None else (NOT_EVALUATED, f"Does not apply to division {division}.")


def _six_run_folders(run: Run, context: Context) -> Verdict:
    count, needed = run.parameters.get("run_folders"), FACTS["run_folders"]
    return (
        _missing("the run folders") if count is None else _judged(count == needed, f"{count} of {needed} run folders.")
    )


def _phases(run: Run, context: Context) -> Verdict:
    phases = run.parameters.get("phases") or []
    if not phases:
        return _missing("the folder of the model, with its phases")
    absent = [phase for phase in ("datasize", "datagen", "run") if phase not in phases]
    return _judged(not absent, f"Folders: {', '.join(phases)}.")


def _steps(run: Run, context: Context) -> Verdict:
    steps, least = run.parameters.get("steps_per_epoch"), FACTS["least_steps"]
    if steps is None:
        return _missing("the batch size (metadata of the run), files or accelerators")
    return _judged(steps >= least, f"{steps} steps, of {least}.")


def _filesystems_apart(run: Run, context: Context) -> Verdict:
    apart = run.parameters.get("filesystems_apart")
    if apart is None:
        return _missing("fs_separation.json of every run")
    return _judged(apart, "On different file systems." if apart else "Data and results lie on one file system.")


def _equal_hosts(run: Run, context: Context) -> Verdict:
    accelerators, hosts = run.parameters.get("num_accelerators"), run.parameters.get("num_hosts")
    if not accelerators or not hosts:
        return _missing("accelerators or hosts")
    return _judged(accelerators % hosts == 0, f"{accelerators} accelerators on {hosts} hosts.")


def _checkpoint_ranks(run: Run, context: Context) -> Verdict:
    if other := _is_open(run):
        return other
    model, ranks = FACTS["checkpointing"].get(run.parameters.get("model")), run.parameters.get("num_accelerators")
    if model is None or ranks is None:
        return _missing("the model or the processes")
    return _judged(ranks == model["ranks"], f"{ranks} processes, of {model['ranks']}.")


def _checkpoint_size(run: Run, context: Context) -> Verdict:
    model, size = FACTS["checkpointing"].get(run.parameters.get("model")), run.parameters.get("checkpoint_size_GiB")
    if model is None or size is None:
        return _missing("the model or the size of a checkpoint")
    if model["GiB"] is None:
        return NOT_EVALUATED, "No recorded checkpoint of this model was at hand to compare with."
    holds = abs(size / model["GiB"] - 1) <= FACTS["size_tolerated"]
    return _judged(holds, f"{size:.1f} GiB, of {model['GiB']} GiB.")


def _checkpoint_phases(run: Run, context: Context) -> Verdict:
    ops = [
        measurement.op
        for measurement in run.measurements
        if (measurement.quantity, measurement.stat) == ("bandwidth", "mean")
    ]
    wrote, read = ops.count("checkpoint-write"), ops.count("checkpoint-read")
    return _judged(wrote == read == 1, f"Written in {wrote} run(s), read in {read}.")


def _checkpoint_count(run: Run, context: Context) -> Verdict:
    if other := _is_open(run):
        return other
    wrote, read = run.parameters.get("checkpoints_written"), run.parameters.get("checkpoints_read")
    if wrote is None or read is None:
        return _missing("the number of checkpoints (overrides or metadata of every run)")
    return _judged(
        wrote == read == FACTS["checkpoints"], f"{wrote} written and {read} read, of {FACTS['checkpoints']}."
    )


def _checkpoint_memory(run: Run, context: Context) -> Verdict:
    ratio, least = run.parameters.get("written_over_memory"), FACTS["memory_factor"]
    if ratio is None:
        return _missing("the number of checkpoints, or the memory of every host")
    if ratio > least:
        return SATISFIED, f"{ratio:.2f} times the memory."
    return VIOLATED, f"{ratio:.2f} times the memory: caches have to be cleared, which no file of the result tells."


def _checkpoint_gap(run: Run, context: Context) -> Verdict:
    gap, longest = run.parameters.get("phase_gap_s"), FACTS["longest_gap_s"]
    if gap is None:
        return NOT_EVALUATED, "Does not apply to one call, and of two their times are missing."
    if gap < 0:
        return NOT_EVALUATED, f"The gap is {gap:g} s: clocks of the two calls disagree."
    return _judged(gap <= longest, f"{gap:g} s, of {longest} s.")


def _rows(run: Run, name: str) -> list[Any]:
    return [row.get(name) for row in run.tests]


def _kv_options(run: Run, context: Context) -> Verdict:
    if other := _is_open(run):
        return other
    options = _rows(run, "option")
    needed = list(map(int, FACTS["kv_cache"]["models"]))
    return _judged(options == needed, f"Options: {', '.join(map(str, options)) or 'none'}.")


def _kv_trials(run: Run, context: Context) -> Verdict:
    if other := _is_open(run):
        return other
    trials, needed = _rows(run, "trials"), FACTS["kv_cache"]["trials"]
    if not trials or None in trials:
        return _missing("the trials of an option")
    return _judged(all(count == needed for count in trials), f"Trials by option: {', '.join(map(str, trials))}.")


def _kv_ranks(run: Run, context: Context) -> Verdict:
    missing, ranks, total = _rows(run, "missing_files"), _rows(run, "ranks"), run.parameters.get("num_ranks")
    if not missing or None in missing or None in ranks or total is None:
        return _missing("ranks, or the list of missing files, of an option")
    is_complete = not any(missing) and all(count == total for count in ranks)
    return _judged(
        is_complete, f"Missing files: {sum(missing)}; ranks by option: {', '.join(map(str, ranks))} of {total}."
    )


def _kv_storage(run: Run, context: Context) -> Verdict:
    if other := _is_open(run):
        return other
    in_memory, ranks = _rows(run, "cpu_tier_ranks"), _rows(run, "ranks")
    if not ranks or None in in_memory or None in ranks:
        return _missing("the ranks of an option that stayed in memory")
    held = [count < total for count, total in zip(in_memory, ranks, strict=True)]
    return _judged(all(held), f"Ranks in memory by option: {', '.join(map(str, in_memory))}.")


def _vector_runs(run: Run, context: Context) -> Verdict:
    count, needed = run.parameters.get("runs"), FACTS["vector_database"]["runs"]
    return _missing("the runs") if count is None else _judged(count == needed, f"{count} runs, of {needed}.")


def _vector_loaded(run: Run, context: Context) -> Verdict:
    alike = run.parameters.get("loaded_alike")
    if alike is None:
        return _missing("the summary of loading (datagen), or the scale of the runs")
    return _judged(alike, "Loaded and searched are the same." if alike else "Loaded and searched differ.")


def _vector_inserted(run: Run, context: Context) -> Verdict:
    inserted, declared = run.parameters.get("inserted_vectors"), run.parameters.get("num_vectors")
    if inserted is None or declared is None:
        return _missing("the vectors that were declared, or inserted")
    return _judged(inserted == declared, f"{inserted} vectors inserted, of {declared}.")


def _vector_index(run: Run, context: Context) -> Verdict:
    if other := _is_open(run):
        return other
    engine, index = run.parameters.get("engine"), run.parameters.get("index_type")
    if not engine or not index:
        return _missing("the database or the index")
    facts = FACTS["vector_database"]
    return _judged(engine.lower() in facts["engines"] and index.upper() in facts["indexes"], f"{engine}, {index}.")


def _vector_recall(run: Run, context: Context) -> Verdict:
    recalls = [
        measurement
        for measurement in run.measurements
        if (measurement.quantity, measurement.stat) == ("recall", "mean")
    ]
    if not recalls:
        return _missing("the recall of a run")
    return NOT_EVALUATED, f"Recall is {recalls[0].printed_value:.4g}; the rules name no target."


def _vector_reference(run: Run, context: Context) -> Verdict:
    coverage = run.parameters.get("reference_coverage")
    if coverage is None:
        return _missing("result_verdict.json of every run")
    return _judged(coverage == 1, f"{100 * coverage:g} % of the vectors.")


JUDGES: Mapping[str, RuleJudge] = {
    "six-run-folders": _six_run_folders,
    "phases": _phases,
    "steps": _steps,
    "filesystems-apart": _filesystems_apart,
    "equal-hosts": _equal_hosts,
    "checkpoint-ranks": _checkpoint_ranks,
    "checkpoint-size": _checkpoint_size,
    "checkpoint-phases": _checkpoint_phases,
    "checkpoint-count": _checkpoint_count,
    "checkpoint-memory": _checkpoint_memory,
    "checkpoint-gap": _checkpoint_gap,
    "kv-options": _kv_options,
    "kv-trials": _kv_trials,
    "kv-ranks": _kv_ranks,
    "kv-storage": _kv_storage,
    "vector-runs": _vector_runs,
    "vector-loaded": _vector_loaded,
    "vector-inserted": _vector_inserted,
    "vector-index": _vector_index,
    "vector-recall": _vector_recall,
    "vector-reference": _vector_reference,
}
"""Rules of v3.0 alone, by the last word of their code."""
