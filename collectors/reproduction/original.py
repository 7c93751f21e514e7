"""What is kept of a result beside the job that repeats it, so that the comparison asks nobody."""

import json
import os

from collectors.document import schema
from collectors.errors import ServerRefusal, UsageError
from collectors.files import write_whole
from collectors.report import list_of_dicts
from collectors.server import submission

FILE = "original.json"
SCHEMA = "original.1"
MOST_BYTES = 64 * 1024 * 1024


def load_original(server, public_id, recipe):
    """The document of a result as the registry tells it: recipe, numbers, described system (or None)."""
    system = load_or_none(server, "results/%s/system/" % public_id)
    distributions = submission.load_object(server, "results/%s/distributions/" % public_id)
    return {
        "schema": SCHEMA,
        "result": public_id,
        "recipe": recipe,
        "record": submission.load_object(server, "results/%s/" % public_id),
        "distributions": list_of_dicts(distributions, "results"),
        "system": described_system(system and system.get("document")),
    }


def load_or_none(server, path):
    """The JSON object at an API path; None where the registry says that there is none."""
    try:
        return submission.load_object(server, path)
    except ServerRefusal as error:
        if error.http_status != 404:
            raise
        return None


def described_system(document):
    """A system document that fits its schema, else None: what cannot be read is not known."""
    if not isinstance(document, dict) or any(True for _ in schema.errors(document, at_most=1)):
        return None
    return document


def write_original(folder, original):
    write_whole(os.path.join(folder, FILE), json.dumps(original, indent=1) + "\n")


def read_original(folder):
    """The document beside the job of `reproduce`. Raises UsageError where there is none, or it has another form."""
    path = os.path.join(folder, FILE)
    try:
        if os.path.getsize(path) > MOST_BYTES:
            raise ValueError("larger than 64 MiB")
        with open(path, encoding="utf-8") as stream:
            original = json.load(stream)
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(
            "collector.agree.original", "%s cannot be read: %s." % (path, error), "Give the folder of `reproduce`."
        )
    is_known = isinstance(original, dict) and original.get("schema") == SCHEMA
    if not is_known or not isinstance(original.get("record"), dict):
        raise UsageError("collector.agree.original", "%s has a form that is not known." % path, "Update this file.")
    original["system"] = described_system(original.get("system"))
    return original
