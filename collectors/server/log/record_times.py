"""Whether a record can be of the moment that it says, by the signed times of checkpoints with it and without it."""

import calendar
import time

LATE_S = 3600
"""So long a record may wait for its checkpoint, or a clock be wrong."""


def read_moment(text):
    """Seconds since 1970 of an RFC 3339 moment in UTC, to the second; None for anything else."""
    try:
        return calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) if text.endswith("Z") else None
    except (ValueError, TypeError, AttributeError):
        return None


def print_moment(seconds):
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


def misplaced_text(recorded, before, after):
    """Why a record cannot have been made then; "" where it can.

    All are seconds since 1970: `recorded` by its own word, `before` of a checkpoint without it, `after` of one with it;
    None where there is none. A checkpoint without it that is later than one with it tells of a clock that was set back.
    """
    if before is not None and after is not None and before > after:
        before = None
    text = "It says that it was recorded on %s, and the checkpoint of %s %s."
    if before is not None and recorded < before - LATE_S:
        return text % (print_moment(recorded), print_moment(before), "does not have it")
    if after is not None and recorded > after + LATE_S:
        return text % (print_moment(recorded), print_moment(after), "has it already")
    return ""
