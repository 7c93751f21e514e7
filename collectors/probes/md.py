"""Software RAID of the kernel (md), vendors' own personalities such as GridRAID included; read by raid.py."""

import re

from collectors.outputs import mdadm, mdstat
from collectors.probes import command_answers, sysfs
from collectors.probes.array import Array

NAME = re.compile(r"md[A-Za-z0-9_-]{0,30}")
LEVEL = re.compile(r"[A-Za-z0-9_+-]{1,40}")
FILES = ("level", "raid_disks", "chunk_size", "array_state", "degraded", "sync_action")
MDSTAT_LIMIT_BYTES = 1024 * 1024
MAX_ARRAYS = 256

# Drives that hold parity; those of a kind that is not here are not known to us.
PARITY_DRIVES = {"raid4": 1, "raid5": 1, "raid6": 2}
# An array says active or clean as writes come and go: both are sound.
SOUND = ("clean", "active", "active-idle", "write-pending")
WORKING_ON = {"recovery": "recover", "resync": "resync", "reshape": "reshape", "check": "check", "repair": "repair"}

READS = (
    "/proc/mdstat",
    "/sys/block/md*/md/{%s}" % ",".join(FILES),
    "mdadm --detail DEVICE (where neither tells the level)",
)


def read(door):
    """{"mdstat": Input, "md/ARRAY": {attribute: Input}, "mdadm/ARRAY": Input}"""
    raw = {"mdstat": door.file("/proc/mdstat", MDSTAT_LIMIT_BYTES)}
    for name in [name for name in door.names("/sys/block") if NAME.fullmatch(name)][:MAX_ARRAYS]:
        raw["md/" + name] = sysfs.attributes(door, "/sys/block/%s/md" % name, FILES)
    for name, listed in listed_arrays(raw["mdstat"]).items():
        if (
            listed.personality is None
            and not listed.container
            and sysfs.text(raw.get("md/" + name, {}), "level") is None
        ):
            raw["mdadm/" + name] = door.command(["mdadm", "--detail", "/dev/" + name])
    return raw


def listed_arrays(answer):
    """{name: mdstat's Array}; none where the file is not there or no such file."""
    mdstat_arrays = command_answers.read(answer, mdstat.arrays, ())[:MAX_ARRAYS]
    return {array.name: array for array in mdstat_arrays if NAME.fullmatch(array.name)}


def arrays(raw):
    """The Arrays. Raises ValueError where there is none and /proc/mdstat is no such file."""
    listed = listed_arrays(raw["mdstat"])
    names = sorted(set(listed) | {key[3:] for key in raw if key.startswith("md/")})
    merged_arrays = [
        array_of(
            listed.get(name),
            raw.get("md/" + name, {}),
            command_answers.read(raw.get("mdadm/" + name), mdadm.detail, None),
        )
        for name in names
    ]
    if not any(merged_arrays) and raw["mdstat"].text is not None:
        mdstat.arrays(raw["mdstat"].text)
    return [array for array in merged_arrays if array]


def array_of(listed, inputs, detail):
    """One Array of what the kernel's attributes, its listing and mdadm say, in that order of trust."""
    level = sysfs.text(inputs, "level") or (listed and listed.personality) or (detail and detail.level)
    if level == "container" or (listed and listed.container):
        return None
    if not level or not LEVEL.fullmatch(level):
        # An array that does not run may not tell of what kind it is, and is one nevertheless.
        return Array({}, None, None, "inactive") if listed and not listed.active else None
    drives = sysfs.count(inputs, "raid_disks") or (listed and listed.drives) or (detail and detail.drives)
    parity = PARITY_DRIVES.get(level)
    # A vendor's personality declares the level it builds on, and spreads its stripes over more drives.
    declared = PARITY_DRIVES.get("raid%d" % listed.level) if listed and listed.level else None
    spares = listed.spares if listed else detail.spares if detail else None
    layout = {
        "level": level,
        "data": drives - parity if drives and parity and drives > parity else None,
        "parity": parity or declared,
        "spares": spares,
        "algorithm": listed and listed.algorithm,
    }
    return Array(
        layout={key: value for key, value in layout.items() if value is not None},
        drives=drives,
        chunk_bytes=sysfs.count(inputs, "chunk_size")
        or (listed and listed.chunk_bytes)
        or (detail and detail.chunk_bytes),
        state=state_of_attributes(inputs) or state_of_listing(listed) or state_of_detail(detail),
    )


def state_of_attributes(inputs):
    """inactive, degraded, or what the array is busy with, in this order; else clean."""
    state = sysfs.text(inputs, "array_state")
    if state is None:
        return None
    if sysfs.count(inputs, "degraded"):
        return "degraded"
    action = sysfs.text(inputs, "sync_action") or "idle"
    if state in SOUND:
        return action if action in WORKING_ON.values() else "clean"
    return state


def state_of_listing(listed):
    if listed is None:
        return None
    if not listed.active:
        return "inactive"
    if listed.working is not None and listed.working < listed.drives:
        return "degraded"
    return WORKING_ON[listed.activity] if listed.activity else "clean"


def state_of_detail(detail):
    words = [word.strip() for word in detail.state.split(",")] if detail and detail.state else []
    if not words:
        return None
    return "degraded" if "degraded" in words else "clean" if words[0] in SOUND else words[0]
