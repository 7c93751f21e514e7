"""The folder of a repetition: input files of the benchmark, and a script that runs it three times and compares."""

import os
import re
import shlex

from collectors.bundle import offline_rules
from collectors.errors import UsageError
from collectors.files import write_whole
from collectors.report import list_of_dicts
from collectors.reproduction import original as kept

REPEATS = 3
# What the job packs of all repeats, with the machine of the first, as `agree` describes it.
BUNDLE = "repetition.tar.gz"
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}\Z")
# What lies in the folder already, or comes to lie there; the script is read while it runs.
OWN_NAME = re.compile(r"job\.sh|original\.json|results|run-\d+|highwater\.pyz", re.IGNORECASE)
VARIABLE = re.compile(r"\$[A-Z][A-Z0-9_]{0,60}\Z")
PLAIN_VALUE = re.compile(r"[A-Za-z0-9_.,:+-]{0,200}\Z")
# These have the same name in a script; all others get one that no program reads.
PLAIN_VARIABLES = ("$TESTDIR", "$RANKS", "$NODES", "$HOSTS")
REFERENCE = re.compile(r"\$([A-Z][A-Z0-9_]*)")
# What the shell may fill in; everything else of a recipe is quoted.
WITH_VARIABLE = re.compile(r"[\w./=,:+-]*(?:\$[A-Z][A-Z0-9_]*[\w./=,:+-]*)+\Z", re.ASCII)
# The only command of a recipe that is run beside the benchmark, where it is exactly this.
LAYOUT = re.compile(r"lfs setstripe -c -?\d{1,6}(?: -S \d{1,15})? \$TESTDIR\Z")
MOST_FILE = 1024 * 1024
# What a recipe may start; `env` sets what the tool behind it reads.
PROGRAMS = ("dlio_benchmark", "elbencho", "fio", "gdsio", "io500", "ior", "mdtest", "obdfilter-survey")
SETTING = re.compile(r"[a-z_]{1,40}=[\w ,.-]{0,200}\Z", re.ASCII)
# Tools that start their processes themselves.
WITHOUT_LAUNCHER = ("elbencho", "fio", "gdsio", "obdfilter-survey")
# Tools that write a folder of results, which in a recipe is $TESTDIR/results; their terminal output says it again.
WITH_RESULT_FOLDER = ("io500", "mlperf-storage")
# How sed puts the value of a variable into an input file; longer names come first.
FILLED_IN = '-e "s|[$]{NAME}|$(escaped "$VALUE")|g; s|[$]NAME|$(escaped "$VALUE")|g"'
# A run that named no folder wrote to where it was started; a repetition writes to the folder under test.
NO_FOLDER = "\n; directory=${TESTDIR}\n"


def write_folder(folder, original, commands, options, is_steering):
    """Write input files, original.json and job.sh into a new folder.

    `is_steering` says of the name of a variable whether the job may set it as the run had it.
    Raises UsageError where a folder is there, a name is unsafe or the program is no benchmark.
    """
    recipe = original["recipe"]
    files = [(str(row.get("path")), str(row.get("text"))) for row in list_of_dicts(recipe, "files")]
    if not all(is_safe(name) and len(text) <= MOST_FILE for name, text in files):
        raise UsageError("collector.reproduce.file", "The recipe has a file that is not written here.")
    if not all(starts_benchmark(words) for _, words in commands):
        raise UsageError("collector.reproduce.program", "The recipe starts a program that is no benchmark known here.")
    try:
        os.mkdir(folder)
    except FileExistsError:
        raise UsageError("collector.reproduce.exists", "%s is there already." % folder, "Give another --output.")
    for name, text in files:
        write_whole(os.path.join(folder, name + ".in"), text.replace(NO_FOLDER, NO_FOLDER.replace("; ", "", 1)))
    kept.write_original(folder, original)
    steering = [row for row in list_of_dicts(recipe, "environment") if is_steering(str(row.get("variable")))]
    steered_recipe = dict(recipe, environment=steering)
    lines = job_lines(steered_recipe, commands, [name for name, _ in files], os.path.abspath(folder), options)
    write_whole(os.path.join(folder, "job.sh"), "\n".join(lines) + "\n")


def starts_benchmark(words):
    """Whether a command starts a benchmark: `fio ...`, or `env case=disk ... obdfilter-survey`."""
    if words[0] == "env":
        return words[-1] in PROGRAMS and all(map(SETTING.match, words[1:-1]))
    return words[0] in PROGRAMS


def is_safe(name):
    """Whether an input file of this name can be written into the folder: it goes nowhere else and replaces nothing."""
    return bool(FILE_NAME.match(name)) and not OWN_NAME.match(name)


def shell_name(name):
    """The name of a variable in a script: `$TESTDIR` -> `TESTDIR`, `$PATH`, an option, -> `OPTION_PATH`."""
    return name[1:] if name in PLAIN_VARIABLES else "OPTION_" + name[1:]


def shell_word(text, names):
    """An argument as a word of the script: the shell fills in the variables `names` and nothing else."""
    used = {"$" + name for name in REFERENCE.findall(text)}
    if not used or not used <= set(names) or not WITH_VARIABLE.match(text):
        return shlex.quote(text)
    return '"%s"' % REFERENCE.sub(lambda match: "${%s}" % shell_name("$" + match.group(1)), text)


