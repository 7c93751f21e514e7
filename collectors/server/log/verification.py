"""What a proof proves, statement by statement, against a remembered log and the files of the log as it is now."""

import time
from collections import namedtuple

from collectors.server.log import history, memory, merkle, proof, record_times, shown, signed_note, tiles

MOST_FOLLOWED = 200
"""Earlier records that are read of one thing."""
MOST_NAMED = 10
"""Names of one record that a sentence has."""
PROVEN, ASSUMED, REFUTED, UNKNOWN = "proven", "assumed", "refuted", "unknown"

Statement = namedtuple("Statement", "name outcome text")
Statement.__doc__ = "One thing that was looked at: `proven`, `assumed` on first use, `refuted`, or `unknown`."


class LogFiles:
    """The log as it is served now: `fetch(path, limit_bytes)` gives a file below its address, or None."""

    def __init__(self, fetch):
        self.fetch = fetch

    def read_checkpoint(self):
        """The newest Checkpoint, or None where the log has none. Raises NoteError for what is no checkpoint."""
        content = self.fetch("checkpoint", signed_note.MAX_NOTE_BYTES)
        if content is None:
            return None
        try:
            return signed_note.read_checkpoint(content.decode("utf-8"))
        except UnicodeDecodeError:
            raise signed_note.NoteError("The checkpoint is not a text.")

    def are_of_one_log(self, points):
        """The first two of checkpoints, the smallest first, of which one does not begin with the other; else None.

        Raises TileError where files of the log lack or are damaged.
        """
        reader = tiles.TileReader(points[-1].size, self.fetch)
        for old, new in zip(points, points[1:]):
            hashes = merkle.consistency_proof(old.size, new.size, reader.read_node)
            if not merkle.is_consistent(old.size, old.root, new.size, new.root, hashes):
                return old, new
        return None


