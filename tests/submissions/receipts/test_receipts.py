"""Receipts: signed by the registry, verified by plain ssh-keygen, on the page and by nobody else's key."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.test import Client

from registry.environment import ImproperlyConfigured, ed25519_key
from registry.log import appending, log_files
from submissions.bundles.storage import stored_path
from submissions.receipts import receipts

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]


def receipt_of(person, submission) -> dict:
    answer = person.get(f"submissions/{submission.pk}/receipt/")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_receipt_has_digest_state_and_rules_version(cast, checked) -> None:
    submission = checked()
    receipt = receipt_of(cast.alice, submission)["receipt"]
    check = submission.checks.get()
    assert (receipt["id"], receipt["sha256"], receipt["size_bytes"]) == (
        str(submission.pk),
        submission.sha256,
        submission.size,
    )
    assert receipt["received_at"] == submission.received_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert (receipt["state"], receipt["rules_version"]) == ("checked", check.validators_version)


def test_receipts_of_unchecked_submissions_have_no_rules_version(cast, archive) -> None:
    uploaded = cast.alice.upload(archive()).json()
    receipt = cast.alice.get(f"submissions/{uploaded['id']}/receipt/").json()["receipt"]
    assert (receipt["state"], receipt["checked_at"], receipt["rules_version"]) == ("received", None, None)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen here")
def test_ssh_keygen_verifies_a_receipt(cast, checked, tmp_path: Path) -> None:
    document = receipt_of(cast.alice, checked())
    keys = Client().get("/api/v1/receipts/").json()
    (tmp_path / "allowed").write_text("".join(f"registry {key}\n" for key in keys["public_keys"]))
    (tmp_path / "signature").write_text(document["signature"])

    def verified(receipt: dict) -> bool:
        command = ["ssh-keygen", "-Y", "verify", "-f", tmp_path / "allowed", "-I", "registry"]
        command += ["-n", keys["namespace"], "-s", tmp_path / "signature"]
        message = json.dumps(receipt, sort_keys=True, separators=(",", ":")).encode()
        return subprocess.run(command, input=message, capture_output=True).returncode == 0

    assert verified(document["receipt"])
    assert not verified(document["receipt"] | {"size_bytes": 1})


def test_the_collector_verifies_a_receipt_once_the_log_has_it(cast, checked, tmp_path: Path) -> None:
    submission = checked()
    receipt_path, bundle = tmp_path / "run.tar.gz.receipt.json", tmp_path / "run.tar.gz"
    log_folder = Path(log_files.log_storage().path(f"{log_files.FOLDER}/{log_files.CHECKPOINT}")).parent

    def verify(target: Path, *options: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "collectors", "verify", str(target), *options]
        environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
        process = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
        return process.returncode, process.stdout + process.stderr

    receipt_path.write_text(json.dumps(receipt_of(cast.alice, submission)))
    status, output = verify(receipt_path)
    assert status == 3, output
    assert "It waits to be appended" in output
    appending.append_waiting()
    assert verify(receipt_path)[0] == 3, "the receipt is the one of before"
    receipt_path.write_text(json.dumps(receipt_of(cast.alice, submission)))
    status, output = verify(receipt_path, "--log", str(log_folder))
    assert status == 0, output
    assert "The log has the bytes of the receipt" in output
    status, output = verify(receipt_path)
    assert status == 0, f"without a network, too: {output}"
    with stored_path(submission.sha256) as path:
        bundle.write_bytes(path.read_bytes())
    assert verify(bundle)[0] == 0
    bundle.write_bytes(bundle.read_bytes()[:-1])
    status, output = verify(bundle)
    assert (status, "The bundle is not the one of the receipt" in output) == (1, True)


def test_a_receipt_can_be_verified_on_the_page_without_an_account(cast, checked) -> None:
    document = receipt_of(cast.alice, checked())
    answer = Client().get("/receipts/", {"receipt": json.dumps(document)})
    assert answer.status_code == 200
    assert "Signed by this registry, and unchanged" in answer.content.decode()
    assert document["receipt"]["sha256"] in answer.content.decode()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda document: document | {"receipt": document["receipt"] | {"state": "published"}}, "changed since"),
        (lambda document: document | {"signature": document["signature"].replace("\n", "\nAAAA", 1)}, "changed since"),
        (lambda document: document | {"signature": "not base64 \N{SNOWMAN}"}, "form of OpenSSH"),
        (lambda document: document | {"signature": 7}, "no `receipt` with its `signature`"),
        (lambda document: [document], "no `receipt` with its `signature`"),
    ],
)
def test_changed_receipts_are_refused(cast, checked, change, why: str) -> None:
    document = change(receipt_of(cast.alice, checked()))
    answer = Client().get("/receipts/", {"receipt": json.dumps(document)})
    assert answer.status_code == 422
    assert why in answer.content.decode()
    assert "receipt.invalid" in answer.content.decode()


@pytest.mark.parametrize("text", ["{", "[" * 20000, '"' + "a" * 20000 + '"'])
def test_texts_that_are_no_receipts_are_refused(text: str) -> None:
    assert Client().get("/receipts/", {"receipt": text}).status_code == 422


def test_a_signature_of_another_key_is_refused(checked, settings) -> None:
    submission = checked()
    settings.RECEIPT_KEY = Ed25519PrivateKey.generate()
    document = receipts.issue_receipt(submission)
    receipts.ReceiptKey.objects.all().delete()
    settings.RECEIPT_KEY = None
    assert Client().get("/receipts/", {"receipt": json.dumps(document)}).status_code == 422


def test_after_a_change_of_the_key_older_receipts_still_verify(cast, checked, settings) -> None:
    submission = checked()
    older = receipt_of(cast.alice, submission)
    settings.RECEIPT_KEY = Ed25519PrivateKey.generate()
    newer = receipt_of(cast.alice, submission)
    assert Client().get("/api/v1/receipts/").json()["public_keys"] == [newer["public_key"], older["public_key"]]
    assert receipts.verify_receipt(older) == older["receipt"]
    assert receipts.verify_receipt(newer) == newer["receipt"]


def test_only_those_who_see_a_submission_get_its_receipt(cast, checked) -> None:
    submission = checked()
    missing = cast.charlie.get("submissions/00000000-0000-4000-8000-000000000000/receipt/")
    assert cast.charlie.get(f"submissions/{submission.pk}/receipt/").json() == missing.json()
    assert missing.status_code == 404
    assert receipt_of(cast.bob, submission)["receipt"]["id"] == str(submission.pk)


def test_the_page_of_a_submission_leads_to_its_receipt(cast, checked) -> None:
    submission = checked()
    browser = Client()
    browser.force_login(cast.alice.account)
    assert f"/submissions/{submission.pk}/receipt/" in browser.get(f"/submissions/{submission.pk}/").content.decode()
    answer = browser.get(f"/submissions/{submission.pk}/receipt/")
    assert answer["Content-Disposition"].startswith("attachment")
    assert receipts.verify_receipt(answer.json())["sha256"] == submission.sha256


@pytest.mark.parametrize("content", ["no key", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n"])
def test_an_invalid_key_setting_stops_the_start(monkeypatch, content: str) -> None:
    monkeypatch.setenv("RECEIPT_KEY", content)
    with pytest.raises(ImproperlyConfigured, match="RECEIPT_KEY must be a private key in PEM"):
        ed25519_key("RECEIPT_KEY")
