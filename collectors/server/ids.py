"""What stands for a submission or a result on the command line: an id, its beginning, or a public id."""

import re

from collectors.errors import NetworkError, ServerRefusal, UsageError

# As the registry counts them: fewer digits would mean too many.
BEGINNING = re.compile(r"[0-9A-Fa-f-]{4,36}\Z")
DIGITS = re.compile(r"[0-9A-Fa-f]+\Z")
FULL_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
PUBLIC = re.compile(r"[A-Za-z0-9_.]{1,40}(?:-[A-Za-z0-9_.]{1,40}){1,6}\Z")
SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,199}\Z")
MOST_SHOWN = 10
ID_FORMS = "Give an id, at least its first 4 digits, or a result such as hw-1. `status` lists your submissions."


def is_beginning(text):
    """Whether a text can be the beginning of a submission's id; a public id never is."""
    return bool(BEGINNING.match(text)) and not text.startswith("-")


def is_public(text):
    return bool(PUBLIC.match(text)) and not is_beginning(text)


def is_of_run(text):
    """Whether a text is the whole id of a run of an upload of many: a UUID made of a name, which no submission has."""
    return bool(FULL_ID.match(text)) and text[14] == "5"


def is_slug(text):
    """Whether a text can be the name of a system in an address."""
    return bool(SLUG.match(text))


def find_submission(server, text):
    """The whole id of the submission that is meant; asks the registry for the beginning of one and for a public id.

    Raises UsageError where none or several are meant.
    """
    if FULL_ID.match(text):
        return text.lower()
    if not is_beginning(text) and not is_public(text):
        if DIGITS.match(text):
            return text
        raise UsageError("collector.id", f"{text} is no id of a submission or result.", ID_FORMS)
    kind = "id" if is_beginning(text) else "result"
    candidates = listed_rows(server, {kind: text, "page_size": MOST_SHOWN + 1})
    if not candidates:
        raise UsageError(
            "collector.id", f"No submission that you may see has the id {text}.", "`list` shows those that you may see."
        )
    if len(candidates) > 1:
        raise ambiguous_id(text, candidates)
    return candidates[0]["id"]


def find_shelved(server, text, missing):
    """The id of the one run on the shelf that is meant: runs of an upload of many have ids of their own.

    Raises UsageError where several are meant; where there is none what was `missing`, with words for both places.
    """
    is_unknown = missing.code == "collector.id" or getattr(missing, "http_status", 0) == 404
    if not is_unknown or not is_beginning(text):
        raise missing
    try:
        candidates = listed_rows(server, {"id": text, "page_size": MOST_SHOWN + 1}, "shelf/")
    except ServerRefusal:  # an earlier registry has no ids of runs
        raise missing
    if len(candidates) > 1:
        raise ambiguous_id(text, candidates)
    if not candidates:
        raise unknown_id(text, missing)
    return candidates[0]["id"]


def unknown_id(text, missing):
    """What was `missing`, in a sentence that names the id and both places where none of it is."""
    message = f"No submission and no run on a shelf that you may see has the id {text}."
    hint = "`list` shows your submissions, `list --scope own` the runs of your shelf."
    if isinstance(missing, ServerRefusal):
        return ServerRefusal(missing.code, message, hint, missing.http_status)
    return UsageError(missing.code, message, hint)


def ambiguous_id(text, candidates):
    """The UsageError that lists what a beginning may mean, the newest first."""
    lines = ["{} ({}, {})".format(row["id"], row.get("state"), row.get("name")) for row in candidates[:MOST_SHOWN]]
    more = ", and more" if len(candidates) > MOST_SHOWN else ""
    return UsageError(
        "collector.ambiguous", f"{text} begins several ids: " + ", ".join(lines) + more, "Give more of its digits."
    )


def listed_rows(server, query, address="submissions/"):
    """The submissions or shelved runs on one page. Raises NetworkError for an answer without them."""
    document = server.get(address, query).document
    candidates = document.get("results") if isinstance(document, dict) else None
    if not isinstance(candidates, list) or not all(
        isinstance(row, dict) and is_id(row.get("id")) for row in candidates
    ):
        raise NetworkError("collector.not-the-api", "The server listed no submissions.", "Check HIGHWATER_URL.")
    return candidates


def is_id(value):
    """Whether what a server calls an id is one: it becomes part of the next request."""
    return isinstance(value, str) and bool(FULL_ID.match(value))
