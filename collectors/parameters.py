"""The registry of parameters: what can be known of a node, and where it is read.

The file is the registry's own, carried along; from a checkout it is read where it is kept.
"""

import hashlib
import json
import pkgutil

FILE = "data/parameters.1.json"

_parsed = {}


def registry():
    """Every parameter by id, in the order of the file: {"kernel.version": {"id": ..., "unit": ..., ...}}."""
    return {parameter["id"]: parameter for parameter in document()["parameters"]}


def registry_sha256():
    """What names the registry that a document was made with."""
    return hashlib.sha256(content()).hexdigest()


def groups():
    """The titles of the groups by their names, in the order of the file."""
    return document()["groups"]


def document():
    if not _parsed:
        _parsed.update(json.loads(content().decode("utf-8")))
    return _parsed


def content():
    return pkgutil.get_data("collectors", FILE)
