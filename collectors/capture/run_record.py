"""What the document says of a wrapped command: its words, libraries, modules, source, size, and how it ended."""

import os
import re
import time

from collectors.capture import program_libraries, typed_words
from collectors.document import seal
from collectors.node import checkout
from collectors.node.node_access import NodeAccess
from collectors.privacy import leak_filter
from collectors.privacy.profiles import NOT_STRICT_OF_RUN
from collectors.probes import command_line, job

MAX_MODULES_CHARACTERS = 64 * 1024
MODULE_VERSION = re.compile(
    r"\d[\d.]{0,20}[a-z]?(?:-(?:gcc|GCC|gompi|intel|cce|aocc|nvhpc|cuda|rc|mt)-?[\d.]{0,12}){0,3}"
)


def before_run(argv, options, environ):
    """What can be said of a command before it starts."""
    door = NodeAccess("/", test_directory=options.directory, benchmark_argv=argv)

    def is_program(word):
        return door.program(word) is not None

    launch = command_line.unwrap_command(argv, is_program)
    name = launch.program or argv[0]
    place = door.program(name)
    words = typed_words.Words(options.directory).type_all(argv, is_program)
    libraries = libraries_of(door, place, argv, name, environ) if place else None
    launcher = next((word["text"] for word in words if word["kind"] == "launcher"), None)
    record = {
        "command": os.path.basename(name)[:120],
        "sha256": door.sha256(place).text if place else None,
        "launcher": launcher,
        "arguments": words,
        "libraries": libraries,
        "source": checkout.source_of_program(door, place, environ.get("HOME")) if place else None,
    }
    record.update(extent(door.environment, launch, launcher, words, libraries is not None))
    record.update(loaded_modules(environ.get("LOADEDMODULES", "")))
    return {
        field: value
        for field, value in record.items()
        if value not in (None, {}) and not (options.profile == "strict" and field in NOT_STRICT_OF_RUN)
    }


def libraries_of(door, place, argv, name, environ):
    """The libraries of the program; only their names where the command tells the loader of other places."""
    libraries = program_libraries.libraries_of(door, place, environ)
    if libraries is None or not command_line.sets_libraries(argv, name):
        return libraries
    return [{"name": entry["name"], "file": entry["file"]} for entry in libraries]


def extent(environment, launch, launcher, words, is_binary):
    """{nodes, tasks, and where each is from}: the launcher's options, the job, or that there is neither of them."""
    counts = job.counts(environment, launch.told)
    if launcher is None and is_binary and is_local(launch.program, words):
        alone = {"nodes": 1, "nodes_from": "no launcher"}
        is_mpi = command_line.known_program(launch.program) in ("ior", "mdtest")
        return dict(alone, tasks=1, tasks_from="no launcher") if is_mpi else alone
    of_job = job.counts(environment, {})
    is_part = "nodes" not in launch.told and counts.get("ranks") != of_job.get("ranks")
    found_counts = {"nodes": None if is_part else counts.get("nodes"), "tasks": counts.get("ranks")}
    if is_part and "ranks_per_node" in launch.told:
        found_counts["nodes"] = job.derive_third_count({key: launch.told[key] for key in job_counts(launch.told)}).get(
            "nodes"
        )
    record = {}
    meanings = {"nodes": {"nodes", "ranks_per_node"}, "tasks": {"ranks", "ranks_per_node"}}
    for name, said_by_launcher in meanings.items():
        if found_counts[name]:
            is_told = bool(said_by_launcher & set(launch.told))
            record.update({name: found_counts[name], name + "_from": "command line" if is_told else "job"})
    return record


def job_counts(told_by_launcher):
    return [name for name in command_line.COUNTS if name in told_by_launcher]


def is_local(program, words):
    """Whether a program that is known works on the node where it is started, as it was not given others."""
    is_known = command_line.known_program(program) in typed_words.TABLE["local_programs"]
    return is_known and not any(word["kind"] == "hosts" for word in words)


def loaded_modules(text):
    """{modules, modules_not_listed}: name/version of modules of compilers, MPI and I/O; how many others there are."""
    if len(text) > MAX_MODULES_CHARACTERS:
        text = text[:MAX_MODULES_CHARACTERS].rpartition(":")[0]
    entries = [entry for entry in text.split(":") if entry]
    names = []
    for entry in entries:
        name, _slash, version = entry.partition("/")
        if name in typed_words.TABLE["modules"]:
            is_plain = MODULE_VERSION.fullmatch(version) and not leak_filter.is_identifying(version)
            names.append(name + "/" + version if is_plain else name)
    if not entries:
        return {}
    return {"modules": list(dict.fromkeys(names)), "modules_not_listed": len(entries) - len(names)}


def after_run(record, ended):
    """The record with how the command ended."""
    end = {
        "exit_status": ended.exit_status,
        "signal": ended.signal,
        "started": utc(ended.started_s),
        "ended": utc(ended.ended_s),
        "duration_s": round(ended.duration_s, 3),
    }
    return dict(record, **{name: value for name, value in end.items() if value is not None})


def with_files(record, folder, leave_out):
    """The record with what the command wrote, sealed."""
    files, left_over = folder.sealed(leave_out)
    record = dict(record, files=files)
    if left_over:
        record["files_not_sealed"] = left_over
    return seal.with_seal(record)


def utc(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
