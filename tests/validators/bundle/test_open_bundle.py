"""Opening bundles: every kind that sites send, and everything that must be refused, each with its own code."""

from __future__ import annotations

import gzip
import io
import os
import random
import socket
import struct
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from validators.bundle import Bundle, BundleError, Limits, open_bundle

SMALL = Limits(
    packed_bytes=1_000_000, files=5, files_in_all=12, unpacked_bytes=2_000_000, ratio_from_bytes=500_000, depth=2
)


def tar_of(members: dict[str, bytes], mode: str = "w:gz") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def tar_with(kind: bytes, name: str = "results/odd", target: str = "/etc/passwd") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, target
        archive.addfile(member)
        plain = tarfile.TarInfo("results/plain.txt")
        plain.size = 5
        archive.addfile(plain, io.BytesIO(b"plain"))
    return packed.getvalue()


def zip_of(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return packed.getvalue()


def incompressible(size: int) -> bytes:
    return random.Random(size).randbytes(size)


@pytest.fixture
def write(tmp_path: Path):
    def to_file(content: bytes, name: str = "upload") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return to_file


def contents(path: Path, limits: Limits = SMALL) -> dict[str, bytes]:
    with open_bundle(path, limits) as bundle:
        return {name: bundle.read(name) for name in bundle.files}


def refusal(path: Path, limits: Limits = SMALL) -> str:
    with pytest.raises(BundleError) as refused, open_bundle(path, limits):
        pass
    assert refused.value.finding.level == "error"
    assert refused.value.finding.hint
    return refused.value.finding.code


def noted(path: Path, limits: Limits = SMALL) -> tuple[list[str], Bundle]:
    """The codes of the findings, and the bundle with the rest of its files."""
    with open_bundle(path, limits) as bundle:
        return [finding.code for finding in bundle.findings], bundle


# What sites send


@pytest.mark.parametrize("mode", ["w:gz", "w"])
def test_a_tar_is_read_by_content_not_by_name(write, mode: str) -> None:
    assert contents(write(tar_of({"./results/a.txt": b"one", "b c,(d)+.txt": b"two"}, mode), "no-suffix")) == {
        "results/a.txt": b"one",
        "b c,(d)+.txt": b"two",
    }


def test_a_zip_is_read(write) -> None:
    assert contents(write(zip_of({"results/": b"", "results/a.txt": b"one"}), "misnamed.tar.gz")) == {
        "results/a.txt": b"one"
    }


def test_a_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "a.txt").write_bytes(b"one")
    (tmp_path / "b.txt").write_bytes(b"")
    assert contents(tmp_path) == {"b.txt": b"", "results/a.txt": b"one"}


def test_a_raw_file_is_a_bundle_of_one(write) -> None:
    assert contents(write(b"[RESULT]\n", "result_summary.txt")) == {"result_summary.txt": b"[RESULT]\n"}


def test_archives_inside_archives_are_opened(write) -> None:
    inner = zip_of({"run/result.txt": b"[run]"})
    middle = tar_of({"data.zip": inner})
    files = contents(write(tar_of({"a.txt": b"x", "all.tgz": middle})))
    assert files["all.tgz/data.zip/run/result.txt"] == b"[run]"
    assert set(files) == {"a.txt", "all.tgz", "all.tgz/data.zip", "all.tgz/data.zip/run/result.txt"}


def test_the_content_of_a_gzip_is_listed_beside_it(write) -> None:
    packed = gzip.compress(b"text")
    assert contents(write(tar_of({"log.gz": packed}))) == {"log.gz": packed, "log.gz/log": b"text"}


def test_a_directory_named_like_a_drive_is_read(write) -> None:
    assert contents(write(tar_of({"results/G:/result.txt": b"x"}))) == {"results/G:/result.txt": b"x"}


def test_files_of_desktops_are_reported_and_not_read(write) -> None:
    codes, bundle = noted(write(tar_of({"._a.txt": b"x", "__MACOSX/b": b"x", ".c.swp": b"x", "a.txt": b"y"})))
    assert codes == ["bundle.litter"] * 3
    assert list(bundle.files) == ["a.txt"]


def test_reading_stops_at_the_limit_asked_for(write) -> None:
    with open_bundle(write(tar_of({"a.txt": b"0123456789"})), SMALL) as bundle:
        assert bundle.read("a.txt", 4) == b"0123"


def test_names_that_are_not_utf8_are_read(write) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT, encoding="latin-1") as archive:
        archive.addfile(tarfile.TarInfo("r\u00e9sultat.txt"))
    assert list(contents(write(packed.getvalue()))) == ["r\ufffdsultat.txt"]


