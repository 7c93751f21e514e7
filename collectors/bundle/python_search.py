"""A Python that the registry's rules can run with: the running one, or the newest that is found."""

import os
import re
import subprocess
import sys

OLDEST_PYTHON = (3, 9)
NAME = re.compile(r"python3\.([1-9][0-9]?)\Z")
FIXED_FOLDERS = ("/usr/bin", "/usr/local/bin", "/opt/bin")
ANSWER_S = 5.0
MOST_TRIED = 12


def find_python(environ):
    """The path of a Python 3.9 or later, None where there is none.

    The running one is taken if it is new enough. Else HIGHWATER_PYTHON, then the newest `python3.N` on PATH or in the
    usual folders that starts. A PATH entry that depends on the current folder is passed over.
    """
    if sys.version_info >= OLDEST_PYTHON:
        return sys.executable
    named = environ.get("HIGHWATER_PYTHON")
    for path in ([named] if named else []) + candidates(environ.get("PATH", ""))[:MOST_TRIED]:
        if is_new_enough(path):
            return path
    return None


def candidates(path_variable):
    """Every `python3.N` with N of 9 or more, the newest first."""
    folders = [folder for folder in path_variable.split(os.pathsep) if os.path.isabs(folder)]
    numbered = []
    for place, folder in enumerate(dict.fromkeys(folders + list(FIXED_FOLDERS))):
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        numbers = ((match, name) for match, name in ((NAME.match(name), name) for name in names) if match)
        numbered += [
            (-int(match.group(1)), place, os.path.join(folder, name))
            for match, name in numbers
            if int(match.group(1)) >= OLDEST_PYTHON[1]
        ]
    return [path for _minor, _place, path in sorted(numbered)]


def is_new_enough(path):
    """Whether a program starts, and is a Python 3.9 or later; launchers of versions that are not chosen do not."""
    question = "import sys; sys.exit(sys.version_info < (%d, %d))" % OLDEST_PYTHON
    try:
        done = subprocess.run(
            [path, "-I", "-S", "-c", question],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=ANSWER_S,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
