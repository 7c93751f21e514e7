"""The job: nodes, ranks, binding, and variables that shape I/O. Node lists, accounts and partitions are never told."""

import re

from collectors.node import io_environment
from collectors.node.commands import MAX_VARIABLE_CHARACTERS
from collectors.node.io_environment import HINT
from collectors.probe_results import Fact, Missing, Section
from collectors.probes import Probe, command_line
from collectors.probes.mpi import HINT_NAMES, HINT_VALUE

# Where each scheduler or launcher says it; the first that is set counts.
NODES = ("SLURM_JOB_NUM_NODES", "SLURM_NNODES", "PBS_NUM_NODES", "FLUX_JOB_NNODES")
RANKS = (
    "SLURM_NTASKS",
    "SLURM_NPROCS",
    "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE",
    "JSM_NAMESPACE_SIZE",
    "PBS_NP",
    "FLUX_JOB_SIZE",
    "LSB_DJOB_NUMPROC",
)
RANKS_PER_NODE = (
    "SLURM_NTASKS_PER_NODE",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "MPI_LOCALNRANKS",
    "PMI_LOCAL_SIZE",
    "JSM_NAMESPACE_LOCAL_SIZE",
    "PBS_NUM_PPN",
)
# `64(x10)` or `64(x9),32`: only even distributions have one number.
TASKS_PER_NODE = "SLURM_TASKS_PER_NODE"
# `node1 16 node2 16`: counted here, never told.
LSF_HOSTS = "LSB_MCPU_HOSTS"
BINDINGS = ("SLURM_CPU_BIND", "SLURM_DISTRIBUTION", "I_MPI_PIN_DOMAIN", "OMP_PROC_BIND", "OMP_PLACES")

COUNT_VARIABLES = frozenset(NODES + RANKS + RANKS_PER_NODE) | io_environment.NUMBERS
WORD_VARIABLES = io_environment.WORDS
SHOWN_VARIABLES = COUNT_VARIABLES | io_environment.NAMES
COUNT = re.compile(r"\d{1,9}")
NUMBER = re.compile(r"-?\d{1,12}")
SIZE = re.compile(r"\d{1,12}(?:\.\d{1,3})?[kKmMgGtT]?i?[bB]?")
EVEN = re.compile(r"(\d{1,9})(\(x\d{1,9}\))?")
# Lists of short lower-case words, as transports, components and bindings are; constants of a library in capitals.
WORDS = re.compile(r"\^?[a-z0-9_.]{1,20}([,:;+ ][a-z0-9_.]{1,20}){0,15}")
CONSTANTS = ("BLOCK", "FALSE", "GPU", "NUMA", "ROUND-ROBIN", "TRUE", "USER")
MASKS = re.compile(r"[,:]?(mask_cpu|map_cpu|mask_ldom|map_ldom):[0-9A-Fa-fx,*]+")


def counts(environment, launch_options):
    """{nodes, ranks, ranks_per_node} of the job; `launch_options`, of the command line, are nearer to the run."""
    job_counts = {
        "nodes": first_count(environment, NODES) or lsf_nodes(environment),
        "ranks": first_count(environment, RANKS),
        "ranks_per_node": first_count(environment, RANKS_PER_NODE) or even_tasks(environment),
    }
    if launch_options.keys() & {"ranks", "ranks_per_node"}:
        job_counts.update(ranks=None, ranks_per_node=None)
    job_counts.update({name: launch_options[name] for name in job_counts if name in launch_options})
    return derive_third_count({name: value for name, value in job_counts.items() if value})


def derive_third_count(job_counts):
    """With the third number where two are known and agree."""
    nodes, ranks, per_node = (job_counts.get(name) for name in ("nodes", "ranks", "ranks_per_node"))
    if ranks and nodes and not per_node and ranks % nodes == 0:
        job_counts["ranks_per_node"] = ranks // nodes
    elif nodes and per_node and not ranks:
        job_counts["ranks"] = nodes * per_node
    elif ranks and per_node and not nodes and ranks % per_node == 0:
        job_counts["nodes"] = ranks // per_node
    return job_counts


def first_count(environment, names):
    return next((int(environment[name]) for name in names if COUNT.fullmatch(environment.get(name, ""))), None)


def even_tasks(environment):
    match = EVEN.fullmatch(environment.get(TASKS_PER_NODE, ""))
    return int(match.group(1)) if match else None


def lsf_nodes(environment):
    """The number of hosts in LSB_MCPU_HOSTS; None where it is not all there."""
    text = environment.get(LSF_HOSTS, "")
    is_whole = re.fullmatch(r"(\S+ +\d+( +|$))+", text) and len(text) < MAX_VARIABLE_CHARACTERS
    return len(set(text.split()[0::2])) if is_whole else None


def placement(environment, launch_options):
    """How ranks lie on cores, such as `cpu-bind=cores distribution=block:cyclic`; empty where nothing says so."""
    names = {"SLURM_CPU_BIND": "cpu-bind", "SLURM_DISTRIBUTION": "distribution"}
    bindings = [(name, publishable_value(name, environment[name])) for name in BINDINGS if name in environment]
    pairs = [(names.get(name, name), value) for name, value in bindings if value]
    pairs += [(name, launch_options[name]) for name in ("binding", "mapping") if name in launch_options]
    return " ".join(name + "=" + value for name, value in pairs)


def publishable_environment(environment):
    """The variables that may be told, with values of the form they should have; any other value is only `set`."""
    hints = {name: match.group(1) for name, match in ((name, HINT.fullmatch(name)) for name in environment) if match}
    names = SHOWN_VARIABLES & set(environment) | {name for name, hint in hints.items() if hint in HINT_NAMES}
    return {name: publishable_value(name, environment[name]) or "set" for name in sorted(names)}


def publishable_value(name, value):
    """A variable's value if it has the form of its kind, without masks of single cores; else an empty text."""
    if name in io_environment.ONLY_SET:
        return ""
    if HINT.fullmatch(name):
        return value if HINT_VALUE.fullmatch(value) else ""
    if name in SHOWN_VARIABLES - WORD_VARIABLES:
        return value if (SIZE if name in io_environment.SIZES else NUMBER).fullmatch(value) else ""
    short = MASKS.sub(lambda match: match.group(0).split(":")[0], value)
    return short if short in CONSTANTS or WORDS.fullmatch(short) else ""


class JobProbe(Probe):
    id = "job"
    provides = ("job.nodes_ppn", "job.placement")
    roles = ("client",)
    reads = tuple("$" + name for name in sorted(SHOWN_VARIABLES | {TASKS_PER_NODE, LSF_HOSTS}))
    reads += ("the command line behind `run --`",)

    def read(self, door):
        argv = door.benchmark_argv or []
        launch = command_line.unwrap_command(argv, lambda word: door.program(word) is not None)
        return {"environment": door.environment, "told": launch.told}

    def parse(self, raw):
        environment, launch_options = raw["environment"], raw["told"]
        job_counts = counts(environment, launch_options)
        source = "derived" if launch_options else "env"
        for name in sorted(job_counts):
            yield Fact("job.nodes_ppn", job_counts[name], source, name)
        if not job_counts:
            yield Missing("job.nodes_ppn", "not_applicable", "not in a job")
        binding = placement(environment, launch_options)
        if binding:
            yield Fact("job.placement", binding, source)
        else:
            yield Missing("job.placement", "not_applicable", "no binding set")
        values = dict(job_counts, binding=binding, environment=publishable_environment(environment))
        if any(values.values()):
            yield Section("job", {name: value for name, value in values.items() if value})


PROBES = (JobProbe(),)
