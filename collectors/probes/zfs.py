"""ZFS pools; read by raid.py. Names of pools are not kept."""

import re

from collectors.outputs import zpool
from collectors.probes import sysfs
from collectors.probes.array import Array

STATES = {"ONLINE": "clean", "DEGRADED": "degraded"}
PARITY = re.compile(r"(?:raidz|draid)([123]?)")
DRAID = re.compile(r"draid[123]?(?::\d{1,3}[dcs])+")
POOL_STATE = "/proc/spl/kstat/zfs/*/state"

READS = ("zpool status", POOL_STATE + " (where zpool tells nothing)")


def is_here(door):
    return door.exists("/sys/module/zfs") or door.exists("/proc/spl/kstat/zfs")


def read(door):
    """{"zpool": Input}, or {"pool/N": {"state": Input}} where the command tells nothing."""
    if not is_here(door):
        return {}
    raw = {"zpool": door.command(["zpool", "status"])}
    if raw["zpool"].text is None:
        states = door.files(POOL_STATE, sysfs.ATTRIBUTE_LIMIT_BYTES)
        raw.update(("pool/%d" % number, {"state": state_input}) for number, state_input in enumerate(states.values()))
    return raw


def arrays(raw):
    """The Arrays, one for each pool. Raises ValueError where the output is no such output."""
    answer = raw.get("zpool")
    if answer is not None and answer.text is not None:
        return [array_of(pool) for pool in zpool.pools(answer.text)]
    states = [sysfs.text(inputs, "state") for key, inputs in raw.items() if key.startswith("pool/")]
    return [Array({}, None, None, state_word(state)) for state in states if state]


def array_of(pool):
    data = [group for group in pool.groups if group.role == "data"]
    spares = sum(group.drives for group in pool.groups if group.role == "spare")
    return Array(
        layout=dict(layout_of(data), spares=spares),
        drives=sum(group.drives for group in data) or None,
        chunk_bytes=None,
        state=pool.scan if pool.scan and pool.state == "ONLINE" else state_word(pool.state),
    )


def layout_of(groups):
    """Level, groups, and the data and parity drives of a group; groups that differ have their kinds listed."""
    kinds = sorted({(group.kind, group.drives) for group in groups})
    if len(kinds) != 1:
        words = ["%s of %d" % kind for kind in kinds]
        return {"level": ", ".join(words), "groups": len(groups)} if words else {}
    kind, drives = kinds[0]
    layout = {"level": kind, "groups": len(groups)}
    parity = PARITY.match(kind)
    if parity:
        layout["parity"] = int(parity.group(1) or 1)
        layout["data"] = draid_data(kind) if DRAID.fullmatch(kind) else drives - layout["parity"]
    return {key: value for key, value in layout.items() if value is not None}


def draid_data(kind):
    """Data drives in a stripe of `draid2:9d:12c:1s`; the rest of the 12 are other stripes' and spare."""
    data = re.search(r":(\d+)d", kind)
    return int(data.group(1)) if data else None


def state_word(state):
    """ZFS's words as md's, so that one rule knows a degraded array."""
    return STATES.get(state, state.lower())
