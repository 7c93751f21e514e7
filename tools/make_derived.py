"""Make registry/loading/data/derived/*.json, the facts of the published IO500 archives, with our own reader.

    ./dev.py exec python tools/make_derived.py [FOLDER...]

Each FOLDER (default: io500 and io500-rest of $HIGHWATER_SHARED/data, else of ../shared/data) is a copy of published
archives as `manage import_io500` takes them. The same input gives the same bytes. Only facts are kept: no text, no
file and no personal data of the source.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from registry.loading.archive_folders import ArchivePlace, find_archives  # noqa: E402
from registry.loading.archive_rows import archive_row, read_history  # noqa: E402
from tools import fact_files  # noqa: E402
from tools.fact_files import line  # noqa: E402
from validators import VERSION  # noqa: E402

DERIVED = ROOT / "registry" / "loading" / "data" / "derived"
UNKNOWN = "unknown"

Row = dict[str, Any]


def main(arguments: list[str]) -> int:
    folders = [Path(argument) for argument in arguments] or [
        fact_files.collected(name) for name in ("io500", "io500-rest")
    ]
    places = sorted((place for folder in folders for place in find_archives(folder)), key=lambda place: place.number)
    fact_files.write({DERIVED / name: text for name, text in make_derived(places).items()})
    return 0


def make_derived(places: Iterable[ArchivePlace]) -> dict[str, str]:
    """The text of every file of facts by its name, one for each release."""
    history = read_history()
    rows: dict[str, list[Row]] = defaultdict(list)
    for place in places:
        row = archive_row(place, history)
        rows[row.get("release", UNKNOWN).lower()].append(row)
    return {f"{release}.json": _text(of_release) for release, of_release in sorted(rows.items())}


def _text(rows: list[Row]) -> str:
    head = json.dumps({"benchmark": "io500", "read_by": f"validators {VERSION}"})
    return head[:-1] + ', "archives": [\n' + ",\n".join(map(line, rows)) + "\n]}\n"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
