"""`zpool status`: ZFS pools, the groups of drives they consist of, and how these are."""

import re
from collections import namedtuple

ROW = re.compile(r"^(\t?)( *)(\S+)(?: +(\S.*))?$")
GROUP = re.compile(r"(mirror|raidz[123]?|draid[123]?(?::[0-9]{1,3}[dcs]){0,3})-\d{1,5}")
STAND_IN = re.compile(r"(?:replacing|spare)-\d{1,5}")
DRAID_SPARE = re.compile(r"draid[123]?-\d{1,5}-\d{1,5}")
# What is left of a group that was removed: its data lie elsewhere.
REMOVED = re.compile(r"indirect-\d{1,5}|hole|missing-\d{1,5}")
ROLES = {"logs": "log", "cache": "cache", "spares": "spare", "special": "special", "dedup": "dedup"}
SCAN = re.compile(r"^ *(?:scan|scrub): (resilver|scrub)\b.{0,60} in progress\b", re.MULTILINE)
SCANS = {"resilver": "recover", "scrub": "check"}

Pool = namedtuple("Pool", "state scan groups")
Pool.__doc__ = "One pool: state as printed, what it is doing (recover, check, None), its Groups; its name is not kept."
Group = namedtuple("Group", "role kind drives")
Group.__doc__ = """Drives that belong together: role data, log, cache, spare, special or dedup; kind mirror, raidz2,
draid2:9d:12c:1s, or stripe for a drive on its own; number of drives."""


def pools(text):
    """The Pools of the output, in its order; none is (). Raises ValueError where it is no such output."""
    if "no pools available" in text:
        return ()
    parts = re.split(r"^ *pool: .*$", text, flags=re.MULTILINE)[1:]
    if not parts:
        raise ValueError("no pool")
    return tuple(pool(part) for part in parts)


def pool(part):
    """Return the Pool of one part of `zpool status`. Raises ValueError where it has no state."""
    state = re.search(r"^ *state: ([A-Z]{1,40})$", part, re.MULTILINE)
    if not state:
        raise ValueError("a pool without a state")
    scan = SCAN.search(part)
    return Pool(state.group(1), scan and SCANS[scan.group(1)], tuple(groups(table(part))))


def table(part):
    """[(depth, name)] of the rows below the table's head, until the first empty line."""
    rows, inside = [], False
    for line in part.splitlines():
        if re.match(r"\s+NAME\s+STATE\b", line):
            inside = True
        elif inside and not line.strip():
            break
        elif inside:
            row = ROW.match(line)
            if row:
                rows.append((len(row.group(2)), row.group(3)))
    return rows


def groups(rows):
    """The Groups of a table; its first row is the pool, and rows as deep as that begin another role."""
    role, top, pool_groups, inside = "data", rows[0][0] if rows else 0, [], 0
    stand_in = None
    for depth, name in rows[1:]:
        if depth <= top:
            role, inside, stand_in = ROLES.get(name, "data"), 0, None
        elif REMOVED.fullmatch(name) or (stand_in is not None and depth > stand_in):
            continue
        elif GROUP.fullmatch(name) and not DRAID_SPARE.fullmatch(name):
            pool_groups.append(Group(role, GROUP.fullmatch(name).group(1), 0))
            inside, stand_in = depth, None
        else:
            stand_in = depth if STAND_IN.fullmatch(name) else None
            if inside and depth > inside:
                pool_groups[-1] = pool_groups[-1]._replace(drives=pool_groups[-1].drives + 1)
            else:
                pool_groups.append(Group(role, "stripe", 1))
                inside = 0
    return pool_groups