def job_lines(recipe, commands, files, folder, options):
    """The job script line by line: its variables, three repeats each in a new folder, a bundle, the comparison."""
    values = {str(row.get("name")): row.get("value") for row in list_of_dicts(recipe, "variables")}
    values["$TESTDIR"] = os.path.abspath(options.directory)
    values["$NODES"] = options.nodes or values.get("$NODES")
    names = sorted(filter(VARIABLE.match, values), key=lambda name: (-len(name), name))
    for line in head_lines(values, folder, options):
        yield line
    meanings = {str(row.get("name")): row.get("meaning") for row in list_of_dicts(recipe, "variables")}
    for name in sorted(names):
        value = values[name]
        if meanings.get(name):
            yield "# " + " ".join(str(meanings[name]).split())
        yield "{0}={1}; export {0}".format(shell_name(name), shlex.quote("" if value is None else str(value)))
    texts = [word for _, words in commands for word in words]
    texts += [str(row.get("text")) for row in list_of_dicts(recipe, "files")]
    prefix = launch_prefix(recipe, options)
    for name in sorted(names):
        if any(re.search(r"\$\{?%s\b" % name[1:], text) for text in texts + [prefix]):
            yield '[ -n "${0}" ] || {{ echo "set {0} in job.sh" >&2; exit 2; }}'.format(shell_name(name))
    for line in environment_lines(recipe):
        yield line
    yield '[ -n "${HIGHWATER:-}" ] || HIGHWATER=%s' % shlex.quote(single_file())
    yield "escaped() { printf '%s' \"$1\" | sed 's/[|&\\\\]/\\\\&/g'; }"
    yield 'UNDER_TEST="$TESTDIR"'
    yield "for REPEAT in %s; do" % " ".join(map(str, range(1, REPEATS + 1)))
    for line in repeat_lines(recipe, commands, files, names, prefix):
        yield "  " + line
    yield "done"
    pack = 'python3 "$HIGHWATER" pack --results results --system run-1/system.json --out %s >&2' % BUNDLE
    yield pack + ' || echo "the repeats were not packed" >&2'
    yield 'python3 "$HIGHWATER" agree .'


def packed_repeats(path):
    """What is sent of a path: the bundle that the job of a repetition packed there, else the path itself."""
    bundle = os.path.join(path, BUNDLE)
    return bundle if os.path.isfile(os.path.join(path, kept.FILE)) and os.path.isfile(bundle) else path


def head_lines(values, folder, options):
    yield "#!/bin/sh"
    if options.script == "slurm":
        yield "#SBATCH --nodes=%s" % number_or(values["$NODES"], 1)
        yield "#SBATCH --ntasks=%s" % number_or(values.get("$RANKS"), 1)
    yield "set -eu"
    # Slurm runs a copy of the script that lies elsewhere.
    yield "cd %s" % (shlex.quote(folder) if options.script == "slurm" else '"$(dirname "$0")"')


def environment_lines(recipe):
    """What steers input and output, as in the run; a value that is not shown or not plain is left out."""
    for row in list_of_dicts(recipe, "environment"):
        if isinstance(row.get("value"), str) and PLAIN_VALUE.match(row["value"]):
            yield "export %s=%s" % (row["variable"], row["value"])


def repeat_lines(recipe, commands, files, names, prefix):
    """One repeat: a new folder under test, its layout, the input files filled in, each command under `run`."""
    yield 'TESTDIR="$UNDER_TEST/highwater-repeat-$REPEAT"'
    yield 'mkdir "$TESTDIR"'
    layouts = {row.get("command") for row in list_of_dicts(recipe, "layout")}
    if len(layouts) == 1 and LAYOUT.match(str(list(layouts)[0])):
        command = str(list(layouts)[0]).replace("$TESTDIR", '"$TESTDIR"')
        yield '%s || echo "the layout of the run could not be set" >&2' % command
    for path in files:
        fill = [FILLED_IN.replace("NAME", name[1:]).replace("VALUE", shell_name(name)) for name in names]
        yield "sed %s %s.in > %s" % (" ".join(fill), path, path)
    yield 'mkdir -p "run-$REPEAT" "results/run-$REPEAT"'
    has_folder = recipe.get("tool") in WITH_RESULT_FOLDER
    place, written_to = ("run-$REPEAT", "$TESTDIR/results") if has_folder else ("results/run-$REPEAT",) * 2
    lines = [" ".join(shell_word(word, names) for word in words) for _, words in commands]
    for number, command in enumerate(lines, 1):
        yield (
            'python3 "$HIGHWATER" run --out "run-$REPEAT" --results "%s" --directory "$TESTDIR" '
            '-- %s%s > "%s/output-%d.txt"' % (written_to, prefix, command, place, number)
        )
    if has_folder:
        yield 'if [ -d "$TESTDIR/results" ]; then cp -R "$TESTDIR/results/." "results/run-$REPEAT"; fi'
    yield 'rm -r "$TESTDIR"'


def launch_prefix(recipe, options):
    if recipe.get("tool") in WITHOUT_LAUNCHER:
        return ""
    return 'srun --nodes="$NODES" --ntasks="$RANKS" ' if options.script == "slurm" else 'mpirun -np "$RANKS" '


def single_file():
    """Where the single file is that runs; its name where something else runs."""
    path = offline_rules.single_file()
    return os.path.abspath(path) if path else "highwater.pyz"


def number_or(value, other):
    return value if isinstance(value, int) else other
