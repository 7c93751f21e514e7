"""What the scripts share that turn collected tables into fact files: where tables lie, and how a file is written."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def collected(name: str) -> Path:
    """A file or folder of the collected tables: in $HIGHWATER_SHARED/data, else in ../shared/data."""
    return Path(os.environ.get("HIGHWATER_SHARED") or ROOT.parent / "shared") / "data" / name


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def line(value: Any) -> str:
    """One record is one line, so that a change of one fact is a change of one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write(texts: Mapping[Path, str]) -> None:
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {len(text)} bytes")
