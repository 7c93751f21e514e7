"""Checking a description of a system by itself: our own document, or the JSON that MLPerf Storage asks sites to write.

MLPerf Storage's form: https://github.com/mlcommons/storage_results_v1.0 (systems/*.json); its numbers carry their unit
in the name, and were often written in another one. The bounds here are those of physics and of what can be bought, far
from anything real: no processor boosts to 20 GHz, no server works with less than 1 GiB.
"""

import json
import os
import re

from collectors import files
from collectors.bundle import verification
from collectors.errors import BundleError

MAX_BYTES = 4 * 1024 * 1024
# (part of the description, field): unit, the least and the most that there can be.
POSSIBLE = {
    ("CPU", "base_frequency"): ("GHz", 0.1, 20),
    ("CPU", "boost_frequency"): ("GHz", 0.1, 20),
    ("CPU", "socket_count"): ("sockets", 1, 64),
    ("CPU", "cores_per_socket"): ("cores", 1, 4096),
    ("CPU", "threads_per_socket"): ("threads", 1, 32768),
    ("DRAM", "capacity_MiB"): ("MiB", 1024, 1024**3),
    ("DRAM", "frequency"): ("MHz", 100, 50000),
    ("drives", "capacity_GiB"): ("GiB", 1, 1024**2),
    ("networks", "bitrate"): ("Gbit/s", 0.1, 10000),
    ("nic_ports", "bitrate"): ("Gbit/s", 0.1, 10000),
}
NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*")
MOST_DEPTH = 40
UNREADABLE = (
    "Write a system document again with `collect`. If a benchmark wrote the file, it was cut or mixed with other text."
)
OF_OUTPUTS_TOO = ("system.unreadable", "system.too-large")
"""Codes of files that may be the output of a benchmark: with lines before the JSON, cut, or large."""


def is_description(path):
    return os.path.isfile(path) and path.lower().endswith(".json")


def findings(path):
    """(code, level, message, hint) of what is wrong with a description, or None where the file is JSON of another kind.

    Raises BundleError `bundle.unreadable` for a file that cannot be read.
    """
    try:
        content = files.read_at_most(path, MAX_BYTES)
    except OSError as error:
        raise BundleError("bundle.unreadable", "%s cannot be read: %s" % (path, error.strerror))
    except files.TooLarge:
        return [verification.error("system.too-large", "The description is larger than 4 MiB.", "")]
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return [verification.error("system.unreadable", "This is not JSON: %s." % error, UNREADABLE)]
    if not isinstance(document, dict):
        return None
    if "schema_version" in document and "node_classes" in document:
        return list(verification.system_findings(content))
    if is_mlperf(document):
        return list(impossible(document))
    return None


def is_mlperf(document):
    """Whether this is MLPerf Storage's form, of the first round (`nodes`) or later ones (`system`)."""
    parts = [document, document.get("system"), document.get("properties")]
    return any(isinstance(part, dict) and isinstance(part.get("nodes"), list) for part in parts)


def impossible(value, pointer="", part=""):
    """Findings on numbers that nothing real has, most often because they are in another unit than the field says."""
    if pointer.count("/") > MOST_DEPTH:
        return
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from impossible(item, "%s/%d" % (pointer, number), part)
    elif isinstance(value, dict):
        for name, field in value.items():
            place = "%s/%s" % (pointer, name)
            if (part, name) in POSSIBLE:
                yield from out_of_bounds(field, place, *POSSIBLE[part, name])
            else:
                yield from impossible(field, place, name)


def out_of_bounds(value, place, unit, least, most):
    number = number_of(value)
    if number is None:
        yield verification.error("system.number", "%s is no number: %.60r" % (place, value), "Write it in %s." % unit)
    elif not least <= number <= most:
        message = "%s cannot be %.40g %s; from %g to %g is possible." % (place, number, unit, least, most)
        yield verification.error("system.impossible", message, "The field is in %s; convert the value." % unit)


def number_of(value):
    """The number that a value is, or that a text such as "2.4 GHz" begins with; None for anything else."""
    if isinstance(value, str):
        match = NUMBER.match(value)
        return float(match.group(1)) if match else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
