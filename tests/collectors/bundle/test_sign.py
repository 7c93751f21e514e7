"""Signing: a signature that plain ssh-keygen verifies, of a whole bundle only, and uploads that carry it."""

import shutil
import subprocess
import tarfile

import pytest

from tests.collectors import registry_peer
from tests.collectors.bundle.test_pack import contents
from tests.unpacking import extract

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen here")


@pytest.fixture
def key(tmp_path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "id"], check=True)
    return tmp_path / "id"


@pytest.fixture
def bundle(collector, results, tmp_path):
    done = collector("pack", "--results", results, "--out", tmp_path / "run.tar.gz")
    assert done.returncode == 0, done.stderr
    return tmp_path / "run.tar.gz"


def test_ssh_keygen_verifies_what_was_signed(oldest_and_this_python, collector, bundle, key, tmp_path):
    done = collector("sign", bundle, "--key", key, python=oldest_and_this_python)
    assert (done.returncode, done.stdout) == (0, f"{bundle}.sig\n"), done.stderr
    public = key.with_suffix(".pub").read_text()
    (tmp_path / "allowed").write_text(f"alice {public}")
    manifest = contents(bundle)["highwater-bundle/manifest-sha256.txt"]
    command = ["ssh-keygen", "-Y", "verify", "-f", tmp_path / "allowed", "-I", "alice", "-n", "highwater"]
    verified = subprocess.run([*command, "-s", f"{bundle}.sig"], input=manifest, capture_output=True)
    assert verified.returncode == 0, verified.stderr
    changed = subprocess.run([*command, "-s", f"{bundle}.sig"], input=manifest + b"\n", capture_output=True)
    assert changed.returncode != 0


def test_upload_sends_the_signature_beside_the_bundle(oldest_and_this_python, alice, peer, bundle, key):
    alice("sign", bundle, "--key", key)
    done = alice("upload", bundle, python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    sent = next(received for received in peer.received if received.method == "POST")
    assert sent.part("signature").decode() == (bundle.parent / "run.tar.gz.sig").read_text()
    assert sent.part("bundle") == bundle.read_bytes()


def test_a_bundle_whose_upload_was_cut_off_is_one_submission(oldest_and_this_python, alice, peer, bundle, key):
    """The worst moment: the bytes are taken, and the command is gone before it hears so; then it runs again."""
    alice("sign", bundle, "--key", key)
    peer.misbehaviours.append(registry_peer.hang_up_after_storing)
    for _ in range(2):
        assert alice("upload", bundle, python=oldest_and_this_python).returncode == 0
    assert len(peer.submissions) == 1


def test_signing_without_ssh_keygen_gives_a_hint(collector, bundle, key, tmp_path):
    (tmp_path / "bin").mkdir()
    collector.environ["PATH"] = str(tmp_path / "bin")
    done = collector("sign", bundle, "--key", key)
    assert done.returncode == 2
    assert "no ssh-keygen here" in done.stderr
    assert "or upload without a signature" in done.stderr
    assert not bundle.with_name("run.tar.gz.sig").exists()


@pytest.mark.parametrize("what", ["public only", "no key", "not there"])
def test_a_key_that_cannot_sign_is_reported(collector, bundle, key, tmp_path, what):
    key_path = key.with_suffix(".pub") if what == "public only" else tmp_path / "k"
    if what == "public only":
        key.unlink()
    elif what == "no key":
        key_path.write_text("nothing\n")
    done = collector("sign", bundle, "--key", key_path)
    assert done.returncode == 2
    assert "collector.sign" in done.stderr
    assert not bundle.with_name("run.tar.gz.sig").exists()


def test_changed_bundles_and_other_files_are_not_signed(collector, bundle, key, tmp_path):
    with tarfile.open(bundle) as archive:
        extract(archive, tmp_path / "out", filter="data")
    (tmp_path / "out/highwater-bundle/data/redaction-report.json").write_text("{}")
    with tarfile.open(tmp_path / "changed.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "out/highwater-bundle", "highwater-bundle")
    with tarfile.open(tmp_path / "plain.tar.gz", "w:gz") as archive:
        archive.add(bundle, "run.tar.gz")
    for path, code in (("changed.tar.gz", "bundle.manifest-mismatch"), ("plain.tar.gz", "bundle.not-a-bag")):
        done = collector("sign", tmp_path / path, "--key", key)
        assert done.returncode == 1
        assert code in done.stderr
        assert not (tmp_path / f"{path}.sig").exists()