# What must not be in one: left out, and an error that says so


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../escape.txt", "bundle.path-traversal"),
        ("results/../../escape.txt", "bundle.path-traversal"),
        ("results\\..\\..\\escape.txt", "bundle.path-traversal"),
        ("/etc/cron.d/evil", "bundle.absolute-path"),
        ("C:\\windows\\evil", "bundle.absolute-path"),
        ("results/a\nb.txt", "bundle.name"),
        ("results/\x1b[2J.txt", "bundle.name"),
        ("x" * 1100, "bundle.name"),
    ],
)
@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_a_member_with_a_dangerous_name_is_left_out(write, pack, name: str, code: str) -> None:
    codes, bundle = noted(write(pack({name: b"evil", "results/plain.txt": b"plain"})))
    assert codes == [code]
    assert list(bundle.files) == ["results/plain.txt"]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (tarfile.SYMTYPE, "bundle.link"),
        (tarfile.LNKTYPE, "bundle.link"),
        (tarfile.CHRTYPE, "bundle.device"),
        (tarfile.BLKTYPE, "bundle.device"),
        (tarfile.FIFOTYPE, "bundle.device"),
    ],
)
def test_links_and_devices_are_left_out(write, kind: bytes, code: str) -> None:
    codes, bundle = noted(write(tar_with(kind)))
    assert codes == [code]
    assert list(bundle.files) == ["results/plain.txt"]


def test_a_link_in_a_zip_is_left_out(write) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        link = zipfile.ZipInfo("results/link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    codes, bundle = noted(write(packed.getvalue()))
    assert (codes, list(bundle.files)) == (["bundle.link"], [])


def test_links_pipes_and_sockets_of_a_folder_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "to-file").symlink_to("/etc/passwd")
    (tmp_path / "to-folder").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        codes, bundle = noted(tmp_path)
    assert sorted(codes) == ["bundle.device", "bundle.device", "bundle.link", "bundle.link"]
    assert list(bundle.files) == ["a.txt"]


def test_two_files_of_one_name_are_reported(write) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for content in (b"one", b"two"):
            member = tarfile.TarInfo("a.txt")
            member.size = 3
            archive.addfile(member, io.BytesIO(content))
    codes, _ = noted(write(packed.getvalue()))
    assert codes == ["bundle.duplicate-path"]


def test_thousands_of_bad_members_make_a_few_findings(write) -> None:
    codes, _ = noted(write(tar_of({f"../{number}": b"" for number in range(500)})))
    assert codes == ["bundle.path-traversal"] * 20


# What is refused as a whole


def test_too_many_bytes_are_refused_before_reading(write) -> None:
    assert refusal(write(incompressible(1_000_001))) == "bundle.too-large"


@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_too_many_files_are_refused(write, pack) -> None:
    assert refusal(write(pack({f"f{number}": b"" for number in range(6)}))) == "bundle.too-many-files"


def test_two_thousand_files_are_enough(write) -> None:
    assert len(contents(write(tar_of({f"f{number}": b"" for number in range(2000)})), Limits())) == 2000
    assert refusal(write(tar_of({f"f{number}": b"" for number in range(2001)})), Limits()) == "bundle.too-many-files"


def test_files_of_all_inner_archives_count_together(write) -> None:
    inner = {f"{letter}.zip": zip_of({f"{letter}{number}": b"" for number in range(4)}) for letter in "abc"}
    assert refusal(write(tar_of(inner))) == "bundle.too-many-files"


@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_a_bomb_is_refused(write, pack) -> None:
    assert refusal(write(pack({"zeros": bytes(1_500_000)}))) == "bundle.bomb"


def test_a_small_well_compressed_archive_is_accepted(write) -> None:
    assert len(contents(write(tar_of({"zeros": bytes(400_000)})))["zeros"]) == 400_000


def test_a_bomb_inside_an_archive_is_refused(write) -> None:
    assert refusal(write(tar_of({"inner.zip": zip_of({"zeros": bytes(1_500_000)})}))) == "bundle.bomb"


def test_too_many_unpacked_bytes_are_refused(write) -> None:
    limits = Limits(packed_bytes=10_000_000, unpacked_bytes=100_000)
    assert refusal(write(tar_of({"a": incompressible(200_000)})), limits) == "bundle.unpacked-too-large"


def test_archives_nested_too_deep_are_refused(write) -> None:
    packed = tar_of({"a.txt": b"x"})
    for _ in range(3):
        packed = tar_of({"inner.tgz": packed})
    assert refusal(write(packed)) == "bundle.nested-too-deep"


def test_a_zip_that_holds_itself_many_times_is_refused(write) -> None:
    """Members that overlap: many names for the same compressed bytes."""
    kernel = zip_of({"a": bytes(200_000)})
    with zipfile.ZipFile(io.BytesIO(kernel)) as archive:
        directory = archive.start_dir
    entry = kernel[directory : kernel.rindex(b"PK\x05\x06")]
    entries = [entry[:46] + name + entry[47:] for name in (b"a", b"b", b"c", b"d", b"e")]
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 5, 5, sum(map(len, entries)), directory, 0)
    path = write(kernel[:directory] + b"".join(entries) + end)
    assert refusal(path) in ("bundle.bomb", "bundle.corrupt")


