"""`agree`: the repeats of a job of `reproduce` against the published result, without a network."""

import sys

from collectors import report
from collectors.errors import FINDINGS, OK
from collectors.reproduction import agreement, original
from collectors.server import options as server_options

ABOUT = "compare the repeats of a job of `reproduce` with the original, without a network"

EXAMPLES = """examples:
  %(prog)s reproduce-hw-1
  %(prog)s . --json > agreement.json

DIR is a folder that `reproduce` wrote and whose job.sh has run. Each ratio is the new geometric mean to the
original one, with a 95 percent interval. Exit status: 0 agrees, 1 not reproduced, 5 cannot tell.
"""

CANNOT_TELL = 5
STATUS = {"agrees": OK, "not reproduced": FINDINGS}


def define(verb):
    verb.add_argument("folder", metavar="DIR", help="the folder that `reproduce` wrote")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    document = agreement.judge_folder(options.folder, original.read_original(options.folder), options.timeout, progress)
    progress.clear()
    if options.json:
        report.print_json(document)
    else:
        for line in agreement.agreement_lines(document):
            report.print_line(line, sys.stdout)
    return STATUS.get(document["outcome"], CANNOT_TELL)
