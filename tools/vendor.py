"""Copy the scripts that pages load from their npm packages into static/vendor/, for a maintainer with Node.

    python3 tools/vendor.py [--check]

`npm ci --ignore-scripts` installs what tools/vendor/package-lock.json pins (sha512 integrity) into a temporary folder.
The listed files are copied as static/vendor/NAME-VERSION/FILE without their `sourceMappingURL` line, because
the manifest storage refuses references to files that are not there. Beside them stands the licence of every package
that a file is made of, and vendor.lock.json says what came from where. The result is committed: nobody else needs Node.
`--check` compares the committed files with their lock and needs neither Node nor network.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "tools" / "vendor"
VENDOR = ROOT / "static" / "vendor"
LOCK = VENDOR / "vendor.lock.json"
FILES = {
    "htmx.org": "dist/htmx.min.js",
    "vega": "build/vega.min.js",
    "vega-lite": "build/vega-lite.min.js",
    "vega-embed": "build/vega-embed.min.js",
}
SOURCE_MAP = re.compile(rb"\n?//# sourceMappingURL=\S*\s*$")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare the committed files with vendor.lock.json")
    if parser.parse_args().check:
        return check()
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder))
        copy(Path(folder))
    return check()


def check() -> int:
    """0 when the files under static/vendor are exactly those of the lock, else 1 with a line for each difference."""
    expected = {entry["file"]: entry["sha256"] for entry in json.loads(LOCK.read_text(encoding="utf-8"))}
    present = {path.relative_to(VENDOR).as_posix(): _sha256(path) for path in VENDOR.rglob("*.js")}
    differing = [name for name in expected.keys() | present.keys() if expected.get(name) != present.get(name)]
    for name in sorted(differing):
        print(f"static/vendor/{name} is not as vendor.lock.json says")
    return 1 if differing else 0


def install(folder: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PINS / name, folder)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True)


def copy(folder: Path) -> None:
    packages = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    shutil.rmtree(VENDOR, ignore_errors=True)
    entries = []
    for name, source in FILES.items():
        package = packages[f"node_modules/{name}"]
        target = VENDOR / f"{name}-{package['version']}" / Path(source).name
        target.parent.mkdir(parents=True)
        content = (folder / "node_modules" / name / source).read_bytes()
        target.write_bytes(SOURCE_MAP.sub(b"\n", content))
        (target.parent / "LICENCES.txt").write_text(_licences(folder, packages, name), encoding="utf-8")
        entries.append(
            {
                "file": target.relative_to(VENDOR).as_posix(),
                "package": name,
                "version": package["version"],
                "licence": package["license"],
                "integrity": package["integrity"],
                "sha256": _sha256(target),
            }
        )
    LOCK.write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")


def _licences(folder: Path, packages: dict[str, Any], name: str) -> str:
    """The licence texts of a package and of all that it depends on, one after the other."""
    parts = []
    for member in sorted(_closure(packages, name)):
        package = packages[f"node_modules/{member}"]
        files = sorted((folder / "node_modules" / member).glob("LICEN[CS]E*"))
        text = files[0].read_text(encoding="utf-8") if files else "(The package holds no licence text.)\n"
        lines = [line.rstrip() for line in text.strip().splitlines()]
        parts.append("\n".join([f"{member} {package['version']}: {package.get('license', 'not said')}", "", *lines]))
    return ("\n\n" + "-" * 80 + "\n\n").join(parts) + "\n"


def _closure(packages: dict[str, Any], name: str) -> set[str]:
    closure: set[str] = set()
    waiting = [name]
    while waiting:
        member = waiting.pop()
        if member not in closure and f"node_modules/{member}" in packages:
            closure.add(member)
            waiting.extend(packages[f"node_modules/{member}"].get("dependencies", {}))
    return closure


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
