"""From an Input to a value, or to the reason why there is none."""

from collections import namedtuple

from collectors.probe_results import Missing

# Of several places that gave nothing, the first of these reasons says most about what to do.
REASONS_BY_WEIGHT = (
    "permission_denied",
    "timeout",
    "output_limit",
    "parse_error",
    "redacted",
    "disabled",
    "unsupported_version",
    "not_applicable",
    "not_installed",
)
DETAIL_CHARACTERS = 120

Reading = namedtuple("Reading", "value reason detail source")
Reading.__doc__ = "What a reader made of an Input: `value`, or None with `reason` and `detail`."


def read_as(reader, probe_input):
    """The Reading of one Input by a function that raises ValueError for text that is not of its form."""
    if probe_input.text is None:
        return Reading(None, probe_input.reason, probe_input.detail, probe_input.source)
    try:
        return Reading(reader(probe_input.text), None, "", probe_input.source)
    except ValueError as error:
        return Reading(None, "parse_error", str(error)[:DETAIL_CHARACTERS], probe_input.source)


def first_read(*readings):
    """The first Reading with a value, else the one with the most telling reason."""
    for reading in readings:
        if reading.reason is None:
            return reading
    return min(readings, key=lambda reading: REASONS_BY_WEIGHT.index(reading.reason))


def gap(parameter, *sources, key=None):
    """The Missing of a parameter for which none of these Inputs or Readings has a value."""
    reasons = [source for source in sources if source.reason is not None]
    if not reasons:
        return Missing(parameter, "not_applicable", "", key)
    worst = min(reasons, key=lambda reason: REASONS_BY_WEIGHT.index(reason.reason))
    return Missing(parameter, worst.reason, worst.detail[:DETAIL_CHARACTERS], key)


def number(text):
    """A whole number as the kernel prints it. Raises ValueError, also for one that no document can hold."""
    value = int(text.strip() if len(text) < 40 else "too long")
    if abs(value) >= 2**63:
        raise ValueError("a number beyond 64 bit")
    return value


def switch(text):
    """A kernel's switch as a boolean: 0 or 1, N or Y. Raises ValueError for other texts."""
    word = text.strip()
    if word not in ("0", "1", "N", "Y"):
        raise ValueError("neither on nor off")
    return word in ("1", "Y")


def word(text):
    """One short line of printable text. Raises ValueError for other texts."""
    line = text.strip()
    if not line or "\n" in line or len(line) > DETAIL_CHARACTERS or "\ufffd" in line:
        raise ValueError("not one short line of text")
    return line
