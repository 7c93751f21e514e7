"""`import`: results from a tree, from ReFrame or from JUBE; or BIOS settings from a management controller's output."""

import json
import os
import time

from collectors import report
from collectors.bundle import archive_limits
from collectors.document import bios, bios_import, schema, system_file
from collectors.errors import OK, BundleError, NothingCollected, UsageError
from collectors.files import TooLarge, read_at_most, write_whole
from collectors.imports import harnesses, journal, sending, tree
from collectors.server import options as server_options
from collectors.server import submission

ABOUT = "import results of a tree, of ReFrame or of JUBE; or BIOS settings"

EXAMPLES = """examples:
  %(prog)s tree results/2026 --dry-run
  %(prog)s tree results/2026 --metadata site.json
  %(prog)s tree results/2026 --again
  %(prog)s reframe report.json
  %(prog)s jube bench_run/000000
  %(prog)s redfish Bios.json --into system.json
  %(prog)s racadm bios.txt --into system.json --class 0123456789abcdef
  %(prog)s ilorest ilorest.json

`tree` finds the outputs below a folder by their content, and sends them in bundles of up to 500. It sends
equal outputs once. It lists, and does not send, links, files that no benchmark writes, and files that seem
to contain a token. Run the same command again to continue after an interruption, or to send new outputs.
Outputs that were withdrawn or erased since are listed as gone, and sent again only with --again.
`reframe` reads the report of `reframe ... --report-file=report.json`, and `jube` the folder of a benchmark.
Both send the raw outputs of tests that passed or finished, and not the numbers that the harness computed.

These commands write the files of BIOS settings. They need access to the management controller:
  curl -k -u USER https://BMC/redfish/v1/Systems/SYSTEM/Bios > Bios.json
  racadm get BIOS > bios.txt
  ilorest save --selector Bios. --json -f ilorest.json

`import` reads only settings that affect speed. It leaves out serial numbers, asset tags, passwords,
addresses and free text.
"""

RESULT_FORMS = ("tree", "reframe", "jube")
BIOS_FORMS = ("redfish", "racadm", "ilorest")
MAX_BYTES = 8 * 1024 * 1024
IMPORT_TIMEOUT_S = 3600.0


def define(verb):
    forms = RESULT_FORMS + BIOS_FORMS
    verb.add_argument("form", metavar="FORM", choices=forms, help="one of " + " ".join(forms))
    verb.add_argument("file", metavar="PATH", help="the folder, the report, or the file with settings")
    of_results = verb.add_argument_group("results (tree, reframe, jube)")
    server_options.add_context(of_results)
    of_results.add_argument("--test", action="store_true", help="create test submissions: checked, never submitted")
    of_results.add_argument("--dry-run", action="store_true", help="show what would be sent, and send nothing")
    of_results.add_argument(
        "--again", action="store_true", help="send again what was withdrawn, rejected or erased since it was sent"
    )
    of_results.add_argument("--no-wait", dest="wait", action="store_false", help="end once the registry has the bytes")
    server_options.add_timeout(of_results, IMPORT_TIMEOUT_S)
    of_settings = verb.add_argument_group("BIOS settings (redfish, racadm, ilorest)")
    of_settings.add_argument(
        "--into", metavar="DOCUMENT", help="system document to put the settings into; else they are printed"
    )
    of_settings.add_argument(
        "--class", metavar="ID", dest="class_id", help="the node class that has them, if there are several"
    )
    server_options.add_output(verb)


def run(options, progress):
    if options.form in RESULT_FORMS:
        return import_results(options, progress)
    return import_settings(options, progress)


def import_results(options, progress):
    """Send what a tree or a harness holds; the exit status is that of the report.

    Raises UsageError for options of BIOS settings.
    """
    if options.into or options.class_id:
        raise UsageError("collector.import", "--into and --class are for BIOS settings.")
    form = submission.fields(options.release, server_options.list_names(options), options.metadata)
    form += [("test", "true")] if options.test else []
    find = {
        "tree": tree.find_units,
        "reframe": harnesses.find_reframe_units,
        "jube": harnesses.find_jube_units,
    }[options.form]
    server = None if options.dry_run else server_options.connect(options, progress)
    outputs = find(options.file, progress.update)
    stem = archive_limits.archive_stem(options.file).partition(".")[0] or "results"
    if server is None:
        return sending.finish_report(sending.plan_import(stem, outputs, {}), [], None, options, progress)
    sent = journal.open_journal(os.environ, server.base.geturl(), options.file, options.test)
    documents = sending.forget_gone(outputs.units, server, sent) if options.again else {}
    job = sending.plan_import(stem, outputs, sent.sent)
    return sending.do_import(job, server, form, sent, documents, options, progress)


def import_settings(options, progress):
    """Print BIOS settings, or put them into a document. Raises NothingCollected where none is known."""
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
