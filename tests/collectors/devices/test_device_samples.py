"""Real outputs about devices: each is read, with the figures that stand in it, or refused with a reason."""

import random

import pytest

from collectors.outputs import (
    cxi_stat,
    ethtool,
    ibstat,
    ip,
    lsblk,
    lspci,
    mdadm,
    mdstat,
    modinfo,
    multipath,
    nvme,
    smartctl,
    zpool,
)

READERS = {
    "cxi_stat": (cxi_stat.devices, set()),
    "ethtool": (
        ethtool.driver,
        {
            "generic__ethtool--module-info.out",
            "insights-fail_ethtool_a.txt",
            "insights-fail_ethtool_a_1.txt",
            "insights-fail_ethtool_a_path.txt",
            "insights-success_ethtool_a.txt",
            "insights-test_ethtool_a_docs.txt",
        },
    ),
    "ibstat": (ibstat.adapters, set()),
    "ip-json": (ip.links, set()),
    # The table for people, which we do not ask for.
    "lsblk": (
        lsblk.devices,
        {"centos-7.7__lsblk.out", "centos-7.7__lsblk-allcols.out", "ubuntu-18.04__lsblk-allcols.out"},
    ),
    "lspci-nnmmv": (lspci.devices, set()),
    "mdadm": (mdadm.detail, set()),
    "mdstat": (mdstat.arrays, set()),
    # One driver whose module has no version of its own.
    "modinfo": (modinfo.version, {"insights-modinfo_intel.txt"}),
    "multipath-ll": (multipath.maps, set()),
    "nvme-list-json": (nvme.drives, {"thisvm-debian12.json"}),
    "rdma-link-json": (ip.rdma_states, {"thisvm-debian12.json"}),
    "smartctl": (smartctl.health, {"insights-cisco_drive.txt", "insights-netapp_drive.txt"}),
    "zpool-status": (zpool.pools, set()),
}


def samples(shared, command):
    folder = shared / "data" / "collector" / "samples" / command
    return {path.name: path.read_text(errors="replace") for path in folder.iterdir() if path.name != "source.txt"}


@pytest.mark.parametrize("command", READERS)
def test_every_sample_is_read_or_refused_with_a_reason(shared, command):
    reader, expected = READERS[command]
    refused = set()
    for name, text in samples(shared, command).items():
        try:
            reader(text)
        except ValueError as refusal:
            assert str(refusal)
            refused.add(name)
    assert refused == expected


def test_pause_of_the_samples_that_show_it(shared):
    read = {}
    for name, text in samples(shared, "ethtool").items():
        try:
            read[name] = ethtool.pause(text)
        except ValueError as refusal:
            assert str(refusal)
    assert read == {
        "insights-success_ethtool_a.txt": {"rx": False, "tx": False},
        "insights-test_ethtool_a_docs.txt": {"rx": True, "tx": True},
    }


