"""Wheels for pip, of modules alone: the same bytes for the same sources, on every machine."""

import base64
import hashlib
import io
import re
import zipfile
from collections.abc import Mapping

# The oldest date a zip can name: the file must not depend on when or where it was built.
FIXED_DATE = (1980, 1, 1, 0, 0, 0)
REGULAR_FILE = 0o100644 << 16
UNIX = 3

METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {summary}
License: Apache-2.0
Requires-Python: {python}
"""
WHEEL = """Wheel-Version: 1.0
Generator: highwater
Root-Is-Purelib: true
Tag: py3-none-any
"""


def read_version(source: bytes) -> str:
    """The text of VERSION in a module's source. Raises ValueError where it has none."""
    version = re.search(rb'VERSION = "(.+)"', source)
    if version is None:
        raise ValueError("this module has no VERSION")
    return version[1].decode()


def wheel(
    name: str, version: str, summary: str, python: str, members: Mapping[str, bytes], entry_points: str = ""
) -> tuple[str, bytes]:
    """File name and bytes of a wheel that depends on no other package."""
    stem = f"{name.replace('-', '_')}-{version}"
    folder = f"{stem}.dist-info"
    about = METADATA.format(name=name, version=version, summary=summary, python=python)
    texts_by_path = {f"{folder}/METADATA": about, f"{folder}/WHEEL": WHEEL, f"{folder}/entry_points.txt": entry_points}
    all_members = {**members, **{path: text.encode() for path, text in texts_by_path.items() if text}}
    record = [f"{path},sha256={_digest(all_members[path])},{len(all_members[path])}\n" for path in sorted(all_members)]
    all_members[f"{folder}/RECORD"] = "".join([*record, f"{folder}/RECORD,,\n"]).encode()
    return f"{stem}-py3-none-any.whl", zipped(all_members)


def zipped(members: Mapping[str, bytes], offset: int = 0) -> bytes:
    """A zip that stands behind `offset` bytes. Stored, not deflated: those bytes differ between versions of zlib."""
    file = io.BytesIO()
    file.write(bytes(offset))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            member = zipfile.ZipInfo(name, FIXED_DATE)
            member.external_attr, member.create_system = REGULAR_FILE, UNIX
            archive.writestr(member, members[name])
    return file.getvalue()[offset:]


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
