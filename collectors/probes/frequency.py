"""How fast the processors may run: governor, driver, boost, limits."""

import re
from collections import Counter

from collectors.outputs import cpupower
from collectors.probe_results import Fact, Section
from collectors.probes import Probe
from collectors.probes.input_parsing import Reading, first_read, gap, number, read_as, switch

CPU = "/sys/devices/system/cpu/"
GOVERNORS = CPU + "cpu*/cpufreq/scaling_governor"
FIRST = CPU + "cpu0/cpufreq/"
BOOST = CPU + "cpufreq/boost"
NO_TURBO = CPU + "intel_pstate/no_turbo"
CPUPOWER = ["cpupower", "-c", "all", "frequency-info"]
KHZ = 1000


class Frequency(Probe):
    id = "cpu.frequency"
    provides = ("cpu.governor", "cpu.boost", "cpu.max_freq")
    reads = (
        GOVERNORS,
        FIRST + "{scaling_driver,cpuinfo_max_freq,base_frequency}",
        BOOST,
        NO_TURBO,
        "cpupower -c all frequency-info (where sysfs has no governor)",
    )

    def read(self, door):
        raw = {
            "governors": door.files(GOVERNORS),
            "driver": door.file(FIRST + "scaling_driver"),
            "max": door.file(FIRST + "cpuinfo_max_freq"),
            "base": door.file(FIRST + "base_frequency"),
            "boost": door.file(BOOST),
            "no_turbo": door.file(NO_TURBO),
        }
        if not raw["governors"]:
            raw["cpupower"] = door.command(CPUPOWER)
        return raw

    def parse(self, raw):
        cpupower_reading = read_as(cpupower.frequencies, raw["cpupower"]) if "cpupower" in raw else None
        cpus = (cpupower_reading.value or []) if cpupower_reading else []
        unread = [cpupower_reading] if cpupower_reading else []
        governors = governors_of(raw["governors"], cpus)
        for governor in sorted(governors):
            yield Fact("cpu.governor", governor, "command" if cpus else "sysfs", "governor", governors[governor])
        if not governors:
            yield gap("cpu.governor", *raw["governors"].values(), *unread)
        driver = read_as(plain_name, raw["driver"]).value or (cpus[0].driver if cpus else None)
        if driver:
            yield Fact("cpu.governor", driver, "command" if cpus else "sysfs", "driver")
        boost = first_read(boosted(raw), of_first(cpus, "boost"))
        yield Fact("cpu.boost", boost.value, boost.source) if boost.reason is None else gap("cpu.boost", boost)
        fastest = first_read(read_as(frequency_khz, raw["max"]), of_first(cpus, "max_hz", KHZ))
        base = read_as(frequency_khz, raw["base"])
        for key, reading in (("max", fastest), ("base", base)):
            if reading.reason is None:
                yield Fact("cpu.max_freq", reading.value, reading.source, key)
        if fastest.reason is not None:
            yield gap("cpu.max_freq", fastest)
        yield Section(
            "hardware/cpu",
            {
                "governor": dict(governors),
                "boost": boost.value,
                "max_hz": fastest.value * KHZ if fastest.value else None,
                "base_hz": base.value * KHZ if base.value else None,
            },
        )


def governors_of(inputs_by_path, cpus):
    """How many processors each governor has."""
    governors = [read_as(plain_name, file_input).value for file_input in inputs_by_path.values()] + [
        cpu.governor for cpu in cpus
    ]
    return Counter(name for name in governors if name)


def boosted(raw):
    """The Reading of the boost switch, or of Intel's, which is the other way round."""
    turbo = read_as(switch, raw["no_turbo"])
    if turbo.reason is None:
        turbo = turbo._replace(value=not turbo.value)
    return first_read(read_as(switch, raw["boost"]), turbo)


def of_first(cpus, field, divisor=None):
    """What `cpupower` told of the first processor as a Reading; hertz divided where asked."""
    value = getattr(cpus[0], field) if cpus else None
    if value is None:
        return Reading(None, "not_applicable", "", "command")
    return Reading(value // divisor if divisor else value, None, "", "command")


def plain_name(text):
    """The name of a driver or governor. Raises ValueError for other texts."""
    name = text.strip()
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,40}", name):
        raise ValueError("not the name of a driver or governor")
    return name


def frequency_khz(text):
    """Kilohertz between 100 MHz and 20 GHz. Raises ValueError for other texts."""
    value = number(text)
    if not 100 * 10**3 <= value <= 20 * 10**6:
        raise ValueError("not the frequency of a processor")
    return value


PROBES = (Frequency(),)
