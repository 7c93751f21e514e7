"""The recipe of training and checkpoints: the overrides of DLIO that each run recorded, as commands of DLIO.

MLPerf Storage starts DLIO with these overrides. Its own command line is recorded nowhere, and changed between releases,
during v3.0 as well. Runs of kv_cache and vector_database record no options that a command could be made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from validators import recipes
from validators.recipes import LEFT_OUT, TESTDIR, Facts, GivenOptions, Missing, Program
from validators.recipes.data_set import DataSet

WORKLOADS = "$WORKLOADS"
_PLACES = {"dataset.data_folder": f"{TESTDIR}/data", "checkpoint.checkpoint_folder": f"{TESTDIR}/checkpoints"}
_MOST_RUNS = 20
_NAME = re.compile(
    r"(?:dataset|reader|checkpoint|train|workflow|profiling|storage|framework|model|metric)\.[\w.]{1,60}"
)
_WORKLOAD = re.compile(r"[a-z0-9]{1,20}(?:_[a-z0-9]{1,10}){0,3}", re.ASCII)
_PREFIX, _OUTPUT = "++workload.", "hydra."
"""How an override of the workload begins, and one that says where Hydra writes."""
_WORDS = frozenset(
    [
        "none",
        "local_fs",
        "s3",
        "object_file",
        "pytorch",
        "tensorflow",
        "npz",
        "tfrecord",
        "hdf5",
        "jpeg",
        "parquet",
        "default",
    ]
)
_PARAMETERS = {
    "num_files_train": "dataset.num_files_train", "num_subfolders_train": "dataset.num_subfolders_train",
    "read_threads": "reader.read_threads", "computation_threads": "reader.computation_threads",
    "transfer_size": "reader.transfer_size", "prefetch_size": "reader.prefetch_size", "odirect": "reader.odirect",
    "checkpoints_written": "checkpoint.num_checkpoints_write", "checkpoints_read": "checkpoint.num_checkpoints_read",
}  # fmt: skip
"""The overrides of parameters that results show."""
_WRAPPER = Missing(
    "command line of MLPerf Storage",
    "Runs record the overrides that it gave to DLIO, and not how it was started.",
    "What it does before and after DLIO, such as dropping caches.",
)
_SOME_RUNS = Missing(
    "options of some runs", "Not every folder of a run has its overrides.yaml.", "What these runs measured."
)
_SOME_OPTIONS = Missing(
    "other options", "No overrides.yaml is known; options shown here are those of the result.", "Every rate."
)
_NO_COMMAND = Missing(
    "command line", "Runs of this kind record no options that a command could be made of.", "Everything."
)
_CONFIGURATIONS = "Folder of DLIO's configuration in MLPerf Storage of this release: it has the workloads."


def find_options(runs: Iterable[Mapping[str, str]]) -> GivenOptions | None:
    """What the overrides of each run give, {} for a run without; None where no run has any.

    Runs one after the other with equal overrides are one row.
    """
    rows: list[dict[str, Any]] = []
    left_out: set[str] = set()
    listed = list(runs)
    for overrides in listed[:_MOST_RUNS]:
        row = _read_overrides(overrides, left_out) if overrides else None
        if row and rows and {**rows[-1], "runs": 1} == row:
            rows[-1]["runs"] += 1
        elif row:
            rows.append(row)
    count = sum(row["runs"] for row in rows)
    return {"rows": rows, "is_partial": count < len(listed), LEFT_OUT: sorted(left_out)} if rows else None


def _read_overrides(overrides: Mapping[str, str], left_out: set[str]) -> dict[str, Any] | None:
    """The workload and the public settings of one run; None without a workload."""
    workload = overrides.get("workload", "").strip()
    if not _WORKLOAD.fullmatch(workload):
        return None
    settings: dict[str, str | None] = {}
    for name, value in overrides.items():
        short, text = name.removeprefix("workload."), value.strip().strip("'")
        if name == "workload":
            continue
        if short in _PLACES:
            settings[short] = None
        elif _NAME.fullmatch(short) and text and recipes.is_public(text, _WORDS):
            settings[short] = text
        else:
            left_out.add(short if _NAME.fullmatch(short) else "an option with an unusual name")
    return {"workload": workload, "settings": settings, "runs": 1}


def write_program(facts: Facts, given_options: GivenOptions | None) -> Program:
    """A command that makes the data, and one for each run; of an older result, with the options that it shows."""
    if facts.mode not in ("training", "checkpointing"):
        return Program(missing=[_NO_COMMAND])
    is_complete = given_options is not None and not given_options["is_partial"]
    stored = given_options or _stored_options(facts)
    if stored is None:
        return Program(missing=[recipes.UNKNOWN_COMMAND])
    missing = [*recipes.values_missing(stored), _WRAPPER]
    missing += [] if is_complete else [_SOME_RUNS if given_options else _SOME_OPTIONS]
    commands: dict[str, list[str]] = {}
    for row in stored["rows"]:
        if facts.mode == "training" and not commands:
            changes = {"workflow.generate_data": "True", "workflow.train": "False"}
            commands["data"] = _write_command(row, changes, f"{TESTDIR}/log")
        for _ in range(row["runs"]):
            number = len(commands) + (facts.mode == "checkpointing")
            commands[f"run {number}"] = _write_command(row, {}, f"{TESTDIR}/results/run-{number}")
    accelerators = facts.parameters.get("num_accelerators")
    return Program(
        commands=commands,
        missing=missing,
        unknown={WORKLOADS: _CONFIGURATIONS},
        is_complete=is_complete,
        processes=accelerators if isinstance(accelerators, int) else None,
    )


def _write_command(row: Mapping[str, Any], changes: Mapping[str, str], output: str) -> list[str]:
    settings = {**row["settings"], **changes}
    texts = {name: _PLACES[name] if value is None else value for name, value in settings.items()}
    return [
        "dlio_benchmark",
        f"--config-dir={WORKLOADS}",
        f"workload={row['workload']}",
        *(f"{_PREFIX}{name}={text}" for name, text in texts.items()),
        f"hydra.run.dir={output}",
        "hydra.output_subdir=configs",
    ]


def read_options(program: Program) -> GivenOptions | None:
    """The options that the commands of the runs give."""
    runs = [_split_command(words) for step, words in program.commands.items() if step.startswith("run")]
    options = find_options(runs)
    return options and {"rows": options["rows"], "is_partial": _SOME_RUNS in program.missing}


def _split_command(words: list[str]) -> dict[str, str]:
    pairs = (word.removeprefix(_PREFIX).partition("=") for word in words[2:] if not word.startswith(_OUTPUT))
    return {name: value for name, _, value in pairs}


def size_data_set(facts: Facts, given_options: GivenOptions) -> DataSet:
    """What results tell of it: files and their size stand in a result, and not in its options."""
    return DataSet(None, "files and samples are of the size that the workload has")


def _stored_options(facts: Facts) -> GivenOptions | None:
    """The options that a result shows beside its figures; None where it does not say its model."""
    model, accelerator = facts.parameters.get("model"), facts.parameters.get("accelerator")
    words = [str(model).replace("-", "_"), *([str(accelerator)] if accelerator else [])]
    values = facts.parameters
    settings = {name: str(values[parameter]) for parameter, name in _PARAMETERS.items() if parameter in values}
    row = _read_overrides({"workload": "_".join(words), **settings}, set()) if model and model != "unknown" else None
    return {"rows": [row], "is_partial": True, LEFT_OUT: []} if row else None
