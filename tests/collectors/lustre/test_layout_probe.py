"""Layouts: what the striping of a test directory is in the document, and that its path is not."""

import pytest

from collectors.probes import layout

PROBE = layout.Layout()
DIRECTORY = "/lustre/CANARY-project/io500"
PLAIN = "stripe_count:  1 stripe_size:   1048576 pattern:       raid0 stripe_offset: -1\n"
COMPOSITE = f"""{DIRECTORY}
  lcm_layout_gen:    0
  lcm_mirror_count:  1
  lcm_entry_count:   3
    lcme_id:             N/A
    lcme_mirror_id:      N/A
    lcme_flags:          0
    lcme_extent.e_start: 0
    lcme_extent.e_end:   65536
      stripe_count:  0       stripe_size:   65536       pattern:       mdt       stripe_offset: -1

    lcme_id:             N/A
    lcme_flags:          0
    lcme_extent.e_start: 65536
    lcme_extent.e_end:   1073741824
      stripe_count:  4       stripe_size:   1048576       pattern:       raid0       stripe_offset: -1

    lcme_id:             N/A
    lcme_flags:          0
    lcme_extent.e_start: 1073741824
    lcme_extent.e_end:   EOF
      stripe_count:  64       stripe_size:   16777216       pattern:       raid0,overstriped       stripe_offset: -1
"""
MIRRORED = """  lcm_layout_gen:    2
  lcm_mirror_count:  2
  lcm_entry_count:   2
    lcme_id:             65537
    lcme_mirror_id:      1
    lcme_flags:          init
    lcme_extent.e_start: 0
    lcme_extent.e_end:   EOF
      lmm_stripe_count:  2
      lmm_stripe_size:   4194304
      lmm_pattern:       raid0
      lmm_objects:
      - 0: { l_ost_idx: 1, l_fid: [0x340003abc:0x17ff66d:0x0] }
    lcme_id:             131074
    lcme_mirror_id:      2
    lcme_flags:          init,compress
    lcme_extent.e_start: 0
    lcme_extent.e_end:   EOF
    lcme_compr_type:     zstd
    lcme_compr_lvl:      3
      lmm_stripe_count:  4294967295
      lmm_stripe_size:   4194304
      lmm_pattern:       raid0,compress
"""


@pytest.fixture
def directory(lustre):
    """A client that tells layout and directory striping of the test directory."""

    def with_outputs(getstripe, getdirstripe="lmv_stripe_count: 0 lmv_stripe_offset: 1 lmv_hash_type: none\n"):
        lustre.put({"/sys/fs/lustre/version": "2.15.4"})
        lustre.command(f"lfs getstripe -d {DIRECTORY}", getstripe)
        lustre.command(f"lfs getdirstripe {DIRECTORY}", getdirstripe)
        return lustre.said(PROBE, lustre.door_at(DIRECTORY))

    return with_outputs


def told(output):
    names = ("stripe_count", "stripe_size", "overstripe", "dom", "compression", "mirror_ec")
    return {name: output.value("lustre.layout." + name) for name in names}


def test_a_plain_layout(directory):
    output = directory(PLAIN)
    assert told(output) == {
        "stripe_count": 1,
        "stripe_size": 1048576,
        "overstripe": False,
        "dom": 0,
        "compression": "none",
        "mirror_ec": 1,
    }
    assert output.value("lustre.layout.pfl", "components") == 0
    (item,) = output.items("layouts")
    assert (item["phase"], item["stripe_count"], item["components"]) == ("test directory", 1, [])
    assert output.value("lustre.layout.dir_stripe", "count") == 0


def test_a_progressive_layout_with_data_on_the_metadata_target_and_overstriping(directory):
    output = directory(COMPOSITE, "lmv_stripe_count: 4 lmv_stripe_offset: 0 lmv_hash_type: fnv_1a_64\nmdtidx\n")
    assert told(output) == {
        "stripe_count": 64,
        "stripe_size": 16777216,
        "overstripe": True,
        "dom": 65536,
        "compression": "none",
        "mirror_ec": 1,
    }
    assert output.value("lustre.layout.pfl", "components") == 3
    assert [output.value("lustre.layout.pfl", f"component_{number}") for number in (1, 2, 3)] == [
        "0-65536 mdt",
        "65536-1073741824 4x1048576 raid0",
        "1073741824-EOF 64x16777216 raid0,overstriped",
    ]
    assert output.value("lustre.layout.dir_stripe", "count") == 4
    assert output.value("lustre.layout.dir_stripe", "hash_type") == "fnv_1a_64"
    (item,) = output.items("layouts")
    assert item["dir_stripe_count"] == 4
    assert [component["end_bytes"] for component in item["components"]] == [65536, 1073741824, None]
    assert [component["pattern"] for component in item["components"]] == ["mdt", "raid0", "raid0,overstriped"]


def test_mirrors_compression_and_every_target(directory):
    output = directory(MIRRORED)
    assert (output.value("lustre.layout.mirror_ec"), output.value("lustre.layout.compression")) == (2, "zstd:3")
    assert output.value("lustre.layout.stripe_count") == -1
    assert [component["mirror_id"] for component in output.items("layouts")[0]["components"]] == [1, 2]


def test_numbers_that_older_releases_print_for_patterns(directory):
    text = PLAIN.replace("raid0", "0")
    assert layout.stripes(text)["pattern"] == "raid0"


def test_the_path_of_the_directory_is_not_recorded(directory):
    output = directory(COMPOSITE)
    assert "CANARY" not in repr(output.pieces)
    assert layout.stripes("/tmp/stripe_count: 9\n/pattern: CANARY\n" + PLAIN)["stripe_count"] == 1


def test_no_layout_is_queried_without_a_test_directory(lustre):
    lustre.put({"/sys/fs/lustre/version": "2.15.4"}).command("lfs getstripe", PLAIN).command("lfs getdirstripe", "junk")
    output = lustre.said(PROBE)
    assert {piece.reason for piece in output.pieces} == {"not_applicable"}
    assert {piece.detail for piece in output.pieces} == {"no --directory was named"}
    assert {piece.id for piece in output.pieces} == set(PROBE.provides)


def test_no_layout_is_queried_outside_lustre(lustre):
    assert not PROBE.applies(lustre.door_at(DIRECTORY))


@pytest.mark.parametrize(
    "wrong",
    [
        "error: getstripe failed\n",
        PLAIN.replace("1048576", "1M"),
        PLAIN.replace("stripe_count:  1", "stripe_count:  many"),
        PLAIN.replace("raid0", "RAID-0;rm"),
        PLAIN.replace("1048576", "9" * 25),
        COMPOSITE.replace("1073741824", "-7"),
    ],
)
def test_output_that_is_no_layout_is_a_parse_error(directory, wrong):
    output = directory(wrong, "junk")
    for name in ("stripe_count", "pfl", "dom", "dir_stripe"):
        assert output.reason("lustre.layout." + name) == "parse_error"
    assert output.items("layouts") == []


def test_a_command_that_fails_is_the_reason(lustre):
    lustre.put({"/sys/fs/lustre/version": "2.15.4"})
    lustre.command(f"lfs getstripe -d {DIRECTORY}", "", 13, "error: Permission denied")
    output = lustre.said(PROBE, lustre.door_at(DIRECTORY))
    assert output.reason("lustre.layout.stripe_count") == "permission_denied"
    assert output.reason("lustre.layout.dir_stripe") == "not_installed"
