"""A benchmark's command line taken apart: which program is started, and what its launcher says of ranks and binding.

`mpirun -np 640 --map-by ppr:64:node ior -a MPIIO` starts ior with 640 ranks, 64 on a node.
"""

import json
import os
import pkgutil
import re
import shlex
from collections import namedtuple

# Options of launchers, and of benchmarks, by the kind of their value.
TABLE = json.loads(pkgutil.get_data("collectors", "data/command-words.1.json").decode("utf-8"))

# Options with a value that tell of ranks, by launcher: what each says.
MPI_OPTIONS = {
    "-n": "ranks",
    "-np": "ranks",
    "--np": "ranks",
    "--n": "ranks",
    "-N": "ranks_per_node",
    "-ppn": "ranks_per_node",
    "--ppn": "ranks_per_node",
    "-npernode": "ranks_per_node",
    "--npernode": "ranks_per_node",
    "-perhost": "ranks_per_node",
    "--bind-to": "binding",
    "-bind-to": "binding",
    "--cpu-bind": "binding",
    "--map-by": "mapping",
    "-map-by": "mapping",
}
SLURM_OPTIONS = {
    "-n": "ranks",
    "--ntasks": "ranks",
    "-N": "nodes",
    "--nodes": "nodes",
    "--ntasks-per-node": "ranks_per_node",
    "--tasks-per-node": "ranks_per_node",
    "--cpu-bind": "binding",
    "--cpu_bind": "binding",
    "-m": "mapping",
    "--distribution": "mapping",
}
FLUX_OPTIONS = {
    "-n": "ranks",
    "--ntasks": "ranks",
    "-N": "nodes",
    "--nodes": "nodes",
    "--tasks-per-node": "ranks_per_node",
}
APRUN_OPTIONS = {"-n": "ranks", "-N": "ranks_per_node", "-cc": "binding"}
LAUNCHERS = {
    "aprun": APRUN_OPTIONS,
    "ccc_mprun": {"-n": "ranks", "-N": "nodes"},
    "flux": FLUX_OPTIONS,
    "ibrun": {"-n": "ranks", "-np": "ranks"},
    "jsrun": {"-p": "ranks", "--np": "ranks", "-b": "binding", "--bind": "binding"},
    "lrun": {"-n": "ranks", "-N": "nodes", "-T": "ranks_per_node"},
    "mpiexec": MPI_OPTIONS,
    "mpiexec.hydra": MPI_OPTIONS,
    "mpirun": MPI_OPTIONS,
    "mpirun_rsh": MPI_OPTIONS,
    "orterun": MPI_OPTIONS,
    "prterun": MPI_OPTIONS,
    # -N is nodes to one prun and ranks on a node to another.
    "prun": {"-n": "ranks", "-np": "ranks", "--np": "ranks"},
    "srun": SLURM_OPTIONS,
}
# Programs that start the one that follows them, and their options whose value is the next word.
WRAPPERS = {
    "cgexec": "-g",
    "chrt": "-T -P -D",
    "env": "-u --unset -C --chdir",
    "gdb": "-x -ex",
    "hwloc-bind": "",
    "ionice": "-c -n --class --classdata",
    "likwid-pin": "-c -t -s",
    "ltrace": "-e -o -u",
    "nice": "-n --adjustment",
    "nohup": "",
    "nsys": "-o -t --output --trace -s --sample",
    "numactl": "-C -N -P -m -i -p --physcpubind --cpunodebind --membind --interleave --preferred",
    "perf": "-e -o -F -C -p -t",
    "prlimit": "",
    "setarch": "",
    "stdbuf": "-i -o -e",
    "strace": "-e -o -p -s -u -P -O -S",
    "sudo": "-u -g -h -p -C -D -R -T -U --user --group",
    "taskset": "",
    "time": "-f -o --format --output",
    "timeout": "-s -k --signal --kill-after",
    "unshare": "",
    "valgrind": "",
}
# Of these the first word is what they shall do.
WITH_VERB = ("flux", "nsys", "perf")
# What runs a text that is not looked into: nothing that its own file says holds for the benchmark.
INTERPRETERS = re.compile(
    r"(?:bash|dash|ksh|sh|zsh|csh|tcsh|fish|python[\d.]*|perl|ruby|node|java|julia|Rscript|mlpstorage|dlio_benchmark)"
)
CONTAINERS = frozenset(
    "apptainer charliecloud ch-run docker enroot nerdctl podman sarus shifter singularity udocker".split()
)
SHELLS = ("bash", "dash", "ksh", "sh", "zsh")
# Signs that a shell makes something else of.
SHELL_SIGNS = re.compile(r"[;&|<>()$`*?\[\]{}~#!\\\n]")
# `ior-4.0`, `fio.bin` and `io500-isc23` are the programs that their names begin with.
SUFFIX = re.compile(r"[-_.].{0,40}")
LOADER_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD")
LOADER_SET = re.compile(r"(?<![A-Za-z0-9_])(?:LD_LIBRARY_PATH|LD_PRELOAD)=")
COUNTS = ("nodes", "ranks", "ranks_per_node")
BINDING = re.compile(r"[a-z0-9_,:-]{1,40}")
PER_RESOURCE = re.compile(r"ppr:(\d{1,6}):node\b")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")

