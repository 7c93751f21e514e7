"""Text of `key value` lines: /etc/os-release, /proc/meminfo, /proc/cpuinfo."""

import re

from collectors.outputs import quantity

ASSIGNMENT = re.compile(r"""([A-Z][A-Z0-9_]{0,60})=(?:"([^"]*)"|'([^']*)'|([^\s"']*))\s*""")
MEMINFO = re.compile(r"([A-Za-z][A-Za-z0-9_()]{0,40}):\s+([0-9]{1,15})(?: (kB))?\s*")


def os_release(text):
    """{NAME: value} of an os-release file; lines of another form are left out. Raises ValueError where none is left."""
    values_by_name = {}
    for line in text.splitlines():
        match = ASSIGNMENT.fullmatch(line.strip())
        if match:
            values_by_name[match.group(1)] = next(part for part in match.groups()[1:] + ("",) if part is not None)
    if not values_by_name:
        raise ValueError("no assignment")
    return values_by_name


def meminfo(text):
    """{field: bytes, or a plain count for fields without a unit} of /proc/meminfo or a node's meminfo.

    Raises ValueError where MemTotal is missing or impossible.
    """
    values_by_field = {}
    for line in text.splitlines():
        match = MEMINFO.fullmatch(re.sub(r"^Node \d+ ", "", line.strip()))
        if match:
            values_by_field.setdefault(match.group(1), int(match.group(2)) * (1024 if match.group(3) else 1))
    if not 0 < values_by_field.get("MemTotal", 0) <= quantity.MAX_BYTES:
        raise ValueError("no total of memory")
    return values_by_field


def cpuinfo(text):
    """One {field: value} per processor of /proc/cpuinfo, in its order. Raises ValueError where there is none."""
    processors = []
    for block in re.split(r"\n\s*\n", text):
        fields = {}
        for line in block.splitlines():
            name, colon, value = line.partition(":")
            if colon:
                fields.setdefault(name.strip(), value.strip())
        if re.fullmatch(r"[0-9]{1,5}", fields.get("processor", "")):
            processors.append(fields)
    if not processors:
        raise ValueError("no processor")
    return processors
