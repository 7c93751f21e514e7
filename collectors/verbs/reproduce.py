"""`reproduce`: check this machine against the recipe of a result, and write a folder that runs it three times."""

import sys

from collectors import report
from collectors.errors import FINDINGS, OK, UsageError
from collectors.node import io_environment
from collectors.reproduction import job, machine, original
from collectors.server import options as server_options
from collectors.verbs.recipe import load_recipe, started_commands

ABOUT = "write a job that runs a published result again, and list what cannot match"

EXAMPLES = """examples:
  %(prog)s hw-1 --directory /lake/test
  %(prog)s hw-1 --directory /lake/test --nodes 4 --script slurm --output again

`reproduce` starts no benchmark. It writes a folder with input files and job.sh. The job runs the benchmark three
times under `run`, each time in a new folder below D that it removes again. It then compares the runs with the
result, without a network. Exit status 1: something that must match does not.
"""


def define(verb):
    verb.add_argument("result", metavar="ID", help="the public id of a result")
    verb.add_argument("--directory", metavar="D", required=True, help="an empty folder of the file system under test")
    verb.add_argument("--nodes", metavar="N", type=int, help="client nodes here (as many as in the run)")
    verb.add_argument("--script", choices=("slurm", "plain"), default="plain", help="kind of job script (plain)")
    verb.add_argument("--output", metavar="DIR", help="folder to write, which must not exist (reproduce-ID)")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    """Write the folder and say what matches. Raises UsageError where nothing can be written."""
    recipe = load_recipe(options.result, options, progress)
    commands = started_commands(recipe)
    if not commands or not all(words for _, words in commands):
        raise UsageError("collector.reproduce.unknown", "The command line of %s is not known." % options.result)
    document = original.load_original(server_options.connect_as_reader(options, progress), options.result, recipe)
    folder = options.output or "reproduce-" + options.result
    job.write_folder(folder, document, commands, options, io_environment.is_steering)
    rows = machine.compare_machine(document, commands, options, progress)
    progress.clear()
    if options.json:
        report.print_json({"folder": folder, "rows": [row._asdict() for row in rows]})
    else:
        for row in rows:
            report.print_line(machine.row_line(row), sys.stdout)
        report.print_line(
            "written to %s: set what is empty in job.sh, then start it with %s"
            % (folder, "sbatch" if options.script == "slurm" else "sh"),
            sys.stdout,
        )
    return FINDINGS if any(row.level == machine.MUST and row.matches is False for row in rows) else OK
