"""Signed notes and checkpoints as C2SP defines them (c2sp.org/signed-note, c2sp.org/tlog-checkpoint).

A checkpoint says in three lines which log it is of, how many leaves the log has, and their root hash.
"""

import base64
import binascii
import hashlib
from collections import namedtuple

from collectors.server.log import ed25519

ALGORITHM = b"\1"
"""Of Ed25519 in a verifier key."""
TIMED = b"\4"
"""Of a signature over a time and the note, by the same key (c2sp.org/tlog-cosignature)."""
LAST_SECOND = 253402300799
"""Of the year 9999."""
MAX_NOTE_BYTES = 16 * 1024
MAX_SIZE = 2**63
DASH = "\u2014 "

Key = namedtuple("Key", "name hash public_key text")
Key.__doc__ = "A key that verifies: its name, 4 bytes of hash, 32 bytes of key, and all of it as one line."
Checkpoint = namedtuple("Checkpoint", "origin size root text")
Checkpoint.__doc__ = "What a log said of itself: its name, leaves, root hash (32 bytes), and the note as it came."


class NoteError(ValueError):
    """A key or a note is not in its form; the message says which."""


def read_key(text):
    """The Key of a line NAME+HASH+BASE64. Raises NoteError where it is none, or not of Ed25519."""
    name, _, rest = text.strip().partition("+")
    hashed, _, encoded = rest.partition("+")
    content = decode_base64(encoded)
    if not name or not all(c.isprintable() and not c.isspace() for c in name) or len(content) != 33:
        raise NoteError("This is no verifier key: it should read NAME+HASH+BASE64.")
    if content[:1] != ALGORITHM:
        raise NoteError("The verifier key is not of Ed25519.")
    expected = hashlib.sha256(name.encode("utf-8") + b"\n" + content).digest()[:4]
    if hashed.lower() != binascii.hexlify(expected).decode("ascii"):
        raise NoteError("The verifier key does not have the hash that it names.")
    return Key(name, expected, content[1:], text.strip())


def read_checkpoint(text):
    """The Checkpoint that a note says, whoever signed it. Raises NoteError where it says none."""
    body, _ = split_note(text)
    lines = body.split("\n")
    if len(lines) < 4 or not lines[0]:
        raise NoteError("The checkpoint does not have its three lines.")
    size, root = lines[1], decode_base64(lines[2])
    if not is_decimal(size) or int(size) >= MAX_SIZE:
        raise NoteError("The checkpoint does not say how many leaves the log has.")
    if len(root) != 32:
        raise NoteError("The checkpoint does not have a root hash of 32 bytes.")
    return Checkpoint(lines[0], int(size), root, text)


def is_decimal(text):
    return 0 < len(text) <= 20 and all("0" <= c <= "9" for c in text) and (text == "0" or text[0] != "0")


def is_signed_by(text, key):
    """Whether a note bears a signature of the key. Raises NoteError where it is no note."""
    body, signatures = split_note(text)
    message = body.encode("utf-8")
    for name, content in signatures:
        if name == key.name and content[:4] == key.hash and len(content) == 68:
            return ed25519.is_signature(key.public_key, message, content[4:])
    return False


def read_signed_time(text, key):
    """When the key says that it signed a note, in seconds since 1970; None where it does not say it.

    Raises NoteError where the note has a time of the key that the key did not sign.
    """
    body, signatures = split_note(text)
    expected = hashlib.sha256(key.name.encode("utf-8") + b"\n" + TIMED + key.public_key).digest()[:4]
    for name, content in signatures:
        if name == key.name and content[:4] == expected:
            seconds = int.from_bytes(content[4:12], "big")
            message = ("cosignature/v1\ntime %d\n%s" % (seconds, body)).encode("utf-8")
            is_signed = len(content) == 76 and ed25519.is_signature(key.public_key, message, content[12:])
            if not is_signed or seconds > LAST_SECOND:
                raise NoteError("The key did not sign the time in the checkpoint.")
            return seconds
    return None


def split_note(text):
    """(what is signed, (name, content) of each signature) of a note. Raises NoteError where it has another form."""
    if len(text) > MAX_NOTE_BYTES or any(c < " " and c != "\n" for c in text):
        raise NoteError("The checkpoint is too long, or holds signs that none has.")
    body, gap, rest = text.rpartition("\n\n")
    lines = rest.split("\n")
    if not gap or lines.pop() != "" or not lines or not all(line.startswith(DASH) for line in lines):
        raise NoteError("The checkpoint is not a signed note.")
    signatures = [line[len(DASH) :].partition(" ") for line in lines]
    return body + "\n", [(name, decode_base64(encoded)) for name, _, encoded in signatures]


def decode_base64(text):
    """The bytes that base64 stands for. Raises NoteError where it is no base64."""
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (ValueError, UnicodeEncodeError):
        raise NoteError("The base64 of a key, hash or signature is damaged.")