def mutations(text, seed):
    """The text cut, doubled, with lines gone and turned around, and with characters replaced."""
    chance = random.Random(seed)
    for _ in range(40):
        lines = text.splitlines(keepends=True)
        chance.shuffle(lines)
        yield "".join(lines[: chance.randrange(len(lines) + 1)])
        cut = chance.randrange(len(text) + 1)
        yield text[:cut]
        yield text[cut:] + text
        letters = list(text)
        for _ in range(1 + len(letters) // 20):
            if letters:
                letters[chance.randrange(len(letters))] = chance.choice("\n\t :,[](){}\"'0159-%xS\0é\u202e")
        yield "".join(letters)


@pytest.mark.parametrize("command", READERS)
def test_mutated_samples_raise_nothing_else_than_value_error(shared, command):
    reader, _refused = READERS[command]
    for name, text in samples(shared, command).items():
        for mutated in mutations(text, name):
            try:
                reader(mutated)
            except ValueError as refusal:
                assert str(refusal)


def test_arrays_of_ten_and_of_five_drives(shared):
    texts = samples(shared, "mdstat")
    by_name = {array.name: array for array in mdstat.arrays(texts["insights-md_doc.txt"])}
    assert [by_name[name].drives for name in ("md1", "md2", "md3")] == [2, 2, 10]
    assert (by_name["md3"].personality, by_name["md3"].chunk_bytes, by_name["md3"].working) == ("raid5", 1048576, 10)
    (on_a_controller,) = mdstat.arrays(texts["insights-mdstat_test_1.txt"])
    assert (on_a_controller.name, on_a_controller.drives, on_a_controller.chunk_bytes) == ("md_d0", 5, 65536)
    (container,) = mdstat.arrays(texts["insights-mdstat_test_4.txt"])
    assert (container.active, container.container, container.personality, container.spares) == (False, True, None, 2)
    assert mdstat.arrays(texts["insights-no_md_devices.txt"]) == ()


def test_four_mirrors_with_a_spare(shared):
    texts = samples(shared, "zpool-status")
    (pool,) = zpool.pools(texts["generic__zpool-status-spares.out"])
    assert pool == ("ONLINE", None, (("data", "mirror", 2),) * 4 + (("spare", "stripe", 1),))
    (broken,) = zpool.pools(texts["generic__zpool-status-v3.out"])
    assert (broken.state, len(broken.groups)) == ("UNAVAIL", 2)


def test_three_array_drives_with_their_chunk(shared):
    texts = samples(shared, "mdadm")
    assert mdadm.detail(texts["generic__mdadm-query-raid5-ok.out"]) == ("raid5", 3, 0, 524288, "clean")


def test_an_adapter_that_is_down_and_one_that_is_up(shared):
    texts = samples(shared, "ibstat")
    down = ibstat.adapters(texts["mlx5-cx7-eth-disabled.txt"])["mlx5_0"]
    assert (down.type, down.firmware, down.ports) == ("MT4129", "28.42.1000", {1: ("Down", "40", "Ethernet")})
    up = ibstat.adapters(texts["mlx5-2port-cx4-ib.txt"])["mlx5_0"]
    assert up.ports == {1: ("Active", "100", "InfiniBand")}
    assert ibstat.adapters(texts["thisvm-debian12.txt"]) == {}


def test_models_and_sizes_of_nvme_drives(shared):
    texts = samples(shared, "nvme-list-json")
    assert nvme.drives(texts["cachelib-01.json"]) == {
        "nvme0n1": ("SAMSUNG MZ1LB1T9HALS-000FB", "EDA78F2Q", 1880375648256, 4096)
    }
    assert sorted(nvme.drives(texts["cachelib-03.json"])) == ["nvme0n1", "nvme1n1", "nvme2n1"]


def test_two_slingshot_cards(shared):
    devices = cxi_stat.devices(samples(shared, "cxi_stat")["2nic.txt"])
    assert {name: fields["speed"] for name, fields in devices.items()} == {"cxi0": "BS_200G", "cxi1": "BS_200G"}
    assert not {"HJ20110019", "00:40:a6:82:ef:02"} & {value for fields in devices.values() for value in fields.values()}


def test_working_and_failed_paths_are_read(shared):
    texts = samples(shared, "multipath-ll")
    assert multipath.maps(texts["insights-multipath_v4_ll_doc.txt"]) == ((8, 0), (0, 8), (2, 0))
    assert multipath.maps(texts["insights-multipath_v4_ll_info_rhel_5.txt"]) == ((4, 0),)


def test_maps_whose_wwid_has_blanks_stay_apart():
    path = "|- 0:0:0:{0} sd{1} 8:{0} active ready running\n"
    maps = "".join(
        f"{name} dm-{number} ATA,INTEL SSD\nsize=447G features='0' wp=rw\n"
        + path.format(number, "abc"[number])
        + path.format(number + 16, "def"[number])
        for number, name in enumerate(
            (
                "mpatha (1ATA     INTEL SSDSC2KB480G8      BTYF0)",
                "1ATA     INTEL SSDSC2KB480G8      BTYF1",
                "mpathc (3600a)",
            )
        )
    )
    assert multipath.maps(maps) == ((2, 0), (2, 0), (2, 0))
