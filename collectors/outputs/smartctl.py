"""`smartctl -i -A -j DEVICE`: rotation rate and wear of a drive."""

from collections import namedtuple

from collectors.outputs import jsontext

Health = namedtuple("Health", "rpm percentage_used")
Health.__doc__ = (
    "Rotations per minute (0: it has no disk) and how much of its life a flash drive has used, in percent; or None."
)


def health(text):
    """The Health of a drive. Raises ValueError where the text is not of the JSON form."""
    report = jsontext.document(text)
    if not isinstance(report, dict) or "smartctl" not in report:
        raise ValueError("not a report of smartctl")
    return Health(count_of(report.get("rotation_rate")), percentage_used(report))


def percentage_used(report):
    """ATA, SCSI and NVMe drives each have a place of their own for it."""
    ata = report.get("endurance_used")
    nvme = report.get("nvme_smart_health_information_log")
    places = (
        ata.get("current_percent") if isinstance(ata, dict) else None,
        report.get("scsi_percentage_used_endurance_indicator"),
        nvme.get("percentage_used") if isinstance(nvme, dict) else None,
    )
    return next((count for count in map(count_of, places) if count is not None), None)


def count_of(value):
    return value if type(value) is int and 0 <= value < 2**31 else None
