"""FUSE clients: which, and the options that shape them. What they mount stays at the site."""

from collectors.probe_results import Fact, Missing
from collectors.probes import Probe, mounts


class FuseProbe(Probe):
    id = "fuse"
    provides = ("fuse.mount",)
    reads = (mounts.MOUNTS,)

    def applies(self, door):
        return mounts.has_mount(door, mounts.is_fuse)

    def read(self, door):
        return {mounts.MOUNTS: mounts.read_mounts(door)}

    def parse(self, raw):
        mount_table = raw[mounts.MOUNTS]
        if mount_table.text is None:
            yield Missing("fuse.mount", mount_table.reason, mount_table.detail)
            return
        for mount in filter(mounts.is_fuse, mounts.parse_mounts(mount_table.text)):
            yield Fact("fuse.mount", mounts.publishable_type(mount), mount_table.source, "type")
            for name, value in mounts.option_values(mount):
                yield Fact("fuse.mount", value, mount_table.source, name)


PROBES = (FuseProbe(),)
