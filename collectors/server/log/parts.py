"""What has an address of its own and stands in a record by its digest: whether the registry shows it as recorded."""

from collections import namedtuple

from collectors.server.log.canonical_form import digest_of

Part = namedtuple("Part", "name path member")
Part.__doc__ = """A part of a record: its name there, its path below the result's, and the member of the answer."""

OF_RESULT = (
    Part("distributions", "distributions/", "results"),
    Part("files", "files/", "results"),
    Part("system", "system/", "document"),
)
"""The body of a list's definition is recorded, too; the API does not serve it."""


def recorded_parts(record):
    """(Part, digest or None) of each part that a record of a result has and the API serves."""
    logged = record.get("parts")
    if record.get("type") != "result" or not isinstance(logged, dict):
        return []
    return [(part, logged[part.name]) for part in OF_RESULT if part.name in logged]


def is_as_logged(digest, answer, part):
    """Whether an answer, None for none, is of the digest, None for none; None where that cannot be told."""
    if answer is None or digest is None:
        return answer is None and digest is None
    if not isinstance(answer, dict) or part.member not in answer or answer.get("next"):
        return None
    try:
        return digest_of(answer[part.member]) == digest
    except (ValueError, RecursionError):
        return False
