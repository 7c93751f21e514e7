"""Every real output is read or refused with a reason; damaged ones, junk and hostile ones raise nothing else."""

import json
import random

import pytest

from collectors.probe_results import Fact, Item
from collectors.probes import beegfs, ceph, daos, fuse, gpfs, gpu, load, mounts, mpi, nfs, weka

# Folder of samples -> what reads it.
READERS = {
    "beegfs-ctl-getentryinfo": beegfs.parse_entry,
    "beegfs-net": beegfs.parse_nodes,
    "df": mounts.parse_df,
    "mmlscluster": gpfs.parse_mmlscluster,
    "mmlsconfig": gpfs.parse_mmlsconfig,
    "mmlsdisk": gpfs.parse_mmlsdisk,
    "mmlsfs": gpfs.parse_mmlsfs,
    "mmfsadm-test-verbs": gpfs.parse_verbs,
    "proc-mountstats": nfs.parse_mountstats,
    "weka-status-json": weka.parse_status,
    "mmdf": lambda text: gpfs.table(text, "mmdf"),
    "mmgetstate": lambda text: gpfs.table(text, "mmgetstate"),
    "mmhealth": lambda text: gpfs.table(text, "mmhealth"),
    "mmlsfileset": lambda text: gpfs.table(text, "mmlsfileset"),
    "mmlsqos": lambda text: gpfs.table(text, "mmlsqos"),
}
# Of these commands, which answers are read, and by what. The rest of their folder is refused by all of them.
ANSWERS = {
    "dmg-json": {
        "network_scan-00.json": daos.parse_network_scan,
        "storage_scan-01.json": daos.parse_storage_scan,
        "pool_list-05.json": daos.parse_pool_list,
        "system_query-08.json": daos.parse_system_query,
    },
    "ceph": {
        "fs-status.json": ceph.parse_fs_status,
        "insights-ceph_df_detail_info.txt": ceph.parse_ceph_df,
        "insights-ceph_osd_dump_info.txt": ceph.parse_pools,
    },
}
# Not the output itself: what an exporter made of it, or a header without a single row.
REFUSED = {
    "mmfsadm-test-verbs/gpfs_exporter-0.txt",
    "mmfsadm-test-verbs/gpfs_exporter-1.txt",
    "mmlsdisk/gpfs_exporter-1.txt",
}
PARSERS = [
    *(
        value
        for module in (beegfs, ceph, daos, gpfs, gpu, load, mounts, mpi, nfs, weka)
        for name, value in vars(module).items()
        if name.startswith("parse_")
    ),
    *(READERS[name] for name in ("mmdf", "mmhealth")),
]
PROBES = [probe for module in (beegfs, ceph, daos, fuse, gpfs, gpu, load, mounts, nfs, weka) for probe in module.PROBES]


def samples(shared, folder):
    paths = sorted((shared / "data" / "collector" / "samples" / folder).iterdir())
    return [path for path in paths if path.name != "source.txt"]


@pytest.mark.parametrize("folder", READERS)
def test_every_sample_is_read_or_refused_with_a_reason(shared, folder):
    refused = set()
    for path in samples(shared, folder):
        try:
            assert READERS[folder](path.read_text(errors="replace"))
        except ValueError as refusal:
            assert str(refusal)
            refused.add(f"{folder}/{path.name}")
    assert refused == {name for name in REFUSED if name.startswith(folder + "/")}


@pytest.mark.parametrize("folder", ANSWERS)
def test_answers_are_read_by_their_reader_and_refused_by_the_others(shared, folder):
    for path in samples(shared, folder):
        own = ANSWERS[folder].get(path.name)
        text = path.read_text(errors="replace")
        assert own is None or own(text)
        for other in set(ANSWERS[folder].values()) - {own}:
            with pytest.raises(ValueError):
                other(text)


def attempt(parse, text):
    """The parser's answer, or its refusal; anything else fails the test."""
    try:
        return parse(text)
    except ValueError as refusal:
        return str(refusal)


