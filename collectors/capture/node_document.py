"""One node, one document: every probe that applies reads and parses, and what it gives is put together."""

import time

from collectors.document import assemble as document_assemble
from collectors.document import parameters
from collectors.probes import all_probes


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
            pieces += probe.complete_output(door)
    duration_s = time.monotonic() - started
    return document_assemble.assemble(pieces, capture, redactor, round(duration_s, 3), registry)
