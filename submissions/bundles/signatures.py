"""Signatures of bundles: public keys of accounts, and what `ssh-keygen -Y verify` says of a bundle's manifest.

What is signed is the bag's manifest-sha256.txt, in the namespace `highwater` (OpenSSH PROTOCOL.sshsig). ssh-keygen
runs without a shell, for at most TIMEOUT_S, on files that we wrote.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from submissions.bundles.cage import client as cage
from submissions.bundles.cage import jobs
from submissions.errors import BadSigningKey
from submissions.models import Account, Signature, SigningKey, Submission
from validators.findings import ERROR, INFO, WARNING, Finding

NAMESPACE = "highwater"
SIGNATURE_LIMIT = 16 * 1024
KEY_LIMIT = 16 * 1024
MOST_KEYS = 50
TIMEOUT_S = 10
_PRINCIPAL = "account"
_KINDS = frozenset(
    """ssh-ed25519 ssh-rsa ecdsa-sha2-nistp256 ecdsa-sha2-nistp384 ecdsa-sha2-nistp521 sk-ssh-ed25519@openssh.com
    sk-ecdsa-sha2-nistp256@openssh.com""".split()  # noqa: SIM905  # a list of words reads better as words
)
_ARMOUR = re.compile(r"-----BEGIN SSH SIGNATURE-----\r?\n[A-Za-z0-9+/=\r\n]+-----END SSH SIGNATURE-----\s*")
_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")


def is_signature(text: str) -> bool:
    """Whether a text has the form that ssh-keygen writes."""
    return len(text) <= SIGNATURE_LIMIT and bool(_ARMOUR.fullmatch(text.lstrip()))


def add_key(account: Account, line: str) -> SigningKey:
    """Register a public key, as it stands in id_ed25519.pub; the same key again is the same.

    Raises BadSigningKey for what is no such key, or one too many.
    """
    kind, key, comment = _key_parts(line)
    digest = base64.b64encode(hashlib.sha256(base64.b64decode(key)).digest()).decode().rstrip("=")
    with transaction.atomic():
        Account.objects.lock_account(account.pk)
        if account.signing_keys.count() >= MOST_KEYS:
            raise BadSigningKey(f"There are {MOST_KEYS} keys already.")
        signing_key, _ = SigningKey.objects.get_or_create(
            account=account,
            fingerprint=f"SHA256:{digest}",
            defaults={"public_key": f"{kind} {key}", "comment": comment[:100]},
        )
    return signing_key


def _key_parts(line: str) -> tuple[str, str, str]:
    """Kind, key and comment of a line; the key itself says its kind once more, and both must agree."""
    words = line.strip().split(None, 2)
    if len(line) > KEY_LIMIT or "\n" in line.strip() or len(words) < 2 or words[0] not in _KINDS:
        raise BadSigningKey("It has no kind that is known, or is no single line.")
    try:
        decoded = base64.b64decode(words[1], validate=True)
    except binascii.Error as error:
        raise BadSigningKey("The key is not base64.") from error
    kind = words[0].encode()
    if not decoded.startswith(len(kind).to_bytes(4, "big") + kind):
        raise BadSigningKey("The key is of another kind than it says.")
    comment = words[2] if len(words) > 2 else ""
    return words[0], words[1], "".join(letter for letter in comment if letter.isprintable())


@dataclass(frozen=True, slots=True)
class VerificationInputs:
    """A signature as it came, and the public keys of the account that sent it."""

    text: str
    public_keys: list[str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a signature is worth: the columns to store, and the finding that tells it."""

    columns: dict[str, str]
    finding: Finding


def verification_inputs(submission: Submission) -> VerificationInputs | None:
    """What is needed to verify, read before the check: the database may be away after it. None: not signed."""
    signature = getattr(submission, "signature", None)
    if signature is None:
        return None
    return VerificationInputs(
        signature.text, list(submission.account.signing_keys.values_list("public_key", flat=True))
    )


def verify_signature(signed: VerificationInputs, bundle: Path, seconds: float) -> Verdict:
    """Hold a signature against the manifest of a bundle, which is opened in the cage; asks no database.

    Raises OutOfTime after so many seconds, and the other errors of the cage.
    """
    tool = shutil.which("ssh-keygen")
    if tool is None:
        message = "The signature was not verified: this server has no ssh-keygen."
        return Verdict({}, _signature_finding("not-checked", WARNING, message))
    outcome, fingerprint = _signature_outcome(tool, _signed_manifest(bundle, seconds), signed.text, signed.public_keys)
    return Verdict({"outcome": outcome, "fingerprint": fingerprint}, _outcome_finding(outcome, fingerprint))


def store_verdict(submission: Submission, verdict: Verdict) -> None:
    if verdict.columns:
        Signature.objects.filter(submission=submission).update(**verdict.columns)


def _signed_manifest(bundle: Path, seconds: float) -> bytes | None:
    """The bytes that were signed; None for what is no bag, or does not open."""
    manifest = cage.do_job(jobs.signed_manifest, [bundle], {}, seconds=seconds)
    return None if manifest is None else base64.b64decode(manifest)


def _signature_outcome(
    tool: str, manifest: bytes | None, text: str, public_keys: list[str]
) -> tuple[Signature.Outcome, str]:
    if manifest is None:
        return Signature.Outcome.INVALID, ""
    with tempfile.TemporaryDirectory() as folder:
        signature, allowed = Path(folder) / "signature", Path(folder) / "allowed_signers"
        signature.write_text(text.lstrip())
        allowed.write_text("".join(f'{_PRINCIPAL} namespaces="{NAMESPACE}" {key}\n' for key in public_keys))
        common = ["-n", NAMESPACE, "-s", str(signature)]
        output = _run([tool, "-Y", "verify", "-f", str(allowed), "-I", _PRINCIPAL, *common], manifest)
        if output is not None:
            match = _FINGERPRINT.search(output)
            return Signature.Outcome.VERIFIED, match[0] if match else ""
        output = _run([tool, "-Y", "check-novalidate", *common], manifest)
        return (Signature.Outcome.INVALID if output is None else Signature.Outcome.UNKNOWN_KEY), ""


def _run(command: list[str], manifest: bytes) -> str | None:
    """What ssh-keygen prints where it agrees; None where it does not, or takes too long. It gets no secret of ours."""
    try:
        done = subprocess.run(  # noqa: S603
            command, input=manifest, capture_output=True, timeout=TIMEOUT_S, env={"PATH": os.environ.get("PATH", "")}
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _outcome_finding(outcome: Signature.Outcome, fingerprint: str) -> Finding:
    if outcome == Signature.Outcome.VERIFIED:
        return _signature_finding("verified", INFO, f"The signature is of a key of the account: {fingerprint}.")
    if outcome == Signature.Outcome.UNKNOWN_KEY:
        hint = "Add the public key on your account's page, then check again."
        return _signature_finding(
            "unknown-key", WARNING, "The signature is of a key that the account has not registered.", hint
        )
    hint = "Sign the bundle that you upload: sign BUNDLE --key FILE."
    return _signature_finding("invalid", ERROR, "The signature is not of this bundle's manifest.", hint)


def _signature_finding(word: str, level: str, message: str, hint: str = "") -> Finding:
    return Finding(f"bundle.signature.{word}", level, message, hint)
