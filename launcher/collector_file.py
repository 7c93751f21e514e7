"""The collector as one file: a shell header that finds a Python, and behind it the package `collectors` as a zip.

The site serves what `build` returns and `./dev.py collector` writes it, so both have the same sha256. The wheel is for
who would rather say `pip install`; it holds the same modules and depends on nothing.
"""

import base64
import hashlib
import io
import re
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
        exec "$python" -I -S "$0" "$@"
    fi
done
echo "highwater.pyz needs Python 3.6 or later; set HIGHWATER_PYTHON to one" >&2
exit 2
"""

# `collectors` itself tells an older Python what it needs.
START = b"""import runpy

runpy.run_module("collectors", run_name="__main__", alter_sys=True)
"""


METADATA = """Metadata-Version: 2.1
Name: highwater-collector
Version: {version}
Summary: Records the machines under a storage benchmark and brings both to a Highwater registry
License: Apache-2.0
Requires-Python: >=3.6
"""
WHEEL = """Wheel-Version: 1.0
Generator: highwater
Root-Is-Purelib: true
Tag: py3-none-any
"""
ENTRY_POINTS = """[console_scripts]
highwater = collectors.cli:main
"""


def build(checkout: Path = CHECKOUT) -> bytes:
    """The bytes of highwater.pyz: the same for the same sources, on every machine."""
    return HEADER + _zip(_sources(checkout) | {"__main__.py": START}, offset=len(HEADER))


def wheel(checkout: Path = CHECKOUT) -> tuple[str, bytes]:
    """File name and bytes of the wheel, as reproducible as the single file."""
    members = _sources(checkout)
    version = re.search(rb'VERSION = "(.+)"', members["collectors/__init__.py"])[1].decode()  # type: ignore[index]
    folder = f"highwater_collector-{version}.dist-info"
    members |= {
        f"{folder}/METADATA": METADATA.format(version=version).encode(),
        f"{folder}/WHEEL": WHEEL.encode(),
        f"{folder}/entry_points.txt": ENTRY_POINTS.encode(),
    }
    record = [f"{name},sha256={_record_digest(members[name])},{len(members[name])}\n" for name in sorted(members)]
    members[f"{folder}/RECORD"] = "".join([*record, f"{folder}/RECORD,,\n"]).encode()
    return f"highwater_collector-{version}-py3-none-any.whl", _zip(members)


def _sources(checkout: Path) -> dict[str, bytes]:
    """Modules and data of the collector by their names in an archive; links are followed."""
    package = checkout / "collectors"
    data = package / "data"
    modules = [path for path in package.rglob("*.py") if data not in path.parents]
    paths = [*modules, *data.glob("*.json"), *data.glob("benchmarks/*/benchmark.json")]
    return {path.relative_to(checkout).as_posix(): path.read_bytes() for path in paths}


def _zip(members: dict[str, bytes], offset: int = 0) -> bytes:
    """A zip that stands behind `offset` bytes. Stored, not deflated: those bytes differ between versions of zlib."""
    file = io.BytesIO()
    file.write(bytes(offset))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            member = zipfile.ZipInfo(name, FIXED_DATE)
            member.external_attr, member.create_system = REGULAR_FILE, UNIX
            archive.writestr(member, members[name])
    return file.getvalue()[offset:]


def _record_digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
