"""How facts of a system are written: quantities with their unit, devices in one line.

Sizes of memory and file systems are written in binary units (GiB, 2^30), drives and rates in decimal ones, as their
makers do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from validators.schema import schemas

Describe = Callable[[Mapping[str, Any]], str]

NO_BREAK = "\u00a0"
_ENDINGS = {
    "_bytes_per_s": "B/s",
    "_bytes": "B",
    "_hz": "Hz",
    "_bit_s": "bit/s",
    "_mt_s": "MT/s",
    "_gt_s": "GT/s",
    "_percent": "%",
    "_kib": "KiB",
    "_s": "s",
}
"""Units by the end of a field's name, the longest first."""
_SCALED = {
    "Hz": ("Hz", "kHz", "MHz", "GHz"),
    "bit/s": ("bit/s", "kbit/s", "Mbit/s", "Gbit/s"),
    "B/s": ("B/s", "kB/s", "MB/s", "GB/s"),
}
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_DECIMAL = ("B", "kB", "MB", "GB", "TB", "PB")
_UNITLESS = ("", "bool", "none", "count", "mixed", "text", "string", "enum")


def unit_of(name: str) -> tuple[str, str]:
    """A field of the schema as (label, unit): "memory total_bytes" -> ("memory total", "B")."""
    for ending, unit in _ENDINGS.items():
        if name.endswith(ending):
            return name.removesuffix(ending).replace("_", " "), unit
    return name.replace("_", " "), ""


def quantity(value: Any, unit: str) -> str:
    """A value with its unit: (True, "bool") -> "yes", (68719476736, "B") -> "64 GiB", (8, "count") -> "8"."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (dict, list)) or value is None:
        return format_json_value(value)
    if isinstance(value, str):
        return value
    if unit == "B":
        return size(value)
    if unit in _SCALED:
        return _scaled(value, _SCALED[unit], 1000)
    return number(value) if unit in _UNITLESS else f"{number(value)}{NO_BREAK}{unit}"


def number(value: float) -> str:
    """12345 -> "12,345"; a fraction keeps its digits."""
    integer = int(value)
    return f"{integer:,d}" if integer == value else f"{value:,g}"


def size(count: float) -> str:
    """Bytes of memory and file systems in binary units: 68719476736 -> "64 GiB"."""
    return _scaled(count, _BINARY, 1024)


def _scaled(count: float, units: Iterable[str], step: int) -> str:
    written = [(count / step**power, unit) for power, unit in enumerate(units)]
    value, unit = next((pair for pair in reversed(written) if pair[0] >= 1), written[0])
    return f"{number(round(value, 2))}{NO_BREAK}{unit}"


def format_json_value(value: Any) -> str:
    """Any JSON value on one line; nothing is a dash."""
    if value is None:
        return "—"
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)[:512]
    return quantity(value, "")


def order_like_schema(item: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The fields of an object as the schema orders them: a database gives them back in an order of its own."""
    order = list(schemas()["system.1"]["$defs"][kind]["properties"])
    return {
        name: item[name] for name in sorted(item, key=lambda name: order.index(name) if name in order else len(order))
    }


def format_fields(item: Mapping[str, Any], leave_out: Iterable[str] = ()) -> str:
    """The fields of an object that have a value, in one line: "type lustre, usable 1 PiB, 4 data targets"."""
    left_out = set(leave_out)
    parts = []
    for name, value in item.items():
        if name in left_out or value is None or value in ("", [], {}):
            continue
        label, unit = unit_of(name)
        text = ", ".join(map(format_json_value, value)) if isinstance(value, list) else quantity(value, unit)
        if value == -1 and label.endswith("stripe count"):
            text = "all targets"
        parts.append(f"{label} {text}")
    return ", ".join(parts)


def network(nic: Mapping[str, Any]) -> str:
    rate = quantity(nic["rate_bit_s"], "bit/s") if nic.get("rate_bit_s") else ""
    other_fields = format_fields(
        order_like_schema(nic, "nic"), ("device", "count", "kind", "model", "rate_bit_s", "state", "pcie")
    )
    return _joined(nic.get("model"), nic.get("device"), rate, nic.get("state"), other_fields, pcie(nic.get("pcie")))


def block(group: Mapping[str, Any]) -> str:
    capacity = _scaled(group["bytes"], _DECIMAL, 1000) if group.get("bytes") else ""
    other_fields = format_fields(order_like_schema(group, "block_group"), ("count", "model", "bytes", "pcie", "queue"))
    queue = ", ".join(f"{name} {value}" for name, value in sorted(group.get("queue", {}).items()) if value is not None)
    return _joined(capacity, other_fields, pcie(group.get("pcie")), queue)


def mount(mount: Mapping[str, Any]) -> str:
    return _joined(mount.get("filesystem"), " ".join(mount["options"]))


def pcie(link: Mapping[str, Any] | None) -> str:
    """A PCIe link, and that it is slower than it could be: "PCIe 16 GT/s x8 of 32 GT/s x16"."""
    link = link or {}
    current, best = _lanes(link, "current"), _lanes(link, "max")
    if not current:
        return ""
    return f"PCIe {current}" if not best or best == current else f"PCIe {current} of {best}"


def _lanes(link: Mapping[str, Any], which: str) -> str:
    speed, width = (link.get(f"{which}_speed") or "").removesuffix(" PCIe"), link.get(f"{which}_width")
    return " ".join(filter(None, [speed, f"x{width}" if width else ""]))


def _joined(*parts: Any) -> str:
    return ", ".join(str(part) for part in parts if part) or "—"
