"""`compare`: two results side by side, published or of one's own shelf, with ratios and what else differed."""

import sys

from collectors import report
from collectors.errors import OK, ServerRefusal, UsageError
from collectors.server import ids, submission
from collectors.server import options as server_options

ABOUT = "compare two results: numbers, ratios, and what else differed"

EXAMPLES = """examples:
  %(prog)s hw-1 hw-2
  %(prog)s hw-1 hw-2 --per client
  %(prog)s 784c6d71 hw-2 --json
  %(prog)s 784c6d71 91c0 --scope own

The ratio is B to A. If both were repeated, it has a 95 percent interval. Without an interval it is unknown
whether a difference is chance. You can compare checked runs of your institution before they are published.
For these, and to name a submission by its id, you need a token. If an upload holds several runs, each has its
own id: `list --scope own` prints them. If the registry gives no ratios, the output has the reason, and the exit
status is still 0.
"""

DIVISORS = ("client", "server", "process", "drive", "target", "enclosure", "rack_unit", "watt", "pib")
MOST_TEXT = 40
NOT_ON_SHELF = ("draft", "received", "processing", "invalid", "rejected", "withdrawn")


def define(verb):
    verb.add_argument("a", metavar="A", help="public id of a result, or id of a submission")
    verb.add_argument("b", metavar="B", help="the other one")
    verb.add_argument("--per", metavar="X", choices=DIVISORS, help="divide by: " + " ".join(DIVISORS))
    server_options.add_scope(verb, "whose results may be compared")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    if options.scope == server_options.PUBLIC:
        refuse_submissions((options.a, options.b))
    server = server_options.connect_to_ask(options, progress)
    names = [comparable_id(name, options, progress) for name in (options.a, options.b)]
    query = {"results": ",".join(names)}
    if options.scope and options.scope != server_options.PUBLIC:
        query["scope"] = server_options.asked_scope(options)
    elif not all(map(ids.is_public, names)):
        server = server_options.connect(options, progress)
        query["scope"] = "all"
    if options.per:
        query["per"] = options.per
    document = submission.load_object(server, "compare/", query)
    if options.json:
        report.print_json(document)
    else:
        print_comparison(document, sys.stdout)
    return OK


def refuse_submissions(names):
    """Raises UsageError for a name that is of no published result."""
    for name in names:
        if not ids.is_public(name):
            raise UsageError(
                "collector.scope",
                "%s is not a published result, and --scope public compares only these." % name,
                "Give public ids such as hw-1, or --scope both.",
            )


def comparable_id(text, options, progress):
    """The public id that a text is, or that the submission it names has; else the id of a run on the shelf.

    Raises UsageError for a submission that was not checked.
    """
    if ids.is_public(text):
        return text
    server = server_options.connect(options, progress)
    try:
        stored = submission.load_submission(server, submission.find_path(server, text))
    except (UsageError, ServerRefusal) as missing:
        return ids.find_shelved(server, text, missing)
    is_own = server_options.asked_scope(options) == server_options.SCOPES["own"]
    if isinstance(stored.get("result"), str) and ids.is_public(stored["result"]) and not is_own:
        return stored["result"]
    if stored.get("state") in NOT_ON_SHELF or not ids.is_id(stored.get("id")):
        raise UsageError("collector.id", "%s is %s." % (text, stored.get("state")), "Only checked runs are compared.")
    return stored["id"]


def print_comparison(document, stream):
    """Both results, what must be known, their conditions, numbers and ratios, and what else differed."""
    for letter, row in zip("AB", report.list_of_dicts(document, "results")):
        parts = [row.get(name) for name in ("id", "institution", "system", "release")] + [report.label_trust(row)]
        report.print_line("{}  {}".format(letter, "  ".join(str(part) for part in parts if part)), stream)
    if document.get("comparable") is False:
        report.print_line("no ratios: these two are not compared", stream)
    for note in report.list_of_dicts(document, "notes"):
        report.print_line("note  {}".format(note.get("message")), stream)
    print_matched(document, stream)
    rows = [measurement_row(row) for row in report.list_of_dicts(document, "measurements")]
    if rows:
        heading = ("", "unit", "A", "B", "B/A", "95 % interval")
        report.print_table([heading] + rows, stream)
    print_differences(document, stream)


def print_matched(document, stream):
    """Whether the two ran under the same conditions, and which ones differ or are not known."""
    matched = report.list_of_dicts(document, "matched")
    for row in matched:
        names = {name: condition_texts(row, name) for name in ("differs", "unknown")}
        report.print_line("conditions  {}".format(row.get("outcome")), stream)
        for name, listed in names.items():
            if listed:
                report.print_line("  {}: {}".format(name, "; ".join(listed)), stream)


def condition_texts(row, name):
    return [
        "{} ({})".format(condition.get("name"), " / ".join(value_texts(condition.get("values"))))
        for condition in report.list_of_dicts(row, name)
    ]


def measurement_row(row):
    """Operation, unit, both numbers, their ratio and its interval; what is not known stays a dash."""
    what = " ".join(str(row.get(name)) for name in ("op", "quantity", "stat") if row.get(name))
    context = row.get("context")
    if isinstance(context, dict) and context:
        what += " (" + ", ".join("{} {}".format(name, context[name]) for name in sorted(context)) + ")"
    numbers = first_two(row.get("values"))
    unit, factor = report.readable_unit(str(row.get("unit") or ""), [value for value in numbers if is_number(value)])
    values = ["-" if value is None else figure_text(value, factor) for value in numbers]
    qualifier = first_two(row.get("ratio_qualifiers"))[1]
    ratio = first_two(row.get("ratios"))[1]
    interval = first_two(row.get("intervals"))[1]
    ratio_text = "-" if not is_number(ratio) else "{}{:.4g}".format(qualifier + " " if qualifier else "", ratio)
    return (
        report.cut_text(what, MOST_TEXT),
        unit,
        values[0],
        values[1],
        ratio_text,
        interval_text(interval),
    )


def figure_text(value, factor):
    """A number in a unit of so many of its own, with six digits at most; anything else as it is."""
    if factor == 1 or not is_number(value):
        return report.figure(value)
    return "{:.6g}".format(value / factor)


def interval_text(interval):
    """An interval as text; a dash where it is not known."""
    if isinstance(interval, list) and len(interval) == 2 and all(map(is_number, interval)):
        return "{:.4g} to {:.4g}{}".format(
            interval[0], interval[1], " (tie)" if interval[0] <= 1 <= interval[1] else ""
        )
    return "-"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def first_two(values):
    """The first two of a list, None where there are fewer or no list."""
    listed = values if isinstance(values, list) else []
    return (listed + [None, None])[:2]


def value_texts(values):
    return ["not known" if value is None else report.cut_text(value, MOST_TEXT) for value in first_two(values)]


def print_differences(document, stream):
    """What else differed, by group; and how many parameters are equal."""
    for group in report.list_of_dicts(document, "configuration"):
        report.print_line("{}".format(group.get("group")), stream)
        rows = [
            ("  " + " ".join(str(row[name]) for name in ("subject", "name", "key") if row.get(name)),) + fact_texts(row)
            for row in report.list_of_dicts(group, "differences")
        ]
        report.print_table(rows, stream)
    if isinstance(document.get("equal"), int):
        report.print_line("{} parameters are equal".format(document["equal"]), stream)


def fact_texts(row):
    """The values of a fact on both sides; each may be several values."""
    sides = first_two(row.get("values"))
    return tuple(
        "not known"
        if side is None
        else report.cut_text(", ".join(map(str, side)) if isinstance(side, list) else str(side), MOST_TEXT)
        for side in sides
    )
