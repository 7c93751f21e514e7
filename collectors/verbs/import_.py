"""`import`: BIOS settings from a management controller's output."""

import json
import time

from collectors import report
from collectors.document import bios, bios_import, schema, system_file
from collectors.errors import OK, BundleError, NothingCollected, UsageError
from collectors.files import TooLarge, read_at_most, write_whole

ABOUT = "take BIOS settings from Redfish, racadm or ilorest output"

EXAMPLES = """examples:
  %(prog)s redfish Bios.json --into system.json
  %(prog)s racadm bios.txt --into system.json --class 0123456789abcdef
  %(prog)s ilorest ilorest.json

The files come from these commands, run by whoever may use the management controller:
  curl -k -u USER https://BMC/redfish/v1/Systems/SYSTEM/Bios > Bios.json
  racadm get BIOS > bios.txt
  ilorest save --selector Bios. --json -f ilorest.json

Only settings that change speed are taken. Serial numbers, asset tags, passwords, addresses and
texts that somebody typed stay in the file.
"""

FORMS = ("redfish", "racadm", "ilorest")
MAX_BYTES = 8 * 1024 * 1024


def define(verb):
    verb.add_argument("form", choices=FORMS, help="what wrote the file")
    verb.add_argument("file", metavar="FILE", help="the output, JSON or NAME=VALUE lines")
    verb.add_argument(
        "--into", metavar="DOCUMENT", help="system document to put the settings into; else they are printed"
    )
    verb.add_argument(
        "--class", metavar="ID", dest="class_id", help="the node class that has them, if there are several"
    )


def run(options, progress):
    attribute_pairs = attributes(options.file)
    settings = bios.settings(attribute_pairs)
    if not settings:
        raise NothingCollected(
            "collector.import.empty",
            "None of the %d attributes is a known BIOS setting that changes speed." % len(attribute_pairs),
            "Attributes with coded names (CRCS005) cannot be told apart without the maker's registry.",
        )
    if options.into:
        put_into(options, settings)
        if options.json:
            report.print_json({"out": options.into, "kept": len(settings), "read": len(attribute_pairs)})
    else:
        report.print_json(bios_import.fragment(settings, options.form))
    progress.note(
        "%d of %d BIOS attributes kept; the others stay in %s" % (len(settings), len(attribute_pairs), options.file)
    )
    return OK


def attributes(path):
    """[(name, value)] of the file. Raises UsageError if it cannot be read, is too large or of another form."""
    try:
        data = read_at_most(path, MAX_BYTES)
    except OSError as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (path, error.strerror or error))
    except TooLarge:
        raise UsageError("collector.import", path + " is larger than 8 MiB.", "Give the output of one command.")
    try:
        return bios.attributes(data.decode("utf-8", "replace"))
    except ValueError as error:
        raise UsageError("collector.import", "%s: %s." % (path, error), "Run the command again; `--help` shows which.")


def put_into(options, settings):
    """Write the document with the settings in it; it is valid or stays as it was.

    Raises BundleError where it would not be valid.
    """
    options.into = system_file.writable(options.into)
    document = system_file.load(options.into)
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    bios_import.put_into(document, options.class_id, settings, options.form, started)
    for pointer, message in schema.errors(document, at_most=1):
        raise BundleError("system.schema", "%s would not be valid: %s %s" % (options.into, pointer, message))
    write_whole(options.into, json.dumps(document, indent=1) + "\n")
