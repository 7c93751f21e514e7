"""Signing a bundle with an SSH key: a detached signature of its manifest, made by ssh-keygen."""

import os
import shutil
import subprocess

from collectors import files
from collectors.bundle import bag, verification
from collectors.errors import BundleError, UsageError

NAMESPACE = "highwater"
SUFFIX = ".sig"
MAX_SIGNATURE_BYTES = 16 * 1024
# Somebody may have to type a passphrase or touch a token.
TIMEOUT_S = 300


def sign(path, key):
    """Write the signature of a bundle beside it; returns where. Raises UsageError or BundleError."""
    signature = make_signature(manifest(path), key)
    files.write_whole(path + SUFFIX, signature)
    return path + SUFFIX


def manifest(path):
    """The bytes of a bundle's manifest, after all of the bundle was held against it.

    Raises BundleError where it is no bundle of `pack`, or not whole.
    """
    contents = verification.Contents(path).read()
    root = contents.root()
    if root is None:
        raise BundleError(
            "bundle.not-a-bag", path + " is no bundle of pack.", "Make one: pack --results DIR --out FILE."
        )
    wrong = next(verification.verified(contents, root), None)
    if wrong is not None:
        raise BundleError(wrong[0], wrong[2], wrong[3])
    return contents.kept[root + bag.MANIFEST]


def make_signature(message, key):
    """Sign a message with a private SSH key. Raises UsageError where ssh-keygen does not."""
    done = ssh_keygen(["-Y", "sign", "-f", key, "-n", NAMESPACE], message)
    if done.returncode != 0 or not done.stdout.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        error_lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(
            "collector.sign",
            "ssh-keygen did not sign: " + (error_lines[-1] if error_lines else "exit status %d" % done.returncode),
            "Give a private SSH key that you can use: --key ~/.ssh/id_ed25519 (OpenSSH 8.1 or later).",
        )
    return done.stdout.decode("ascii")


def ssh_keygen(command, message):
    """What became of one call of ssh-keygen. Raises UsageError where there is none, or it does not end."""
    tool = shutil.which("ssh-keygen")
    if tool is None:
        raise UsageError(
            "collector.ssh-keygen",
            "There is no ssh-keygen here, which makes signatures.",
            "Install OpenSSH 8.1 or later, or upload without a signature.",
        )
    pipe = subprocess.PIPE
    try:
        return subprocess.run([tool] + command, input=message, stdout=pipe, stderr=pipe, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise UsageError("collector.sign", "ssh-keygen did not end in %d s." % TIMEOUT_S)


def read_signature_file(path):
    """The signature that lies beside an archive, or an empty text.

    Raises UsageError if it cannot be read or is too long.
    """
    if not files.is_archive(path) or not os.path.isfile(path + SUFFIX):
        return ""
    try:
        with open(path + SUFFIX, encoding="ascii") as stream:
            text = stream.read(MAX_SIGNATURE_BYTES + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("collector.sign", "%s cannot be read: %s" % (path + SUFFIX, error))
    if len(text) > MAX_SIGNATURE_BYTES:
        raise UsageError("collector.sign", path + SUFFIX + " is no signature: it is too long.")
    return text
