"""`example`: write a small IO500 run that was made up, to try the other verbs with."""

import json
import os
import pkgutil
import shlex
import shutil

from collectors import report
from collectors.errors import OK, UsageError

ABOUT = "write a small made-up IO500 run, to try the other verbs with"

EXAMPLES = """examples:
  %(prog)s --out results
  highwater.pyz validate results
  highwater.pyz upload results --test

Nothing was measured: EXAMPLE.txt in the folder states this, and each check of the run gives a warning.
A public registry never lists it.
"""

RUN = "data/example-run.1.json"


def define(verb):
    verb.add_argument("--out", metavar="DIR", required=True, help="the folder to write it to, new or empty")


def run(options, progress):
    files = json.loads(pkgutil.get_data("collectors", RUN).decode("utf-8"))["files"]
    require_empty(options.out)
    try:
        write_files(files, options.out)
    except BaseException:
        # Half an example would be in the way of the next one.
        shutil.rmtree(options.out, ignore_errors=True)
        raise
    progress.note(f"{options.out}: {len(files)} files of an IO500 run that was made up; nothing was measured")
    progress.note(f"next: highwater.pyz validate {shlex.quote(options.out)}")
    if options.json:
        report.print_json({"out": options.out, "files": sorted(files)})
    return OK


def write_files(files, folder):
    """Write texts by their names into a folder. Raises OSError where one cannot be written."""
    for name, text in sorted(files.items()):
        place = os.path.join(folder, *name.split("/"))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)


def require_empty(folder):
    """Raise UsageError if anything is in the way: results of somebody would be mixed with the example."""
    if os.path.lexists(folder) and not (os.path.isdir(folder) and not os.listdir(folder)):
        raise UsageError("collector.out", f"{folder} is there already.", "Name a folder that is new or empty.")
