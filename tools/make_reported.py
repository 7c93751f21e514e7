"""Make registry/loading/data/reported/*.json, the results that papers and slides print, from tables of their figures.

    ./dev.py exec python tools/make_reported.py [FOLDER]

FOLDER (default: $HIGHWATER_SHARED/data/seed-tables, else ../shared/data/seed-tables) holds one table per printed table.
The same input gives the same bytes. Only facts and figures are kept, each with the place where it is printed; a number
that is misprinted stays as printed and has a note. One module of tools/reported is one document.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import fact_files  # noqa: E402
from tools.fact_files import line  # noqa: E402
from tools.reported import benchmarking_lustre, cug25, dell_lustre, perlmutter, sc23_bof  # noqa: E402
from tools.reported.tables import Record  # noqa: E402

REPORTED = ROOT / "registry" / "loading" / "data" / "reported"
SAME_AS = {module.DOCUMENT["slug"]: module.SAME_AS for module in (cug25, benchmarking_lustre)}
"""By document the results whose measurement another result prints too, and which one counts."""
DOCUMENTS = (cug25, benchmarking_lustre, perlmutter, sc23_bof, dell_lustre)


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else fact_files.collected("seed-tables")
    fact_files.write({REPORTED / name: text for name, text in make_reported(folder).items()})
    return 0


def make_reported(folder: Path) -> dict[str, str]:
    """The text of every file by its name, made from the tables in `folder`."""
    return {
        f"{document.DOCUMENT['slug']}.json": _text(document.DOCUMENT, document.results(folder))
        for document in DOCUMENTS
    }


def _text(document: Record, results: Iterable[Record]) -> str:
    """One result per line, so that a change of one fact is a change of one line."""
    lines = ",\n".join(line(_without_blanks(result, document)) for result in results)
    return f'{{"document":{line(document)},"results":[\n{lines}\n]}}\n'


def _without_blanks(record: Record, document: Record) -> Record:
    filled = {key: value for key, value in record.items() if value not in (None, "", [])}
    same_as = SAME_AS.get(document["slug"], {}).get(record["id"])
    return {"id": record["id"]} | ({"same_as": same_as} if same_as else {}) | filled


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
