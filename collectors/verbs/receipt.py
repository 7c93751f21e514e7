"""`receipt`: keep the registry's signed word on a submission, or verify one."""

import json
import sys

from collectors import files, report
from collectors.errors import FINDINGS, OK, UsageError
from collectors.files import TooLarge, read_at_most, write_whole
from collectors.server import options as server_options
from collectors.server import receipt_signature, submission

ABOUT = "get the registry's signed receipt of a submission, or verify one"

EXAMPLES = """examples:
  %(prog)s 784c6d71-3cb3-4da8-b5c5-f60b044e0da8 --out receipt.json
  %(prog)s --verify receipt.json
  %(prog)s --verify receipt.json --bundle run.tar.gz

A receipt states which bytes the registry holds, since when, in which state, and by which rules they
were checked. --verify gets the registry's keys, without an account, and checks the signature here. With
--bundle it also checks that the file is the one that the registry received.
"""

MAX_BYTES = 64 * 1024
RECEIPT_FIELDS = ("id", "sha256", "size_bytes", "received_at", "state", "checked_at", "rules_version", "issued_at")


def define(verb):
    which = verb.add_mutually_exclusive_group(required=True)
    which.add_argument("id", metavar="ID", nargs="?", help="the submission")
    which.add_argument("--verify", metavar="FILE", help="a receipt to verify")
    verb.add_argument("--out", metavar="FILE", help="file to write the receipt to (default: stdout)")
    verb.add_argument("--bundle", metavar="FILE", help="the uploaded file that the receipt must match")
    server_options.add_timeout(verb)


def run(options, progress):
    if options.verify:
        return verify(options, server_options.connect_as_reader(options, progress))
    server = server_options.connect(options, progress)
    document = server.get(submission.find_path(server, options.id) + "receipt/").document
    if options.out:
        write_whole(options.out, json.dumps(document, indent=1) + "\n")
        if options.json:
            report.print_json({"out": options.out})
        else:
            report.print_line(options.out, sys.stdout)
    else:
        report.print_json(document)
    return OK


def verify(options, server):
    """Print whether a receipt is signed by the server and of the bundle; return OK or FINDINGS."""
    receipt, signature = read_receipt(options.verify)
    document = server.get("receipts/").document
    keys = document.get("public_keys") if isinstance(document, dict) else None
    is_signed = isinstance(keys, list) and receipt_signature.is_signed(receipt, signature, keys)
    is_of_bundle = sha256_of(options.bundle) == receipt.get("sha256") if options.bundle and is_signed else None
    if options.json:
        report.print_json({"signed": is_signed, "of_bundle": is_of_bundle, "receipt": receipt if is_signed else None})
    else:
        print_verdict(receipt, is_signed, is_of_bundle, options.bundle, server.base.geturl())
    return OK if is_signed and is_of_bundle is not False else FINDINGS


def print_verdict(receipt, is_signed, is_of_bundle, bundle, url):
    """What a receipt says, and whether it is signed and of the bundle; `is_of_bundle` None: no bundle was given."""
    if not is_signed:
        report.print_line("not signed by %s, or changed since" % url, sys.stdout)
        return
    for name in RECEIPT_FIELDS:
        report.print_line("%-14s %s" % (name, receipt.get(name)), sys.stdout)
    if is_of_bundle is False:
        report.print_line("signed by %s, but of other bytes than %s" % (url, bundle), sys.stdout)
        return
    report.print_line("signed by %s, and unchanged" % url, sys.stdout)


def read_receipt(path):
    """The receipt in a file and its signature. Raises UsageError if it cannot be read or is no receipt."""
    try:
        document = json.loads(read_at_most(path, MAX_BYTES).decode("utf-8"))
        receipt, signature = document["receipt"], document["signature"]
        if not isinstance(receipt, dict) or not isinstance(signature, str):
            raise ValueError("it has other fields")
    except OSError as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (path, error.strerror or error))
    except (TooLarge, ValueError, KeyError, TypeError, RecursionError):
        raise UsageError("collector.receipt", path + " is no receipt.", "Get one: receipt ID --out FILE")
    return receipt, signature


def sha256_of(path):
    """Return the SHA-256 of a file. Raises UsageError if it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return files.measure(stream)[1]
    except OSError as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (path, error.strerror or error))
