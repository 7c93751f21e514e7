"""The registry's rules, run here: the single file and the wheel carry them, a checkout has them beside the collector.

They run in a process of their own, with nothing but the standard library: they may need a newer Python than the one
that runs us, and a file that is too much for them ends that process and not this one.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import namedtuple

import collectors
from collectors.bundle.python_search import OLDEST_PYTHON, find_python
from collectors.errors import NetworkError, UsageError

PACKAGE = "validators"
# Where the builders of the single file and of the wheel put the package, below `collectors`.
CARRIED = ("data", "rules")
# Backslashes keep names that are not UTF-8 readable as JSON.
START = (
    "import sys; sys.stdout.reconfigure(errors='backslashreplace'); sys.path.insert(0, sys.argv.pop(1)); "
    "from validators.__main__ import main; sys.exit(main())"
)
VERSION_LINE = re.compile(r'^VERSION = "([0-9A-Za-z.+-]{1,40})"', re.MULTILINE)

Rules = namedtuple("Rules", "version python missing")
Rules.__doc__ = "The version of the rules that can run here, and the Python for them; or None, and why none can."
RULE_FILE = re.compile(PACKAGE + r"/(?:benchmarks/[a-z0-9_]+/rules|rules/data/[a-z0-9_]+)\.json\Z")


def rules_here():
    """The Rules of this installation, without running them."""
    match = VERSION_LINE.search(package_text() or "")
    if match is None:
        return Rules(None, None, "this installation of the collector has none")
    python = find_python(os.environ)
    if python is None:
        return Rules(
            None,
            None,
            "this is Python %d.%d, they need %d.%d or later, and none was found"
            % (sys.version_info[:2] + OLDEST_PYTHON),
        )
    return Rules(match.group(1), python, "")


def list_rules():
    """The rules as they are stated, each with its code and text, by the order of their files; [] where there are none.

    They are data: this needs no newer Python.
    """
    rules = []
    for text in rule_texts():
        rules += [row for row in json.loads(text) if isinstance(row, dict) and "code" in row]
    return [{"code": row["code"], "text": row.get("text", "")} for row in rules]


def rule_texts():
    """What stands in the files of the rules."""
    if single_file() is not None:
        prefix = carried_prefix()
        with zipfile.ZipFile(single_file()) as archive:
            names = [name for name in sorted(archive.namelist()) if RULE_FILE.match(name[len(prefix) :])]
            return [archive.read(name).decode("utf-8") for name in names if name.startswith(prefix)]
    texts = []
    home = folder_of_rules()
    for folder, _folders, names in sorted(os.walk(os.path.join(home, PACKAGE))):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if RULE_FILE.match(os.path.relpath(path, home).replace(os.sep, "/")):
                with open(path, encoding="utf-8") as stream:
                    texts.append(stream.read())
    return texts


def check_here(python, path, options, timeout_s):
    """The JSON document of `python -m validators check`, run with this Python.

    Raises NetworkError if it does not end in time, UsageError if it ends without a document.
    """
    answer = run_rules(python, ["check", os.path.abspath(path), "--json"] + options, b"", timeout_s)
    return require_answer(
        answer, require_check_document, "Let the registry check it, keeping nothing: validate PATH --server"
    )


def ask_rules(python, arguments, question, timeout_s):
    """The JSON object that a command of the rules answers to a question in JSON.

    Raises NetworkError if it does not end in time, UsageError if it ends without an answer.
    """
    answer = run_rules(python, arguments, json.dumps(question).encode("utf-8"), timeout_s)
    return require_answer(answer, require_json_object, "")


def run_rules(python, arguments, typed, timeout_s):
    """The finished process of `python -m validators`; `typed` are the bytes of its standard input.

    Raises NetworkError if it does not end in time.
    """
    with rules_folder() as folder:
        command = [python, "-I", "-S", "-B", "-X", "utf8", "-c", START, folder]
        try:
            return subprocess.run(
                command + arguments, input=typed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout_s
            )
        except subprocess.TimeoutExpired:
            raise NetworkError(
                "collector.timeout", f"The check did not end in {timeout_s:g} s.", "Allow more: --timeout."
            )


def require_answer(done, require, hint):
    """What a finished process of the rules printed. Raises UsageError where it is no answer."""
    try:
        return require(json.loads(done.stdout.decode("utf-8")))
    except ValueError:
        raise UsageError(
            "collector.rules",
            "The rules gave no answer: " + (last_line(done.stderr) or f"exit status {done.returncode}"),
            hint,
        )


def require_json_object(answer):
    """The answer; raises ValueError if it is no object."""
    if not isinstance(answer, dict):
        raise ValueError("not an object")
    return answer


def require_check_document(answer):
    """The document of a check; raises ValueError if it is something else."""
    if not isinstance(answer, dict) or not isinstance(answer.get("status"), str):
        raise ValueError("not the document of a check")
    return answer


def last_line(output):
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


@contextlib.contextmanager
def rules_folder():
    """The folder to import the rules from: of the single file a private temporary one, which goes afterwards."""
    if single_file() is None:
        yield folder_of_rules()
        return
    with tempfile.TemporaryDirectory(prefix="highwater-rules-") as folder:
        with zipfile.ZipFile(single_file()) as archive:
            prefix = carried_prefix()
            for name in archive.namelist():
                if name.startswith(prefix):
                    place = os.path.join(folder, *name[len(prefix) :].split("/"))
                    os.makedirs(os.path.dirname(place), exist_ok=True)
                    with open(place, "wb") as stream:
                        stream.write(archive.read(name))
        yield folder


def package_text():
    """What stands in the rules' __init__.py; None where there are no rules."""
    try:
        return read_carried(PACKAGE + "/__init__.py")
    except (OSError, KeyError):
        return None


def read_carried(name):
    """The text of a file of the rules, by its path from `validators` on. Raises OSError or KeyError without it."""
    if single_file() is not None:
        with zipfile.ZipFile(single_file()) as archive:
            return archive.read(carried_prefix() + name).decode("utf-8")
    with open(os.path.join(folder_of_rules(), *name.split("/")), encoding="utf-8") as stream:
        return stream.read()


def single_file():
    """The path of highwater.pyz if that is what runs, else None."""
    return getattr(collectors.__spec__.loader, "archive", None)


def carried_prefix():
    return "/".join((collectors.__name__,) + CARRIED) + "/"


def folder_of_rules():
    """Where a wheel has them; where it has none, beside this package, as in a checkout."""
    home = os.path.dirname(os.path.abspath(collectors.__file__))
    carried = os.path.join(home, *CARRIED)
    return carried if os.path.isdir(carried) else os.path.dirname(home)
