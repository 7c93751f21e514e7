"""The benchmark's program: its name, sha256 and version, read from its file; it is never started to be asked.

What it was told to do, and for how long, is in its results: the registry reads it there.
"""

import os
import re

from collectors.node.node_access import Input
from collectors.probe_results import Fact, Missing
from collectors.probes import Probe, command_line

SCANNED_BYTES = 16 * 1024 * 1024
IOR = re.compile(r"ior(?![A-Za-z0-9])", re.IGNORECASE)
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,40}")
# How each program carries its version among its texts.
VERSIONS = (
    re.compile(rb"IOR-(\d[\w.+-]{0,30}): MPI Coordinated Test of Parallel I/O"),
    re.compile(rb"\0fio-(\d{1,2}\.\d{1,3}[\w.-]{0,20})\0"),
    re.compile(rb"\0(?:io500-)?((?:isc|sc)\d\d(?:_v\d{1,2})?[\w.-]{0,12})\0"),
)
# Told by the results, or by nobody.
OF_THE_RESULTS = (
    "ior.params",
    "mdtest.params",
    "bench.dataset_vs_ram",
    "bench.duration",
    "bench.repeats",
    "bench.find_tool",
)


def version_in(content):
    """The version among the texts of a program (bytes), or None."""
    for pattern in VERSIONS:
        match = pattern.search(content)
        if match:
            return match.group(1).decode("ascii")
    return None


def identity(program, content, digest):
    """`ior 4.0.0 sha256:...` of a program's path, content and digest; a name that is no plain one is `program`."""
    name = os.path.basename(program)
    words = [name if NAME.fullmatch(name) else "program", version_in(content), digest and "sha256:" + digest]
    return " ".join(word for word in words if word)


def missing_program(reason, detail):
    return [Missing(name, reason, detail) for name in ("bench.program", "ior.version")]


class BenchmarkProbe(Probe):
    id = "benchmark"
    provides = ("bench.program", "ior.version") + OF_THE_RESULTS
    roles = ("client",)
    reads = ("the program behind `run --`",)

    def read(self, door):
        if not door.benchmark_argv:
            return {"program": None}
        program = command_line.unwrap_command(door.benchmark_argv, lambda word: door.program(word) is not None).program
        place = door.program(program)
        if place is None:
            return {"program": program, "content": b"", "sha256": Input(None, "not_installed", "no such program")}
        return {"program": place, "content": door.first_bytes(place, SCANNED_BYTES), "sha256": door.sha256(place)}

    def parse(self, raw):
        if raw["program"] is None:
            yield from missing_program("not_applicable", "no benchmark was started by `run`")
        elif raw["sha256"].text is None:
            yield from missing_program(raw["sha256"].reason, raw["sha256"].detail)
        else:
            program = identity(raw["program"], raw["content"], raw["sha256"].text)
            yield Fact("bench.program", program, "file")
            if IOR.match(program):
                yield Fact("ior.version", program, "file")
            else:
                yield Missing("ior.version", "not_applicable", "another program was started")
        for name in OF_THE_RESULTS:
            yield Missing(name, "not_applicable", "told by the results")


PROBES = (BenchmarkProbe(),)
