"""Single compressed files are opened as archives are: within the same bounds, and damage is told."""

import bz2
import gzip
import io
import lzma
import tarfile
import zlib

import pytest

from validators.bundle import BundleError, Limits, compressed, open_bundle
from validators.checks import check

TEXT = b"a line of text 1.5\n" * 1000
PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def contents(path, limits=None):
    with open_bundle(path, limits or Limits()) as bundle:
        return {name: bundle.read(name) for name in bundle.files}, bundle.findings, bundle.unopened


@pytest.mark.parametrize("ending", PACKERS)
def test_a_compressed_file_gives_its_content(tmp_path, ending):
    path = tmp_path / f"ior.txt.{ending}"
    path.write_bytes(PACKERS[ending](TEXT) + PACKERS[ending](b"and more\n"))
    assert contents(path)[0] == {"ior.txt": TEXT + b"and more\n"}
    folder = contents(tmp_path)[0]
    assert folder == {f"ior.txt.{ending}": path.read_bytes(), f"ior.txt.{ending}/ior.txt": TEXT + b"and more\n"}


@pytest.mark.parametrize("ending", PACKERS)
def test_a_tar_in_it_is_opened(tmp_path, ending):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("run/out.txt")
        member.size = len(TEXT)
        archive.addfile(member, io.BytesIO(TEXT))
    path = tmp_path / f"all.tar.{ending}"
    path.write_bytes(PACKERS[ending](buffer.getvalue()))
    assert contents(path)[0] == {"run/out.txt": TEXT}


@pytest.mark.parametrize("ending", PACKERS)
def test_one_that_is_cut_or_damaged_is_refused(tmp_path, ending):
    packed = PACKERS[ending](bytes(range(256)) * 5000)
    for broken, code in (
        (packed[:-20], "bundle.truncated"),
        (packed[:60] + bytes(40) + packed[100:], "bundle.corrupt"),
    ):
        (tmp_path / "log").write_bytes(broken)
        with pytest.raises(BundleError) as refused, open_bundle(tmp_path / "log"):
            pass
        assert refused.value.finding.code == code


@pytest.mark.parametrize("ending", PACKERS)
def test_the_bounds_of_archives_hold(tmp_path, ending):
    (tmp_path / "log").write_bytes(PACKERS[ending](bytes(64 * 2**20)))
    with pytest.raises(BundleError) as refused, open_bundle(tmp_path / "log"):
        pass
    assert refused.value.finding.code == "bundle.bomb"
    with pytest.raises(BundleError) as refused, open_bundle(tmp_path / "log", Limits(unpacked_bytes=2**20)):
        pass
    assert refused.value.finding.code == "bundle.unpacked-too-large"


def test_thousands_of_empty_streams_are_refused(tmp_path):
    (tmp_path / "log").write_bytes(bz2.compress(b"") * 30_000)
    with pytest.raises(BundleError) as refused, open_bundle(tmp_path / "log"):
        pass
    assert refused.value.finding.code == "bundle.corrupt"


def test_xz_that_asks_for_much_memory_is_refused(tmp_path):
    """Packing such a file would take gigabytes itself: only its header is made here."""
    header = bytearray(lzma.compress(TEXT, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 4096}]))
    assert header[12 + 4] == 0  # the size of the dictionary, of which 0 is 4 KiB
    header[12 + 4] = 34
    block = header[12 : 12 + (header[12] + 1) * 4 - 4]
    header[12 + len(block) : 12 + len(block) + 4] = zlib.crc32(block).to_bytes(4, "little")
    (tmp_path / "log").write_bytes(header)
    with pytest.raises(BundleError) as refused, open_bundle(tmp_path / "log"):
        pass
    assert refused.value.finding.code == "bundle.corrupt"


def test_a_text_that_begins_like_bzip2_is_a_text(tmp_path):
    (tmp_path / "log").write_bytes(b"BZh9 is how bzip2 begins\n")
    assert contents(tmp_path / "log")[0] == {"log": b"BZh9 is how bzip2 begins\n"}


def test_an_unsupported_compression_is_named_with_the_reason(tmp_path):
    (tmp_path / "a.txt").write_text("text\n")
    (tmp_path / "b.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(40))
    try:
        compressed.open_compressed("zstd", io.BytesIO())
    except compressed.UnknownCompression:
        assert contents(tmp_path)[2] == {"b.zst": "zstd, which this Python does not unpack"}
        assert "bundle.archive-format" in [finding.code for finding in check(tmp_path / "b.zst").findings]
    else:
        assert [finding.code for finding in contents(tmp_path)[1]] == ["bundle.inner-unreadable"]
