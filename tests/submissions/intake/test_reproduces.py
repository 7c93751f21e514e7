"""`reproduces` of an upload: which results may be named, and what is kept of it."""

from __future__ import annotations

import pytest
from django.utils import timezone

from registry.models import Erasure, Result
from submissions.editing import edit
from submissions.models import Submission
from submissions.review import decisions
from tests.submissions.cast import submit_to

pytestmark = pytest.mark.django_db


def test_an_upload_names_the_result_that_it_is_to_reproduce(cast, published, archive) -> None:
    named = published.result.public_id
    answer = cast.charlie.upload(archive(performance=1.02), reproduces=f" {named} ")
    assert answer.status_code == 202, answer.content
    assert cast.charlie.get(f"submissions/{answer.json()['id']}/").json()["reproduces"] == named
    draft = cast.charlie.client.post("/api/v1/submissions/", {"draft": "true", "reproduces": named})
    assert Submission.objects.get(pk=draft.json()["id"]).reproduces == published.result


def test_an_unpublished_run_is_refused_like_an_unknown_one(cast, submitted) -> None:
    unpublished = submitted()
    refusals = []
    for named in (str(unpublished.pk), "8" * 36):
        answer = cast.charlie.upload(b"x", reproduces=named)
        refusals.append({name: str(text).replace(named, "ID") for name, text in answer.json().items()})
    assert refusals[0]["code"] == "intake.unknown-original"
    assert refusals[0] == refusals[1]


def test_a_withdrawn_result_is_refused(cast, published) -> None:
    Result.objects.filter(pk=published.result_id).update(withdrawn_at=timezone.now())
    answer = cast.charlie.upload(b"x", reproduces=published.result.public_id)
    assert (answer.status_code, answer.json()["code"]) == (422, "intake.original-not-current")
    assert not Submission.objects.exclude(pk=published.pk).exists()


def test_an_erased_result_is_as_unknown_as_any(cast, published) -> None:
    Erasure.objects.create(
        result=published.result, category="law", erased_at=timezone.now(), erased_by="fay", system_key="x"
    )
    answer = cast.charlie.upload(b"x", reproduces=published.result.public_id)
    assert answer.json()["code"] == "intake.unknown-original"


def test_a_run_of_another_benchmark_is_not_submitted(cast, published, checked, release) -> None:
    run = checked(cast.charlie, fields={"reproduces": published.result.public_id}, performance=1.02)
    Result.objects.filter(pk=published.result_id).update(tool="fio")
    with pytest.raises(decisions.OtherBenchmark):
        submit_to(release, Submission.objects.get(pk=run.pk), cast.charlie)


def test_a_revision_names_the_same_result(cast, published, checked) -> None:
    other = Result.objects.get(pk=published.result_id)
    other.pk, other.public_id = None, "hw-99"
    other.save()
    Submission.objects.filter(pk=published.pk).update(reproduces=other)
    published.refresh_from_db()
    revision = edit.start_revision(published, cast.alice.account, "A typo.")
    assert revision.reproduces == other
