"""`upload`: send results to the registry and wait for what it finds."""

from collectors import arguments, bundle, report, signing, submission

ABOUT = "send results to the registry and show what it finds"

EXAMPLES = """examples:
  %(prog)s results/2025.10.01-09.00.00
  %(prog)s run.tar.gz --release next --list io500 --list ten
  %(prog)s results --metadata site.json --json > answer.json

PATH is a bundle of pack, a result folder, one result file, or a .tar .tar.gz .tgz .zip. An
archive is sent as it is, with the signature beside it (FILE.sig) if there is one. A folder is
sent with all names that are in it: pack takes them out.
The same bytes are never stored twice: after an interruption run the same command again.

a metadata file, every key optional:
  {"institution": "example-lab", "system": "scratch", "filesystem_name": "scratch1",
   "filesystem_type": "Lustre", "storage_vendor": "Example", "platform": "X1",
   "client_nodes": 10, "tasks": 320, "production": false, "note": "after the upgrade"}
"""


def define(verb):
    verb.add_argument("path", metavar="PATH", help="result folder, result file or archive")
    arguments.add_context(verb)
    verb.add_argument("--wait", dest="wait", action="store_true", default=True, help="wait for the findings (default)")
    verb.add_argument("--no-wait", dest="wait", action="store_false", help="leave once the registry has the bytes")
    arguments.add_output(verb)
    arguments.add_timeout(verb)


def run(options, progress):
    form = submission.fields(options.release, arguments.list_names(options), options.metadata)
    signature = signing.beside(options.path)
    if signature:
        form.append(("signature", signature))
    server = arguments.connect(options, progress)
    with bundle.open_for_sending(options.path, progress.note) as ready:
        progress.note(f"sending {ready.filename}, {ready.size:,} bytes, to {server.base.netloc}")
        document = submission.send(server, ready, form, progress)
    if options.wait:
        document = submission.wait(server, document, server.deadline, progress)
    return report.shown(document, options, report.print_submission)
