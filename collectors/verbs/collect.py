"""`collect`: record what this node is."""

import json
import os
import sys
import time

from collectors import collect, document, pseudonyms
from collectors.commands import Recorded
from collectors.door import Door
from collectors.errors import OK, UsageError
from collectors.files import write_whole
from collectors.profiles import PROFILES, Redactor

ABOUT = "record hardware, software, tunables, network and layout of this node"

EXAMPLES = """examples:
  %(prog)s --out system.json
  %(prog)s --role oss --out oss.json
  %(prog)s --directory /lustre/scratch/io500 --out system.json
  %(prog)s --emit >> nodes.jsonl

Reads files and runs reading commands only; needs no root, and says what root alone could read.
Serial numbers, addresses, names of users and hosts are not in the document: `explain` tells for
each parameter what is read, and docs/collector.md what each profile lets out.
"""

ROLES = ("client", "oss", "mds")


def define(verb):
    verb.add_argument("--out", metavar="FILE", help="where to write the document")
    verb.add_argument("--emit", action="store_true", help="print it as one line on stdout instead")
    verb.add_argument("--role", choices=ROLES, default="client", help="what this node is (%(default)s)")
    verb.add_argument("--profile", choices=PROFILES, default="default", help="what may leave the site (%(default)s)")
    verb.add_argument(
        "--directory", metavar="DIR", help="where the benchmark writes: its layout is recorded, not its name"
    )
    verb.add_argument("--root", metavar="DIR", default="/", help="read a node from a folder instead of /")
    verb.add_argument("--commands", metavar="FILE", help="play recorded commands instead of running any")


def run(options, progress):
    if bool(options.out) == options.emit:
        raise UsageError("collector.out", "Where should the document go?", "Give --out FILE, or --emit for stdout.")
    made = collected(options, progress)
    if options.emit:
        sys.stdout.write(document.canonical(made) + "\n")
    else:
        write_whole(options.out, json.dumps(made, indent=1) + "\n")
        progress.note(summary(made, options.out))
    return OK


def collected(options, progress, phase="static"):
    """The document of this node, as the options say."""
    if not os.path.isdir(options.root):
        raise UsageError("collector.root", options.root + " is not a folder.", "Give the root of a node's files.")
    recorded = Recorded(options.commands) if options.commands else None
    door = Door(options.root, recorded, test_directory=options.directory)
    redactor = Redactor(options.profile, pseudonyms.of_site(progress.note))
    capture = document.Capture(
        phase=phase,
        role=options.role,
        started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        member=redactor.name(host_name(door)),
    )
    made = collect.node_document(door, capture, redactor, tell=progress.update)
    pseudonyms.keep_names(redactor.pseudonyms, progress.note)
    return made


def host_name(door):
    return (door.file("/proc/sys/kernel/hostname").text or door.file("/etc/hostname").text or "").strip()


def summary(made, out):
    node = made["node_classes"][0]
    unread = sum(gap["reason"] == "permission_denied" for gap in node["missing"])
    line = "%s: %d parameters, %d not applicable here or not readable" % (
        out,
        len(node["parameters"]),
        len(node["missing"]),
    )
    return line + ("; %d of them only by root" % unread if unread else "") + "; look with `show " + out + "`"
