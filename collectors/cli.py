"""The command line: reads arguments, calls one function per verb, says what came of it."""

import argparse
import contextlib
import json
import os
import signal
import sys

from collectors import VERSION, bundle, config, report, submission, validation
from collectors.client import Deadline, Server
from collectors.errors import OK, USAGE, CollectorError, UsageError
from collectors.progress import Progress

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
DEFAULT_TIMEOUT_S = 600.0

ABOUT = """Brings benchmark results to a Highwater registry.

The registry's address and your token come from HIGHWATER_URL and HIGHWATER_TOKEN, or from
~/.config/highwater/config.ini (mode 0600):

  [highwater]
  url = https://registry.example/
  token = ...
"""

AFTERWARDS = """exit status:
  0 ok   1 findings   2 usage   3 nothing collected   4 network   130 interrupted

`%(prog)s VERB --help` shows examples.
"""

UPLOAD_EXAMPLES = """examples:
  %(prog)s results/2025.10.01-09.00.00
  %(prog)s run.tar.gz --release next --list io500 --list ten
  %(prog)s results --metadata site.json --json > answer.json

PATH is a result folder, one result file, or a .tar .tar.gz .tgz .zip, which is sent as it is.
The same bytes are never stored twice: after an interruption run the same command again.

a metadata file, every key optional:
  {"institution": "example-lab", "system": "scratch", "filesystem_name": "scratch1",
   "filesystem_type": "Lustre", "storage_vendor": "Example", "platform": "X1",
   "client_nodes": 10, "tasks": 320, "production": false, "note": "after the upgrade"}
"""

VALIDATE_EXAMPLES = """examples:
  %(prog)s results/2025.10.01-09.00.00
  %(prog)s run.tar.gz --release next --list ten --json
  %(prog)s run.tar.gz --server

Uses the registry's rules where `validators` is installed for this Python. With --server the
registry checks a copy and keeps nothing.
"""

PACK_EXAMPLES = """examples:
  %(prog)s --results results/2025.10.01-09.00.00 --dry-run
  %(prog)s --results results/2025.10.01-09.00.00 --out run.tar.gz

The same files give the same archive. (Another version of zlib may compress the same content
into other bytes, and so to another sha256.)
"""

STATUS_EXAMPLES = """examples:
  %(prog)s
  %(prog)s 784c6d71-3cb3-4da8-b5c5-f60b044e0da8
  %(prog)s 784c6d71-3cb3-4da8-b5c5-f60b044e0da8 --json
"""


def main(arguments=None):
    """Run one command; return the exit status."""
    progress = Progress()
    signal.signal(signal.SIGTERM, leave_on_signal)
    options = parser().parse_args(arguments)
    try:
        status = options.verb(options, progress)
        sys.stdout.flush()
        return status
    except CollectorError as error:
        return told(error, options, progress)
    except KeyboardInterrupt:
        progress.note("interrupted; no temporary file was left behind")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has left; Python would complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        return told(UsageError("collector.os", f"{error.strerror or error}{place}"), options, progress)
    finally:
        progress.clear()


def leave_on_signal(number, frame):
    """Leave as an exception, so that temporary files go."""
    raise SystemExit(TERMINATED)


def told(error, options, progress):
    """Show an error as one or two lines, and as the JSON document where one was asked for."""
    progress.note(f"error: {error.message} [{error.code}]")
    if error.hint:
        progress.note("       " + error.hint)
    if getattr(options, "json", False):
        print_json({"error": error.as_json()})
    return error.exit_status


