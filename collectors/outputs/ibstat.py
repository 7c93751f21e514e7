"""`ibstat`: InfiniBand and RoCE adapters and their ports."""

import re
from collections import namedtuple

ADAPTER = re.compile(r"CA '([^']{1,40})'")
PORT = re.compile(r"Port (\d{1,3}):")
FIELD = re.compile(r"([A-Z][A-Za-z ]{1,30}): (.{0,120})")

Adapter = namedtuple("Adapter", "type firmware ports")
Adapter.__doc__ = "One adapter: type, firmware and {number: Port}; its GUIDs are not kept."
Port = namedtuple("Port", "state rate link_layer")
Port.__doc__ = "One port as printed; the rate of a port that is not Active means nothing."


def adapters(text):
    """{name: Adapter}, empty where the node has none. Raises ValueError for other texts."""
    parts_by_adapter, fields = {}, {}
    for line in text.splitlines():
        line = line.strip()
        adapter, port, field = ADAPTER.fullmatch(line), PORT.fullmatch(line), FIELD.fullmatch(line)
        if adapter:
            ports, fields = {}, {}
            parts_by_adapter[adapter.group(1)] = (fields, ports)
        elif port and parts_by_adapter:
            fields = ports[int(port.group(1))] = {}
        elif field:
            fields[field.group(1)] = field.group(2).strip()
    if text.strip() and not parts_by_adapter:
        raise ValueError("no adapter")
    return {name: adapter_of(*parts) for name, parts in parts_by_adapter.items()}


def adapter_of(fields, ports):
    return Adapter(
        fields.get("CA type"),
        fields.get("Firmware version"),
        {number: Port(port.get("State"), port.get("Rate"), port.get("Link layer")) for number, port in ports.items()},
    )
