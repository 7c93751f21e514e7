"""Keys and tokens in a bundle: found in any file of any kind, told without being repeated; examples are let through."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.make_io500 import make_run, pack
from validators.bundle import CHUNK, open_bundle, secret_scan
from validators.checks import check

# Put together here, so that no file of the project holds one.
BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
BEGIN, END = "-----BEGIN %s-----", "-----END %s-----"
HEADER, PAYLOAD = "eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiJhbGljZSIsIm4iOjF9"


def key(kind: str = "PRIVATE KEY") -> str:
    return f"{BEGIN % kind}\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n{END % kind}\n"


def found(tmp_path: Path, content: bytes, name: str = "log.txt") -> list[str]:
    with open_bundle(pack(tmp_path / "b.tar.gz", {f"r/{name}": content})) as bundle:
        findings = secret_scan.scan(bundle)
    assert {finding.code for finding in findings} <= {"bundle.secret"}
    return [finding.where for finding in findings]


@pytest.mark.parametrize(
    "text",
    [
        key(),
        key("RSA PRIVATE KEY"),
        key("OPENSSH PRIVATE KEY"),
        key("EC PRIVATE KEY"),
        key("ENCRYPTED PRIVATE KEY"),
        key("PGP PRIVATE KEY BLOCK"),
        key().replace("\n", "\r\n"),
        json.dumps({"key": key()}),
        f"{BEGIN % 'RSA PRIVATE KEY'}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011\n\nMIIEvQIBADAN\n",
        f"{BEGIN % 'RSA PRIVATE KEY'} Proc-Type: 4,ENCRYPTED DEK-Info: AES-128-CBC,0011 MIIEvQIBADAN",
        f"{BEGIN % 'RSA PRIVATE KEY'}\\nProc-Type: 4,ENCRYPTED\\nDEK-Info: AES-128-CBC,0011\\n\\nMIIEvQIBADAN",
        f"{BEGIN % 'PGP PRIVATE KEY BLOCK'}\nVersion: GnuPG v2\nComment: of a \\path and more\n\nlQOYBGVx\n",
        "AKIA" + "QWERTYUIOPASDFGH",
        "ASIA" + "QWERTYUIOPASDFGH",
        "ghp_" + BODY,
        "ghs_" + BODY,
        "github_pat_" + BODY,
        "glpat-" + BODY,
        "xoxb-" + "1234567890-" + BODY,
        "AIza" + BODY[:35],
        "sk_live_" + BODY,
        "npm_" + BODY,
        "pypi-" + BODY * 2,
        "hf_" + BODY,
        "hvs." + BODY,
        "hw_" + "0123456789abcdef" * 4,
        f"{HEADER}.{PAYLOAD}.c2lnbmF0dXJlc2lnbmF0dXJl",
    ],
)
def test_usable_credentials_are_found(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, f"first line\nsecond {text} line\n".encode()) == ["r/log.txt:2"]


@pytest.mark.parametrize(
    "text",
    [
        BEGIN % "PRIVATE KEY",
        f"{BEGIN % 'PRIVATE KEY'}\n...\n{END % 'PRIVATE KEY'}",
        f"{BEGIN % 'PRIVATE KEY'}\n<secret>\n<secret>",
        f"{BEGIN % 'CERTIFICATE'}\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        f"{BEGIN % 'PUBLIC KEY'}\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "AKIA" + "QWERTYUIOPASDFGHX",
        "ghp_" + "x" * 36,
        "ghp_" + BODY[:10],
        "xghp_" + BODY,
        f"{HEADER}.{PAYLOAD}.",
        f"eyJub3RhIjoiaGVhZGVyIn0.{PAYLOAD}.c2lnbmF0dXJlc2lnbmF0dXJl",
        "password=hunter22 token=abc",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + BODY,
    ],
)
def test_examples_public_keys_and_passwords_are_permitted(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, f"{text}\n".encode()) == []


def test_a_binary_file_and_an_archive_inside_are_looked_through(tmp_path: Path) -> None:
    assert found(tmp_path, b"\x7fELF\0\0\xff" + key().encode() + b"\0", "core") == ["r/core:1"]
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("id_rsa", key() * 9)
    assert found(tmp_path, inner.getvalue(), "inner.zip") == ["r/inner.zip/id_rsa:1"]


@pytest.mark.parametrize("unit", ["A: ", "A:  ", "A: a ", "A: \\n", "A: A:\\n ", "Ab: c\t", "A: \\x"])
def test_headers_without_end_are_passed_over(tmp_path: Path, unit: str) -> None:
    """400 bytes of one of them took 17 s: this file would take an hour."""
    assert found(tmp_path, f"{BEGIN % 'PRIVATE KEY'}\n{unit * 300}!\n".encode() * 200) == []


@pytest.mark.parametrize("before", range(-60, 20, 7))
def test_a_key_across_two_pieces_is_found_on_its_line(tmp_path: Path, before: int) -> None:
    lines = b"0123456\n" * (CHUNK // 4)
    assert found(tmp_path, lines[: CHUNK + before - before % 8] + key().encode()) == [
        f"r/log.txt:{(CHUNK + before - before % 8) // 8 + 1}"
    ]


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen here")
@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
def test_keys_as_ssh_keygen_makes_them_are_found(tmp_path: Path, kind: str) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", tmp_path / "id"], check=True)
    assert found(tmp_path, (tmp_path / "id").read_bytes()) == ["r/log.txt:1"]
    assert found(tmp_path, (tmp_path / "id.pub").read_bytes()) == []


def test_a_bundle_with_a_secret_gets_one_finding_without_the_secret(tmp_path: Path) -> None:
    token = "ghp_" + BODY
    path = pack(tmp_path / "run.tar.gz", {**make_run(), "results/job.sh": f"export X={token}\n".encode()})
    report = check(path).as_json()
    assert (report["status"], report["runs"]) == ("unreadable", [])
    assert [finding["code"] for finding in report["findings"]] == ["bundle.secret"]
    assert BODY[:12] not in json.dumps(report)


def test_a_system_document_is_looked_through_like_any_file(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "b.tgz", "w:gz") as archive:
        content = json.dumps({"note": "AKIA" + "QWERTYUIOPASDFGH"}).encode()
        member = tarfile.TarInfo("system.json")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    assert [finding.code for finding in check(tmp_path / "b.tgz").findings] == ["bundle.secret"]


def test_no_published_archive_is_refused(shared: Path) -> None:
    archives = sorted((shared / "data" / "io500" / "submissions").glob("*.tar.gz"))
    assert len(archives) > 100
    for path in archives:
        with open_bundle(path) as bundle:
            assert secret_scan.scan(bundle) == [], path.name
