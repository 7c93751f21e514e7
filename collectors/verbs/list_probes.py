"""`list-probes`: what would be read, by which probe, and with which rights."""

import sys

from collectors import report
from collectors.errors import OK
from collectors.node.node_access import NodeAccess
from collectors.probes import all_probes, site_probes

ABOUT = "list what collect reads, before it reads anything"

EXAMPLES = """examples:
  %(prog)s
  %(prog)s --json

`here` shows whether a probe applies to this node. To find out, the collector reads file names only.
"""


def define(verb):
    verb.add_argument("--root", metavar="DIR", default="/", help="read a node from a folder instead of /")
    site_probes.define(verb)
    verb.add_argument("--json", action="store_true", help="print one JSON document on stdout, nothing else")


def run(options, progress):
    door = NodeAccess(options.root)
    listed = [probe_entry(probe, door) for probe in all_probes() + site_probes.of_site(options.probes, progress.note)]
    if options.json:
        report.print_json({"probes": listed})
    else:
        for probe in listed:
            report.print_line(head(probe), sys.stdout)
            for name in probe["reads"]:
                report.print_line("    " + name, sys.stdout)
    return OK


def probe_entry(probe, door):
    return {
        "id": probe.id,
        "provides": list(probe.provides),
        "roles": list(probe.roles),
        "privilege": probe.privilege,
        "cost": probe.cost,
        "reads": list(probe.reads),
        "here": bool(probe.applies(door)),
    }


def head(probe):
    return "{id}  ({roles}; {rights}; {count} parameters; {here})".format(
        id=probe["id"],
        roles=", ".join(probe["roles"]),
        rights="no root needed" if probe["privilege"] == "none" else "more with: " + probe["privilege"],
        count=len(probe["provides"]),
        here="applies here" if probe["here"] else "not here",
    )
