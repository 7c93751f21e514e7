"""How large the data set of a run is, from which options that follows, and its share of the memory of clients."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SIZE = re.compile(r"(\d{1,15})(?:([kmgtp])b?|b)?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


@dataclass(frozen=True)
class DataSet:
    """Bytes that a run writes, or None where its options do not tell; `how` is the product, or why there is none."""

    bytes: int | None
    how: str


def parse_size(text: Any) -> int | None:
    """A size as benchmarks take it, in bytes: `4m` is 4194304 bytes. None for anything else.

    What `4MiB` means depends on the benchmark, so it is None too.
    """
    match = _SIZE.fullmatch(text) if isinstance(text, str) else None
    return int(match[1]) * 1024 ** _POWERS[(match[2] or "").lower()] if match else None


def describe_data_set(data_set: DataSet) -> dict[str, Any]:
    """A data set as a recipe has it, of which the memory of clients is not known."""
    return {"bytes": data_set.bytes, "how": data_set.how, "client_memory_bytes": None, "times_client_memory": None}


def add_client_memory(data_set: dict[str, Any] | None, document: Mapping[str, Any]) -> dict[str, Any] | None:
    """The same with the memory of all client nodes, where the described system tells it."""
    memory = sum_client_memory(document)
    if data_set is None or memory is None:
        return data_set
    times = None if data_set["bytes"] is None else round(data_set["bytes"] / memory, 3)
    return data_set | {"client_memory_bytes": memory, "times_client_memory": times}


def data_set_words(data_set: Mapping[str, Any]) -> str:
    """`4,294,967,296 B: block of ... x ...; 4.2 x the memory of the clients`, and what follows for other memory."""
    if data_set["bytes"] is None:
        return f"not known: {data_set['how']}"
    words = f"{data_set['bytes']:,} B: {data_set['how']}"
    if data_set["times_client_memory"] is None:
        return f"{words}. How much memory the clients had is not recorded, so caches may have held it"
    share = f"{data_set['times_client_memory']:.3g} x the memory of the clients"
    return f"{words}; {share}. With other memory, write as many times that memory"


def sum_client_memory(document: Mapping[str, Any]) -> int | None:
    """Bytes of memory of all client nodes; None where a class of them does not tell it, or there is none."""
    clients = [row for row in document.get("node_classes", ()) if "client" in row.get("role", ())]
    sizes = [(row.get("hardware", {}).get("memory", {}).get("total_bytes"), row.get("count")) for row in clients]
    if not sizes or not all(isinstance(size, int) and isinstance(count, int) for size, count in sizes):
        return None
    return sum(size * count for size, count in sizes) or None
