"""Wear and rotation rate of drives, which only root may ask them for."""

from collectors.node.node_access import Input
from collectors.outputs import nvme, smartctl
from collectors.probe_results import Fact, Missing
from collectors.probes import Probe, block, drives

# The drives are asked one after the other, and each may take its time.
MAX_NVME = 32
MAX_SCSI = 32
NVME_LOG = ["nvme", "smart-log", "-o", "json"]
SMARTCTL = ["smartctl", "-i", "-A", "-j"]


class DriveHealth(Probe):
    """The first drive that gives no answer ends the asking: the others would not either."""

    id = "drive.health"
    provides = ("drive.wear", "drive.rpm")
    roles = ("oss", "mds")
    privilege = "root"
    cost = "moderate"
    reads = (" ".join(NVME_LOG) + " DEVICE", " ".join(SMARTCTL) + " DEVICE")

    def applies(self, door):
        return bool(nvme_drives(door) or scsi_drives(door))

    def read(self, door):
        raw = ask_drives(door, NVME_LOG, nvme_drives(door)[:MAX_NVME])
        raw.update(ask_drives(door, SMARTCTL, scsi_drives(door)[:MAX_SCSI]))
        return raw

    def parse(self, raw):
        facts = [
            fact for argv, answer in raw.items() if answer.text is not None for fact in health_facts(argv, answer.text)
        ]
        for fact in facts:
            yield fact
        fact_ids = {fact.id for fact in facts}
        for name in self.provides:
            if name not in fact_ids:
                yield gap(name, raw)


def nvme_drives(door):
    return [name for name in block.device_names(door) if drives.NVME.fullmatch(name)]


def scsi_drives(door):
    return [name for name in block.device_names(door) if name.startswith("sd")]


def ask_drives(door, argv, names):
    """{command line: Input} of each drive, up to the first without an answer."""
    raw = {}
    for name in names:
        line = argv + ["/dev/" + name]
        raw[" ".join(line)] = answer = recognise_refusal(door.command(line))
        if answer.text is None:
            break
    return raw


def recognise_refusal(answer):
    """The answer; with JSON asked for, both tools print in JSON that only root may ask."""
    if answer.text is not None and "permission denied" in answer.text.lower():
        return Input(None, "permission_denied", "only root may ask the drives", "command")
    return answer


def health_facts(argv, text):
    """Facts of one drive's answer; one that is no such answer gives none."""
    try:
        if argv.startswith("nvme"):
            wear = nvme.wear(text)
            return wear_facts(wear.percentage_used, wear.written_bytes)
        health = smartctl.health(text)
    except ValueError:
        return []
    rpm = [Fact("drive.rpm", health.rpm, "command")] if health.rpm else []
    return rpm + wear_facts(health.percentage_used, None)


def wear_facts(percentage_used, written_bytes):
    values = (("percentage_used", percentage_used), ("written_bytes", written_bytes))
    return [Fact("drive.wear", value, "command", key) for key, value in values if value is not None]


def gap(name, raw):
    """Rotation rates come from smartctl alone; a node that has but NVMe drives has none."""
    answers = [answer for argv, answer in raw.items() if name == "drive.wear" or argv.startswith("smartctl")]
    if not answers:
        return Missing(name, "not_applicable", "no drive of that kind")
    unanswered = [answer for answer in answers if answer.reason]
    if unanswered:
        return Missing(name, unanswered[0].reason, unanswered[0].detail)
    return Missing(name, "not_applicable" if name == "drive.rpm" else "parse_error", "not told by the drives")


PROBES = (DriveHealth(),)
