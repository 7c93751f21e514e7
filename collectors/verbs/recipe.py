"""`recipe`: what to run to reproduce a published result, and what is not known of its run."""

import shlex
import sys

from collectors import report
from collectors.errors import OK, NetworkError, UsageError
from collectors.report import list_of_dicts
from collectors.reproduction.job import WITH_VARIABLE
from collectors.server import ids, submission
from collectors.server import options as server_options

ABOUT = "show what to run to reproduce a published result, and what is not known of it"

EXAMPLES = """examples:
  %(prog)s hw-1
  %(prog)s hw-1 --json > recipe.json

Folders, hosts and values that may be private are variables: $TESTDIR, $RANKS, $NODES, $HOSTS.
"""


def define(verb):
    verb.add_argument("result", metavar="ID", help="the public id of a result")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    document = load_recipe(options.result, options, progress)
    if options.json:
        report.print_json(document)
    else:
        for line in recipe_lines(document):
            report.print_line(line, sys.stdout)
    return OK


def load_recipe(public_id, options, progress):
    """The recipe of a result. Raises UsageError for what is no public id, NetworkError for another document."""
    if not ids.is_public(public_id):
        raise UsageError("collector.recipe.id", "%s is no public id of a result." % public_id, "One is like hw-1.")
    server = server_options.connect_as_reader(options, progress)
    document = submission.load_object(server, "results/%s/recipe/" % public_id)
    if document.get("schema") != "recipe.1":
        raise NetworkError(
            "collector.recipe.form", "The registry sent a recipe of a form that is not known.", "Update this file."
        )
    return document


def recipe_lines(document):
    """A recipe line by line: how it is started, its files, its settings, then what is missing."""
    yield "%s %s" % (document.get("tool"), document.get("version") or "of unknown version")
    for step, words in started_commands(document):
        yield "run      %s%s" % (step and step + ": ", " ".join(map(quoted_word, words)))
    for row in list_of_dicts(document, "variables"):
        run_value = "" if row.get("value") is None else " (in the run: %s)" % row["value"]
        yield "variable %s: %s%s" % (row.get("name"), row.get("meaning"), run_value)
    for row in list_of_dicts(document, "files"):
        yield "file     %s" % row.get("path")
        for line in str(row.get("text")).splitlines():
            yield "         " + line
    for row in list_of_dicts(document, "layout"):
        yield "layout   %s: %s" % (row.get("phase"), row.get("command") or row.get("words"))
    for row in list_of_dicts(document, "tunables"):
        yield "tuned    %s on %s: %s" % (row.get("parameter"), row.get("nodes"), row.get("value"))
    for row in list_of_dicts(document, "missing"):
        yield "missing  %s: %s It may change: %s" % (row.get("what"), row.get("why"), row.get("may_change"))


def started_commands(document):
    """(step, program and arguments) of each command of a recipe; the step is empty where one command is all."""
    arguments = document.get("arguments")
    if isinstance(arguments, list):
        return [("", list(map(str, arguments)))]
    rows = [row for row in list_of_dicts(document, "commands") if isinstance(row.get("arguments"), list)]
    return [(str(row.get("step")), list(map(str, row["arguments"]))) for row in rows]


def quoted_word(text):
    """An argument as a person reads it, with the variables of a recipe as they are."""
    return '"%s"' % text if WITH_VARIABLE.match(text) else shlex.quote(text)
