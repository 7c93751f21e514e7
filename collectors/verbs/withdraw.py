"""`withdraw`: take a run back, with a reason."""

import sys

from collectors import report
from collectors.errors import OK, UsageError
from collectors.server import options as server_options
from collectors.server import submission

ABOUT = "withdraw a submission or a published result, with a reason"

EXAMPLES = """examples:
  %(prog)s 784c6d71 --reason "The wrong file system was measured."
  %(prog)s hw-7 --reason "The cache was not dropped." --yes

You cannot undo this, but you can upload the same bytes again as a new submission. A published result keeps
its page, which then shows the reason to everybody. On a terminal it asks for confirmation; elsewhere it needs
--yes. Withdrawing twice is not an error: nothing changes.
"""

MOST_REASON = 4000


def define(verb):
    verb.add_argument("id", metavar="ID", help="the submission, or the public id of your result")
    verb.add_argument("--reason", metavar="TEXT", required=True, help="the reason; for a published result it is public")
    verb.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    if not options.reason.strip() or len(options.reason) > MOST_REASON:
        raise UsageError("collector.reason", "A reason has 1 to %d characters." % MOST_REASON)
    if not options.yes and not sys.stdin.isatty():
        raise not_confirmed()
    server = server_options.connect(options, progress)
    path = submission.find_path(server, options.id)
    if not options.yes:
        stored = submission.load_submission(server, path)
        progress.note(
            "{} ({}), state {}".format(stored.get("name"), stored.get("result") or path, submission.state_of(stored))
        )
        if not server_options.is_agreed("Withdraw it for good.", progress):
            raise not_confirmed()
    document = withdraw_submission(server, path, options.reason, progress)
    if options.json:
        report.print_json(document)
    else:
        report.print_state(document, sys.stdout)
    return OK


def not_confirmed():
    return UsageError("collector.not-confirmed", "Nothing was withdrawn.", "--yes withdraws without asking.")


def withdraw_submission(server, path, reason, progress):
    """Withdraw; return the submission, also where it was withdrawn already."""
    document, is_new = submission.move_submission(
        server, path, "withdraw/", {"reason": reason}, lambda stored: submission.state_of(stored) == "withdrawn"
    )
    if not is_new:
        progress.note("it was withdrawn already")
    return document
