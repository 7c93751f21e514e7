"""This machine against a recipe: what must match, what should, and what cannot, since nobody recorded it."""

import argparse
import os
import shutil
import subprocess
from collections import namedtuple

from collectors.capture import capture
from collectors.document import compare
from collectors.errors import CollectorError
from collectors.report import list_of_dicts
from collectors.reproduction.job import WITHOUT_LAUNCHER

MUST, SHOULD, CANNOT = "must", "should", "cannot"

Row = namedtuple("Row", "level what result here matches")
Row.__doc__ = "One fact: its level, what it is, in the run and here as text, and whether they match (None: not known)."


def compare_machine(original, commands, options, progress):
    """A Row for each fact of a recipe."""
    recipe = original["recipe"]
    tool = commands[0][1][0]
    program = shutil.which(tool)
    values = {row.get("name"): row.get("value") for row in list_of_dicts(recipe, "variables")}
    rows = [Row(MUST, "program " + tool, "found", "found" if program else "not found", bool(program))]
    rows += compare_version(tool, program, recipe.get("version"))
    rows += compare_scale(recipe, values, options)
    rows += compare_folder(recipe, options.directory)
    rows += compare_tunables(recipe, original.get("system"), look_at_machine(options.directory, progress))
    rows += [
        Row(CANNOT, str(row.get("what")), "not known", "not compared", None) for row in list_of_dicts(recipe, "missing")
    ]
    return rows


def compare_version(tool, program, version):
    if version is None:
        return []
    here = installed_version(tool, program)
    return [Row(SHOULD, "version", str(version), here or "unknown", here == str(version) if here else None)]


def installed_version(tool, program):
    """The version that fio prints of itself; None for others, which are not started to be asked."""
    if tool != "fio" or not program:
        return None
    done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20)
    return done.stdout.decode("utf-8", "replace").strip()[:60].replace("fio-", "", 1) or None


def compare_scale(recipe, values, options):
    """Client nodes and processes. Slurm is asked for what the run had; else what is here is what was said to be."""
    starts_itself = recipe.get("tool") in WITHOUT_LAUNCHER
    nodes, ranks = values.get("$NODES"), values.get("$RANKS")
    here = options.nodes or (1 if starts_itself else None)
    if is_count(nodes):
        if options.script == "slurm" and not options.nodes:
            yield Row(MUST, "client nodes", str(nodes), "asked of Slurm", None)
        else:
            yield Row(MUST, "client nodes", str(nodes), str(here or "not known: give --nodes"), here == nodes)
    if is_count(ranks) and not starts_itself:
        threads = (here or 0) * (os.cpu_count() or 0)
        if options.script == "slurm" or not threads:
            yield Row(
                MUST, "processes", str(ranks), "asked of Slurm" if options.script == "slurm" else "not known", None
            )
        else:
            yield Row(MUST, "processes", str(ranks), "%d hardware threads" % threads, threads >= ranks)


def compare_folder(recipe, directory):
    """The folder under test: whether it can be written, and has room for what the run wrote."""
    is_writable = os.path.isdir(directory) and os.access(directory, os.W_OK | os.X_OK)
    yield Row(MUST, "folder", "writable", "writable" if is_writable else "not writable", is_writable)
    data_set = recipe.get("data_set")
    size = data_set.get("bytes") if isinstance(data_set, dict) else None
    if is_count(size) and is_writable:
        free = free_bytes(directory)
        yield Row(MUST, "space", "%s written" % in_gib(size), "%s free" % in_gib(free), free >= size)


def free_bytes(directory):
    """How much an ordinary user can still write below a folder."""
    volume = os.statvfs(directory)
    return volume.f_bavail * volume.f_frsize


def in_gib(size):
    return "%.4g GiB" % (size / 1024.0**3) if size >= 1024**3 else "%.4g MiB" % (size / 1024.0**2)


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def look_at_machine(directory, progress):
    """What the collector's probes read of this node; None, and a note, where they cannot."""
    parser = argparse.ArgumentParser()
    capture.add_options(parser)
    try:
        return capture.run_capture(parser.parse_args(["--directory", directory]), progress)
    except (CollectorError, OSError) as error:
        progress.note("this machine could not be looked at: %s" % error)
        return None


def compare_tunables(recipe, system, here):
    """A Row for each setting that differed from its default in the run. Servers are not read from a client."""
    there_by_id, here_by_id = list_parameters(system), list_parameters(here)
    for row in list_of_dicts(recipe, "tunables"):
        name = str(row.get("parameter"))
        there, observed = there_by_id.get(name), here_by_id.get(name)
        if not observed:
            yield Row(SHOULD, name, str(row.get("value")), "not read", None)
        elif not there:
            yield Row(SHOULD, name, str(row.get("value")), format_values(observed), None)
        else:
            yield Row(SHOULD, name, format_values(there), format_values(observed), there == observed)


def list_parameters(document):
    """{id: {key: value}} of the first class of nodes that has it; the key is empty for what has one value."""
    by_id = {}
    for node_class in (document or {}).get("node_classes", ()):
        values = {}
        for fact in node_class.get("parameters", ()):
            counted = [dict(row, instances=1) for row in fact["values"]] if len(fact["values"]) == 1 else fact["values"]
            values.setdefault(fact["id"], {})[fact.get("key", "")] = compare.format_counted_values(counted)
        for name in values:
            by_id.setdefault(name, values[name])
    return by_id


def format_values(values):
    return ", ".join(
        "%s %s" % (key, compare.format_value(values[key])) if key else compare.format_value(values[key])
        for key in sorted(values)
    )


def row_line(row):
    """A Row as a line; what does not match is marked."""
    mark = {True: "", False: "  <- differs", None: ""}[row.matches]
    return "%-6s  %s: %s, here %s%s" % (row.level, row.what, row.result, row.here, mark)
