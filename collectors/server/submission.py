"""From a result folder to a checked submission: send the bundle, wait for the worker, look it up again."""

import json
import re
import time

from collectors.errors import NetworkError, ServerRefusal, UsageError
from collectors.server import ids
from collectors.server.client import retry_after_s

UNFINISHED = ("received", "processing")
FIRST_POLL_S = 0.1
LONGEST_POLL_S = 5.0
MAX_METADATA_BYTES = 1024 * 1024


def read_metadata(path):
    """Return the metadata file as JSON text. Raises UsageError unless it holds one JSON object."""
    try:
        with open(path, encoding="utf-8-sig") as stream:
            text = stream.read(MAX_METADATA_BYTES + 1)
        if len(text) > MAX_METADATA_BYTES:
            raise ValueError("larger than 1 MiB")
        document = json.loads(text, parse_constant=refuse_constant)
    except OSError as error:
        raise UsageError("collector.metadata", f"{path} cannot be read: {error.strerror}.")
    except (ValueError, RecursionError) as error:
        raise UsageError("collector.metadata", f"{path} is not JSON: {error}.", "See --help for an example.")
    if not isinstance(document, dict):
        raise UsageError("collector.metadata", f"{path} is not a JSON object.", 'It begins with "{"; see --help.')
    return json.dumps(document, sort_keys=True)


def refuse_constant(name):
    """Raises ValueError for NaN and Infinity, which JSON does not have."""
    raise ValueError(name + " is not a JSON value")


def fields(release, lists, metadata):
    """The form fields of what was given, as (name, text) pairs; each list is a field `lists` of its own."""
    pairs = [("release", release)] if release else []
    pairs += [("lists", name) for name in lists]
    if metadata:
        pairs.append(("metadata", read_metadata(metadata)))
    return pairs


def send(server, bundle, form, progress):
    """Upload a bundle; return the document {id, state, url, sha256}.

    Raises NetworkError if the server acknowledges other bytes than were sent.
    """
    answer = server.post("submissions/", [("sha256", bundle.sha256)] + form, bundle)
    document = acknowledged(answer)
    if document.get("sha256", bundle.sha256) != bundle.sha256:
        raise NetworkError("collector.sha256", "The server acknowledged other bytes than were sent.", "Upload again.")
    outcome = "was there already" if answer.status == 200 else "received"
    progress.note(f"{outcome}: submission {document['id']}, sha256 {bundle.sha256}")
    if answer.status == 200 and form:
        progress.note("what was said beside these bytes the first time stands; change it on the submission's page")
    return document


def add(server, bundle, submission_id, progress):
    """Add a file to a submission, or put it in the place of the one of its name; return the document of `send`."""
    answer = server.post(submission_path(submission_id) + "files/", [("sha256", bundle.sha256)], bundle)
    document = acknowledged(answer)
    outcome = "was there already" if answer.status == 200 else "added"
    progress.note(f"{outcome}: {bundle.filename} in submission {document['id']}, sha256 {bundle.sha256}")
    return document


def acknowledged(answer):
    """What the server said of an upload; raises NetworkError where it names no submission."""
    document = answer.document
    if not isinstance(document, dict) or "id" not in document or "state" not in document:
        raise NetworkError("collector.not-the-api", "The server took the bundle but gave no id.", "Try `status`.")
    return document


def wait(server, submission, deadline, progress):
    """Poll a submission until it is checked; return its full document.

    Raises NetworkError `collector.still-processing` when the deadline comes first; the submission goes on.
    """
    poll_s, last_state = FIRST_POLL_S, None
    while True:
        answer = server.get(submission_path(submission["id"]))
        state = state_of(answer.document)
        if state != last_state:
            progress.note(f"state: {state}")
            last_state = state
        if state not in UNFINISHED:
            return answer.document
        pause_s = max(poll_s, retry_after_s(answer.headers) or 0)
        if pause_s >= deadline.remaining_s():
            raise still_processing(submission["id"], deadline.seconds)
        progress.update(f"state: {state}, {deadline.remaining_s():.0f} s left to wait")
        time.sleep(pause_s)
        poll_s = min(LONGEST_POLL_S, poll_s * 1.5)


def still_processing(submission_id, waited_s):
    return NetworkError(
        "collector.still-processing",
        f"Submission {submission_id} is not checked after {waited_s:g} s; the registry goes on with it.",
        f"Look again with `status {submission_id}`, or wait longer with --timeout.",
    )


def state_of(document):
    """Return a submission's state. Raises NetworkError where the answer has none."""
    if not isinstance(document, dict) or not isinstance(document.get("state"), str):
        raise NetworkError("collector.not-the-api", "The server told no state.", "Check HIGHWATER_URL.")
    return document["state"]


def load_submission(server, path):
    """The document of one submission. Raises NetworkError for an answer that is none."""
    return require_submission(server.get(path).document)


def change_submission(server, method, path, document):
    """The submission after a request that changes it. Raises NetworkError for an answer that is none."""
    return require_submission(server.write_document(method, path, document).document)


def move_submission(server, path, act, document, is_there):
    """Bring a submission into another state; return it, and whether this call did it.

    An answer that was lost is found in what the registry has: a conflict counts as done where `is_there(submission)`.
    Raises ServerRefusal for every other refusal, and NetworkError for an answer that is no submission.
    """
    try:
        return change_submission(server, "POST", path + act, document), True
    except ServerRefusal as error:
        stored = load_submission(server, path) if error.code == "state.conflict" else None
        if stored is None or not is_there(stored):
            raise
        return stored, False


def require_submission(document):
    state_of(document)
    return document


def load_object(server, path, query=None):
    """The JSON object at an API path. Raises NetworkError for an answer of another kind."""
    return require_object(server.get(path, query).document)


def require_object(document):
    """Raises NetworkError where the answer is no JSON object."""
    if not isinstance(document, dict):
        raise NetworkError("collector.not-the-api", "The server answered in another form.", "Check HIGHWATER_URL.")
    return document


def find_path(server, text):
    """The API path of the submission that an id, its beginning or a public id means.

    Raises UsageError for what cannot be an id, or means none or several.
    """
    submission_path(text)
    return submission_path(ids.find_submission(server, text))


def submission_path(submission_id):
    """The API path of one submission; raises UsageError for what cannot be an id."""
    if not re.match(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z", str(submission_id)):
        raise UsageError("collector.id", f"{submission_id} is not an id.", "`status` without an id lists them.")
    return f"submissions/{submission_id}/"
