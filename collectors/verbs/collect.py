"""`collect`: record what this node is."""

import os
import sys

from collectors import report
from collectors.capture import capture, launch
from collectors.document import fold
from collectors.document.canonical_json import canonical
from collectors.errors import FINDINGS, OK, UsageError
from collectors.files import write_json

ABOUT = "record hardware, software, tunables, network and layout of this node"

EXAMPLES = """examples:
  %(prog)s --out system.json
  %(prog)s --role oss --out oss.json
  %(prog)s --directory /lustre/scratch/io500 --out system.json
  %(prog)s --launcher srun --nodes nid[001-064] --out system.json
  %(prog)s --launcher ssh --nodes oss[1-8],oss11 --role oss --out oss.json
  %(prog)s --emit >> nodes.jsonl

`collect` reads files and runs commands that only read. It needs no root, and marks what only root could
read. The document has no serial numbers, addresses, or names of users and hosts. `explain` shows what is
read for each parameter, and docs/collector.md what leaves the site with each profile.
"""


def define(verb):
    verb.add_argument("--out", metavar="FILE", help="where to write the document")
    verb.add_argument("--emit", action="store_true", help="print it as one line on stdout instead")
    capture.add_options(verb)


def run(options, progress):
    if bool(options.out) == options.emit:
        raise UsageError("collector.out", "Where should the document go?", "Give --out FILE, or --emit for stdout.")
    if options.emit and options.launcher:
        raise UsageError("collector.out", "--emit is of one node, --launcher of many.", "Give --out FILE.")
    if options.emit and not launch.is_first_on_node(os.environ):
        # Launchers that start several ranks on a node get one document from it.
        return OK
    document = capture.run_capture(options, progress)
    if options.emit:
        # Launchers break long lines, and some put or take a space where they do: the line has none to lose.
        sys.stdout.write(canonical(document).replace(" ", "\\u0020") + "\n")
        return OK
    write_json(options.out, document)
    if options.json:
        report.print_json({"out": options.out, "captures": document["captures"]})
    if not options.launcher:
        progress.note(summary(document, options.out))
        return OK
    progress.note("%s: %s" % (options.out, fold.summary(document)))
    look = document["captures"][0]
    return OK if 2 * look["nodes_reported"] > look["nodes_expected"] else FINDINGS


def summary(document, out):
    node = document["node_classes"][0]
    unread = sum(gap["reason"] == "permission_denied" for gap in node["missing"])
    line = "%s: %d parameters, %d not applicable here or not readable" % (
        out,
        len(node["parameters"]),
        len(node["missing"]),
    )
    return (
        line + ("; %d of them only by root" % unread if unread else "") + "; look with `highwater.pyz show " + out + "`"
    )
