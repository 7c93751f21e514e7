"""The collector as one file: a shell header that finds a Python, and behind it the package `collectors` as a zip.

The site serves what `build` returns and `./dev.py collector` writes it, so both have the same sha256. The wheel is for
who would rather say `pip install`; it holds the same modules and depends on nothing.
"""

from collections.abc import Iterator
from pathlib import Path

from launcher import wheels

CHECKOUT = Path(__file__).resolve().parent.parent

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


RULES = "collectors/data/rules/"
"""The registry's rules, which `validate` runs; not at the top, where pip knows another package of that name."""
REGISTRY = "collectors/data/registry.txt"
SUMMARY = "Records the machines under a storage benchmark and brings both to a Highwater registry"
ENTRY_POINTS = """[console_scripts]
highwater = collectors.cli:main
"""


def build(checkout: Path = CHECKOUT, registry: str = "") -> bytes:
    """The bytes of highwater.pyz: the same for the same sources and the same registry, on every machine.

    `registry` is the address of the registry that hands it out, which it then sends to where nothing else is set.
    """
    members = _sources(checkout) | {"__main__.py": START}
    if registry:
        members[REGISTRY] = f"{registry}\n".encode()
    return HEADER + wheels.zipped(members, offset=len(HEADER))


def wheel(checkout: Path = CHECKOUT) -> tuple[str, bytes]:
    """File name and bytes of the wheel, as reproducible as the single file."""
    members = _sources(checkout)
    version = wheels.read_version(members["collectors/__init__.py"])
    return wheels.wheel("highwater-collector", version, SUMMARY, ">=3.6", members, ENTRY_POINTS)


def _sources(checkout: Path) -> dict[str, bytes]:
    """Modules and data of the collector and of the rules by their names in an archive; links are followed."""
    package = checkout / "collectors"
    data = package / "data"
    modules = [path for path in package.rglob("*.py") if data not in path.parents]
    forms = package.glob("scrubbing/*.json")
    paths = [*modules, *forms, *data.glob("*.json"), *data.glob("benchmarks/*/benchmark.json")]
    members = {path.relative_to(checkout).as_posix(): path.read_bytes() for path in paths}
    return members | {RULES + path.relative_to(checkout).as_posix(): path.read_bytes() for path in _rules(checkout)}


def _rules(checkout: Path) -> Iterator[Path]:
    """Modules and data of `validators`, without the samples of benchmarks and what tools leave."""
    package = checkout / "validators"
    for path in (*package.rglob("*.py"), *package.rglob("*.json")):
        folders = path.relative_to(package).parts[:-1]
        if not any(folder == "samples" or folder.startswith((".", "__")) for folder in folders):
            yield path
