"""Probes: each reads one group of facts through the door, and parses what it read without touching anything.

A module of this package has PROBES, a tuple of instances; ALL_MODULES names the modules in the order of the document.
"""

import importlib

ALL_MODULES = ()

BAD_TEXT = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, OverflowError)


class Probe:
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

    def applies(self, door):
        """Whether this node has what the probe is about; files only, no commands."""
        return True

    def read(self, door):
        """Everything that `parse` needs, through the door: a dict of Inputs, or of dicts of Inputs."""
        raise NotImplementedError

    def parse(self, raw):
        """Facts, Missings, Sections and Items from what was read. Pure; a ValueError says that the text is no good."""
        raise NotImplementedError


def all_probes():
    modules = [importlib.import_module("collectors.probes." + name) for name in ALL_MODULES]
    return [probe for module in modules for probe in module.PROBES]
