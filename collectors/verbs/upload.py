"""`upload`: send results to the registry and wait for what it finds."""

from collectors import report
from collectors.bundle import archive_limits, signing
from collectors.errors import UsageError
from collectors.reproduction import job
from collectors.server import options as server_options
from collectors.server import submission

ABOUT = "send results to the registry and show what it finds"

EXAMPLES = """examples:
  %(prog)s results/2025.10.01-09.00.00
  %(prog)s run.tar.gz --release next --list io500 --list ten
  %(prog)s results --metadata site.json --json > answer.json
  %(prog)s results --test
  %(prog)s reproduce-hw-1 --reproduces hw-1
  %(prog)s io500.sh --into 784c6d71-3cb3-4da8-b5c5-f60b044e0da8

PATH is a bundle of pack, a result folder, one result file, or a .tar .tar.gz .tgz .zip. An
archive is sent unchanged, with its signature (FILE.sig) if there is one. A folder is sent with all
names in its files; only `pack` removes names. For a folder of `reproduce`, the bundle that its job
packed is sent. The same bytes are never stored twice: after an interruption run the same command again.

--test creates a private test submission: it is checked but cannot be submitted.
--into adds PATH to a submission, such as a draft or a run without its job script. It works until the deadline,
or until a reviewer starts the review. A run that was submitted must be submitted again afterwards. SUBMISSION is
an id, its first four digits or more, or a public id. A file of the same name is replaced. A single file is sent
unchanged. Change run details, release and lists on the page of the submission.

example of a metadata file; every key is optional:
  {"institution": "example-lab", "system": "scratch", "filesystem_name": "scratch1",
   "filesystem_type": "Lustre", "storage_vendor": "Example", "platform": "X1",
   "client_nodes": 10, "tasks": 320, "production": false, "note": "after the upgrade"}
"""


SUBMITTED = "submitted"


def define(verb):
    verb.add_argument("path", metavar="PATH", help="result folder, result file or archive")
    server_options.add_context(verb)
    way = verb.add_mutually_exclusive_group()
    way.add_argument("--test", action="store_true", help="create a test submission: checked, never submitted")
    verb.add_argument("--reproduces", metavar="ID", help="the published result that this run reproduces")
    way.add_argument("--into", metavar="SUBMISSION", help="add the file to this submission instead of creating one")
    verb.add_argument("--wait", dest="wait", action="store_true", default=True, help="wait for the findings (default)")
    verb.add_argument("--no-wait", dest="wait", action="store_false", help="end once the registry has the bytes")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    form = submission.fields(options.release, server_options.list_names(options), options.metadata)
    form += [("reproduces", options.reproduces)] if options.reproduces else []
    if options.into:
        require_no_fields(form)
    else:
        form += read_form_fields(options)
    path = options.path if options.into else job.packed_repeats(options.path)
    opened = archive_limits.open_as_it_is if options.into else archive_limits.open_for_sending
    server = server_options.connect(options, progress)
    with opened(path, progress.note) as ready:
        target = load_target(server, options.into, progress) if options.into else None
        progress.note(f"sending {ready.filename}, {ready.size:,} bytes, to {server.base.netloc}")
        if options.into:
            document = submission.add(server, ready, target["id"], progress)
        else:
            document = submission.send(server, ready, form, progress)
    if options.wait:
        document = submission.wait(server, document, server.deadline, progress)
    if target:
        note_submit_again(target, document, progress)
    return report.print_document(document, options, report.print_submission)


def load_target(server, text, progress):
    """The submission that a file is added to, as it is before; a note where that takes it back from its release."""
    path = submission.find_path(server, text)
    target = dict(submission.load_submission(server, path), id=path.split("/")[1])
    if target["state"] == SUBMITTED:
        progress.note("it is submitted: a file that is new or changed takes it back, and it must be submitted again")
    return target


def note_submit_again(before, after, progress):
    """Whether a run that was submitted still is, and if not, how it is submitted again once it is checked."""
    if before["state"] != SUBMITTED:
        return
    if after.get("state") == SUBMITTED:
        progress.note("nothing changed: it is still submitted")
        return
    lists = before.get("lists")
    named = "".join(" --list %s" % name for name in (lists if isinstance(lists, list) else ()))
    progress.note(
        "it is no longer submitted; once it is checked: submit {} --release {}{}".format(
            before["id"], before.get("release"), named
        )
    )


def read_form_fields(options):
    """The form fields of a test, and of the signature that lies beside the archive."""
    signature = signing.read_signature_file(options.path)
    form_fields = [("test", "true")] if options.test else []
    return form_fields + ([("signature", signature)] if signature else [])


def require_no_fields(form):
    """Raises UsageError for options of a submission: a file that is added says nothing about it."""
    if form:
        raise UsageError(
            "collector.into",
            "--into adds a file only; --metadata, --release, --list and --reproduces belong to the submission.",
            "Leave them out, and change them on the submission's page.",
        )
