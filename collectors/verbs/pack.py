"""`pack`: make a bundle of results and of what the machines were, without names and keys."""

import json
import os
import shlex
import sys

from collectors import report
from collectors.bundle import archive_limits
from collectors.bundle.packing import BundlePacker
from collectors.errors import OK, UsageError
from collectors.privacy.profiles import PROFILES

ABOUT = "make a bundle of results and system document, without names and keys"

EXAMPLES = """examples:
  %(prog)s --results results/2025.10.01-09.00.00 --dry-run
  %(prog)s --results results/2025.10.01-09.00.00 --system system.json --out run.tar.gz
  %(prog)s --results results --system system.json --with oss.json --with mds.json --out run.tar.gz

`pack` removes names of hosts and persons, addresses, keys and passwords from the results. The bundle
lists what was removed, by rule and file. --dry-run shows exactly what would leave. The same data give
the same archive. (Another version of zlib may compress the same content into other bytes, and so to
another sha256.)
"""


def define(verb):
    verb.add_argument("--results", metavar="DIR", required=True, help="the folder that the benchmark wrote to")
    verb.add_argument("--system", metavar="FILE", help="system document that collect, fold or run wrote")
    verb.add_argument(
        "--with",
        metavar="BUNDLE",
        dest="others",
        action="append",
        default=[],
        help="document or bundle of servers, from collect --role oss or mds; repeat for several",
    )
    verb.add_argument("--profile", choices=PROFILES, default="default", help="what may leave the site (%(default)s)")
    verb.add_argument("--out", metavar="FILE", help="the archive to write, ending in .tar.gz or .tgz")
    verb.add_argument("--dry-run", action="store_true", help="show what would leave, and write nothing")
    verb.add_argument("--text", action="store_true", help="with --dry-run: the system document and the report as well")


def run(options, progress):
    if not os.path.isdir(options.results):
        raise UsageError("collector.path", f"{options.results} is not a folder.", "Give the folder of one run.")
    if options.others and not options.system:
        raise UsageError("collector.with", "--with adds to a system document.", "Give that of the clients: --system.")
    if not options.dry_run:
        require_out(options)
    with BundlePacker(options.profile, progress) as packing:
        packing.make(options.results, options.system, options.others)
        members = packing.bag.members()
        archive_limits.require_limits((member.name, member.size) for member in members)
        if options.dry_run:
            show(packing, members, options, progress)
            return OK
        size, sha256 = archive_limits.pack_to(members, options.out)
        for line in redaction_lines(packing.report):
            progress.note(line)
        progress.note(f"{len(members)} files, {size:,} bytes packed; bundle {packing.bag.id()}")
        progress.note(f"next: highwater.pyz upload {shlex.quote(options.out)}")
        if options.json:
            packed = {"out": options.out, "sha256": sha256, "size_bytes": size, "bundle": packing.bag.id()}
            report.print_json(dict(packed, files=rows_of(members), report=packing.report))
        else:
            report.print_line(f"{sha256}  {options.out}", sys.stdout)
    return OK


def show(packing, members, options, progress):
    """Print what would leave: every file with size in bytes and sha256, then what was taken out."""
    if options.json:
        report.print_json({"files": rows_of(members), "report": packing.report, "system": packing.system})
        progress.note("nothing was written")
        return
    for member in members:
        report.print_line(f"{member.size:>12} {member.sha256} {member.name}", sys.stdout)
    for line in redaction_lines(packing.report):
        report.print_line(line, sys.stdout)
    if options.text:
        for part in filter(None, (packing.system, packing.report)):
            for line in json.dumps(part, indent=1, sort_keys=True).splitlines():
                report.print_line(line, sys.stdout)
    total = sum(member.size for member in members)
    progress.note(f"{len(members)} files, {total:,} bytes before packing; nothing was written")


def rows_of(members):
    return [{"name": member.name, "size_bytes": member.size, "sha256": member.sha256} for member in members]


def redaction_lines(redaction_report):
    """Lines on what is taken out, by rule, and on what stays home, by reason."""
    for code, count in sorted(redaction_report["removed"].items()):
        files = sum(code in file["removed"] for file in redaction_report["files"])
        yield f"taken out by rule {code}: {count} in {files} files"
    for entry in redaction_report["left_out"]:
        yield f"left out, {entry['reason']}: {entry['path']}"


def require_out(options):
    """Raise UsageError unless --out names an archive outside the folder that is packed."""
    if not options.out:
        raise UsageError("collector.out", "--out is missing.", "Name the archive to write, or look with --dry-run.")
    if not options.out.lower().endswith((".tar.gz", ".tgz")):
        raise UsageError("collector.out", f"{options.out} does not end in .tar.gz or .tgz, which is what is written.")
    folder = os.path.realpath(options.results)
    if os.path.commonpath([folder, os.path.realpath(options.out)]) == folder:
        raise UsageError("collector.out", f"{options.out} lies in the folder that is packed.", "Write it elsewhere.")
