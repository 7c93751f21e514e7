"""The run that `highwater.pyz example` hands out is known by what it says of itself: it was made up."""

from __future__ import annotations

from validators.bundle import Bundle
from validators.findings import WARNING, Finding

CODE = "bundle.example"
NAME = "EXAMPLE.txt"
FIRST_WORDS = b"This run is an example of Highwater."


def findings(bundle: Bundle) -> list[Finding]:
    """`bundle.example` for the first file that says so, wherever it lies: a bundle has folders of its own around it."""
    for path in bundle.files:
        if path.rpartition("/")[2] == NAME and bundle.read(path, len(FIRST_WORDS)) == FIRST_WORDS:
            message = "This is the example of highwater.pyz. Nothing was measured."
            hint = "Run the benchmark on your own system; the example is for trying out."
            return [Finding(CODE, WARNING, message, hint, path)]
    return []
