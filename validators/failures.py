"""When a reader of our own raises on a file: a finding of that file, and a traceback for whoever operates.

Readers must take any bytes. Where one does not, the submitter learns which file it was, instead of three attempts and
an apology, and the rest of the bundle is still read.
"""

from __future__ import annotations

import csv
import logging
import struct
import zlib

from validators.findings import ERROR, Finding

log = logging.getLogger(__name__)

CODE = "bundle.reader-failed"
READER_ERRORS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    *(csv.Error, struct.error, zlib.error),
)
"""What wrong code raises. Not among them: what the machine is to blame for, and the end of the time for a check."""


def reader_failed(what: str, path: str = "") -> Finding:
    """The finding for the exception that is being handled, which is logged; `what` names the reader."""
    log.exception("The reader of %s failed on %r", what, path)
    message = f"Our reader of {what} failed on what it met here; nothing that it read counts."
    hint = "The fault is ours. Tell the editors; without this file, the rest can be uploaded."
    return Finding(CODE, ERROR, message, hint, path)
