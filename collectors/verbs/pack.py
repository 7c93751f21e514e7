"""`pack`: make the archive that upload would send."""

import os
import sys

from collectors import bundle, report
from collectors.errors import OK, UsageError

ABOUT = "make the archive that upload would send"

EXAMPLES = """examples:
  %(prog)s --results results/2025.10.01-09.00.00 --dry-run
  %(prog)s --results results/2025.10.01-09.00.00 --out run.tar.gz

The same files give the same archive. (Another version of zlib may compress the same content
into other bytes, and so to another sha256.)
"""


def define(verb):
    verb.add_argument("--results", metavar="DIR", required=True, help="the folder that the benchmark wrote to")
    verb.add_argument("--out", metavar="FILE", help="the archive to write, ending in .tar.gz or .tgz")
    verb.add_argument("--dry-run", action="store_true", help="list what would be packed, write nothing")


def run(options, progress):
    if not os.path.isdir(options.results):
        raise UsageError("collector.path", f"{options.results} is not a folder.", "Give the folder of one run.")
    if not options.dry_run:
        require_out(options)
    listing = bundle.scan(options.results)
    for line in bundle.remarks(listing):
        progress.note(line)
    if options.dry_run:
        for member in listing.members:
            report.show(f"{member.size:>12} {member.name}", sys.stdout)
        total = sum(member.size for member in listing.members)
        progress.note(f"{len(listing.members)} files, {total:,} bytes before packing; nothing was written")
        return OK
    size, sha256 = bundle.pack_to(listing, options.out)
    progress.note(f"{len(listing.members)} files, {size:,} bytes packed")
    report.show(f"{sha256}  {options.out}", sys.stdout)
    return OK


def require_out(options):
    """Raise UsageError unless --out names an archive outside the folder that is packed."""
    if not options.out:
        raise UsageError("collector.out", "--out is missing.", "Name the archive to write, or look with --dry-run.")
    if not options.out.lower().endswith((".tar.gz", ".tgz")):
        raise UsageError("collector.out", f"{options.out} does not end in .tar.gz or .tgz, which is what is written.")
    folder = os.path.realpath(options.results)
    if os.path.commonpath([folder, os.path.realpath(options.out)]) == folder:
        raise UsageError("collector.out", f"{options.out} lies in the folder that is packed.", "Write it elsewhere.")
