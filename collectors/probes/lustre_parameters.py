"""Where Lustre keeps its parameters: sysfs, procfs or debugfs, by release; `lctl get_param` where no file can be read.

About half of them moved between 2.10 and 2.17, so each is looked for where any release has it. What a release has
nowhere is `unsupported_version`.
"""

import re
from collections import Counter, namedtuple

from collectors.node.node_access import Input
from collectors.probe_results import Fact, Missing
from collectors.probes.input_parsing import gap, read_as

ROOTS = ("/sys/fs/lustre", "/proc/fs/lustre", "/sys/kernel/debug/lustre")

# Devices of a mounted client end in the address of its mount: fsname-OST0000-osc-ffff88105db50000.
CLIENT_DEVICE = re.compile(r"-[0-9a-f]{4,16}$")
# Targets that a server holds: fsname-OST0000, fsname-MDT0000.
TARGET = re.compile(r"^[\w.-]+-(?:OST|MDT)[0-9a-f]{4}$")

# A file system of 2,000 targets may have as many different grants: beyond this many values only their range is told.
MAX_DISTINCT = 16
MAX_UNSIGNED = 2**64 - 1
# The largest number of the document; Lustre's 2^64 - 1 for "no limit" is told as this.
MAX_NUMBER = 2**63 - 1

Parameter = namedtuple("Parameter", "id device name value adds hidden")
Parameter.__doc__ = """One file, `name`, that each device of a kind has; several kinds may have the same parameter.

`value` makes a scalar of its text, or a dict of scalars for a map, and raises ValueError; `adds` says that maps are
counters to be summed over the devices; `hidden` that some release keeps it in debugfs, which is closed to users.
"""


def parameter(parameter_id, place, value, adds=False, hidden=False):
    """A Parameter from its place below a root, `osc/checksums`."""
    device, _, name = place.rpartition("/")
    return Parameter(parameter_id, device, name, value, adds, hidden)


def devices(door, kind, device_pattern):
    """The names of all devices of a kind, such as `osc`, in any root; `device_pattern` is a compiled pattern."""
    names = set()
    for root in ROOTS:
        names.update(name for name in door.names(root + "/" + kind) if device_pattern.search(name))
    return sorted(names)


def read_all(door, parameters, device_pattern):
    """What `told` needs: each parameter's files, or the Input that says why there are none; lctl for what is unread.

    Where no device can be seen, as in a container without the kernel's file systems, lctl is asked for everything.
    """
    present = {
        kind: devices(door, kind, device_pattern) for kind in sorted({parameter.device for parameter in parameters})
    }
    raw = {pattern_of(parameter): files_of(door, parameter, present[parameter.device]) for parameter in parameters}
    anything = any(present.values())
    unread = [
        parameter
        for parameter in parameters
        if is_unread(raw[pattern_of(parameter)]) and (present[parameter.device] or not anything)
    ]
    if unread:
        raw["lctl"] = door.command(["lctl", "get_param"] + [pattern_of(parameter) for parameter in unread])
    return raw


def is_unread(device_inputs):
    return isinstance(device_inputs, Input) and device_inputs.reason != "unsupported_version"


