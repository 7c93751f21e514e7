"""Whether the registry signed a receipt: Ed25519 in the form of OpenSSH (PROTOCOL.sshsig), read without OpenSSH."""

import base64
import hashlib
import json
import struct

from collectors.server.log import ed25519

NAMESPACE = b"highwater-receipt"
HASH = b"sha512"
KIND = b"ssh-ed25519"
MAGIC = b"SSHSIG"
BEGIN, END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"


def is_signed(receipt, signature, public_keys):
    """Whether one of the keys, lines as in authorized_keys, has signed the receipt.

    False also for keys and signatures of any other kind: the registry makes none.
    """
    message = json.dumps(receipt, sort_keys=True, separators=(",", ":")).encode("utf-8")
    signed = MAGIC + b"".join(map(with_length, (NAMESPACE, b"", HASH, hashlib.sha512(message).digest())))
    blob = decode_base64("".join(str(signature).replace(BEGIN, "").replace(END, "").split()))
    for line in public_keys:
        words = str(line).split()
        key = decode_base64(words[1]) if len(words) > 1 else b""
        if blob == signature_blob(key, blob[-64:]) and ed25519.is_signature(key[-32:], signed, blob[-64:]):
            return True
    return False


def signature_blob(key, signature):
    """All bytes of a signature by this key: no other field of the format has more than one value here."""
    if not key.startswith(with_length(KIND)) or len(key) != 51:
        return None
    parts = (key, NAMESPACE, b"", HASH, with_length(KIND) + with_length(signature))
    return MAGIC + struct.pack(">I", 1) + b"".join(map(with_length, parts))


def with_length(content):
    return struct.pack(">I", len(content)) + content


def decode_base64(text):
    """The bytes of a base64 text; none where it is damaged."""
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        return b""
