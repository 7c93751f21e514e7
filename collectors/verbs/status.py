"""`status`: list your submissions, or show one."""

import sys

from collectors import report
from collectors.errors import OK
from collectors.server import options as server_options
from collectors.server import submission

ABOUT = "list your submissions, or show one with its findings"

EXAMPLES = """examples:
  %(prog)s
  %(prog)s 784c6d71-3cb3-4da8-b5c5-f60b044e0da8
  %(prog)s 784c6d71-3cb3-4da8-b5c5-f60b044e0da8 --json
"""


def define(verb):
    verb.add_argument("id", metavar="ID", nargs="?", help="one submission")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    server = server_options.connect(options, progress)
    if options.id is not None:
        return report.print_document(
            server.get(submission.submission_path(options.id)).document, options, report.print_submission
        )
    listed = [item for item in server.pages("submissions/") if isinstance(item, dict)]
    if options.json:
        report.print_json({"submissions": listed})
    else:
        report.print_list(listed, sys.stdout)
        if not listed:
            progress.note("no submissions yet")
    return OK
