"""`run`: run a benchmark, and record the machines before and after it."""

import argparse
import json
import os
import time

from collectors.capture import capture, run_record, written_files
from collectors.document import drift, parameters, system_file
from collectors.document.fold import summary
from collectors.errors import CollectorError, UsageError
from collectors.files import write_whole
from collectors.node import command_runner

ABOUT = "run a benchmark, and record the machines before and after it"

EXAMPLES = """examples:
  %(prog)s -- ior -a POSIX -t 1m -b 4g -o /lustre/scratch/file
  %(prog)s --out run1 --directory /lustre/scratch -- mpirun -np 640 ./io500 config.ini
  %(prog)s --out run1 --launcher srun --nodes nid[001-064] -- srun -n 4096 ./io500 config.ini
  highwater.pyz pack --results run1/results --system run1/system.json --out run1.tar.gz

The command has this terminal, environment and folder. `run` ends with its exit status (128 + n after
signal n). While the command runs, one process of the collector waits and passes signals on. A change
during the run is drift: invalidating (a target or link is gone), warning (a tunable), or info.
`run` seals the files that the command wrote in this folder, or in that of --results, by their hashes.
If something cannot be recorded, the benchmark runs all the same.
"""

MAX_CHANGES_PRINTED = 10


def define(verb):
    verb.add_argument("--out", metavar="DIR", help="folder for system.json (highwater-TIME)")
    verb.add_argument(
        "--results", metavar="DIR", help="folder where the command writes its output, to seal it (this folder)"
    )
    capture.add_options(verb)
    verb.add_argument("command", metavar="-- CMD", nargs=argparse.REMAINDER, help="the benchmark and its arguments")


def run(options, progress):
    argv = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not argv:
        raise UsageError("collector.command", "Which command?", "Write it after --, as in `run -- ior -t 1m`.")
    capture.require_consistent_options(options)
    record = Record(place_for(options.out, progress), progress)
    record.before(try_capture(options, progress, "pre", argv))
    basis = try_action(
        progress, {"command": os.path.basename(argv[0])[:120]}, run_record.before_run, argv, options, os.environ
    )
    folder = try_action(progress, None, written_files.Folder, options.results or os.getcwd(), argv, options.directory)
    progress.clear()
    try:
        ended = command_runner.run_command(argv)
    except command_runner.NotStarted as error:
        progress.note("%s; nothing was run" % error)
        return error.exit_status
    try:
        ran_as = run_record.after_run(basis, ended)
        if folder is not None:
            ran_as = try_action(progress, ran_as, run_record.with_files, ran_as, folder, record.places())
        record.ran(ran_as)
        record.after(try_capture(options, progress, "post", argv))
        record.tell()
    except (KeyboardInterrupt, SystemExit):
        # The benchmark has ended, and how it did is what our caller waits for.
        progress.note("interrupted; the machines were not recorded after the run")
    return ended.exit_status


def place_for(out, progress):
    """The path of the document, in a folder that is made here; None where there is none to be had."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    folder = os.path.abspath(out or "highwater-" + stamp)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        progress.note("%s cannot be made (%s): the machines will not be recorded" % (folder, error.strerror))
        return None
    place = os.path.join(folder, "system.json")
    if os.path.lexists(place):
        place = os.path.join(folder, "system-%s.json" % stamp)
        progress.note("%s is of an earlier run and stays; writing %s" % (folder, os.path.basename(place)))
    return place


def try_capture(options, progress, phase, argv):
    """A look at the machines; None, and a note, where it fails for whatever reason: the benchmark comes first."""
    try:
        return capture.run_capture(options, progress, phase, argv)
    except CollectorError as error:
        problem = "%s [%s]" % (error.message, error.code)
    except Exception as error:
        problem = "%s: %s" % (type(error).__name__, error)
    progress.note("the machines could not be recorded (%s); the benchmark is not affected" % problem)
    return None


def try_action(progress, instead, action, *arguments):
    """What an action gives; `instead`, and a note, where it fails for whatever reason: the benchmark comes first."""
    try:
        return action(*arguments)
    except Exception as error:
        progress.note(
            "the command could not be recorded whole (%s); the benchmark is not affected" % type(error).__name__
        )
        return instead


class Record:
    """The document of a run as it grows; each stage is on disk before the next begins."""

    def __init__(self, place, progress):
        self.place = place
        self.progress = progress
        self.document = None
        self.ran_as = None

    def before(self, look):
        self.document = look
        self.write()

    def ran(self, run_object):
        self.ran_as = run_object
        if self.document is not None:
            self.document["run"] = run_object
            self.write()

    def places(self):
        """Files of ours, which the command did not write."""
        return [self.place] if self.place else []

    def after(self, look):
        if look is None:
            return
        if self.document is None:
            self.document = dict(look, run=self.ran_as)
        else:
            self.document["captures"] = self.document["captures"] + look["captures"]
            self.document["drift"] = drift.drift(self.document, look, parameters.registry())
        self.write()

    def write(self):
        if self.place is None or self.document is None:
            return
        try:
            write_whole(self.place, json.dumps(self.document, indent=1) + "\n")
        except CollectorError as error:
            self.progress.note("%s [%s]; the benchmark is not affected" % (error.message, error.code))
            self.place = None

    def tell(self):
        """What was recorded, what changed, and what to do next."""
        if self.document is None or self.place is None:
            return
        changes = self.document.get("drift", [])
        for change in changes[:MAX_CHANGES_PRINTED]:
            self.progress.note(drift.sentence(change))
        if len(changes) > MAX_CHANGES_PRINTED:
            self.progress.note("... and %d more changes" % (len(changes) - MAX_CHANGES_PRINTED))
        place = os.path.relpath(self.place)
        self.progress.note("%s: %s, %d changes during the run" % (place, summary(self.document), len(changes)))
        if system_file.failed_run(self.document):
            self.progress.note(system_file.failed_run(self.document) + "; run it again with another --out")
        else:
            self.progress.note("next: highwater.pyz pack --results DIR --system %s --out run.tar.gz" % place)
