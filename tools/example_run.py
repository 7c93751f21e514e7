"""Write the run that `highwater.pyz example` hands out: made by the tests' own writer of IO500 runs, never measured.

./dev.py exec python -m tools.example_run
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.make_io500 import make_run

FILE = Path(__file__).resolve().parent.parent / "collectors" / "data" / "example-run.1.json"
FOLDER = "2025.10.01-09.00.00"
NOTICE = """This run is an example of Highwater. Nothing was measured: `highwater.pyz example` made it up.

It shows the way from a result folder to a ranked list. A public registry does not take it for its lists.
"""


def document() -> str:
    """The file: the text of each file of the run by its path."""
    files = {"EXAMPLE.txt": NOTICE.encode(), **make_run(folder=FOLDER, performance=0.5)}
    return json.dumps({"files": {path: files[path].decode() for path in sorted(files)}}, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
