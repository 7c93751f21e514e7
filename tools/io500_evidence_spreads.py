"""Measure how far what an IO500 archive says twice lies apart in archives, and write it into evidence.json.

    python tools/io500_evidence_spreads.py FOLDER...

Each folder holds archives named submission-NUMBER.tar.gz. `least` and `most` are over comparisons within the tolerance,
less what their printed digits leave open; `outside` names the archives that have one beyond it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from validators.benchmarks.io500 import evidence_kinds, parser  # noqa: E402
from validators.bundle import open_bundle  # noqa: E402
from validators.evidence import Comparison, Kind, deviation, is_within, load_kinds  # noqa: E402

FILE = ROOT / "validators" / "benchmarks" / "io500" / "evidence.json"
DIGITS = 6


def measure_spreads(archives: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """The spread of each kind over these archives, by code."""
    kinds = {kind.code: kind for kind in load_kinds(FILE)}
    pairs = [(number_of(path), pair) for path in archives for pair in pairs_of(path)]
    return {
        code: _spread(kind, [(of, pair) for of, pair in pairs if pair.kind == code]) for code, kind in kinds.items()
    }


def number_of(path: Path) -> int:
    return int(path.name.removeprefix("submission-").partition(".")[0])


def pairs_of(path: Path) -> Iterator[Comparison]:
    """Everything that the runs of an archive say twice."""
    with open_bundle(path) as bundle:
        for run in parser.find_runs(bundle).runs:
            yield from evidence_kinds.compare(run)


def _spread(kind: Kind, pairs: list[tuple[int, Comparison]]) -> dict[str, Any]:
    within = [pair for _, pair in pairs if is_within(kind, deviation(kind, pair), pair.slack)]
    outside = sorted({of for of, pair in pairs if not is_within(kind, deviation(kind, pair), pair.slack)})
    spread: dict[str, Any] = {"archives": len({of for of, _ in pairs}), "comparisons": len(pairs), "outside": outside}
    if kind.measure == "same":
        return spread
    middle = 1.0 if kind.measure == "ratio" else 0.0
    apart = [_without_digits(deviation(kind, pair) - middle, pair.slack) + middle for pair in within]
    return spread | {"least": round(min(apart), DIGITS), "most": round(max(apart), DIGITS)}


def _without_digits(apart: float, slack: float) -> float:
    return max(apart - slack, 0.0) if apart > 0 else min(apart + slack, 0.0)


def main(folders: list[str]) -> None:
    archives = sorted((path for folder in folders for path in Path(folder).glob("*.tar.gz")), key=number_of)
    spreads = measure_spreads(archives)
    kinds = json.loads(FILE.read_text(encoding="utf-8"))
    rows = [{**kind, "spread": spreads[kind["code"]]} for kind in kinds]
    FILE.write_text(written(rows), encoding="utf-8")
    print(f"{len(archives)} archives")


def written(rows: list[dict[str, Any]]) -> str:
    """A kind on a few lines: numbers beside each other."""
    return "[\n" + ",\n".join(_kind(row) for row in rows) + "\n]\n"


def _kind(row: dict[str, Any]) -> str:
    lines = ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in row.items())
    return "  {\n" + lines + "\n  }"


if __name__ == "__main__":
    main(sys.argv[1:])
