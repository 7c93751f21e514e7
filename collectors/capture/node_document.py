"""One node, one document: every probe that applies reads and parses, and what it gives is put together."""

import time

from collectors.document import assemble as document_assemble
from collectors.document import parameters
from collectors.probe_results import Missing
from collectors.probes import BAD_TEXT, all_probes


def node_document(door, capture, redactor, tell=None, probes=None):
    """The document of this node (validators/schemas/system.1.json) with one node class of one node.

    `capture` is a document.Capture: when, in which phase, as which role; `redactor` what may leave the site; `tell`
    takes a line on how far it is.
    """
    started = time.monotonic()
    registry = parameters.registry()
    pieces = []
    for probe in all_probes() if probes is None else probes:
        if capture.role in probe.roles:
            if tell is not None:
                tell("reading " + probe.id)
            registry.update(probe.entries)
            pieces += complete_probe_output(probe, door)
    duration_s = time.monotonic() - started
    return document_assemble.assemble(pieces, capture, redactor, round(duration_s, 3), registry)


def complete_probe_output(probe, door):
    """What one probe says, completed: each id that it provides is there or missing."""
    if not probe.applies(door):
        return [Missing(name, "not_applicable", "no such device or software here") for name in probe.provides]
    pieces = []
    try:
        # What was said before the text went wrong stays.
        pieces.extend(probe.parse(probe.read(door)))
    except BAD_TEXT as error:
        return pieces + missing_result(probe, pieces, "parse_error", type(error).__name__)
    return pieces + missing_result(probe, pieces, "not_applicable", "not told on this node")


def missing_result(probe, pieces, reason, detail):
    reported_ids = {piece.id for piece in pieces if hasattr(piece, "id")}
    return [Missing(name, reason, detail) for name in probe.provides if name not in reported_ids]
