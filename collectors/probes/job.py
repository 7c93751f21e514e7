"""The job: nodes, ranks, binding, and variables that shape I/O. Node lists, accounts and partitions are never told."""

import re

from collectors.node.commands import MAX_VARIABLE_CHARACTERS
from collectors.probe_results import Fact, Missing, Section
from collectors.probes import Probe, command_line

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

COUNT_VARIABLES = frozenset(NODES + RANKS + RANKS_PER_NODE) | frozenset(
    """
    SLURM_CPUS_PER_TASK SLURM_CPUS_ON_NODE SLURM_THREADS_PER_CORE NCPUS LSB_MAX_NUM_PROCESSORS OMP_NUM_THREADS
    MPICH_MPIIO_CB_ALIGN MPICH_MPIIO_DVS_MAXNODES MPICH_MPIIO_HINTS_DISPLAY MPICH_MPIIO_STATS ROMIO_PRINT_HINTS
    I_MPI_EXTRA_FILESYSTEM FI_CXI_DEFAULT_CQ_SIZE UCX_IB_SL UCX_MAX_RNDV_RAILS D_IL_REPORT D_IL_MAX_EQ
    D_IL_COMPATIBLE D_IL_ENFORCE_EXEC_ENV CRT_TIMEOUT
    """.split()
)
WORD_VARIABLES = frozenset(
    """
    SLURM_CPU_BIND SLURM_CPU_BIND_TYPE SLURM_DISTRIBUTION SLURM_MPI_TYPE SLURM_HINT OMPI_MCA_io OMPI_MCA_pml
    OMPI_MCA_btl OMPI_MCA_mtl OMPI_MCA_osc OMPI_MCA_fs OMPI_MCA_fbtl OMPI_MCA_fcoll MPICH_OFI_NIC_POLICY I_MPI_FABRICS
    I_MPI_PIN_DOMAIN FI_PROVIDER FI_CXI_RX_MATCH_MODE UCX_TLS UCX_RNDV_THRESH OMP_PLACES OMP_PROC_BIND DAOS_MOUNT_TYPE
    D_PROVIDER CRAY_MPICH_VERSION
    """.split()
)
COUNT = re.compile(r"\d{1,9}")
EVEN = re.compile(r"(\d{1,9})(\(x\d{1,9}\))?")
# Lists of short lower-case words, as transports, components and bindings are; constants of a library in capitals.
WORDS = re.compile(r"\^?[a-z0-9_.]{1,20}([,:;+ ][a-z0-9_.]{1,20}){0,15}")
CONSTANTS = ("BLOCK", "FALSE", "GPU", "NUMA", "ROUND-ROBIN", "TRUE", "USER")
MASKS = re.compile(r"[,:]?(mask_cpu|map_cpu|mask_ldom|map_ldom):[0-9A-Fa-fx,*]+")


def counts(environment, told):
    """{nodes, ranks, ranks_per_node} of the job; `told` is what the command line says, which is nearer to the run."""
    found = {
        "nodes": first_count(environment, NODES) or lsf_nodes(environment),
        "ranks": first_count(environment, RANKS),
        "ranks_per_node": first_count(environment, RANKS_PER_NODE) or even_tasks(environment),
    }
    if told.keys() & {"ranks", "ranks_per_node"}:
        found.update(ranks=None, ranks_per_node=None)
    found.update({name: told[name] for name in found if name in told})
    return completed({name: value for name, value in found.items() if value})


def completed(found):
    """With the third number where two are known and agree."""
    nodes, ranks, per_node = (found.get(name) for name in ("nodes", "ranks", "ranks_per_node"))
    if ranks and nodes and not per_node and ranks % nodes == 0:
        found["ranks_per_node"] = ranks // nodes
    elif nodes and per_node and not ranks:
        found["ranks"] = nodes * per_node
    elif ranks and per_node and not nodes and ranks % per_node == 0:
        found["nodes"] = ranks // per_node
    return found


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


def placement(environment, told):
    """How ranks lie on cores, such as `cpu-bind=cores distribution=block:cyclic`; empty where nothing says so."""
    names = {"SLURM_CPU_BIND": "cpu-bind", "SLURM_DISTRIBUTION": "distribution"}
    said = [(name, shown(name, environment[name])) for name in BINDINGS if name in environment]
    pairs = [(names.get(name, name), value) for name, value in said if value]
    pairs += [(name, told[name]) for name in ("binding", "mapping") if name in told]
    return " ".join(name + "=" + value for name, value in pairs)


def shown_environment(environment):
    """The variables that may be told, with values of the form they should have; any other value is only `set`."""
    names = sorted((COUNT_VARIABLES | WORD_VARIABLES) & set(environment))
    return {name: shown(name, environment[name]) or "set" for name in names}


def shown(name, value):
    """A variable's value if it has the form of its kind, without masks of single cores; else an empty text."""
    if name in COUNT_VARIABLES:
        return value if COUNT.fullmatch(value) else ""
    short = MASKS.sub(lambda match: match.group(0).split(":")[0], value)
    return short if short in CONSTANTS or WORDS.fullmatch(short) else ""


class JobProbe(Probe):
    id = "job"
    provides = ("job.nodes_ppn", "job.placement")
    roles = ("client",)
    reads = tuple("$" + name for name in sorted(COUNT_VARIABLES | WORD_VARIABLES | {TASKS_PER_NODE, LSF_HOSTS}))
    reads += ("the command line behind `run --`",)

    def read(self, door):
        argv = door.benchmark_argv or []
        launch = command_line.unwrapped(argv, lambda word: door.program(word) is not None)
        return {"environment": door.environment, "told": launch.told}

    def parse(self, raw):
        environment, told = raw["environment"], raw["told"]
        found = counts(environment, told)
        source = "derived" if told else "env"
        for name in sorted(found):
            yield Fact("job.nodes_ppn", found[name], source, name)
        if not found:
            yield Missing("job.nodes_ppn", "not_applicable", "not in a job")
        binding = placement(environment, told)
        if binding:
            yield Fact("job.placement", binding, source)
        else:
            yield Missing("job.placement", "not_applicable", "no binding set")
        values = dict(found, binding=binding, environment=shown_environment(environment))
        if any(values.values()):
            yield Section("job", {name: value for name, value in values.items() if value})


PROBES = (JobProbe(),)
