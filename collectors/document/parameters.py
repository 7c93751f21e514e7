"""The registry of parameters, their defaults, and the schema of the document that is made of them.

The files are the registry's own, carried along: in a checkout they are links to where they are kept.
"""

import hashlib
import json
import pkgutil

REGISTRY = "data/parameters.1.json"
LUSTRE_DEFAULTS = "data/lustre-defaults.1.json"
SCHEMA = "data/system.1.json"

_parsed = {}


def registry():
    """Every parameter by id, in the order of the file: {"kernel.version": {"id": ..., "unit": ..., ...}}."""
    return {parameter["id"]: parameter for parameter in document()["parameters"]}


def registry_sha256():
    """What names the registry that a document was made with."""
    return hashlib.sha256(read_resource(REGISTRY)).hexdigest()


def groups():
    """The titles of the groups by their names, in the order of the file."""
    return document()["groups"]


def lustre_defaults(parameter_id):
    """[{"first": release, "last": release, "value": ..., "words": ...}] of a parameter; [] where none is known."""
    table = load_json(LUSTRE_DEFAULTS)
    entries = table["parameters"].get(parameter_id, {"defaults": []})["defaults"]
    return [dict(entry, last=entry.get("last", table["releases"][-1])) for entry in entries]


def document():
    return load_json(REGISTRY)


def document_schema():
    """The JSON Schema of the system document."""
    return load_json(SCHEMA)


def load_json(file):
    if file not in _parsed:
        _parsed[file] = json.loads(read_resource(file).decode("utf-8"))
    return _parsed[file]


def read_resource(file):
    return pkgutil.get_data("collectors", file)