def test_a_zip_directory_that_claims_a_million_entries_is_refused(write) -> None:
    packed = bytearray(zip_of({"a": b"x"}))
    end = packed.rindex(b"PK\x05\x06")
    packed[end + 12 : end + 16] = struct.pack("<L", 500_000_000)
    assert refusal(write(bytes(packed))) in ("bundle.too-many-files", "bundle.corrupt")


def test_an_endless_tar_header_is_refused(write) -> None:
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, 800_000_000
    assert refusal(write(header.tobuf() + bytes(10_240))) == "bundle.corrupt"


def test_a_sparse_file_is_refused(write) -> None:
    header = tarfile.TarInfo("sparse")
    header.type, header.size = tarfile.GNUTYPE_SPARSE, 0
    assert refusal(write(header.tobuf(tarfile.GNU_FORMAT) + bytes(10_240))) == "bundle.corrupt"


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_a_truncated_archive_is_refused(write, pack, keep: float) -> None:
    packed = pack({"a.txt": incompressible(50_000)})
    assert refusal(write(packed[: int(len(packed) * keep)])) == "bundle.truncated"


def test_a_damaged_gzip_is_refused(write) -> None:
    packed = bytearray(tar_of({"a.txt": incompressible(50_000)}))
    packed[20_000:20_100] = bytes(100)
    assert refusal(write(bytes(packed))) in ("bundle.corrupt", "bundle.truncated")


def test_an_encrypted_zip_is_refused(write) -> None:
    packed = bytearray(zip_of({"a.txt": b"secret"}))
    local, central = packed.index(b"PK\x03\x04"), packed.index(b"PK\x01\x02")
    packed[local + 6] |= 1
    packed[central + 8] |= 1
    assert refusal(write(bytes(packed))) == "bundle.encrypted"


def test_a_zip_that_needs_much_memory_is_refused(write) -> None:
    assert refusal(write(zip_of({"a.txt": b"x" * 100}, zipfile.ZIP_LZMA))) == "bundle.corrupt"


def test_a_damaged_archive_inside_is_a_warning_and_the_rest_is_read(write) -> None:
    inner = tar_of({"a.txt": incompressible(30_000)})
    codes, bundle = noted(write(tar_of({"inner.tgz": inner[:9000], "b.txt": b"y"})))
    assert codes == ["bundle.inner-unreadable"]
    assert "b.txt" in bundle.files


def test_a_path_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), open_bundle(tmp_path / "nothing"):
        pass


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == "bundle.device"


def test_memory_is_bounded_by_the_kept_bytes(write) -> None:
    """300 MiB of lines in one member, opened with 200 MiB of address space above the interpreter's own."""
    path = write(tar_of({"long.txt": incompressible(2**20) * 40}, "w"))
    script = (
        "import resource, sys\n"
        "from validators.bundle import open_bundle\n"
        "from validators import checks\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 60 * 2**20,) * 2)\n"
        "with open_bundle(sys.argv[1]) as bundle:\n"
        "    print(sum(entry.size for entry in bundle.files.values()))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, timeout=600)
    assert (ran.stdout.strip(), ran.stderr) == (str(40 * 2**20), "")


# Anything at all


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=4000))
def test_any_bytes_are_read_or_refused(write, content: bytes) -> None:
    try:
        assert sum(map(len, contents(write(content)).values())) <= SMALL.unpacked_bytes
    except BundleError as error:
        assert error.finding.code.startswith("bundle.")


SEEDS = [
    tar_of({"results/result.txt": b"[run]\nscore = 1\n" * 20, "inner.zip": zip_of({"a": b"b" * 300})}),
    tar_of({"results/result.txt": b"[run]\nscore = 1\n" * 20, "long" * 60: b"x"}, "w"),
    zip_of({"results/result.txt": b"[run]\nscore = 1\n" * 20, "inner.tgz": tar_of({"a": b"b" * 300})}),
]


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.sampled_from(SEEDS),
    edits=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=12),
    cut=st.integers(0, 10**6),
)
def test_a_mutated_archive_is_read_or_refused(write, seed: bytes, edits: list[tuple[int, int]], cut: int) -> None:
    content = bytearray(seed)
    for position, value in edits:
        content[position % len(content)] = value
    if cut % 3 == 0:
        del content[cut % len(content) :]
    try:
        contents(write(bytes(content)))
    except BundleError as error:
        assert error.finding.code.startswith("bundle.")


def test_every_published_archive_opens(shared: Path) -> None:
    archives = sorted((shared / "data" / "io500" / "submissions").glob("*.tar.gz"))
    assert len(archives) > 150
    for path in archives:
        with open_bundle(path) as bundle:
            assert bundle.files, path
            assert [finding.code for finding in bundle.findings if finding.level == "error"] == [], path