class Verification:
    """Holds one proof, or none, against what is known of its log; `statements` grow, `memory` is what to remember.

    `remembered` is the Memory of the log or None, `key` a verifier key and `brought` a Checkpoint of the user, or
    None, `log` LogFiles or None without a network, `today` a day as text, `address` where the log lies.
    """

    def __init__(self, remembered, key, brought, log, today, address):
        self.remembered, self.key, self.brought = remembered, key, brought
        self.log, self.today, self.address = log, today, address
        self.signed_with = self.signed_s = None
        self.statements = []
        self.memory = remembered

    def add_statement(self, name, outcome, text):
        self.statements.append(Statement(name, outcome, text))
        return outcome in (PROVEN, ASSUMED)

    def worst_outcome(self):
        """The worst outcome: one refuted thing refutes all, one unknown thing leaves all unknown."""
        outcomes = [statement.outcome for statement in self.statements]
        return next((outcome for outcome in (REFUTED, UNKNOWN) if outcome in outcomes), PROVEN)

    def judge_proof(self, inclusion):
        """Look at all that a Proof says. What follows from something refuted is not looked at."""
        if not proof.is_made_of_record(inclusion):
            self.add_statement(
                "record", REFUTED, "The record is not the one that its digest, salt and leaf are made of."
            )
            return
        self.add_statement("record", PROVEN, "The record has the SHA-256 %s." % inclusion.digest.hex())
        if inclusion.index is None or inclusion.checkpoint is None:
            self.add_statement(
                "inclusion", UNKNOWN, "It waits to be appended to the log, at most a few minutes. Try again then."
            )
            return
        if self.is_signed(inclusion.checkpoint, inclusion.key) and self.is_included(inclusion):
            self.check_known_log(inclusion.checkpoint)
            self.check_time(inclusion)

    def is_signed(self, checkpoint, offered):
        """Whether a key that is known, or on first use the offered one, signed a checkpoint."""
        if self.remembered is not None and checkpoint.origin != self.remembered.origin:
            text = "The log calls itself %s; the one that is remembered of this address is %s."
            return self.add_statement("signature", REFUTED, text % (checkpoint.origin, self.remembered.origin))
        for key in self.trusted_keys(offered):
            if key.name == checkpoint.origin and signed_note.is_signed_by(checkpoint.text, key):
                return self.accept_signature(checkpoint, key)
        if self.log is None and self.remembered is None and self.key is None:
            text = "No key of %s is remembered here. Verify once with a network, or give its key with --key."
            return self.add_statement("signature", UNKNOWN, text % checkpoint.origin)
        hint = "" if self.key is not None else " If it was replaced and you know the new one, give it with --key."
        return self.add_statement(
            "signature", REFUTED, "No key that is known of this log signed the checkpoint." + hint
        )

    def accept_signature(self, checkpoint, key):
        """Say what the key signed, and when by its own word; a time that it did not sign refutes the checkpoint."""
        try:
            seconds = signed_note.read_signed_time(checkpoint.text, key)
        except signed_note.NoteError as error:
            return self.add_statement("signature", REFUTED, str(error))
        self.signed_with, self.signed_s = key, seconds
        moment = "then" if seconds is None else time.strftime("at %Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
        text = "%s signed that its log had %d leaves %s. Key: %s."
        return self.add_statement("signature", PROVEN, text % (checkpoint.origin, checkpoint.size, moment, key.text))

    def trusted_keys(self, offered):
        brought = [self.key] if self.key is not None else []
        stored = [signed_note.read_key(text) for text in self.remembered.keys] if self.remembered is not None else []
        return brought + stored or ([offered] if offered is not None and self.log is not None else [])

    def is_included(self, inclusion):
        """Whether the leaf is in the tree of the proof's checkpoint."""
        if inclusion.size != inclusion.checkpoint.size or proof.implied_root(inclusion) != inclusion.checkpoint.root:
            return self.add_statement(
                "inclusion", REFUTED, "The checkpoint's log does not have this record where it is said."
            )
        text = "It is leaf %d of the %d that this checkpoint is of."
        return self.add_statement("inclusion", PROVEN, text % (inclusion.index, inclusion.size))

    def check_known_log(self, checkpoint):
        """Hold a signed checkpoint against the remembered ones, and both against the newest that is served."""
        try:
            if self.log is None:
                self.check_offline(checkpoint)
            else:
                self.check_one_log(checkpoint)
        except (tiles.TileError, signed_note.NoteError) as error:
            self.add_statement("consistency", UNKNOWN, "The log's files do not tell: %s" % error)

    def check_one_log(self, checkpoint):
        """Say whether all checkpoints are of one log, and remember the newest. Raises TileError or NoteError."""
        served = self.log.read_checkpoint()
        if served is None:
            self.add_statement("consistency", UNKNOWN, "The log serves no checkpoint.")
            return
        if not self.is_signed_by_known(served):
            return
        if self.brought is not None and not self.is_signed_by_known(self.brought):
            return
        earlier = [point for point in (self.last_remembered(), self.brought) if point is not None]
        if earlier and max(served.size, checkpoint.size) < max(point.size for point in earlier):
            text = "The log has %d leaves now, and had %d: some were taken back."
            self.add_statement("consistency", REFUTED, text % (served.size, max(point.size for point in earlier)))
            return
        points = sorted(earlier + [checkpoint, served], key=lambda point: point.size)
        fork = self.log.are_of_one_log(points)
        if fork is None:
            self.remember_all(points, earlier)
        else:
            text = "The log of %d leaves does not begin with the one of %d that was signed, too: it has two pasts."
            self.add_statement("consistency", REFUTED, text % (fork[1].size, fork[0].size))

    def check_offline(self, checkpoint):
        """Without the log's files, only the same size can be compared."""
        roots = dict(self.remembered.held if self.remembered else ())
        if self.brought is not None and self.is_signed_by_known(self.brought):
            roots[self.brought.size] = self.brought.root
        root = roots.get(checkpoint.size)
        if root is None:
            text = "No checkpoint of %d leaves of %s is remembered here. --log URL or --log DIR reads the log."
            self.add_statement("consistency", UNKNOWN, text % (checkpoint.size, checkpoint.origin))
        elif root != checkpoint.root:
            text = "The remembered log had another root at %d leaves: it has two pasts."
            self.add_statement("consistency", REFUTED, text % checkpoint.size)
        else:
            self.add_statement("consistency", PROVEN, "Its checkpoint is the one that was kept.")

    def is_signed_by_known(self, point):
        """Whether another checkpoint is of the same log, and signed by a key that is known of it."""
        for key in self.trusted_keys(None) + [self.signed_with]:
            if point.origin == self.signed_with.name == key.name and signed_note.is_signed_by(point.text, key):
                return True
        text = "The checkpoint of %d leaves is not signed by a key that is known of this log."
        return self.add_statement("signature", REFUTED, text % point.size)

    def check_time(self, inclusion):
        """Say where a record cannot be of the time that it says, by the signed times of checkpoints."""
        recorded = record_times.read_moment(inclusion.record.get("recorded_at"))
        if recorded is None or self.worst_outcome() == REFUTED:
            return
        earlier = [point for point in (self.last_remembered(), self.brought) if point is not None]
        try:
            times = [self.signed_time(point) for point in earlier if point.size <= inclusion.index]
        except signed_note.NoteError as error:
            self.add_statement("time", REFUTED, "A checkpoint that was kept: %s" % error)
            return
        before = max((seconds for seconds in times if seconds is not None), default=None)
        wrong = record_times.misplaced_text(recorded, before, self.signed_s)
        if wrong:
            self.add_statement("time", REFUTED, wrong)

    def signed_time(self, point):
        """When a key that is known of this log signed a checkpoint, None where that is not in it. Raises NoteError."""
        for key in self.trusted_keys(None) + [self.signed_with]:
            seconds = signed_note.read_signed_time(point.text, key)
            if seconds is not None:
                return seconds
        return None

    def last_remembered(self):
        return None if self.remembered is None else signed_note.read_checkpoint(self.remembered.checkpoint)

    def remember_all(self, points, earlier):
        """Say that all is one log, and keep its checkpoints."""
        newest = points[-1]
        if earlier:
            text = "The log of %d leaves begins with the %s that were remembered."
            sizes = " and the ".join(sorted({str(point.size) for point in earlier}))
            self.add_statement("consistency", PROVEN, text % (newest.size, sizes))
        else:
            text = "Trusted on first use: no earlier checkpoint of %s is remembered here; from now on %d leaves are."
            self.add_statement("consistency", ASSUMED, text % (newest.origin, newest.size))
        if self.remembered is None:
            self.memory = memory.begin_memory(points[0], self.signed_with, self.address, self.today)
        for point in points:
            self.memory = memory.extend_memory(self.memory, point, self.signed_with)

    def judge_history(self, inclusion, document, fetch):
        """Follow a proven record to all before it, and hold them against those that the registry lists.

        `fetch(leaf)` asks for the document of an earlier record, None where there is none. Without it only the record
        itself is held against the list in its document.
        """
        if self.signed_with is None or self.worst_outcome() == REFUTED:
            return
        try:
            rows = history.read_rows(document)
            self.follow_records(inclusion, rows, fetch)
        except (history.HistoryError, proof.ProofError) as error:
            self.add_statement("history", REFUTED, "Records of the same thing: %s" % error)
        except (tiles.TileError, signed_note.NoteError) as error:
            self.add_statement("history", UNKNOWN, "The log's files do not tell: %s" % error)

    def follow_records(self, inclusion, rows, fetch):
        """Go from record to record. Raises HistoryError and ProofError where one does not fit, TileError, NoteError."""
        if rows is None:
            if inclusion.record.get("previous") is not None:
                self.add_statement("history", UNKNOWN, "It follows an earlier record, and none is listed.")
            return
        newest = next((row.leaf for row in rows if not row.is_erased), None)
        if fetch is not None and newest != inclusion.leaf.hex():
            raise history.HistoryError("a newer one is listed, and not shown.")
        current, points = inclusion, {(inclusion.checkpoint.size, inclusion.checkpoint.root): inclusion.checkpoint}
        for count in range(MOST_FOLLOWED + 1):
            wrong = history.break_of(current.record, current.leaf.hex(), rows)
            if wrong is not None:
                raise history.HistoryError("of %s: %s." % (history.name_of(current.leaf.hex()), wrong))
            previous = current.record.get("previous")
            if previous is None or fetch is None:
                break
            if count == MOST_FOLLOWED:
                text = "Only the %d records before it were read; there are more."
                self.add_statement("history", UNKNOWN, text % MOST_FOLLOWED)
                return
            later, current = current, self.read_earlier(previous, inclusion, fetch)
            undue = history.undue_changes(current.record, later.record)
            if undue:
                text = "%s says %s, and changes what that never does: %s."
                name = history.name_of(later.leaf.hex())
                raise history.HistoryError(text % (name, later.record["act"], ", ".join(undue[:MOST_NAMED])))
            points[(current.checkpoint.size, current.checkpoint.root)] = current.checkpoint
        fork = None
        if len(points) > 1:
            fork = self.log.are_of_one_log(sorted(points.values(), key=lambda point: point.size))
        if fork is not None:
            raise history.HistoryError("their checkpoints are of two logs.")
        if fetch is None:
            text = "It follows %s, as the registry listed." % history.name_of(inclusion.record.get("previous"))
        else:
            text = "All %d records before it are in the log, each where the next one names it." % count
        self.add_statement("history", PROVEN, text)

    def read_earlier(self, leaf, inclusion, fetch):
        """The Proof of an earlier record, held against the log. Raises HistoryError where it does not fit."""
        document = fetch(leaf)
        name = history.name_of(leaf)
        if document is None:
            raise history.HistoryError("%s is listed, and not shown." % name)
        earlier = proof.read_proof(document)
        is_of_leaf = proof.is_made_of_record(earlier) and earlier.leaf.hex() == leaf
        if not is_of_leaf or shown.subject_of(earlier.record) != shown.subject_of(inclusion.record):
            raise history.HistoryError("what is shown as %s is something else." % name)
        point = earlier.checkpoint
        if earlier.index is None or point is None or earlier.size != point.size:
            raise history.HistoryError("%s has no place in the log." % name)
        if proof.implied_root(earlier) != point.root:
            raise history.HistoryError("%s is not in the log where it is said." % name)
        same = (inclusion.checkpoint.size, inclusion.checkpoint.root) == (point.size, point.root)
        if not same and not self.is_signed_by_known(point):
            raise history.HistoryError("the checkpoint of %s is not signed." % name)
        return earlier
