"""The registry's rules, run here: the single file and the wheel carry them, a checkout has them beside the collector.

They run in a process of their own, with nothing but the standard library: they need a newer Python than we do, and a
file that is too much for them ends that process and not this one.
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
from collectors.errors import NetworkError, UsageError

OLDEST_PYTHON = (3, 9)
PACKAGE = "validators"
# Where the builders of the single file and of the wheel put the package, below `collectors`.
CARRIED = ("data", "rules")
# Backslashes keep names that are not UTF-8 readable as JSON.
START = (
    "import sys; sys.stdout.reconfigure(errors='backslashreplace'); sys.path.insert(0, sys.argv.pop(1)); "
    "from validators.__main__ import main; sys.exit(main())"
)
VERSION_LINE = re.compile(r'^VERSION = "([0-9A-Za-z.+-]{1,40})"', re.MULTILINE)

Rules = namedtuple("Rules", "version missing")
Rules.__doc__ = "The version of the rules that can run here; or None, and why none can."


def rules_here():
    """The Rules of this installation, without running them."""
    if sys.version_info < OLDEST_PYTHON:
        return Rules(
            None, "this is Python %d.%d, and they need %d.%d or later" % (sys.version_info[:2] + OLDEST_PYTHON)
        )
    text = package_text()
    match = VERSION_LINE.search(text or "")
    if match is None:
        return Rules(None, "this installation of the collector has none")
    return Rules(match.group(1), "")


def check_here(path, options, timeout_s):
    """The JSON document of `python -m validators check`.

    Raises NetworkError if it does not end in time, UsageError if it ends without a document.
    """
    with rules_folder() as folder:
        command = [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", START, folder]
        try:
            done = subprocess.run(
                command + ["check", os.path.abspath(path), "--json"] + options,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                timeout=timeout_s,
            )
        except subprocess.TimeoutExpired:
            raise NetworkError(
                "collector.timeout", f"The check did not end in {timeout_s:g} s.", "Allow more: --timeout."
            )
    try:
        return require_check_document(json.loads(done.stdout.decode("utf-8")))
    except ValueError:
        raise UsageError(
            "collector.rules",
            "The rules gave no answer: " + (last_line(done.stderr) or f"exit status {done.returncode}"),
            "Let the registry check it, keeping nothing: validate PATH --server",
        )


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
        if single_file() is not None:
            with zipfile.ZipFile(single_file()) as archive:
                return archive.read(carried_prefix() + PACKAGE + "/__init__.py").decode("utf-8")
        with open(os.path.join(folder_of_rules(), PACKAGE, "__init__.py"), encoding="utf-8") as stream:
            return stream.read()
    except (OSError, KeyError):
        return None


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
