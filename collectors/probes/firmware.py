"""What the machine is and what firmware it runs. Serial numbers, UUIDs and asset tags are never opened."""

import re

from collectors.outputs import dmidecode
from collectors.probe_results import Fact, Section
from collectors.probes import Probe
from collectors.probes.input_parsing import gap, read_as, word

DMI = "/sys/class/dmi/id/"
FIELDS = ("bios_vendor", "bios_version", "bios_date", "bios_release", "sys_vendor", "product_name")
CPUIDLE = "/sys/devices/system/cpu/cpuidle/"
FIRST_IDLE = "/sys/devices/system/cpu/cpu0/cpuidle/"
IOMMU = "/sys/class/iommu"
# Where a table of the firmware has what a file of sysfs has.
TABLE_FIELDS = {
    "bios_vendor": (0, "Vendor"),
    "bios_version": (0, "Version"),
    "bios_date": (0, "Release Date"),
    "sys_vendor": (1, "Manufacturer"),
    "product_name": (1, "Product Name"),
}
# What makers leave in a field that nobody filled.
PLACEHOLDERS = re.compile(r"to be filled|default string|system (?:manufacturer|product name)|o\.e\.m\.", re.IGNORECASE)


class Firmware(Probe):
    id = "firmware"
    provides = ("bios.version",)
    reads = tuple(DMI + name for name in FIELDS) + ("dmidecode -t bios -t system (where sysfs has neither)",)

    def read(self, door):
        raw = {name: door.file(DMI + name) for name in FIELDS}
        if raw["bios_version"].text is None and raw["sys_vendor"].text is None:
            raw["dmidecode"] = door.command(["dmidecode", "-t", "bios", "-t", "system"])
        return raw

    def parse(self, raw):
        tables = read_as(dmidecode.structures, raw["dmidecode"]) if "dmidecode" in raw else None
        source = "command" if tables and tables.value else "sysfs"
        values_by_name = {name: name_of(read_as(word, raw[name]).value) for name in FIELDS}
        for name, (kind, field) in TABLE_FIELDS.items():
            values_by_name[name] = values_by_name[name] or in_tables(tables.value if tables else None, kind, field)
        for key in ("version", "date", "vendor", "release"):
            if values_by_name["bios_" + key]:
                yield Fact("bios.version", values_by_name["bios_" + key], source, key)
        if not values_by_name["bios_version"]:
            yield gap("bios.version", read_as(word, raw["bios_version"]), *([tables] if tables else []))
        yield Section("hardware", {"vendor": values_by_name["sys_vendor"], "product": values_by_name["product_name"]})
        yield Section(
            "hardware/bios",
            {
                "vendor": values_by_name["bios_vendor"],
                "version": values_by_name["bios_version"],
                "date": values_by_name["bios_date"],
            },
        )


def in_tables(tables, kind, field):
    """A field of the first table of a kind, or None."""
    return next((name_of(table.fields.get(field)) for table in tables or () if table.kind == kind), None)


def name_of(text):
    """What the maker says, or None where he says nothing: empty, unknown, or a placeholder."""
    name = dmidecode.stated_value(text)
    return None if name is None or PLACEHOLDERS.search(name) else name


class PowerSettings(Probe):
    """What the running kernel shows of the BIOS settings; the rest is imported from the management controller."""

    id = "firmware.profile"
    provides = ("bios.profile",)
    reads = (CPUIDLE + "{current_driver,current_governor}", FIRST_IDLE + "*/{name,disable}", IOMMU)

    def read(self, door):
        return {
            "driver": door.file(CPUIDLE + "current_driver"),
            "governor": door.file(CPUIDLE + "current_governor"),
            "states": door.files(FIRST_IDLE + "*/name", at_most=64),
            "disabled": door.files(FIRST_IDLE + "*/disable", at_most=64),
            "iommus": door.names(IOMMU) if door.exists(IOMMU) else None,
        }

    def parse(self, raw):
        facts = []
        for key in ("driver", "governor"):
            reading = read_as(word, raw[key])
            if reading.reason is None and re.fullmatch(r"[a-z][a-z0-9_-]{0,40}", reading.value):
                facts.append(Fact("bios.profile", reading.value, "sysfs", "cpuidle_" + key))
        states = enabled_states(raw["states"], raw["disabled"])
        if states:
            facts.append(Fact("bios.profile", " ".join(states), "sysfs", "cpuidle_states"))
        if raw["iommus"] is not None:
            facts.append(Fact("bios.profile", bool(raw["iommus"]), "sysfs", "iommu_present"))
        yield from facts or [gap("bios.profile", raw["driver"])]


def enabled_states(names, disabled):
    """The idle states of the first processor that are in use, in the kernel's order."""
    states = []
    for path, state_input in sorted(names.items()):
        name = (state_input.text or "").strip()
        off = disabled.get(path.rpartition("/")[0] + "/disable")
        if re.fullmatch(r"[A-Za-z0-9_.+-]{1,16}", name) and (off is None or (off.text or "").strip() != "1"):
            states.append(name)
    return states


PROBES = (Firmware(), PowerSettings())