def parser():
    top = argparse.ArgumentParser(
        prog=command_name(), description=ABOUT, epilog=AFTERWARDS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("--version", action="version", version="highwater collector " + VERSION)
    verbs = top.add_subparsers(metavar="VERB", dest="verb_name")
    add_upload(verbs)
    add_validate(verbs)
    add_pack(verbs)
    add_status(verbs)
    top.set_defaults(verb=no_verb, top=top)
    return top


def command_name():
    """How the user called this: the single file by its name, the package by its module."""
    single_files = [part for part in sys.argv[0].split(os.sep) if part.endswith(".pyz")]
    return single_files[-1] if single_files else "python -m collectors"


def no_verb(options, progress):
    options.top.print_help(sys.stderr)
    return USAGE


def add_verb(verbs, name, run, about, examples):
    verb = verbs.add_parser(
        name,
        help=about,
        description=about[0].upper() + about[1:] + ".",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.set_defaults(verb=run)
    return verb


def add_upload(verbs):
    verb = add_verb(verbs, "upload", upload, "send results to the registry and show what it finds", UPLOAD_EXAMPLES)
    verb.add_argument("path", metavar="PATH", help="result folder, result file or archive")
    add_context(verb)
    verb.add_argument("--wait", dest="wait", action="store_true", default=True, help="wait for the findings (default)")
    verb.add_argument("--no-wait", dest="wait", action="store_false", help="leave once the registry has the bytes")
    add_output(verb)
    add_timeout(verb)


def add_validate(verbs):
    verb = add_verb(verbs, "validate", validate, "check results without submitting them", VALIDATE_EXAMPLES)
    verb.add_argument("path", metavar="PATH", help="result folder, result file or archive")
    verb.add_argument("--server", action="store_true", help="let the registry check a copy; it keeps nothing")
    add_context(verb)
    add_output(verb)
    add_timeout(verb)


def add_pack(verbs):
    verb = add_verb(verbs, "pack", pack, "make the archive that upload would send", PACK_EXAMPLES)
    verb.add_argument("--results", metavar="DIR", required=True, help="the folder that the benchmark wrote to")
    verb.add_argument("--out", metavar="FILE", help="the archive to write, ending in .tar.gz or .tgz")
    verb.add_argument("--dry-run", action="store_true", help="list what would be packed, write nothing")


def add_status(verbs):
    verb = add_verb(verbs, "status", status, "list your submissions, or show one with its findings", STATUS_EXAMPLES)
    verb.add_argument("id", metavar="ID", nargs="?", help="one submission")
    add_output(verb)
    add_timeout(verb)


def add_context(verb):
    verb.add_argument("--metadata", metavar="FILE", help="JSON object with what the results do not say themselves")
    verb.add_argument("--release", metavar="R", help="release that the results are meant for")
    verb.add_argument(
        "--list", metavar="L", dest="lists", action="append", default=[], help="ranked list; again, or a,b, for more"
    )


def add_output(verb):
    verb.add_argument("--json", action="store_true", help="print one JSON document on stdout, nothing else")


def add_timeout(verb):
    verb.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=seconds,
        default=DEFAULT_TIMEOUT_S,
        help="give up after so many seconds, repeating and waiting included (%(default)g)",
    )


def seconds(text):
    value = float(text)
    if not 0 < value <= 86400:
        raise argparse.ArgumentTypeError("between 0 and 86400 seconds")
    return value


def list_names(options):
    return [name.strip() for given in options.lists for name in given.split(",") if name.strip()]


def connect(options, progress):
    return Server(config.settings(os.environ), Deadline(options.timeout), progress)


def upload(options, progress):
    form = submission.fields(options.release, list_names(options), options.metadata)
    server = connect(options, progress)
    with bundle.open_for_sending(options.path, progress.note) as ready:
        progress.note(f"sending {ready.filename}, {ready.size:,} bytes, to {server.base.netloc}")
        document = submission.send(server, ready, form, progress)
    if options.wait:
        document = submission.wait(server, document, server.deadline, progress)
    return shown(document, options, report.print_submission)


def validate(options, progress):
    form = submission.fields(options.release, list_names(options), options.metadata)
    if options.server:
        return shown(check_on_server(options, form, progress), options, report.print_check)
    bundle.require_known_kind(options.path)
    rules = validation.rules_here()
    if rules.version is None:
        return shown(validation.check_alone(options.path, rules.missing), options, report.print_check)
    progress.note(f"checking with the rules {rules.version} installed here")
    return shown(
        validation.check_here(options.path, rule_options(options), options.timeout), options, report.print_check
    )


def check_on_server(options, form, progress):
    server = connect(options, progress)
    with bundle.open_for_sending(options.path, progress.note) as ready:
        progress.note(f"sending {ready.filename}, {ready.size:,} bytes, to {server.base.netloc} for a check")
        return validation.checked_by_server(server.post("check/", form, ready).document)


def rule_options(options):
    """The arguments of `validators check` that stand for ours."""
    names = list_names(options)
    if len(names) > 1:
        raise UsageError("collector.list", "The rules check one list at a time.", "Give --list once, or --server.")
    pairs = [("--release", options.release), ("--list", names[0] if names else None), ("--metadata", options.metadata)]
    return [part for pair in pairs if pair[1] for part in pair]


def pack(options, progress):
    if not os.path.isdir(options.results):
        raise UsageError("collector.path", f"{options.results} is not a folder.", "Give the folder of one run.")
    if not options.dry_run:
        require_out(options)
    listing = bundle.scan(options.results)
    for line in bundle.remarks(listing):
        progress.note(line)
    if options.dry_run:
        for member in listing.members:
            report.show(f"{member.size:>12} {member.name}", sys.stdout)
        total = sum(member.size for member in listing.members)
        progress.note(f"{len(listing.members)} files, {total:,} bytes before packing; nothing was written")
        return OK
    size, sha256 = bundle.pack_to(listing, options.out)
    progress.note(f"{len(listing.members)} files, {size:,} bytes packed")
    report.show(f"{sha256}  {options.out}", sys.stdout)
    return OK


def require_out(options):
    """Raise UsageError unless --out names an archive outside the folder that is packed."""
    if not options.out:
        raise UsageError("collector.out", "--out is missing.", "Name the archive to write, or look with --dry-run.")
    if not options.out.lower().endswith((".tar.gz", ".tgz")):
        raise UsageError("collector.out", f"{options.out} does not end in .tar.gz or .tgz, which is what is written.")
    folder = os.path.realpath(options.results)
    if os.path.commonpath([folder, os.path.realpath(options.out)]) == folder:
        raise UsageError("collector.out", f"{options.out} lies in the folder that is packed.", "Write it elsewhere.")


def status(options, progress):
    server = connect(options, progress)
    if options.id is not None:
        return shown(server.get(submission.submission_path(options.id)).document, options, report.print_submission)
    listed = [item for item in server.pages("submissions/") if isinstance(item, dict)]
    if options.json:
        print_json({"submissions": listed})
    else:
        report.print_list(listed, sys.stdout)
        if not listed:
            progress.note("no submissions yet")
    return OK


def shown(document, options, print_text):
    """Print a document as asked for; return the exit status it means."""
    if options.json:
        print_json(document)
    else:
        print_text(document, sys.stdout)
    return report.exit_status(document)


def print_json(document):
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
        sys.stdout.flush()
