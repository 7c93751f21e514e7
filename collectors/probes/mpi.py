"""MPI: library, MPI-IO hints, aggregators, lock-ahead, and libraries that are loaded before the program's own."""

import re

from collectors.probe_results import Fact, Missing, Section
from collectors.probes import Probe, input_parsing

HINTS = "MPICH_MPIIO_HINTS"
HINTS_FILE = "ROMIO_HINTS"
PRELOAD = "LD_PRELOAD"
VERSION = ["mpirun", "--version"]
COMPONENTS = ("OMPI_MCA_io", "OMPI_MCA_fs", "OMPI_MCA_fcoll", "OMPI_MCA_fbtl")

VARIABLES = (HINTS, HINTS_FILE, PRELOAD, "CRAY_MPICH_VERSION", "OMPI_COMM_WORLD_SIZE") + COMPONENTS

# cb_config_list is not here: it names hosts.
HINT_NAMES = frozenset(
    """
    access_style aggregation_style cb_align cb_block_size cb_buffer_size cb_nodes chunked collective_buffering
    cray_cb_nodes_multiplier cray_cb_write_lock_mode cray_fileoff_based_aggr cray_irecv cray_lock_ahead_num_extents
    cray_lock_ahead_read_extents cray_lock_ahead_write_extents daos_chunk_size daos_oclass direct_io direct_read
    direct_write ind_rd_buffer_size ind_wr_buffer_size nb_proc overstriping_factor romio_cb_alltoall
    romio_cb_ds_threshold romio_cb_fr_alignment romio_cb_fr_types romio_cb_pfr romio_cb_read romio_cb_write
    romio_daos_chunk_size romio_daos_obj_class romio_ds_read romio_ds_write romio_lustre_co_ratio
    romio_lustre_coll_threshold romio_lustre_ds_in_coll romio_lustre_start_iodevice romio_no_indep_rw
    romio_synchronized_flush romio_visibility_immediate start_iodevice striping_factor striping_pattern striping_unit
    """.split()
)
HINT_VALUE = re.compile(r"[a-z0-9_]{1,20}")
PATTERN = re.compile(r"[a-z_.*?]*(\d{0,4}[a-z_.*?]+){0,3}")
MAX_PATTERN_CHARACTERS = 32
MAX_PATTERNS = 32
COMPONENT = re.compile(r"\^?[a-z0-9_]{1,20}(,[a-z0-9_]{1,20}){0,7}")

# How `mpirun --version` names each library.
BANNERS = (
    (re.compile(r"^mpirun \(Open MPI\) (\d[\w.-]{0,20})", re.MULTILINE), "Open MPI"),
    (re.compile(r"^mpirun \(IBM Spectrum MPI\) (\d[\w.-]{0,20})", re.MULTILINE), "IBM Spectrum MPI"),
    (
        re.compile(r"^Intel\(R\) MPI Library for Linux\* OS, Version ([\d.]{1,12}(?: Update \d{1,2})?)", re.MULTILINE),
        "Intel MPI",
    ),
    (re.compile(r"^MVAPICH2? Version:?\s+(\d[\w.-]{0,20})", re.MULTILINE | re.IGNORECASE), "MVAPICH"),
    (re.compile(r"^HYDRA build details:\s+Version:\s+(\d[\w.-]{0,20})", re.MULTILINE), "MPICH"),
)
CRAY_VERSION = re.compile(r"\d{1,2}(\.\d{1,3}){1,3}")
# Libraries known to stand between a program and its I/O or memory; the names of others are a site's own.
INTERCEPTORS = re.compile(
    r"""lib(asan|cufile|darshan|fakeroot|gkfs_(libc_)?intercept|gkfs_user_lib|hermes_(mpiio|posix|stdio)|hugetlbfs|ioil|ipm|
    jemalloc|mpiP|pil4dfs|recorder|scorep_\w{1,30}|tau\w{0,20}|tcmalloc(_minimal)?|unifyfs(_gotcha|_mpi_gotcha)?|vampirtrace|
    vtcs?|wekafs_\w{1,20}|xalt_init)(-\w{1,20})?\.so(\.\d{1,4}){0,3}""",
    re.VERBOSE,
)


