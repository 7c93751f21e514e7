"""Signatures of bundles, made by a real ssh-keygen and verified by the worker against the keys of the account."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from submissions.bundles import signatures
from submissions.checks import processing
from submissions.errors import BadSigningKey
from submissions.models import Submission
from tests.make_io500 import make_run, pack

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen here"),
]


@pytest.fixture
def new_key(tmp_path: Path):
    def make(name: str = "id", kind: str = "ed25519") -> Path:
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "alice", "-f", tmp_path / name], check=True)
        return tmp_path / name

    return make


def bag(**changes: object) -> dict[str, bytes]:
    payload = {f"data/{path}": content for path, content in make_run(**changes).items()}
    manifest = "".join(f"{hashlib.sha256(content).hexdigest()}  {path}\n" for path, content in payload.items())
    files = {"bagit.txt": b"BagIt-Version: 1.0\n", "manifest-sha256.txt": manifest.encode(), **payload}
    return {f"b/{path}": content for path, content in files.items()}


def sign(key: Path, message: bytes, namespace: str = "highwater") -> str:
    done = subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-f", key, "-n", namespace], input=message, capture_output=True, check=True
    )
    return done.stdout.decode()


@pytest.fixture
def signed(cast, tmp_path: Path):
    """Upload a signed bundle as Alice and have it checked; what the API shows then."""

    def upload(signature: str, files: dict[str, bytes] | None = None) -> tuple[str, str, list[tuple[str, str]]]:
        content = pack(tmp_path / "b.tar.gz", bag() if files is None else files).read_bytes()
        answer = cast.alice.upload(content, signature=signature)
        assert answer.status_code == 202, answer.content
        processing.check_submission(answer.json()["id"])
        uploaded = cast.alice.get(f"submissions/{answer.json()['id']}/").json()
        findings = [(each["code"], each["level"]) for each in uploaded["findings"] if "signature" in each["code"]]
        return uploaded["signature"], uploaded["state"], findings

    return upload


MANIFEST = "b/manifest-sha256.txt"


@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
def test_a_signature_of_a_registered_key_is_verified(cast, new_key, signed, kind) -> None:
    key = new_key(kind=kind)
    added = signatures.add_key(cast.alice.account, key.with_suffix(".pub").read_text())
    outcome = signed(sign(key, bag()[MANIFEST]))
    assert outcome == ("verified", "checked", [("bundle.signature.verified", "info")])
    assert Submission.objects.get().signature.fingerprint == added.fingerprint
    listed = subprocess.run(["ssh-keygen", "-l", "-f", key], capture_output=True, text=True, check=True).stdout
    assert added.fingerprint in listed


def test_a_signature_of_another_key_is_of_an_unknown_one(cast, new_key, signed) -> None:
    signatures.add_key(cast.alice.account, new_key("mine").with_suffix(".pub").read_text())
    outcome = signed(sign(new_key("other"), bag()[MANIFEST]))
    assert outcome == ("unknown-key", "checked", [("bundle.signature.unknown-key", "warning")])


def test_a_key_of_a_colleague_does_not_verify(cast, new_key, signed) -> None:
    key = new_key()
    signatures.add_key(cast.bob.account, key.with_suffix(".pub").read_text())
    assert signed(sign(key, bag()[MANIFEST]))[0] == "unknown-key"


def test_a_key_added_later_verifies_at_the_next_check(cast, new_key, signed) -> None:
    key = new_key()
    assert signed(sign(key, bag()[MANIFEST]))[0] == "unknown-key"
    signatures.add_key(cast.alice.account, key.with_suffix(".pub").read_text())
    pk = Submission.objects.get().pk
    assert cast.alice.post(f"submissions/{pk}/revalidate/", {}).status_code == 202
    processing.check_submission(pk)
    assert cast.alice.get(f"submissions/{pk}/").json()["signature"] == "verified"


@pytest.mark.parametrize(
    ("signature_of", "namespace"), [(b"another manifest\n", "highwater"), (None, "git"), (None, "file")]
)
def test_a_signature_of_other_bytes_is_invalid(cast, new_key, signed, signature_of, namespace) -> None:
    key = new_key()
    signatures.add_key(cast.alice.account, key.with_suffix(".pub").read_text())
    outcome = signed(sign(key, signature_of or bag()[MANIFEST], namespace))
    assert outcome == ("invalid", "invalid", [("bundle.signature.invalid", "error")])


def test_a_signature_of_a_bundle_without_a_bag_is_invalid(cast, new_key, signed) -> None:
    key = new_key()
    signatures.add_key(cast.alice.account, key.with_suffix(".pub").read_text())
    assert signed(sign(key, bag()[MANIFEST]), make_run())[0] == "invalid"


def test_a_bundle_without_a_signature_has_no_verification(signed) -> None:
    assert signed("") == ("none", "checked", [])


@pytest.mark.parametrize("text", ["x", "-----BEGIN SSH SIGNATURE-----\n", "U1NI" * 9000])
def test_files_that_are_no_signatures_are_refused(cast, archive, text) -> None:
    answer = cast.alice.upload(archive(), signature=text)
    assert (answer.status_code, answer.json()["code"]) == (422, "intake.signature-malformed")
    assert not Submission.objects.exists()


def test_verification_without_ssh_keygen_reports_it(cast, new_key, signed, monkeypatch, tmp_path) -> None:
    signature = sign(new_key(), bag()[MANIFEST])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert signed(signature) == ("pending", "checked", [("bundle.signature.not-checked", "warning")])


@pytest.mark.parametrize(
    "line",
    [
        "",
        "ssh-ed25519",
        "ssh-ed25519 !!!!",
        "ssh-ed25519 AAAA",
        "ssh-dss AAAAB3NzaC1kc3M= old",
        'command="id" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI',
        "ssh-ed25519 AAAAB3NzaC1yc2EAAAA mislabelled",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI a\n* ssh-rsa AAAA",
        "ssh-rsa " + "A" * 20000,
    ],
)
def test_invalid_public_keys_are_refused(cast, line) -> None:
    with pytest.raises(BadSigningKey):
        signatures.add_key(cast.alice.account, line)
    assert not cast.alice.account.signing_keys.exists()


def test_the_same_key_twice_is_one(cast, new_key) -> None:
    line = new_key().with_suffix(".pub").read_text()
    assert signatures.add_key(cast.alice.account, line) == signatures.add_key(cast.alice.account, line + "\n")
    assert cast.alice.account.signing_keys.get().comment == "alice"


def test_a_refused_key_stays_in_its_field_with_the_reason(cast, client) -> None:
    client.force_login(cast.alice.account)
    response = client.post("/account/keys/", {"public_key": 'ssh-rsa "no key'})
    page = response.content.decode()
    field = re.search(r'<input[^>]*id="key_form_public_key"[^>]*>', page)[0]
    assert response.status_code == 422
    assert "<title>Error: Your account" in page
    for attribute in ('value="ssh-rsa &quot;no key"', 'aria-describedby="key_form_public_key_error"', "autofocus"):
        assert attribute in field
    assert "account.signing-key" in page.partition('role="alert"')[2].partition("</div>")[0]
    assert not cast.alice.account.signing_keys.exists()


def test_keys_are_added_and_removed_on_the_account_page(cast, client, new_key) -> None:
    client.force_login(cast.alice.account)
    client.post("/account/keys/", {"public_key": new_key().with_suffix(".pub").read_text()})
    fingerprint = cast.alice.account.signing_keys.get().fingerprint
    assert fingerprint in client.get("/account/").content.decode()
    assert client.post("/account/keys/", {"public_key": "<script>"}).status_code == 422
    client.force_login(cast.bob.account)
    client.post("/account/keys/remove/", {"fingerprint": fingerprint})
    assert cast.alice.account.signing_keys.count() == 1
    client.force_login(cast.alice.account)
    client.post("/account/keys/remove/", {"fingerprint": fingerprint})
    assert cast.alice.account.signing_keys.count() == 0


def test_an_administrator_adds_a_key_by_command(cast, new_key, capsys) -> None:
    call_command("add_signing_key", "alice", str(new_key().with_suffix(".pub")))
    assert capsys.readouterr().out.strip() == cast.alice.account.signing_keys.get().fingerprint
    with pytest.raises(CommandError, match="no account nobody"):
        call_command("add_signing_key", "nobody", str(new_key("two").with_suffix(".pub")))
    with pytest.raises(CommandError):
        call_command("add_signing_key", "alice", "/nowhere")
