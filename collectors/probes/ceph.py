"""CephFS: version, metadata servers, protection of pools, mount options. Names and identifiers stay at the site."""

import re

from collectors.outputs import jsontext
from collectors.probe_results import Fact, Item
from collectors.probes import Probe, input_parsing, mounts
from collectors.probes.json_paths import at, count_at, json_object, objects_at, without_none, word_at

FS_STATUS = ["ceph", "fs", "status", "-f", "json"]
POOLS = ["ceph", "osd", "pool", "ls", "detail", "-f", "json"]
DF = ["ceph", "df", "-f", "json"]
TYPES = ("ceph", "fuse.ceph", "fuse.ceph-fuse")
VERSION = re.compile(r"ceph version (\d{1,3}(?:\.\d{1,4}){1,3})\b")
POOL_KINDS = {1: "replicated", 3: "erasure"}
MDS_STATES = ("active", "standby", "standby-replay")
POOL_COUNTS = ("size", "min_size", "pg_num", "stripe_width")


def is_cephfs(mount):
    return mount.type in TYPES


def parse_fs_status(text):
    """{key: value} of `ceph fs status -f json`: servers by state, pools, clients, `version`.

    Raises ValueError for other texts.
    """
    status = json_object(text, "mdsmap", "pools")
    states = [at(entry, "state") for entry in objects_at(status, "mdsmap")]
    values = {"mds_" + state.replace("-", "_"): states.count(state) for state in MDS_STATES}
    for kind in ("data", "metadata"):
        values[kind + "_pools"] = sum(at(pool, "type") == kind for pool in objects_at(status, "pools"))
    values["clients"] = sum(count_at(entry, "clients") or 0 for entry in objects_at(status, "clients"))
    values["version"] = version_in(status.get("mds_version"))
    return without_none(values)


def version_in(versions):
    """The release of the metadata servers, which is a list of objects or, of one release, a text."""
    texts = (
        [versions] if isinstance(versions, str) else [at(entry, "version") for entry in objects_at({"": versions}, "")]
    )
    matches = [VERSION.match(text) for text in texts if isinstance(text, str)]
    return next((match.group(1) for match in matches if match), None)


def parse_pools(text):
    """[{key: value}] per pool of `ceph osd pool ls detail -f json` or `ceph osd dump -f json`.

    Raises ValueError for other texts.
    """
    document = jsontext.document(text)
    listed = document if isinstance(document, list) else at(document, "pools")
    if not isinstance(listed, list) or not all(at(pool, "size") is not None for pool in listed):
        raise ValueError("not a list of pools")
    return [pool_values(pool) for pool in listed]


def pool_values(pool):
    values = {"pool_" + name: count_at(pool, name) for name in POOL_COUNTS}
    values["pool_type"] = POOL_KINDS.get(count_at(pool, "type"))
    values["pool_pg_autoscale_mode"] = word_at(pool, ("on", "off", "warn"), "pg_autoscale_mode")
    return without_none(values)


def parse_ceph_df(text):
    """{raw_bytes, fill_ratio} of `ceph df -f json`. Raises ValueError for other texts."""
    stats = json_object(text, "stats")
    total, used = count_at(stats, "stats", "total_bytes"), count_at(stats, "stats", "total_used_bytes")
    if total is None:
        raise ValueError("not ceph df")
    return without_none(
        {"raw_bytes": total, "fill_ratio": round(used / total, 3) if used is not None and used <= total > 0 else None}
    )


class CephProbe(Probe):
    id = "ceph"
    provides = ("ceph.fs",)
    cost = "moderate"
    reads = (mounts.MOUNTS,) + tuple(" ".join(argv) for argv in (FS_STATUS, POOLS, DF))

    def applies(self, door):
        return mounts.has_mount(door, is_cephfs)

    def read(self, door):
        return {
            mounts.MOUNTS: mounts.read_mounts(door),
            "status": door.command(FS_STATUS),
            "pools": door.command(POOLS),
            "df": door.command(DF),
        }

    def parse(self, raw):
        for mount in filter(is_cephfs, mounts.mounts_in(raw[mounts.MOUNTS])):
            for name, value in mounts.option_values(mount):
                yield Fact("ceph.fs", value, "procfs", name)
        status, pools, space = (
            input_parsing.read_as(parse, raw[name])
            for name, parse in (("status", parse_fs_status), ("pools", parse_pools), ("df", parse_ceph_df))
        )
        if status.value is None:
            yield input_parsing.gap("ceph.fs", status, key="mds_active")
        if pools.value is None:
            yield input_parsing.gap("ceph.fs", pools, key="pool_type")
        for values in [status.value or {}] + (pools.value or []):
            for key, value in sorted(values.items()):
                yield Fact("ceph.fs", value, "command", key)
        system = without_none({"version": at(status.value, "version")})
        system.update(space.value or {})
        if system:
            yield Item("storage_systems", dict({"name": "ceph", "type": "ceph"}, **system))


PROBES = (CephProbe(),)
