"""Names that stand for names: `m-xxxxxxxx`, made with a key that never leaves the site.

The same name is the same pseudonym in every document and log of one site; without the key nobody can try names out.
The key and the map back to the names lie in ~/.config/highwater/, mode 0600. They are the only files that the
collector keeps, and no bundle ever holds them.
"""

import binascii
import hashlib
import hmac
import json
import os
import tempfile

FOLDER = "~/.config/highwater"
KEY_FILE = "pseudonyms.key"
MAP_FILE = "pseudonyms.json"
KEY_BYTES = 32
MAX_MAP_BYTES = 16 * 1024 * 1024


class Pseudonyms:
    """The pseudonyms under one key (bytes). `names` is the way back: {pseudonym: name}, for those made so far."""

    def __init__(self, key):
        self.key = key
        self.names = {}

    def of(self, name):
        """The pseudonym of a name, `m-` and 8 hexadecimal digits: the first 32 bits of HMAC-SHA256."""
        digest = hmac.new(self.key, name.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()
        pseudonym = "m-" + digest[:8]
        self.names[pseudonym] = name
        return pseudonym


def of_site(note, folder=FOLDER):
    """The Pseudonyms of this site; its key is made the first time. `note` takes one line for the user.

    Where the folder cannot be used, the key lasts for this command only, and the note says so.
    """
    folder = os.path.expanduser(folder)
    try:
        return Pseudonyms(read_or_make_key(folder))
    except OSError as error:
        note(f"no key for pseudonyms can be kept in {folder} ({error.strerror}): those of this command are its own")
        return Pseudonyms(os.urandom(KEY_BYTES))


def read_or_make_key(folder):
    """Return the key kept in a folder, made if there is none. Raises OSError where the file there holds no key."""
    path = os.path.join(folder, KEY_FILE)
    key = read_key(path)
    if key is None:
        write_private(path, binascii.hexlify(os.urandom(KEY_BYTES)) + b"\n", replace=False)
        key = read_key(path)
    if key is None:
        raise OSError(0, "the key file there is no key")
    return key


def read_key(path):
    try:
        with open(path, "rb") as stream:
            return binascii.unhexlify(stream.read(4 * KEY_BYTES).strip()) or None
    except (FileNotFoundError, binascii.Error):
        return None


def keep_names(pseudonyms, note, folder=FOLDER):
    """Add the names behind these pseudonyms to the site's map, so that its people can read what others ask about."""
    if not pseudonyms.names:
        return
    path = os.path.join(os.path.expanduser(folder), MAP_FILE)
    try:
        names_by_pseudonym = read_map(path)
        if not set(pseudonyms.names) <= set(names_by_pseudonym):
            text = json.dumps(dict(names_by_pseudonym, **pseudonyms.names), sort_keys=True, indent=1)
            write_private(path, text.encode("utf-8", "surrogateescape"), replace=True)
    except OSError as error:
        note(f"the names behind the pseudonyms are not kept: {error.strerror}")


def names_of_site(pseudonyms, folder=FOLDER):
    """The names behind pseudonyms, as far as this site's map has them."""
    names_by_pseudonym = read_map(os.path.join(os.path.expanduser(folder), MAP_FILE))
    return {
        names_by_pseudonym[pseudonym] for pseudonym in pseudonyms if isinstance(names_by_pseudonym.get(pseudonym), str)
    }


def read_map(path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            names_by_pseudonym = json.loads(stream.read(MAX_MAP_BYTES))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    return names_by_pseudonym if isinstance(names_by_pseudonym, dict) else {}


def write_private(path, content, replace):
    """Write a file that is complete or not there, for its owner alone; the first of several wins unless `replace`."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    descriptor, scratch = tempfile.mkstemp(prefix=".highwater-", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        if replace:
            os.replace(scratch, path)
        else:
            link_once(scratch, path)
    finally:
        if os.path.exists(scratch):
            os.unlink(scratch)


def link_once(scratch, path):
    """Put a file in its place unless another command did so a moment before."""
    try:
        os.link(scratch, path)
    except FileExistsError:
        pass
