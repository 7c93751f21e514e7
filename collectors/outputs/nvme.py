"""`nvme list -o json` and `nvme smart-log -o json`, of the old and the new form."""

from collections import namedtuple

from collectors.outputs import jsontext

# NVMe Base Specification, SMART / Health Information: data units are thousands of 512 bytes.
DATA_UNIT_BYTES = 512000

Drive = namedtuple("Drive", "model firmware bytes sector_bytes")
Drive.__doc__ = (
    "One namespace: model and firmware of its controller, size and LBA size in bytes; None where not printed."
)
Wear = namedtuple("Wear", "percentage_used written_bytes")


def drives(text):
    """{device name such as nvme0n1: Drive}; serial numbers are not kept. Raises ValueError for other texts."""
    listing = jsontext.document(text)
    devices = listing.get("Devices") if isinstance(listing, dict) else None
    if not isinstance(devices, list):
        raise ValueError("no list of devices")
    return {name: drive for device in devices if isinstance(device, dict) for name, drive in namespaces(device)}


def namespaces(device):
    """(name, Drive) of each namespace: one in the flat form, those of each controller in the nested form."""
    if "DevicePath" in device:
        path = device["DevicePath"]
        if isinstance(path, str):
            yield path.strip().rpartition("/")[2], drive_of(device, device)
    for subsystem in objects(device, "Subsystems"):
        controllers = objects(subsystem, "Controllers")
        holders = [(controller, controller) for controller in controllers]
        # With multipathing the namespaces belong to the subsystem; its controllers are paths to one drive.
        holders += [(controller, subsystem) for controller in controllers[:1]]
        for controller, holder in holders:
            for namespace in objects(holder, "Namespaces"):
                if isinstance(namespace.get("NameSpace"), str):
                    yield namespace["NameSpace"], drive_of(controller, namespace)


def objects(holder, key):
    entries = holder.get(key)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def drive_of(controller, namespace):
    return Drive(
        text_of(controller.get("ModelNumber")),
        text_of(controller.get("Firmware")),
        count_of(namespace.get("PhysicalSize")),
        count_of(namespace.get("SectorSize")),
    )


def wear(text):
    """The Wear of a drive. Raises ValueError for other texts."""
    log = jsontext.document(text)
    if not isinstance(log, dict):
        raise ValueError("no object")
    used = count_of(log.get("percent_used", log.get("percentage_used")))
    units = count_of(log.get("data_units_written"))
    if used is None and units is None:
        raise ValueError("neither percentage used nor data written")
    return Wear(used, None if units is None else units * DATA_UNIT_BYTES)


def text_of(value):
    return " ".join(value.split())[:120] or None if isinstance(value, str) else None


def count_of(value):
    if isinstance(value, str) and value.isdigit() and len(value) < 16:
        value = int(value)
    return value if type(value) is int and 0 <= value < 2**53 else None
