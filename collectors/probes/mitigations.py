"""What the kernel does against flaws of the processor."""

import re

from collectors.probe_results import Fact, Section
from collectors.probes import Probe
from collectors.probes.input_parsing import gap, read_as, word

VULNERABILITIES = "/sys/devices/system/cpu/vulnerabilities/*"
MAX_FLAWS = 100


class Mitigations(Probe):
    id = "cpu.mitigations"
    provides = ("cpu.mitigations",)
    reads = (VULNERABILITIES,)

    def read(self, door):
        return door.files(VULNERABILITIES, at_most=MAX_FLAWS)

    def parse(self, raw):
        states_by_flaw = {}
        for path, state_input in sorted(raw.items()):
            flaw = path.rpartition("/")[2]
            state = read_as(word, state_input).value
            if state and re.fullmatch(r"[a-z0-9_]{1,60}", flaw):
                states_by_flaw[flaw] = state
        for flaw, state in states_by_flaw.items():
            yield Fact("cpu.mitigations", state, "sysfs", flaw)
        yield (
            Section("os", {"mitigations": states_by_flaw}) if states_by_flaw else gap("cpu.mitigations", *raw.values())
        )


PROBES = (Mitigations(),)
