"""Archives of a few bytes that ask for much: disk, memory or time. Each is refused while it is cheap to do so."""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest

from validators.bundle import open_bundle
from validators.checks import check

SCRIPT = """
import json, resource, sys
from validators.checks import check
resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 2**20,) * 2)
report = check(sys.argv[1])
memory = 1024 * int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])
print(json.dumps({"codes": sorted({f.code for f in report.findings}), "memory": memory}))
"""


def checked(path: Path) -> dict:
    """What a process of its own found in an archive, and its peak memory in bytes."""
    root = Path(__file__).resolve().parents[3]
    ran = subprocess.run([sys.executable, "-c", SCRIPT, path], capture_output=True, text=True, timeout=600, cwd=root)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def headers(kind: bytes, count: int, name: str) -> bytes:
    """A tar.gz of `count` members without content, each of another name."""
    written = []
    for number in range(count):
        member = tarfile.TarInfo(f"{name}{number * 2654435761 % 2**32:x}")
        member.type = kind
        written.append(member.tobuf(tarfile.USTAR_FORMAT))
    return gzip.compress(b"".join(written) + bytes(1024), 1)


@pytest.mark.parametrize(
    ("kind", "name"), [(tarfile.DIRTYPE, "folder"), (tarfile.REGTYPE, "._litter"), (tarfile.SYMTYPE, "link")]
)
def test_headers_without_files_are_counted_too(tmp_path: Path, kind: bytes, name: str) -> None:
    path = tmp_path / "flood.tgz"
    path.write_bytes(headers(kind, 60_000, name))
    outcome = checked(path)
    assert "bundle.too-many-files" in outcome["codes"]
    assert outcome["memory"] < 100 * 2**20


def test_a_sparse_file_fills_no_disk(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("results/result.txt")
        member.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": "9000000000000000"}
        archive.addfile(member)
    path = tmp_path / "sparse.tgz"
    path.write_bytes(packed.getvalue())
    assert checked(path)["codes"] == ["bundle.corrupt"]


def zip_of_one_content_shared(members: int, content: bytes) -> bytes:
    """A zip whose members all end in the same packed bytes: each quotes the header of the next in front of them.

    Source: D. Fifield, "A better zip bomb" (2019), the quoting of local headers.
    """
    names = [b"file%04d" % number for number in range(members)]
    packed, unpacked = content, b"x"
    body, directory = content, []
    for name in reversed(names):
        fields = (20, 0, 8, 0, 33, zlib.crc32(unpacked), len(packed), len(unpacked), len(name), 0)
        header = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", *fields) + name
        directory.append((len(header) + len(body), fields, name))
        quote = b"\0" + struct.pack("<HH", len(header), len(header) ^ 0xFFFF)
        last = header + body
        packed, unpacked, body = quote + header + packed, header + unpacked, quote + header + body
    central = b"".join(
        struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, *fields, 0, 0, 0, 0, len(last) - behind) + name
        for behind, fields, name in reversed(directory)
    )
    return last + central + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, members, members, len(central), len(last), 0)


def test_a_zip_whose_members_share_their_bytes_is_refused(tmp_path: Path) -> None:
    """Empty blocks take time and give nothing, so that no count of unpacked bytes would stop them."""
    nothing = b"\x00\x00\x00\xff\xff" * 200_000
    path = tmp_path / "shared.zip"
    path.write_bytes(zip_of_one_content_shared(200, nothing + zlib.compress(b"x")[2:-4]))
    with zipfile.ZipFile(path) as archive:
        assert archive.read("file0199") == b"x"
    assert checked(path)["codes"] == ["bundle.corrupt"]


def test_one_line_of_a_hundred_megabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "line.tgz"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        member = tarfile.TarInfo("results/result_summary.txt")
        member.size = 100 * 10**6
        archive.addfile(member, io.BytesIO(b"[RESULT] " * (member.size // 9 + 1)))
    path.write_bytes(packed.getvalue())
    outcome = checked(path)
    assert outcome["codes"] == ["bundle.bomb"]
    assert outcome["memory"] < 150 * 2**20


@pytest.mark.parametrize("name", [b"\xff.txt", b"Gr\xf6\xdfe.txt"])
def test_names_of_a_folder_that_are_not_utf8_can_be_reported(tmp_path: Path, name: bytes) -> None:
    (tmp_path / "results").mkdir()
    odd = Path(os.fsdecode(os.fsencode(tmp_path / "results") + b"/" + name))
    odd.write_text("nothing known\n")
    for path in (odd, odd.parent):
        assert json.dumps(check(path).as_json(), ensure_ascii=False).encode()


def test_the_header_limit_permits_normal_folders(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for number in range(1_900):
            folder = tarfile.TarInfo(f"results/{number}")
            folder.type = tarfile.DIRTYPE
            archive.addfile(folder)
            archive.addfile(tarfile.TarInfo(f"results/{number}/stdout"))
    path = tmp_path / "many.tgz"
    path.write_bytes(packed.getvalue())
    with open_bundle(path) as bundle:
        assert len(bundle.files) == 1_900
