"""What a submission has only from some stage on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from registry.models import Release, Result, Site
from submissions.models import Submission


@pytest.mark.parametrize("name", ["institution", "release", "result"])
def test_a_missing_relation_is_refused_by_name(name: str) -> None:
    draft = Submission()
    with pytest.raises(LookupError, match=f"submission {draft.pk} has no {name}"):
        getattr(draft, f"require_{name}")()


def test_a_draft_has_no_submission_time() -> None:
    with pytest.raises(LookupError, match="no time of submission"):
        Submission().require_submitted_at()


def test_an_existing_relation_is_returned() -> None:
    site, release, result = Site(name="Site"), Release(slug="sc99"), Result(public_id="hw-1")
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    submission = Submission(institution=site, release=release, result=result, submitted_at=noon)
    assert submission.require_institution() is site
    assert submission.require_release() is release
    assert submission.require_result() is result
    assert submission.require_submitted_at() == noon