def parse_hints(text):
    """[{pattern, hints}] of MPICH_MPIIO_HINTS: `pattern:hint=value:hint=value,pattern:...`; allowed hints only.

    The pattern is one of file names; a path or a name that could tell who runs what becomes `file`.
    """
    found = []
    for part in text.split(",")[:MAX_PATTERNS]:
        pattern, *pairs = part.strip().split(":")
        hints = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        kept = {name: hints[name] for name in sorted(hints) if name in HINT_NAMES and HINT_VALUE.fullmatch(hints[name])}
        if kept:
            found.append({"pattern": shown_pattern(pattern), "hints": kept})
    return found


def shown_pattern(pattern):
    is_harmless = 0 < len(pattern) <= MAX_PATTERN_CHARACTERS and PATTERN.fullmatch(pattern)
    return pattern if is_harmless else "file"


def parse_version(text):
    """`Open MPI 4.1.6` of `mpirun --version`; ValueError for other texts."""
    for pattern, name in BANNERS:
        match = pattern.search(text)
        if match:
            return name + " " + match.group(1)
    raise ValueError("no MPI library that is known")


def preloaded(text):
    """The file names in LD_PRELOAD that are known interception libraries; `other` for each that is not."""
    names = [word.rpartition("/")[2] for word in re.split(r"[: ]+", text) if word]
    return [name if INTERCEPTORS.fullmatch(name) else "other" for name in names[:MAX_PATTERNS]]


def lockahead(hints):
    """Whether collective writes take their locks ahead (mode 2), or None where no hint says so."""
    modes = [entry["hints"].get("cray_cb_write_lock_mode") for entry in hints]
    known = [mode == "2" for mode in modes if mode in ("0", "1", "2")]
    return any(known) if known else None


class MpiProbe(Probe):
    id = "mpi"
    provides = ("mpi.implementation", "mpiio.hints", "mpiio.cb_nodes", "mpiio.lockahead", "bench.mpi_library_preload")
    roles = ("client",)
    reads = (" ".join(VERSION),) + tuple("$" + name for name in VARIABLES)

    def read(self, door):
        return {"environment": door.environment, "version": door.command(VERSION)}

    def parse(self, raw):
        environment = raw["environment"]
        hints = parse_hints(environment.get(HINTS, ""))
        preload = preloaded(environment.get(PRELOAD, ""))
        version = input_parsing.read_as(parse_version, raw["version"])
        library = library_of(environment, version.value)
        if library:
            yield Fact("mpi.implementation", library, "env" if library != version.value else version.source)
        else:
            yield input_parsing.gap("mpi.implementation", version)
        yield from hint_facts(hints, environment)
        for name in preload:
            yield Fact("bench.mpi_library_preload", name, "env")
        if not preload:
            yield Missing("bench.mpi_library_preload", "not_applicable", "nothing is preloaded")
        job = {"mpi": library, "mpiio_hints": hints, "preload": preload}
        if any(job.values()):
            yield Section("job", {name: value for name, value in job.items() if value})


def library_of(environment, installed):
    """The MPI library of the job: what its environment says, more exactly where `installed` is the same library."""
    cray = environment.get("CRAY_MPICH_VERSION", "")
    if CRAY_VERSION.fullmatch(cray):
        return "Cray MPICH " + cray
    if "OMPI_COMM_WORLD_SIZE" in environment and not (installed or "").startswith("Open MPI"):
        return "Open MPI"
    return installed


def hint_facts(hints, environment):
    """Facts about MPI-IO hints; a gap for each parameter that no hint tells."""
    said = [(name, value) for entry in hints for name, value in sorted(entry["hints"].items())]
    said += [(name, environment[name]) for name in COMPONENTS if COMPONENT.fullmatch(environment.get(name, ""))]
    if HINTS_FILE in environment:
        said.append((HINTS_FILE, "set"))
    for name, value in said:
        yield Fact("mpiio.hints", value, "env", name)
    if not said:
        yield Missing("mpiio.hints", "not_applicable", "no hints in the environment")
    aggregators = [int(value) for name, value in said if name == "cb_nodes" and value.isdigit()]
    for count in aggregators:
        yield Fact("mpiio.cb_nodes", count, "env")
    if not aggregators:
        yield Missing("mpiio.cb_nodes", "not_applicable", "no hint names a number of aggregators")
    ahead = lockahead(hints)
    if ahead is None:
        yield Missing("mpiio.lockahead", "not_applicable", "no hint sets the lock mode")
    else:
        yield Fact("mpiio.lockahead", ahead, "env")


PROBES = (MpiProbe(),)
