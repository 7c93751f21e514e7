"""What later rules find in the files of published results: a dated mark, and no other change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from registry.log import recording
from registry.models import Result
from submissions.models import RecheckComparison
from submissions.publication import anonymizer
from submissions.publication.publishable import scrub_document


def mark_results(submissions: Iterable[UUID]) -> int:
    """Put the evidence of their latest comparison beside results that are published; how many got a mark.

    What a result was published with stays; evidence that says the same as what it has is no mark.
    """
    rows = RecheckComparison.objects.filter(
        submission__in=list(submissions), submission__result__isnull=False, of_check__version=F("submission__version")
    ).exclude(evidence={})
    marked = [result for row in rows.select_related("submission__result") if (result := _mark_result(row))]
    with transaction.atomic():
        Result.objects.bulk_update(marked, ["later_evidence"], batch_size=500)
        recording.record_results([result.pk for result in marked], recording.RECHECKED)
    return len(marked)


def _mark_result(row: RecheckComparison) -> Result | None:
    submission, examined = row.submission, row.evidence
    result = submission.require_result()
    if anonymizer.is_anonymous(submission):
        examined = anonymizer.anonymizer_for(submission).document(examined)
    evidence, findings = examined["evidence"], examined["findings"]
    former = result.later_evidence.get("evidence") or result.snapshot.get("evidence")
    if evidence == former:
        return None
    mark: dict[str, Any] = {"on": f"{row.made_at:%Y-%m-%d}", "validators": row.validators_version}
    result.later_evidence = mark | scrub_document({"evidence": evidence, "findings": findings})
    return result
