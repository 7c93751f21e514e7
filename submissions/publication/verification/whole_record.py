"""All that is published, from the stored bytes to the log: what does not fit, and what could not be looked at."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime

from django.db.models import F

from registry.lists import listing
from registry.lists.ranking import DefinitionError
from registry.log import verification as log_verification
from registry.log.appending import log_size
from registry.log.overview import explained_times
from registry.log.signed_note import Checkpoint
from registry.models import Override, RankedList, Result
from registry.models.lists import AMENDED
from submissions.lifecycle import audit_chain
from submissions.models import Submission
from submissions.publication.verification import copied_rows, derivation, derived_rows, private_records, record_times
from validators import VERSION

_AMENDMENT = re.compile(rf"(?:^|\n){AMENDED}\d{{4}}-\d\d-\d\d: ")
AT_ONCE = 100
EVERY = 50
"""Results between two lines of progress."""
_NO_BYTES = {
    Result.Trust.DERIVED: "derived from a published archive that is not stored here",
    Result.Trust.IMPORTED: "copied from a published list, which came without bytes",
    Result.Trust.REPORTED: "reported in a document, which came without bytes",
}


class Verification:
    """One pass over the record. `earlier` is a checkpoint that was kept; `with_bytes` derives numbers again.

    `earlier_signed_at`: the time that was signed with it.
    """

    def __init__(
        self, earlier: Checkpoint | None = None, earlier_signed_at: datetime | None = None, *, with_bytes: bool = True
    ) -> None:
        self.earlier, self.with_bytes = earlier, with_bytes
        self.earlier_head: record_times.SignedHead | None = None
        if earlier is not None and earlier_signed_at is not None:
            self.earlier_head = record_times.SignedHead(earlier.size, earlier_signed_at)
        self.unavailable: Counter[str] = Counter()
        self.derived = 0
        self.uncopied = ""
        self.derived_otherwise = 0
        self.later_rules = defaultdict[str, log_verification.FirstNames](log_verification.FirstNames)
        """By what the rules of today read otherwise, the ids of the results."""

    def find_breaks(self, progress: Callable[[str], None]) -> Iterator[str]:
        """What does not fit, a sentence for each. Costs what is stored; memory does not grow with it."""
        progress("the log: leaves, checkpoints and files")
        yield from log_verification.log_breaks(self.earlier)
        progress("records: each against its leaf")
        yield from log_verification.opening_breaks()
        progress("results and lists: each against its newest record")
        yield from log_verification.table_breaks()
        progress("definitions, facts and parameters: each made again")
        yield from derived_rows.derived_breaks()
        progress("copies: each made again from the data files")
        yield from self._copy_breaks()
        progress("lists: each ranked again")
        yield from list_breaks()
        yield from decision_breaks()
        progress("the history of submissions")
        yield from audit_chain.find_breaks()
        progress("receipts, history, checks and decisions: each against its record")
        yield from private_records.record_breaks()
        progress("times: each record against the checkpoint that first has it")
        yield from record_times.RecordTimes(self.earlier_head).find_breaks()
        yield from self._derived_breaks(progress)

    def _copy_breaks(self) -> Iterator[str]:
        """Copies that the data files of this release do not make."""
        try:
            breaks, unknown = copied_rows.copy_breaks()
        except copied_rows.CopiesUnknown as error:
            self.uncopied = f"copies were not made again: {error}"
            return
        yield from breaks
        if unknown:
            self.uncopied = f"{unknown} copied results are not in the data files of this release"

    def _derived_breaks(self, progress: Callable[[str], None]) -> Iterator[str]:
        """Results that their bytes do not give."""
        published = Submission.objects.exclude(result=None).filter(result__erasure=None)
        joined = (
            "release",
            "institution",
            "derivative",
            "account",
            "anonymity",
            "result__system__site",
            "revises__result",
        )
        has_bytes = Result.objects.filter(erasure=None).exclude(pk__in=published.values("result"))
        for public_id, trust in has_bytes.order_by("pk").values_list("public_id", "trust").iterator(AT_ONCE):
            if trust == Result.Trust.VERIFIED:
                yield f"results/{public_id}: it is verified, and no submission here became it."
            else:
                self.unavailable[_NO_BYTES[Result.Trust(trust)]] += 1
        if not self.with_bytes:
            self.unavailable["not looked at, as was asked"] += published.count()
            return
        count = published.count()
        for number, submission in enumerate(
            published.select_related(*joined).order_by("received_at", "id").iterator(AT_ONCE)
        ):
            if number % EVERY == 0:
                progress(f"numbers from stored bytes: {number} of {count} results")
            outcome = derivation.derive_result(submission)
            yield from outcome.breaks
            self._count_later_rules(submission, outcome.read_otherwise)
            if outcome.unavailable:
                self.unavailable[outcome.unavailable] += 1
            else:
                self.derived += 1

    def _count_later_rules(self, submission: Submission, kinds: list[str]) -> None:
        self.derived_otherwise += bool(kinds)
        public_id = submission.require_result().public_id
        for kind in set(kinds):
            self.later_rules[kind].add_name(public_id)

    def unknown_sentences(self) -> Iterator[str]:
        """What later rules read otherwise, what was not derived again or not recorded, and explained times."""
        for kind, ids in sorted(self.later_rules.items()):
            yield f"By later rules ({VERSION}): {kind}: {ids}."
        for reason, count in sorted(self.unavailable.items()):
            yield f"Not derived again: {count} {'result' if count == 1 else 'results'}, {reason}."
        if self.uncopied and Result.objects.exclude(trust=Result.Trust.VERIFIED).exists():
            yield f"Not covered: {self.uncopied}."
        for day, counts in log_verification.uncovered_counts().items():
            named = ", ".join(f"{count} of kind {label}" for label, count in sorted(counts.items()))
            yield f"Not covered before {day}, the day of their first record: {named}."
        for row in explained_times():
            count = len(row.entries)
            named = "1 record does" if count == 1 else f"{count} records do"
            yield f"Explained on {row.recorded_at:%Y-%m-%d}: {named} not fit the times of the log. {row.reason}"
        if untimed := log_verification.count_untimed():
            yield f"Not covered: when the first {untimed} checkpoints were signed. The server did not sign their time."

    def sum_up(self) -> str:
        """What was looked at and fits."""
        rows, submissions = audit_chain.count_rows()
        results, lists = Result.objects.count(), RankedList.objects.exclude(frozen_at=None).count()
        otherwise = self.derived_otherwise
        by_later_rules = f" ({otherwise} of them otherwise by later rules)" if otherwise else ""
        return (
            f"{results} results and {lists} lists are as the log of {log_size()} entries has them,"
            f" {self.derived} results were derived again from stored bytes{by_later_rules},"
            f" and the {rows} rows of history of {submissions} submissions fit each other"
        )


def list_breaks() -> Iterator[str]:
    """Frozen lists that do not have their digest, or that their definition and decisions do not make."""
    made_here = RankedList.objects.filter(release__imported=False).exclude(frozen_at=None)
    for ranked_list in made_here.select_related("release", "definition").order_by("release", "position"):
        name = f"lists/{ranked_list.release.slug}/{ranked_list.name}"
        entries = ranked_list.entries.select_related("result").order_by("position")
        if ranked_list.digest != listing.entries_digest(entries):
            yield f"{name}: its entries do not have the digest that it was frozen with."
        try:
            differences = listing.check_list(ranked_list)
        except (listing.ListError, DefinitionError) as error:
            yield f"{name}: it cannot be ranked again: {error}"
            continue
        if differences:
            named = [
                *differences.missing,
                *differences.surplus,
                *(row[0] for row in differences.scores + differences.ranks),
            ]
            yield f"{name}: its definition and decisions make another list; it differs in {', '.join(named[:10])}."


def decision_breaks() -> Iterator[str]:
    """Decisions about results of published lists whose reason is not in the note of the list, which the log has."""
    decided = Override.objects.filter(
        decided_at__gte=F("release__published_at"), release__imported=False, result__erasure=None
    )
    notes = dict[tuple[int, str], set[str]]()
    for ranked_list in RankedList.objects.filter(release__imported=False).exclude(frozen_at=None):
        notes[ranked_list.release_id, ranked_list.name] = set(_AMENDMENT.split(ranked_list.note))
    for row in decided.select_related("release", "result").defer("decided_by").order_by("pk"):
        if f"{row.result.public_id}: {row.reason}" not in notes.get((row.release_id, row.list_name), ()):
            named = f"lists/{row.release.slug}/{row.list_name}"
            yield f"{named}: its note does not have the reason of the decision about {row.result.public_id}."
