"""Make registry/results/recipes/data/io500.json: the options of published IO500 archives, by public id.

./dev.py exec python -m tools.make_given_options DIR...   (folders as `manage import_io500` takes them)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from registry.loading.archive_folders import find_archives
from registry.loading.archive_rows import PREFIX
from validators import checks

DATA = Path(__file__).resolve().parent.parent / "registry" / "results" / "recipes" / "data" / "io500.json"


def given_options(folders: list[Path]) -> dict[str, Any]:
    """By public id, the options of the run that counts in each archive, where its files tell them."""
    options = {}
    for folder in folders:
        for place in find_archives(folder):
            report = checks.check(place.path, benchmark="io500", left_out=place.left_out)
            run = report.runs[report.primary] if report.primary is not None else None
            if run is not None and run.given_options is not None:
                options[f"{PREFIX}{place.number}"] = run.given_options
    return dict(sorted(options.items()))


if __name__ == "__main__":
    options_by_id = given_options([Path(name) for name in sys.argv[1:]])
    rows = (
        f"{json.dumps(name)}:{json.dumps(options, separators=(',', ':'))}" for name, options in options_by_id.items()
    )
    DATA.write_text("{" + ",\n".join(rows) + "}\n", encoding="utf-8")
    print(f"{len(options_by_id)} archives")
