"""Probes: each reads one group of facts through the door, and parses what it read without touching anything.

A module of this package with PROBES, a tuple of instances, is found by looking at the package: adding one edits nothing
else. Modules without are parsers that several share.
"""

import abc
import importlib
import pkgutil

from collectors.probe_results import Missing

BAD_TEXT = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, OverflowError)


class Probe(abc.ABC):
    """One group of facts. A subclass says what it provides and reads, and has `applies`, `read` and `parse`."""

    id = ""
    # Ids of the parameter registry, all of them: what is neither found nor explained is told as missing.
    provides = ()
    roles = ("client", "oss", "mds")
    # "root" where some of it is told to root alone.
    privilege = "none"
    cost = "cheap"
    # Files and commands, as `list-probes` and the documentation show them.
    reads = ()
    # Rows for parameters that the registry does not have: those of the site's own probes.
    entries = {}

    def applies(self, door):
        """Whether this node has what the probe is about; files only, no commands."""
        return True

    @abc.abstractmethod
    def read(self, door):
        """Everything that `parse` needs, through the door: a dict of Inputs, or of dicts of Inputs."""

    @abc.abstractmethod
    def parse(self, raw):
        """Facts, Missings, Sections and Items from what was read. Pure; a ValueError says that the text is no good."""

    def complete_output(self, door):
        """Read and parse: what was found, and for each other id that the probe provides why it is missing."""
        if not self.applies(door):
            return self.missing_rest((), "not_applicable", "no such device or software here")
        pieces = []
        try:
            # What was said before the text went wrong stays.
            pieces.extend(self.parse(self.read(door)))
        except BAD_TEXT as error:
            return pieces + self.missing_rest(pieces, "parse_error", type(error).__name__)
        return pieces + self.missing_rest(pieces, "not_applicable", "not told on this node")

    def missing_rest(self, pieces, reason, detail):
        """A Missing for each id that the probe provides and no piece names."""
        reported_ids = {piece.id for piece in pieces if hasattr(piece, "id")}
        return [Missing(name, reason, detail) for name in self.provides if name not in reported_ids]


def all_probes():
    """Every probe, by the names of their modules."""
    names = sorted(name for _, name, _ in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(__name__ + "." + name) for name in names]
    return [probe for module in modules for probe in getattr(module, "PROBES", ())]
