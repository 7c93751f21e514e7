"""`show`: a system document, one of your submissions, or a published result, as text for people."""

import json
import os
import sys

from collectors import report
from collectors.document import system_file
from collectors.errors import OK, ServerRefusal, UsageError
from collectors.server import ids, submission
from collectors.server import options as server_options

ABOUT = "show a system document, or what the registry has under an id"

EXAMPLES = """examples:
  %(prog)s system.json
  %(prog)s run.tar.gz
  %(prog)s system.json --missing
  %(prog)s system.json --json | less
  %(prog)s 784c6d71
  %(prog)s hw-1
  %(prog)s hw-1 --scope own

If the argument is a file, it is read as a document. Anything else is looked up in the registry: the id
of a submission, its first four digits or more, or the public id of a result. Results need a token only
if the registry is closed. --scope own shows your submission of a published result.
"""


def define(verb):
    verb.add_argument(
        "target", metavar="FILE|ID", help="a document of collect, fold or run, a bundle that contains one, or an id"
    )
    verb.add_argument("--missing", action="store_true", help="list what could not be read, with its reason")
    verb.add_argument("--json", action="store_true", help="print the document as JSON")
    server_options.add_scope(verb, "where an id is looked up")
    server_options.add_timeout(verb)


def run(options, progress):
    if is_id(options.target):
        return show_id(options, progress)
    if options.scope:
        raise UsageError("collector.scope", "--scope is for ids, and %s is none." % options.target, "Leave it out.")
    document = system_file.load(options.target)
    if options.json:
        report.print_json(document)
        return OK
    for line in lines(document, options.missing):
        report.print_line(line, sys.stdout)
    return OK


def is_id(target):
    """Whether a target is of the registry: an id, and no file that is here or could be."""
    looks_like_a_file = os.path.lexists(target) or os.sep in target or target.endswith((".json", ".gz", ".zip"))
    return not looks_like_a_file and (ids.is_beginning(target) or ids.is_public(target))


def show_id(options, progress):
    """Print a published result, or a submission with its findings; the exit status is that of its findings.

    Raises UsageError for what the scope does not have.
    """
    scope = server_options.asked_scope(options)
    if options.scope and scope == server_options.PUBLIC and not ids.is_public(options.target):
        raise UsageError(
            "collector.scope",
            "%s is of no published result, and --scope public asks for these alone." % options.target,
            "Give a public id such as hw-1, or --scope own.",
        )
    if ids.is_public(options.target) and scope != server_options.SCOPES["own"]:
        server = server_options.connect_as_reader(options, progress)
        document = submission.load_object(server, "results/%s/" % options.target)
        if options.json:
            report.print_json(document)
        else:
            report.print_result(document, "%s/results/%s/" % (server.base.geturl(), options.target), sys.stdout)
        return OK
    server = (
        server_options.connect_to_ask(options, progress) if options.scope else server_options.connect(options, progress)
    )
    try:
        document = submission.load_submission(server, submission.find_path(server, options.target))
    except (UsageError, ServerRefusal) as missing:
        run_id = ids.find_shelved(server, options.target, missing)
        return show_shelved(submission.load_object(server, f"shelf/{run_id}/"), options)
    return report.print_document(document, options, report.print_submission)


def show_shelved(document, options):
    """Print a run of the shelf that is one of many of its upload."""
    if options.json:
        report.print_json(document)
        return OK
    for name in ("name", "run", "tool", "score", "numbers", "project", "submission"):
        if document.get(name):
            report.print_line("{:10}  {}".format(name, document[name]), sys.stdout)
    labels = document.get("labels")
    if isinstance(labels, list) and labels:
        report.print_line("labels      " + ", ".join(map(str, labels)), sys.stdout)
    return OK


def lines(document, with_missing):
    """The document line by line: captures, then each class of nodes, then layouts, job, run and drift."""
    for capture in document["captures"]:
        yield "capture  {phase} {started}, {nodes_reported} of {nodes_expected} nodes".format(
            **dict({"nodes_reported": "?", "nodes_expected": "?"}, **capture)
        )
        for failed in capture.get("nodes_failed", ()):
            yield "         failed: {member} ({reason})".format(**failed)
    for node in document["node_classes"]:
        for line in node_lines(node, with_missing):
            yield line
    for name in ("storage_systems", "layouts", "fabric"):
        for item in document.get(name, ()):
            yield "{:8} {}".format(name.rstrip("s").replace("_system", ""), flat(item))
    for name in ("job", "run"):
        if document.get(name):
            yield "{:8} {}".format(name, flat(document[name]))
    for change in document.get("drift", ()):
        yield "drift    {severity}: {pointer} {pre} -> {post}".format(**dict({"pre": None, "post": None}, **change))


def node_lines(node, with_missing):
    """Yield the lines that show a class of nodes; what is missing in full only `with_missing`."""
    yield ""
    yield "{}  {} node{}  [{}]".format(
        "+".join(node["role"]), node["count"], "s" * (node["count"] != 1), node["class_id"]
    )
    hardware = dict(node["hardware"])
    parts = [(name, hardware.pop(name, {})) for name in ("bios", "cpu", "memory")]
    items = [(name, item) for name in ("numa", "accelerators") for item in hardware.pop(name, ())]
    for name, part in [("machine", hardware)] + parts + items + [("os", node["os"])]:
        if flat(part):
            yield "  {:12} {}".format(name, flat(part))
    for name in ("network", "block", "mounts"):
        for item in node.get(name, ()):
            yield "  {:12} {}".format(name, flat(item))
    for item in node.get("parameters", ()):
        yield "  " + parameter_line(item)
    for outlier in node.get("outliers", ()):
        yield "  outlier {member}: {pointer} is {value}, others {majority}".format(
            **dict({"value": None, "majority": None}, **outlier)
        )
    gaps = node.get("missing", ())
    for gap in gaps if with_missing else ():
        yield "  missing {}{}: {}".format(gap["id"], " " + gap["key"] if "key" in gap else "", reason(gap))
    if gaps and not with_missing:
        yield "  %d parameters are missing; --missing lists them with reasons" % len(gaps)


def parameter_line(item):
    name = item["id"] + (" " + item["key"] if "key" in item else "")
    several = len(item["values"]) > 1 or item["values"][0]["instances"] > 1
    values = ", ".join(
        scalar(entry["value"]) + (" (%d)" % entry["instances"] if several else "") for entry in item["values"]
    )
    return "{:44} {}{}".format(name, values, " " + item["unit"] if item.get("unit", "bool") != "bool" else "")


def reason(gap):
    return gap["reason"].replace("_", " ") + (", " + gap["detail"] if gap.get("detail") else "")


def scalar(value):
    return value if isinstance(value, str) else json.dumps(value)


def flat(value):
    """An object as `name value, name value`; what is not known is left out."""
    if isinstance(value, dict):
        named_texts = [(name, flat(field)) for name, field in value.items() if field not in (None, {}, [])]
        return ", ".join("{} {}".format(name, text) for name, text in named_texts)
    if isinstance(value, list):
        return "[" + "; ".join(flat(item) for item in value) + "]"
    return scalar(value)
