"""`list`: the submissions that you may see, narrowed."""

import sys

from collectors import report
from collectors.errors import OK
from collectors.server import options as server_options

ABOUT = "list the submissions that you may see, newest first"

EXAMPLES = """examples:
  %(prog)s
  %(prog)s --state checked
  %(prog)s --release sc26 --limit 0
  %(prog)s --json

One line for each: id, state, name, score, release, and what it waits for.
"""

USUAL_LIMIT = 50
LARGEST_PAGE = 200


def define(verb):
    verb.add_argument("--state", metavar="S", help="only those in this state, such as checked")
    verb.add_argument("--release", metavar="R", help="only those of this release")
    verb.add_argument(
        "--limit", metavar="N", type=int, default=USUAL_LIMIT, help="at most so many (%(default)s); 0 for all"
    )
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    filters = {"state": options.state, "release": options.release}
    query = {name: value for name, value in filters.items() if value}
    return show_list(server_options.connect(options, progress), query, max(0, options.limit), options, progress)


def show_list(server, query, limit, options, progress):
    """Print up to `limit` submissions that meet the query (0: all of them); say if there are more."""
    query = dict(query, page_size=min(limit + 1, LARGEST_PAGE) if limit else LARGEST_PAGE)
    listed, is_more = [], False
    for row in server.pages("submissions/", query):
        if limit and len(listed) == limit:
            is_more = True
            break
        if isinstance(row, dict):
            listed.append(row)
    if options.json:
        report.print_json({"submissions": listed, "more": is_more})
    else:
        report.print_list(listed, sys.stdout)
    if not listed:
        progress.note("no such submissions" if set(query) - {"page_size"} else "no submissions yet")
    if is_more:
        progress.note("there are more: --limit 0 lists them all")
    return OK