Launch = namedtuple("Launch", "program told")
Launch.__doc__ = """`program` is the word that names the benchmark; `told` what its launchers say.

{nodes, ranks, ranks_per_node: numbers, binding, mapping: words}, each only where it is said."""


def unwrap_command(argv, is_program):
    """The Launch of a command line; `is_program(word)` says whether a word names a program that is there.

    Options that launchers do not share are many; so behind a launcher the program is the first word that is one.
    """
    launch_options, rest = {}, list(argv)
    while rest:
        name = os.path.basename(rest[0])
        text = words_for_shell(rest)
        start = 0 if text else place_of_program(rest, is_program)
        if start is None:
            break
        rest = text or rest
        launch_options.update(read_launch_options(rest[1:start], LAUNCHERS.get(name, {})))
        if name in LAUNCHERS and ":" in rest[start:]:
            # Several programs, each with counts of its own.
            launch_options = {option: value for option, value in launch_options.items() if option not in COUNTS}
        rest = rest[start:]
    return Launch(rest[0] if rest else "", launch_options)


def words_for_shell(argv):
    """The words of `ior -w` in `bash -c "ior -w"`: a shell that is handed one plain command; None for all else."""
    if len(argv) != 3 or os.path.basename(argv[0]) not in SHELLS or argv[1] != "-c" or SHELL_SIGNS.search(argv[2]):
        return None
    try:
        words = shlex.split(argv[2])
    except ValueError:
        return None
    return words if len(words) > 1 and not ASSIGNMENT.match(words[0]) else None


def place_of_program(argv, is_program):
    """The place of the program that a launcher, wrapper or shell starts; None where there is none, or it is not one.

    What belongs to an option that takes a value is none: in `srun -J test ./ior` not `test`, in `--map-by node` not
    Node.js. Behind an option that nobody knows a benchmark that is known goes before other programs.
    """
    name = os.path.basename(argv[0])
    if name not in LAUNCHERS and name not in WRAPPERS and name not in SHELLS:
        return None
    known_options = kinds_of_options(name)
    places, first_free = [], 2 if name in WITH_VERB else 1
    for place in range(1, len(argv)):
        word, before = argv[place], argv[place - 1]
        if word in known_options:
            first_free = place + 1 + number_of_values(known_options[word])
        if place < first_free or word.startswith("-") or ASSIGNMENT.match(word) or not is_program(word):
            continue
        places.append(place)
        is_behind_unknown = before.startswith("-") and "=" not in before and not is_known_option(before, known_options)
        if not is_behind_unknown or "/" in word:
            break
    return next((place for place in places if is_well_known(argv[place])), places[0] if places else None)


def is_known_option(word, known_options):
    """Whether an option is known, also with its value attached: `-n4`."""
    return word in known_options or (word[:2] in known_options and word[2:].isdigit())


def is_well_known(word):
    """Whether a word starts a benchmark, or what starts one: `mpirun` in `sudo -E mpirun -np 64 ior`."""
    name = os.path.basename(word)
    return bool(known_program(word)) or any(name in starters for starters in (LAUNCHERS, WRAPPERS, CONTAINERS))


def number_of_values(kind):
    """How many of the words behind an option belong to it."""
    return 1 if isinstance(kind, list) else 0 if kind == "flag" else len(kind.split(" "))


def kinds_of_options(name):
    """The options of a launcher or wrapper by the kind of their value: `flag` has none."""
    if name in WRAPPERS:
        return dict.fromkeys(WRAPPERS[name].split(), "text")
    return TABLE["launchers"].get(TABLE["launcher_aliases"].get(name, name), {})


def known_program(word):
    """The name of the program in the table that a word starts, such as `ior` for /opt/ior-4.0; empty for any other."""
    name = os.path.basename(word).lower()
    for known_name in TABLE["programs"]:
        if name == known_name or (name.startswith(known_name) and SUFFIX.fullmatch(name[len(known_name) :])):
            return known_name
    return ""


def sets_libraries(argv, program):
    """Whether the words before the program tell the loader of other places for its libraries than this process has."""
    before = argv[: argv.index(program)] if program in argv else argv
    return any(LOADER_SET.search(word) for word in before) or any(
        option in ("-genv", "-env") and word in LOADER_VARIABLES for option, word in zip(before, before[1:])
    )


def read_launch_options(words, meanings):
    """{nodes, ranks, ...} of a launcher's options, given as `-n 8`, `--ntasks=8` or `-n8`."""
    launch_options = {}
    for word, following in zip(words, list(words[1:]) + [""]):
        name, sign, value = word.partition("=")
        if name in meanings:
            note_option(launch_options, meanings[name], value if sign else following)
        elif re.fullmatch(r"-[nN]\d+", word) and word[:2] in meanings:
            note_option(launch_options, meanings[word[:2]], word[2:])
    return launch_options


def note_option(launch_options, meaning, value):
    if meaning in COUNTS:
        if re.fullmatch(r"\d{1,9}", value):
            launch_options[meaning] = int(value)
        return
    if BINDING.fullmatch(value):
        launch_options[meaning] = value
    per_node = PER_RESOURCE.match(value)
    if per_node:
        launch_options["ranks_per_node"] = int(per_node.group(1))
