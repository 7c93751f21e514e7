"""`lscpu` and `lscpu -J`."""

import json
import re

from collectors.outputs import cpulist

FIELD = re.compile(r"\s*([A-Za-z0-9][^:]{0,80}):(?:\s+(.*))?")
NODE = re.compile(r"NUMA node(\d{1,5}) CPU\(s\)")
INSTANCES = re.compile(r"\((\d{1,6}) instances?\)")


def fields(text):
    """{field: value} of either form, names without their colon, the first of equal names.

    Raises ValueError for other texts.
    """
    values_by_field = json_fields(text) if text.lstrip().startswith("{") else text_fields(text)
    if "CPU(s)" not in values_by_field:
        raise ValueError("no number of processors")
    return values_by_field


def text_fields(text):
    """The indented text form; the table that `lscpu -p` adds and continued lines of flags are left out."""
    values_by_field = {}
    for line in text.splitlines():
        match = None if line.startswith("#") else FIELD.fullmatch(line)
        if match:
            values_by_field.setdefault(match.group(1).strip(), (match.group(2) or "").strip())
    return values_by_field


def json_fields(text):
    """The JSON form: flat before util-linux 2.38, with children since. Raises ValueError for other texts."""
    try:
        pending = list(json.loads(text)["lscpu"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("no lscpu JSON")
    values_by_field = {}
    while pending:
        entry = pending.pop(0)
        if not isinstance(entry, dict) or not isinstance(entry.get("field"), str):
            raise ValueError("no lscpu field")
        if isinstance(entry.get("data"), str):
            values_by_field.setdefault(entry["field"].rstrip(":").strip(), entry["data"].strip())
        children = entry.get("children")
        pending[:0] = children if isinstance(children, list) else []
    return values_by_field


def number(values_by_field, *names):
    """The whole number of the first of these fields that has one, or None."""
    for name in names:
        if re.fullmatch(r"[0-9]{1,7}", values_by_field.get(name, "")):
            return int(values_by_field[name])
    return None


def instances(values_by_field, *names):
    """The count in `128 MiB (16 instances)` of the first of these fields that has one, or None."""
    for name in names:
        match = INSTANCES.search(values_by_field.get(name, ""))
        if match:
            return int(match.group(1))
    return None


def numa_nodes(values_by_field):
    """{number: processors} of the NUMA nodes. Raises ValueError where a list is none."""
    matches = [(NODE.fullmatch(name), text) for name, text in values_by_field.items()]
    return {int(match.group(1)): cpulist.cpus(text) for match, text in matches if match}
