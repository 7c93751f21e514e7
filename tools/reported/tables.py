"""The tables as they are read, and a measurement as it is written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tools import fact_files

Row = dict[str, str]
Record = dict[str, Any]

_HPE = {"institution": "Hewlett Packard Enterprise", "storage_vendor": "HPE", "filesystem_type": "Lustre"}
HPE_E1000 = _HPE | {"platform": "clusterstor-e1000"}
HPE_E2000 = _HPE | {"platform": "cray-e2000"}


def read_table(folder: Path, name: str) -> list[Row]:
    return fact_files.read_table(folder / name)


def read_facts(folder: Path, name: str) -> Record:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def measurement(op: str, quantity: str, stat: str, value: str | float, unit: str, **context: Any) -> Record:
    """A number as printed; op, quantity, stat and context are those of the tool's parser where it has such a number."""
    written = {"op": op, "quantity": quantity, "stat": stat, "value": number(value), "unit": unit}
    return written | ({"context": context} if context else {})


def number(printed_value: str | float) -> float:
    value = float(printed_value)
    return int(value) if value.is_integer() else value


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
