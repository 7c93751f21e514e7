"""A benchmark's command line taken apart: which program is started, and what its launcher says of ranks and binding.

`mpirun -np 640 --map-by ppr:64:node ior -a MPIIO` starts ior with 640 ranks, 64 on a node.
"""

import os
import re
from collections import namedtuple

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
    "flux": FLUX_OPTIONS,
    "jsrun": {"-p": "ranks", "--np": "ranks", "-b": "binding", "--bind": "binding"},
    "mpiexec": MPI_OPTIONS,
    "mpiexec.hydra": MPI_OPTIONS,
    "mpirun": MPI_OPTIONS,
    "mpirun_rsh": MPI_OPTIONS,
    "orterun": MPI_OPTIONS,
    "prterun": MPI_OPTIONS,
    "srun": SLURM_OPTIONS,
}
# Programs that start the one that follows them.
WRAPPERS = (
    "chrt",
    "env",
    "ionice",
    "nice",
    "nohup",
    "numactl",
    "setarch",
    "stdbuf",
    "sudo",
    "taskset",
    "time",
    "timeout",
)
SHELLS = ("bash", "dash", "ksh", "sh", "zsh")
COUNTS = ("nodes", "ranks", "ranks_per_node")
BINDING = re.compile(r"[a-z0-9_,:-]{1,40}")
PER_RESOURCE = re.compile(r"ppr:(\d{1,6}):node\b")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")

Launch = namedtuple("Launch", "program told")
Launch.__doc__ = """`program` is the word that names the benchmark; `told` what its launchers say.

{nodes, ranks, ranks_per_node: numbers, binding, mapping: words}, each only where it is said."""


def unwrapped(argv, is_program):
    """The Launch of a command line; `is_program(word)` says whether a word names a program that is there.

    Options that launchers do not share are many; so behind a launcher the program is the first word that is one.
    """
    told, rest = {}, list(argv)
    while rest:
        name = os.path.basename(rest[0])
        following = words_after(rest)
        if name not in LAUNCHERS and name not in WRAPPERS and name not in SHELLS:
            break
        start = next((place for place in following if is_program(rest[place])), None)
        if start is None:
            break
        told.update(said_by(rest[1:start], LAUNCHERS.get(name, {})))
        rest = rest[start:]
    return Launch(rest[0] if rest else "", told)


def words_after(argv):
    """The places of the words behind the first that could be a program."""
    return [
        place for place in range(1, len(argv)) if not argv[place].startswith("-") and not ASSIGNMENT.match(argv[place])
    ]


def said_by(words, meanings):
    """{nodes, ranks, ...} of a launcher's options, given as `-n 8`, `--ntasks=8` or `-n8`."""
    told = {}
    for word, following in zip(words, list(words[1:]) + [""]):
        name, sign, value = word.partition("=")
        if name in meanings:
            note(told, meanings[name], value if sign else following)
        elif re.fullmatch(r"-[nN]\d+", word) and word[:2] in meanings:
            note(told, meanings[word[:2]], word[2:])
    return told


def note(told, meaning, value):
    if meaning in COUNTS:
        if re.fullmatch(r"\d{1,9}", value):
            told[meaning] = int(value)
        return
    if BINDING.fullmatch(value):
        told[meaning] = value
    per_node = PER_RESOURCE.match(value)
    if per_node:
        told["ranks_per_node"] = int(per_node.group(1))
