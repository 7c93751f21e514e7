"""`status`: list your submissions, or show one."""

from collectors import report
from collectors.server import options as server_options
from collectors.server import submission
from collectors.verbs import list_

ABOUT = "list your submissions with what each waits for, or show one with its findings"

EXAMPLES = """examples:
  %(prog)s
  %(prog)s 784c6d71
  %(prog)s 784c6d71-3cb3-4da8-b5c5-f60b044e0da8 --json

ID is an id, its first four digits or more, or the public id of your result.
"""


def define(verb):
    verb.add_argument("id", metavar="ID", nargs="?", help="one submission")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    server = server_options.connect(options, progress)
    if options.id is None:
        return list_.show_list(server, {}, 0, options, progress)
    document = submission.load_submission(server, submission.find_path(server, options.id))
    return report.print_document(document, options, report.print_submission)
