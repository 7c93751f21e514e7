"""`list`: the submissions that you may see, narrowed."""

import sys

from collectors import report
from collectors.errors import OK, UsageError
from collectors.server import options as server_options

ABOUT = "list the submissions that you may see, newest first"

EXAMPLES = """examples:
  %(prog)s
  %(prog)s --state checked
  %(prog)s --release sc26 --limit 0
  %(prog)s --label tuned
  %(prog)s --scope own
  %(prog)s --scope both --release sc26
  %(prog)s --json

Each line has id, state, name, score, release, and what the submission waits for. With --scope it lists results:
published ones, checked runs on your shelf, or both. A published result has its trust level instead of the state.
"""

USUAL_LIMIT = 50
LARGEST_PAGE = 200
KINDS = {"results/": "results"}
NAMED = {"results/": "results", "shelf/": "runs on the shelf"}
"""What an address lists, by its place; all else lists submissions."""


def define(verb):
    verb.add_argument("--state", metavar="S", help="only those in this state, such as checked")
    verb.add_argument("--release", metavar="R", help="only those of this release")
    verb.add_argument("--project", metavar="P", help="only runs on the shelf of this project")
    verb.add_argument("--label", metavar="L", help="only runs on the shelf with this label")
    server_options.add_scope(verb, "list results instead of submissions")
    verb.add_argument(
        "--limit", metavar="N", type=int, default=USUAL_LIMIT, help="list at most this many (%(default)s); 0: all"
    )
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    filters = {"state": options.state, "release": options.release}
    groups = {"project": options.project, "label": options.label}
    scope = server_options.asked_scope(options) if options.scope else None
    is_shelf = scope == server_options.SCOPES["own"] or (scope is None and any(groups.values()))
    if is_shelf and any(filters.values()):
        raise UsageError(
            "collector.shelf", "A shelf is not listed by state or release.", "Give --project and --label alone."
        )
    if scope and options.state:
        raise UsageError("collector.scope", "Results are not listed by state.", "Leave --state or --scope out.")
    if scope == server_options.PUBLIC and any(groups.values()):
        raise UsageError(
            "collector.scope", "Published results have no project and no label.", "Give --scope own or --scope both."
        )
    query = {name: value for name, value in dict(filters, **groups).items() if value}
    server = server_options.connect_to_ask(options, progress) if scope else server_options.connect(options, progress)
    address = "shelf/" if is_shelf else "results/" if scope else "submissions/"
    if address == "results/" and scope != server_options.PUBLIC:
        query["scope"] = scope
    return show_list(server, query, max(0, options.limit), options, progress, address)


def show_list(server, query, limit, options, progress, address="submissions/"):
    """Print up to `limit` submissions that meet the query (0: all of them); say if there are more."""
    query = dict(query, page_size=min(limit + 1, LARGEST_PAGE) if limit else LARGEST_PAGE)
    listed, is_more = [], False
    for row in server.pages(address, query):
        if limit and len(listed) == limit:
            is_more = True
            break
        if isinstance(row, dict):
            listed.append(row)
    if options.json:
        report.print_json({KINDS.get(address, "submissions"): listed, "more": is_more})
    elif address == "results/":
        report.print_table([result_row(row) for row in listed], sys.stdout)
    else:
        report.print_list(listed, sys.stdout)
    if not listed:
        kind = NAMED.get(address, "submissions")
        progress.note("no such %s" % kind if set(query) - {"page_size"} else "no %s yet" % kind)
    if is_more:
        progress.note("there are more: --limit 0 lists them all")
    return OK


def result_row(row):
    """Id, trust, institution and system, score and release of a result, published or of a shelf."""
    named = " ".join(str(row[name]) for name in ("institution", "system") if row.get(name))
    score = "" if row.get("score") is None else "score " + report.figure(row["score"])
    return (
        str(row.get("id")),
        str(report.label_trust(row) or ""),
        report.cut_text(named, report.MOST_NAME),
        score,
        str(row.get("release") or ""),
    )