def files_of(door, parameter, names):
    """The Inputs of a parameter's files, and how many devices gave each; or one Input without text.

    Thousands of devices mostly have the same text, which is kept and parsed once. A release keeps the parameter of all
    devices in the same root, so three of them tell which: 3,000 targets are not asked for what the release has not.
    """
    if not names:
        return Input(None, "not_applicable", "no device of the kind " + parameter.device)
    refused = None
    for root in ROOTS if parameter.hidden else ROOTS[:2]:
        for name in sorted({names[0], names[len(names) // 2], names[-1]}):
            sample = door.file(path_of(root, parameter, name))
            if sample.text is not None:
                return Counter(door.file(path_of(root, parameter, name)) for name in names)
            if sample.reason != "not_applicable":
                refused = sample
    return refused or Input(None, "unsupported_version", "this release has no such parameter")


def places(parameters):
    """What `read_all` may read of some parameters, as a probe's `reads`."""
    opened = ["/{sys,proc}/fs/lustre/%s/*/%s" % (parameter.device, parameter.name) for parameter in parameters]
    closed = [path_of(ROOTS[2], parameter, "*") for parameter in parameters if parameter.hidden]
    return (*opened, *closed, "lctl get_param NAMES")


def path_of(root, parameter, name):
    return "/".join((root, parameter.device, name, parameter.name))


def pattern_of(parameter):
    return parameter.device.replace("/", ".") + ".*." + parameter.name


def parameter_facts(parameters, raw, device_pattern):
    """Facts of every parameter that was read, and one Missing for each id of which nothing was."""
    lctl = read_as(get_param_values, raw["lctl"]) if "lctl" in raw else None
    facts, failed = [], {}
    for parameter in parameters:
        input_counts = inputs_of(parameter, raw[pattern_of(parameter)], lctl, device_pattern)
        readings = [(read_as(parameter.value, text), devices_alike) for text, devices_alike in input_counts.items()]
        values = [(reading.value, count) for reading, count in readings if reading.reason is None]
        if values:
            facts += (totals if parameter.adds else distribution)(parameter.id, values, readings[0][0].source)
        else:
            failed.setdefault(parameter.id, []).extend(reading for reading, _count in readings)
    fact_ids = {fact.id for fact in facts}
    return facts + [gap(name, *readings) for name, readings in failed.items() if name not in fact_ids]


def inputs_of(parameter, device_inputs, lctl, device_pattern):
    """The Inputs of a parameter and their number: its files; else what lctl told; else why there are none."""
    if isinstance(device_inputs, Counter):
        return device_inputs
    listed = lctl.value if lctl and lctl.reason is None else {}
    texts = [text for name, text in sorted(listed.items()) if is_about(name, parameter, device_pattern)]
    if texts:
        return Counter(Input(text, source="command") for text in texts)
    return Counter([device_inputs, Input(None, lctl.reason, lctl.detail)] if lctl and lctl.reason else [device_inputs])


def is_about(name, parameter, device_pattern):
    """Whether a full name of `lctl get_param` is this parameter of a wanted device."""
    start, end = parameter.device.replace("/", ".") + ".", "." + parameter.name
    return name.startswith(start) and name.endswith(end) and bool(device_pattern.search(name[len(start) : -len(end)]))


def distribution(parameter_id, values, source):
    """One Fact for each value and the number of devices that have it; the range where there are too many values.

    `values` are pairs of a value and the number of devices that gave it.
    """
    counts = {}
    for value, devices_alike in values:
        for key, scalar in value.items() if isinstance(value, dict) else [(None, value)]:
            counts.setdefault(key, Counter())[scalar] += devices_alike
    for key, counter in sorted(counts.items(), key=lambda item: item[0] or ""):
        if len(counter) > MAX_DISTINCT:
            yield from range_of(parameter_id, counter, source)
        else:
            for scalar, instances in sorted(counter.items(), key=lambda item: (-item[1], str(item[0]))):
                yield Fact(parameter_id, scalar, source, key, instances)


def range_of(parameter_id, counter, source):
    numbers = sorted(scalar for scalar in counter.elements() if isinstance(scalar, (int, float)))
    if not numbers:
        yield Missing(parameter_id, "output_limit", "%d different texts" % len(counter))
        return
    for key, number in (("minimum", numbers[0]), ("median", numbers[len(numbers) // 2]), ("maximum", numbers[-1])):
        yield Fact(parameter_id, number, source, key)


def totals(parameter_id, values, source):
    """Counters summed over the devices, each key one Fact."""
    sums = Counter()
    for value, devices_alike in values:
        sums.update({key: counted * devices_alike for key, counted in value.items()})
    for key in sorted(sums, key=str):
        yield Fact(parameter_id, sums[key], source, key)


def first_readable(door, paths):
    """The first of some files that can be read; else a refusal before an absence."""
    inputs = [door.file(path) for path in paths]
    readable = [file_input for file_input in inputs if file_input.text is not None]
    refused = [file_input for file_input in inputs if file_input.reason != "not_applicable"]
    return (readable + refused + inputs)[0]


def fact_of_input(parameter_id, file_input, value, key=None):
    """The Fact of one Input, its text read by `value`; or the Missing that says why there is none."""
    reading = read_as(value, file_input)
    return (
        gap(parameter_id, reading, key=key)
        if reading.reason
        else Fact(parameter_id, reading.value, file_input.source, key)
    )


HEADER = re.compile(r"^([a-z][\w-]*(?:\.[^\s=]+)*)=(.*)$")


def get_param_values(text):
    """The output of `lctl get_param` as {full name: value}, a value of one or more lines.

    Raises ValueError if there is none.
    """
    values, name = {}, None
    for line in text.splitlines():
        header = HEADER.match(line)
        if header:
            name = header.group(1)
            values[name] = [header.group(2)] if header.group(2) else []
        elif name is not None:
            values[name].append(line)
    if not values:
        raise ValueError("no name=value line")
    return {name: "\n".join(lines) for name, lines in values.items()}


def number(text):
    """A number, whole where it can be; some releases print 32 as 32.00. Raises ValueError for anything else."""
    matched = re.match(r"^\s*(-?\d{1,20})(\.\d{1,6})?\s*$", text, re.ASCII)
    if not matched:
        raise ValueError("not a number")
    integer_part, fraction = matched.groups()
    if abs(int(integer_part)) > MAX_UNSIGNED:
        raise ValueError("number out of range")
    return float(integer_part + fraction) if fraction and fraction.strip(".0") else min(int(integer_part), MAX_NUMBER)


FLAGS = {"1": True, "0": False, "on": True, "off": False, "Y": True, "N": False, "enabled": True, "disabled": False}


def flag(text):
    """Read a switch. Raises ValueError for a word that says neither on nor off."""
    try:
        return FLAGS[text.strip()]
    except KeyError:
        raise ValueError("neither on nor off")


def choice(text):
    """The chosen word: `crc32 adler [crc32c]` is crc32c, and a word alone is itself.

    Raises ValueError for other texts.
    """
    matched = re.search(r"\[([A-Za-z0-9_.-]{1,64})\]", text) or re.match(r"^\s*([A-Za-z0-9_.-]{1,64})\s*$", text)
    if not matched:
        raise ValueError("no word is chosen")
    return matched.group(1)


def field(name):
    """A reader of the number behind `name:` in a text of several lines, or of the number alone."""
    line = re.compile(r"^\s*" + re.escape(name) + r":\s*(\S+)", re.MULTILINE)

    def value(text):
        matched = line.search(text)
        return number(matched.group(1) if matched else text)

    return value


def histogram(text, title, unit):
    """One table of a statistics file as counters: {"read_4_pages": 12, ..., "read_total": 12}; rows of 0 are left out.

    Rows look like `1024:  0 0 0 | 16389010 89 100`: reads left, writes right.
    Raises ValueError if there is no such table.
    """
    lines = iter(text.splitlines())
    if not any(line.startswith(title) for line in lines):
        raise ValueError("no table " + title)
    counts = {"read_total": 0, "write_total": 0}
    for line in lines:
        row = re.match(r"^(\d{1,12}[KMGT]?):\s+(\d{1,19})\s+\d+\s+\d+\s+\|\s+(\d{1,19})\s+\d+\s+\d+\s*$", line)
        if not row:
            break
        for direction, count in (("read", int(row.group(2))), ("write", int(row.group(3)))):
            counts[direction + "_total"] += count
            if count:
                counts["%s_%s_%s" % (direction, row.group(1), unit)] = count
    return counts
