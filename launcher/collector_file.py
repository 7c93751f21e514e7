"""The collector as one file: a shell header that finds a Python, and behind it the package `collectors` as a zip.

The site serves what `build` returns and `./dev.py collector` writes it, so both have the same sha256.
"""

import io
import zipfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
# The oldest date a zip can name: the file must not depend on when or where it was built.
FIXED_DATE = (1980, 1, 1, 0, 0, 0)
REGULAR_FILE = 0o100644 << 16
UNIX = 3

HEADER = b"""#!/bin/sh
# Highwater's collector: this text finds a Python 3.6 or later, which runs the zip archive behind it.
for python in "$HIGHWATER_PYTHON" python3 /usr/libexec/platform-python python3.14 python3.13 python3.12 python3.11 \\
    python3.10 python3.9 python3.8 python3.7 python3.6; do
    if [ -n "$python" ] && "$python" -c 'import sys; sys.exit(sys.version_info < (3, 6))' 2>/dev/null; then
        exec "$python" "$0" "$@"
    fi
done
echo "highwater.pyz needs Python 3.6 or later; set HIGHWATER_PYTHON to one" >&2
exit 2
"""

# `collectors` itself tells an older Python what it needs.
START = b"""import runpy

runpy.run_module("collectors", run_name="__main__", alter_sys=True)
"""


def build(checkout: Path = CHECKOUT) -> bytes:
    """The bytes of highwater.pyz: the same for the same sources, on every machine.

    Stored, not deflated: compressed bytes differ between versions of zlib.
    """
    package = checkout / "collectors"
    sources = [path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    members = {path.relative_to(checkout).as_posix(): path.read_bytes() for path in sources}
    members["__main__.py"] = START
    file = io.BytesIO()
    file.write(HEADER)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            member = zipfile.ZipInfo(name, FIXED_DATE)
            member.external_attr, member.create_system = REGULAR_FILE, UNIX
            archive.writestr(member, members[name])
    return file.getvalue()
