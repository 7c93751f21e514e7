"""`cxi_stat`: Slingshot network cards."""

import re

# Serial number, MAC address, NID, and the place in the fabric that they tell, stay unread.
FIELDS = {
    "Description": "description",
    "FW Version": "firmware",
    "Network device": "network_device",
    "PCIE speed/width": "pcie",
    "Link layer retry": "link_layer_retry",
    "Link loopback": "loopback",
    "Link media": "media",
    "Link MTU": "link_mtu",
    "Link speed": "speed",
    "Link state": "state",
}
DEVICE = re.compile(r"Device: (cxi\d{1,4})")
FIELD = re.compile(r"\s+([A-Za-z][A-Za-z /]{1,30}): (\S.{0,119})")


def devices(text):
    """{device: {field: text}} with the names of FIELDS. Raises ValueError for other texts."""
    fields_by_device, current = {}, None
    for line in text.splitlines():
        device = DEVICE.fullmatch(line.strip())
        field = FIELD.fullmatch(line)
        if device:
            current = fields_by_device.setdefault(device.group(1), {})
        elif current is not None and field and field.group(1) in FIELDS:
            current.setdefault(FIELDS[field.group(1)], field.group(2).strip())
    if not fields_by_device:
        raise ValueError("no device")
    return fields_by_device
