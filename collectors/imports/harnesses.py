"""The raw outputs that ReFrame and JUBE kept of runs which they call finished; their own figures are not taken."""

import json
import os
import re

from collectors.bundle import archive_limits
from collectors.errors import NothingCollected, UsageError
from collectors.files import TooLarge, read_at_most
from collectors.imports.tree import list_files, recognise_files
from collectors.imports.units import LeftOut

MAX_REPORT_BYTES = 64 * 1024 * 1024
# ReFrame before 4.0 said `success`.
PASSED = ("pass", "success")
JUBE_INDEX = "workpackages.xml"
JUBE_RUN = re.compile(r"[0-9]{6,}\Z")
JUBE_PACKAGE = re.compile(r"[0-9]{6,}_.")


def find_reframe_units(path, update):
    """Outputs in the output folders that a report of ReFrame names (`--report-file`), of the cases that passed.

    Raises UsageError for what is no report, NothingCollected where no case passed.
    """
    folders, left_out = {}, []
    for case in read_test_cases(path):
        name = str(case.get("unique_name") or case.get("name"))
        folder = case.get("outputdir")
        if case.get("result") not in PASSED:
            left_out.append(LeftOut(name, "did not pass: %s" % case.get("result")))
        elif not isinstance(folder, str) or not os.path.isabs(folder) or not os.path.isdir(folder):
            left_out.append(LeftOut(name, "its output folder is not there"))
        else:
            folders[os.path.realpath(folder)] = archive_limits.printable_name(os.path.basename(folder.rstrip("/")))
    return from_folders(folders, left_out, path, "passed", update)


def read_test_cases(path):
    """The test cases of a report, as objects. Raises UsageError for what is no report."""
    try:
        document = json.loads(read_at_most(path, MAX_REPORT_BYTES).decode("utf-8"))
        runs = document["runs"]
        cases = [case for run in runs for case in run["testcases"]]
    except OSError as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (path, error.strerror or error))
    except TooLarge:
        raise UsageError("collector.import", path + " is larger than 64 MiB.", "Give the report of one session.")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(
            "collector.import",
            path + " is no report of ReFrame 4.",
            "reframe ... --report-file=report.json writes one.",
        )
    return [case for case in cases if isinstance(case, dict)]


def find_jube_units(path, update):
    """Outputs in the work folders of a benchmark that JUBE ran: its folder, or the outpath with several.

    Raises UsageError for a folder of something else, NothingCollected where no step is done.
    """
    root = os.path.realpath(path)
    runs = [root] if is_jube_run(root) else [run for run in subfolders(root, JUBE_RUN) if is_jube_run(run)]
    if not runs:
        raise UsageError(
            "collector.import",
            "%s is no folder of a benchmark that JUBE ran." % path,
            "Give the folder with workpackages.xml, or the outpath that holds such folders.",
        )
    folders, left_out = {}, []
    for run in runs:
        for package in subfolders(run, JUBE_PACKAGE):
            name = os.path.basename(run) + "/" + archive_limits.printable_name(os.path.basename(package))
            if os.path.isfile(os.path.join(package, "done")):
                folders[os.path.join(package, "work")] = name
            else:
                left_out.append(LeftOut(name, "this step is not done"))
    return from_folders(folders, left_out, path, "done", update)


def is_jube_run(folder):
    return os.path.isfile(os.path.join(folder, JUBE_INDEX))


def subfolders(folder, pattern):
    """The folders in a folder whose names begin as the pattern says, sorted; links are none.

    Raises UsageError for a folder that cannot be read.
    """
    try:
        entries = [entry for entry in os.scandir(folder) if pattern.match(entry.name)]
        return sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (folder, error.strerror or error))


def from_folders(folders, left_out, path, word, update):
    """Outputs in these folders, whose files are named below the names beside them.

    Raises NothingCollected where there is no folder and nothing was left out.
    """
    if not folders and not left_out:
        raise NothingCollected("bundle.empty", "%s names no run that is %s." % (path, word))
    members = []
    for folder, name in sorted(folders.items()):
        listed, more = list_files(folder, name)
        members += listed
        left_out += more
    return recognise_files(sorted(members, key=archive_limits.by_name), left_out, update)
