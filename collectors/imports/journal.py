"""What of an import the registry has: kept after each bundle, so that the same command goes on where it ended."""

import hashlib
import json
import os

from collectors.errors import UsageError
from collectors.files import TooLarge, read_at_most, unwritable_file, write_whole

FOLDER = "~/.local/state"
MAX_BYTES = 64 * 1024 * 1024


class Journal:
    """Ids of submissions by the digest of each unit that they hold; one file for a registry and a place."""

    def __init__(self, path, sent):
        self.path = path
        self.sent = sent

    def require_writable(self):
        """Make sure that what is sent can be noted. Raises UsageError where the file cannot be written."""
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            self._replace_file()
        except (OSError, UsageError) as error:
            raise unwritable_file(
                "collector.import.journal",
                "%s, the record of what is sent," % self.path,
                error,
                "Let XDG_STATE_HOME name a folder that you can write to, or make room. Nothing was sent.",
            )

    def note_sent(self, units, submission_id):
        """Keep that these units are in a submission. Raises UsageError where the file cannot be written any more."""
        self.sent.update({unit.digest: str(submission_id) for unit in units})
        self._replace_file()

    def _replace_file(self):
        write_whole(self.path, json.dumps({"sent": self.sent}, sort_keys=True) + "\n")

    def forget(self, submission_ids):
        """Take what these submissions hold out of the record; the file changes with the next bundle."""
        ids = set(submission_ids)
        self.sent = {digest: stored_id for digest, stored_id in self.sent.items() if stored_id not in ids}


def open_journal(environ, registry, place, trial):
    """The Journal for a place that is imported to a registry. Raises UsageError for a file that is damaged."""
    key = "%s\n%s\n%s" % (registry, os.path.realpath(place), "trial" if trial else "")
    name = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:24]
    folder = environ.get("XDG_STATE_HOME", "")
    folder = folder if os.path.isabs(folder) else os.path.expanduser(FOLDER)
    path = os.path.join(folder, "highwater", "import-%s.json" % name)
    try:
        sent = json.loads(read_at_most(path, MAX_BYTES).decode("utf-8"))["sent"]
        if not isinstance(sent, dict):
            raise ValueError("no object")
    except (FileNotFoundError, NotADirectoryError):
        sent = {}
    except (OSError, TooLarge, ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(
            "collector.import.journal",
            "%s, the record of what was imported, cannot be read." % path,
            "Remove it: what the registry has under the same bytes is found again.",
        )
    return Journal(path, sent)