JUNK = [
    "",
    "\n",
    "\x00\x01\x02",
    "x" * 100_000,
    "[" * 100_000,
    '{"a":' * 100_000,
    "{}",
    "[]",
    "null",
    "1e999",
    "[1, null, {}]",
    '{"response": null, "status": 0}',
    '{"response": [[1], {"name": {}}], "status": 0}',
    '{"response": {"members": 1, "pools": {}, "HostFabrics": [], "HostStorage": "x"}, "status": 0}',
    '{"response": {"total_targets": []}, "status": 0}',
    '{"release": {}, "drives": [], "io_status": {}}',
    '{"mdsmap": [null, {"state": {}}], "pools": "x", "mds_version": [{"version": []}]}',
    '{"pools": [{"size": [], "type": {}}], "stats": []}',
    "9" * 5000,
    "mmlsfs::HEADER:\nmmlsfs::x:\n",
    "mmlsconfig::HEADER:a:\nmmlsconfig::1:\n",
    "Configuration data for cluster x:\n---\n[\n]\n[]\n]x [y\n",
    "device x mounted on y with fstype nfs statvers=1.1\n xprt:\n nfsv4:",
    "Filesystem 1K-blocks\n\n",
    "mpirun (Open MPI) \n",
    ": " * 50_000,
    "a 1 " * 20_000 + "!",
    "A=" * 50_000,
]


@pytest.mark.parametrize("parse", PARSERS, ids=lambda parse: getattr(parse, "__name__", "table"))
def test_junk_is_refused_and_nothing_else_happens(parse):
    for text in JUNK:
        attempt(parse, text)


def damaged(text, chance):
    """The text with a part cut out, doubled, replaced or mixed up."""
    begin = chance.randrange(len(text) + 1)
    end = min(len(text), begin + chance.choice([1, 5, 50, 500]))
    part = text[begin:end]
    piece = chance.choice(
        ["", part * 2, part[::-1], "\x00", "{", '"', "[]", "null", "-1", "9" * 30, ":", "=", ",", "\n", "é"]
    )
    return text[:begin] + piece + text[end:]


def test_damaged_samples_are_read_or_refused_by_all_that_read_such(shared):
    chance = random.Random(20261121)
    readers = {folder: [reader] for folder, reader in READERS.items()}
    readers.update({folder: list(own.values()) for folder, own in ANSWERS.items()})
    cases = [(path.read_text(errors="replace"), readers[name]) for name in readers for path in samples(shared, name)]
    answers = 0
    for _ in range(4000):
        text, own = chance.choice(cases)
        text = damaged(text[:6000], chance)
        answers += sum(not isinstance(attempt(parse, text), str) for parse in [*own, chance.choice(PARSERS)])
    assert answers > 1000


def test_a_name_planted_in_every_value_is_never_recorded(shared, client):
    """Every value of every JSON sample becomes a secret: what is not a number or a known word must stay."""

    def planted(value):
        if isinstance(value, dict):
            return {name: planted(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [planted(inner) for inner in value]
        return "CANARY-PLANTED" if isinstance(value, str) else value

    client.put({"/etc/daos/daos_control.yml": "", "/sys/module/wekafsio/version": ""})
    client.mounted("CANARY:/ /CANARY ceph rw,name=CANARY", "CANARY /CANARY wekafs rw", "CANARY /CANARY gpfs rw")
    commands = {
        "dmg -j network scan": "dmg-json/network_scan-00.json",
        "dmg -j storage scan": "dmg-json/storage_scan-01.json",
        "dmg -j system query": "dmg-json/system_query-08.json",
        "daos -j pool list": "dmg-json/pool_list-05.json",
        "weka status -J": "weka-status-json/demo-cluster.json",
        "ceph fs status -f json": "ceph/fs-status.json",
        "ceph osd pool ls detail -f json": "ceph/insights-ceph_osd_dump_info.txt",
        "ceph df -f json": "ceph/insights-ceph_df_detail_info.txt",
    }
    for argv, name in commands.items():
        text = (shared / "data" / "collector" / "samples" / name).read_text()
        client.command(argv, json.dumps(planted(json.loads(text))))
    pieces = [piece for probe in PROBES if probe.applies(client.door()) for piece in client.said(probe).pieces]
    assert len([piece for piece in pieces if isinstance(piece, (Fact, Item))]) > 10
    assert "CANARY" not in repr(pieces)
