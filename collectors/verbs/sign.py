"""`sign`: sign a bundle with an SSH key."""

import os
import sys

from collectors import files, report
from collectors.bundle import signing
from collectors.errors import OK, UsageError

ABOUT = "sign a bundle with an SSH key, so that the registry can verify who packed it"

EXAMPLES = """examples:
  %(prog)s run.tar.gz --key ~/.ssh/id_ed25519
  highwater.pyz upload run.tar.gz

`sign` writes the signature next to the bundle, as run.tar.gz.sig, and `upload` sends both. The
registry verifies it with the public keys on your account page. It needs ssh-keygen (OpenSSH 8.1).
"""


def define(verb):
    verb.add_argument("bundle", metavar="BUNDLE", help="the bundle that pack wrote")
    verb.add_argument(
        "--key", metavar="FILE", required=True, help="private SSH key, or the public key of one in an SSH agent"
    )


def run(options, progress):
    if not files.is_archive(options.bundle):
        raise UsageError(
            "collector.path", f"{options.bundle} is no bundle.", "Make one: pack --results DIR --out FILE."
        )
    key = os.path.expanduser(options.key)
    if not os.path.isfile(key):
        raise UsageError("collector.sign", f"There is no key {options.key}.", "Make one: ssh-keygen -t ed25519")
    signature = signing.sign(options.bundle, key)
    if options.json:
        report.print_json({"out": signature})
    else:
        report.print_line(signature, sys.stdout)
    progress.note(f"next: highwater.pyz upload {options.bundle}, which sends the signature too")
    return OK
