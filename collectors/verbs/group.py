"""`group`: give runs of your shelf a project and labels."""

import sys

from collectors import report
from collectors.errors import OK, NetworkError, UsageError
from collectors.server import ids
from collectors.server import options as server_options

ABOUT = "give runs of your shelf a project and labels"

EXAMPLES = """examples:
  %(prog)s e58bf9db --project Acceptance
  %(prog)s dcc1ee4e 91c0 --label tuned --label "8 MiB"
  %(prog)s e58bf9db --project "" --label ""

The id of a submission selects all its runs on the shelf, the id of a run only that run. An option that you leave
out changes nothing. Labels replace those that a run has; an empty text removes them. Only members of your
institution see projects and labels. `list --scope own --project Acceptance` lists the runs.
"""


def define(verb):
    verb.add_argument("id", metavar="ID", nargs="+", help="a submission, or a run on the shelf")
    verb.add_argument("--project", metavar="P", help="the project; empty: none")
    verb.add_argument("--label", metavar="L", action="append", help="a label; repeat for several; empty: none")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    words = {"project": options.project, "labels": options.label}
    words = {name: value for name, value in words.items() if value is not None}
    if not words:
        raise UsageError("collector.group", "Nothing to set.", "Give --project or --label.")
    server = server_options.connect(options, progress)
    places = [find_runs(server, text) for text in options.id]  # all are known before the first one is changed
    counts = [group_place(server, place, words) for place in places]
    if options.json:
        report.print_json({"runs": sum(counts)})
    else:
        report.print_line("grouped " + report.count_text(sum(counts), "run"), sys.stdout)
    return OK


def find_runs(server, text):
    """The address of the runs that an id means: of all runs of a submission, or of one run.

    Raises UsageError where it means none or several.
    """
    run_id = text.lower() if ids.is_of_run(text) else None
    if run_id is None:
        try:
            submission_id = ids.find_submission(server, text)
        except UsageError as missing:
            run_id = ids.find_shelved(server, text, missing)
    if run_id is not None:
        return "shelf/%s/" % run_id
    if not ids.is_id(submission_id) or not ids.listed_rows(
        server, {"submission": submission_id, "page_size": 1}, "shelf/"
    ):
        raise UsageError(
            "collector.not-on-shelf",
            "No run of %s is on your shelf." % text,
            "A run comes there within a minute after its check, unless it was withdrawn or rejected.",
        )
    return "shelf/?submission=" + submission_id


def group_place(server, place, words):
    """Set project and labels there; how many runs have them now. Raises NetworkError for an answer without a count."""
    document = server.write_document("PATCH", place, words).document
    if "?" not in place:
        return 1
    count = document.get("runs") if isinstance(document, dict) else None
    if not isinstance(count, int) or isinstance(count, bool):
        raise NetworkError("collector.not-the-api", "The server counted no runs.", "Check HIGHWATER_URL.")
    return count
