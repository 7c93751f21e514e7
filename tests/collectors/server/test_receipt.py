"""Receipts on the command line: kept as they came, and believed only if the registry's key has signed them."""

import json
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen here")


@pytest.fixture
def signed(tmp_path, peer, results):
    """A receipt as a registry gives it, signed by ssh-keygen, and the registry's key where the command asks for it."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    receipt = {"id": "7", "sha256": "0" * 64, "size_bytes": 12, "state": "checked", "rules_version": "1.0"}
    message = json.dumps(receipt, sort_keys=True, separators=(",", ":")).encode()
    command = ["ssh-keygen", "-Y", "sign", "-f", tmp_path / "key", "-n", "highwater-receipt"]
    signature = subprocess.run(command, input=message, capture_output=True, check=True).stdout.decode()
    peer.public_keys = [(tmp_path / "key.pub").read_text().strip()]
    peer.receipt = {"receipt": receipt, "signature": signature, "public_key": peer.public_keys[0]}
    return tmp_path / "receipt.json"


def test_a_receipt_is_kept_and_verified(oldest_and_this_python, alice, peer, signed):
    done = alice("receipt", "7", "--out", signed, python=oldest_and_this_python)
    assert (done.returncode, done.stdout) == (0, f"{signed}\n"), done.stderr
    assert json.loads(signed.read_text()) == peer.receipt
    done = alice("receipt", "--verify", signed, python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    assert f"signed by {peer.url}, and unchanged" in done.stdout


def test_without_account_and_openssh_a_receipt_is_verified(oldest_and_this_python, collector, peer, signed, tmp_path):
    """As docs/upload.md says: anybody can. No token is sent, also where one is set for this server."""
    signed.write_text(json.dumps(peer.receipt))
    collector.environ.update(HIGHWATER_URL=peer.url, PATH=str(tmp_path))
    done = collector("receipt", "--verify", signed, python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    collector.environ["HIGHWATER_TOKEN"] = "alice-token"
    assert collector("receipt", "--verify", signed).returncode == 0
    assert [request.headers.get("Authorization") for request in peer.received] == [None, None]


def test_keys_are_not_fetched_over_plain_http(collector, signed, peer):
    signed.write_text(json.dumps(peer.receipt))
    collector.environ["HIGHWATER_URL"] = "http://registry.invalid"
    done = collector("receipt", "--verify", signed)
    assert done.returncode == 2
    assert "could change the answers" in done.stderr


@pytest.mark.parametrize(
    "keys", [None, "ssh-ed25519", [None], ["ssh-ed25519"], ["ssh-ed25519 !"], ["ssh-rsa AAAA"], [{}]]
)
def test_keys_of_other_kinds_verify_nothing(alice, peer, signed, keys):
    signed.write_text(json.dumps(peer.receipt))
    peer.public_keys = keys
    assert alice("receipt", "--verify", signed).returncode == 1


@pytest.mark.parametrize("namespace", ["file", "highwater"])
def test_a_signature_for_another_purpose_is_refused(alice, peer, signed, tmp_path, namespace):
    message = json.dumps(peer.receipt["receipt"], sort_keys=True, separators=(",", ":")).encode()
    command = ["ssh-keygen", "-Y", "sign", "-f", tmp_path / "key", "-n", namespace]
    other = subprocess.run(command, input=message, capture_output=True, check=True).stdout.decode()
    signed.write_text(json.dumps(peer.receipt | {"signature": other}))
    assert alice("receipt", "--verify", signed).returncode == 1


def test_a_changed_receipt_is_reported(alice, peer, signed):
    changed = peer.receipt | {"receipt": peer.receipt["receipt"] | {"state": "published"}}
    signed.write_text(json.dumps(changed))
    done = alice("receipt", "--verify", signed)
    assert done.returncode == 1
    assert "changed since" in done.stdout


def test_a_receipt_of_another_registry_is_reported(alice, peer, signed, tmp_path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "other"], check=True)
    signed.write_text(json.dumps(peer.receipt))
    peer.public_keys = [(tmp_path / "other.pub").read_text().strip()]
    assert alice("receipt", "--verify", signed).returncode == 1


def test_a_receipt_of_other_bytes_is_reported(alice, peer, signed):
    signed.write_text(json.dumps(peer.receipt))
    done = alice("receipt", "--verify", signed, "--bundle", signed)
    assert done.returncode == 1
    assert "but of other bytes" in done.stdout


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"receipt": 1, "signature": "x"}', "x" * 70000])
def test_files_that_are_no_receipts_are_refused(alice, signed, content):
    signed.write_text(content)
    done = alice("receipt", "--verify", signed)
    assert done.returncode == 2
    assert "collector.receipt" in done.stderr
