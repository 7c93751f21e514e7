"""MPI: library, MPI-IO hints, aggregators, lock-ahead, and libraries that are loaded before the program's own."""

import os
import re

from collectors.probe_results import Fact, Missing, Section
from collectors.probes import Probe, command_line, input_parsing, linked_libraries
from collectors.probes.input_parsing import Reading

HINTS = "MPICH_MPIIO_HINTS"
HINTS_FILE = "ROMIO_HINTS"
PRELOAD = "LD_PRELOAD"
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

LIBRARY = re.compile(r"libmpi(ch)?(_[a-z0-9_]{1,20}|cxx|_cxx)?\.so(\.\d{1,4}){0,3}")
LIBRARY_BYTES = 64 * 1024 * 1024
# How each library names itself among its own texts. Some put their version together only when they are asked.
NAMES = (
    (re.compile(rb"CRAY MPICH version (\d{1,2}(?:\.\d{1,4}){0,3})"), "Cray MPICH"),
    (re.compile(rb"Intel\(R\) MPI Library (?:for Linux\* OS, Version )?(\d{4}(?:\.\d{1,2}){0,2})?"), "Intel MPI"),
    (re.compile(rb"IBM Spectrum MPI(?: v(\d[\w.-]{0,20}))?"), "IBM Spectrum MPI"),
    (re.compile(rb"MVAPICH2? Version\s{0,12}:?\s{0,12}(\d[\w.-]{0,20})?"), "MVAPICH"),
    (re.compile(rb"Open MPI v(\d[\w.-]{0,20})"), "Open MPI"),
    (re.compile(rb"MPICH Version:\s{0,12}(\d[\w.-]{0,20})?"), "MPICH"),
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
    entries = []
    for part in text.split(",")[:MAX_PATTERNS]:
        pattern, *pairs = part.strip().split(":")
        hints = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        allowed_hints = {
            name: hints[name] for name in sorted(hints) if name in HINT_NAMES and HINT_VALUE.fullmatch(hints[name])
        }
        if allowed_hints:
            entries.append({"pattern": publishable_pattern(pattern), "hints": allowed_hints})
    return entries


def publishable_pattern(pattern):
    is_harmless = 0 < len(pattern) <= MAX_PATTERN_CHARACTERS and PATTERN.fullmatch(pattern)
    return pattern if is_harmless else "file"


def library_in(content):
    """`Open MPI 4.1.6` of the bytes of a library or of a program with MPI in it; without version where none is told."""
    for pattern, name in NAMES:
        match = pattern.search(content)
        if match:
            version = (match.group(1) or b"").decode("ascii").rstrip(".")
            return name + " " + version if version else name
    return None


def library_of_program(door):
    """The MPI of the benchmark that `run` starts, as a Reading: what its file, or the library in its file's name, says.

    What is installed beside it says nothing: on clusters the MPI of a job comes with a module.
    """
    if not door.benchmark_argv:
        return Reading(None, "not_applicable", "no benchmark was started by `run`", "file")
    program = command_line.unwrap_command(door.benchmark_argv, lambda word: door.program(word) is not None).program
    place = door.program(program)
    if place is None:
        return Reading(None, "not_installed", "no such program", "file")
    unseen = hiding_reason(door.benchmark_argv, program)
    if unseen:
        return Reading(None, "parse_error", unseen, "file")
    content = door.first_bytes(place, LIBRARY_BYTES)
    libraries = linked_libraries.linked(content)
    if libraries is None and not content.startswith(b"\x7fELF"):
        return Reading(None, "not_applicable", "the program is a script, which does not tell its MPI", "file")
    names = [name for name in libraries.needed if LIBRARY.fullmatch(name)] if libraries else []
    for name in names:
        library = linked_libraries.find_library(door, name, place, libraries, os.environ)
        implementation = library_in(door.first_bytes(library, LIBRARY_BYTES)) if library else None
        if implementation:
            return Reading(implementation, None, "", "file")
    if names:
        return Reading(
            None, "parse_error", "the MPI library of the program is not found or does not name itself", "file"
        )
    implementation = library_in(content)
    if implementation:
        return Reading(implementation, None, "", "file")
    return Reading(None, "not_applicable", "the program is not linked with MPI", "file")


def hiding_reason(argv, program):
    """Why the program's own file does not tell the MPI of the benchmark; empty where it does."""
    name = os.path.basename(program)
    if name in command_line.CONTAINERS:
        return "the program runs in a container, which is not looked into"
    if command_line.INTERPRETERS.fullmatch(name) or program not in argv:
        return "the program is started by an interpreter, which does not tell its MPI"
    if command_line.sets_libraries(argv, program):
        return "the command tells the loader of other places for libraries"
    return ""


def preloaded_libraries(text):
    """The file names in LD_PRELOAD that are known interception libraries; `other` for each that is not."""
    names = [word.rpartition("/")[2] for word in re.split(r"[: ]+", text) if word]
    return [name if INTERCEPTORS.fullmatch(name) else "other" for name in names[:MAX_PATTERNS]]


def lockahead(hints):
    """Whether collective writes take their locks ahead (mode 2), or None where no hint says so."""
    modes = [entry["hints"].get("cray_cb_write_lock_mode") for entry in hints]
    ahead_flags = [mode == "2" for mode in modes if mode in ("0", "1", "2")]
    return any(ahead_flags) if ahead_flags else None


class MpiProbe(Probe):
    id = "mpi"
    provides = ("mpi.implementation", "mpiio.hints", "mpiio.cb_nodes", "mpiio.lockahead", "bench.mpi_library_preload")
    roles = ("client",)
    reads = ("the program behind `run --`, and its MPI library", linked_libraries.CONFIGURED) + tuple(
        "$" + name for name in VARIABLES
    )

    def read(self, door):
        of_run = bool(door.benchmark_argv)
        return {"environment": door.environment, "program": library_of_program(door), "of_run": of_run}

    def parse(self, raw):
        environment = raw["environment"]
        hints = parse_hints(environment.get(HINTS, ""))
        preload = preloaded_libraries(environment.get(PRELOAD, ""))
        library = raw["program"].value if raw["of_run"] else library_of_job(environment)
        if library:
            yield Fact("mpi.implementation", library, "file" if raw["of_run"] else "env")
        else:
            yield input_parsing.gap("mpi.implementation", raw["program"])
        yield from hint_facts(hints, environment)
        for name in preload:
            yield Fact("bench.mpi_library_preload", name, "env")
        if not preload:
            yield Missing("bench.mpi_library_preload", "not_applicable", "nothing is preloaded")
        job = {"mpi": library, "mpiio_hints": hints, "preload": preload}
        if any(job.values()):
            yield Section("job", {name: value for name, value in job.items() if value})


def library_of_job(environment):
    """The MPI library that the environment of a job names, where no program is there to be looked at."""
    cray = environment.get("CRAY_MPICH_VERSION", "")
    if CRAY_VERSION.fullmatch(cray):
        return "Cray MPICH " + cray
    return "Open MPI" if "OMPI_COMM_WORLD_SIZE" in environment else None


def hint_facts(hints, environment):
    """Facts about MPI-IO hints; a gap for each parameter that no hint tells."""
    hint_values = [(name, value) for entry in hints for name, value in sorted(entry["hints"].items())]
    hint_values += [(name, environment[name]) for name in COMPONENTS if COMPONENT.fullmatch(environment.get(name, ""))]
    if HINTS_FILE in environment:
        hint_values.append((HINTS_FILE, "set"))
    for name, value in hint_values:
        yield Fact("mpiio.hints", value, "env", name)
    if not hint_values:
        yield Missing("mpiio.hints", "not_applicable", "no hints in the environment")
    aggregators = [int(value) for name, value in hint_values if name == "cb_nodes" and value.isdigit()]
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
