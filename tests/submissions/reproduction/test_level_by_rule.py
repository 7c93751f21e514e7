"""A reproduced result's level rises by rule, beside the level that reviewers awarded, and falls back in sight."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from registry.log.records import result_records
from registry.models import Result
from submissions.models import Submission
from tests.html import page_source
from tests.submissions.cast import Cast, Person
from tests.submissions.reproduction.conftest import Publish
from tests.submissions.reproduction.test_counting import person_at

pytestmark = pytest.mark.django_db


def read_level(cast: Cast, result: Result) -> dict[str, Any]:
    return cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()["level_by_rule"]


def test_a_reproduced_result_rises_and_falls_back_in_sight(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    record = list(result_records([original.pk]))
    assert read_level(cast, original) == {"awarded": "limited", "raised_to": "limited", "marks": []}
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    risen = read_level(cast, original)
    assert (risen["awarded"], risen["raised_to"]) == ("limited", "proprietary")
    (mark,) = risen["marks"]
    assert (mark["level_before"], mark["level_after"], mark["rule"]) == ("limited", "proprietary", "reproduced.1")
    assert mark["reason"] == f"reproduced by 1 site: {again.public_id}"
    assert mark["results"] == [again.public_id]
    page = page_source(cast.stranger.get(f"/results/{original.public_id}/"))
    assert "By rule it is now <b>proprietary</b>" in page
    Result.objects.filter(pk=again.pk).update(withdrawn_at=timezone.now())
    fallen = read_level(cast, original)
    assert fallen["raised_to"] == "limited" and [row["level_after"] for row in fallen["marks"]] == [
        "proprietary",
        "limited",
    ]
    assert fallen["marks"][1]["reason"] == f"{again.public_id} was withdrawn; reproduced by 0 sites"
    page = page_source(cast.stranger.get(f"/results/{original.public_id}/"))
    assert f"from proprietary to limited (reproduced.1): {again.public_id} was withdrawn" in page
    assert list(result_records([original.pk])) == record
    assert Result.objects.get(pk=original.pk).reproducibility == "limited"


def test_a_failed_reproduction_raises_nothing(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.charlie, (71, 70, 72), in_flight=1, reproduces=original.public_id)
    assert read_level(cast, original) == {"awarded": "limited", "raised_to": "limited", "marks": []}


def test_a_repetition_of_the_same_institution_raises_nothing(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.bob, (101, 100, 102), reproduces=original.public_id)
    assert read_level(cast, original)["marks"] == []


def test_lists_rank_by_the_awarded_level(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    ids_by_level = [
        [row["id"] for row in cast.stranger.get(f"/api/v1/results/?reproducibility={level}").json()["results"]]
        for level in ("limited", "proprietary")
    ]
    assert original.public_id in ids_by_level[0] and ids_by_level[1] == []


def test_two_institutions_with_a_common_member_raise_a_level_as_one(cast: Cast, publish: Publish) -> None:
    person_at("south-lab", "east-lab", name="gil")
    original = publish(cast.alice, level="proprietary")
    first = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    publish(person_at("east-lab"), (100, 100, 104), reproduces=original.public_id)
    assert read_level(cast, original)["marks"] == []
    third = publish(person_at("isle-lab", name="ida"), (100, 102, 101), reproduces=original.public_id)
    (mark,) = read_level(cast, original)["marks"]
    assert (mark["level_after"], mark["results"]) == ("fully", sorted([first.public_id, third.public_id]))


def test_institutions_that_became_one_raise_nothing(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    Result.objects.filter(pk=again.pk).update(site=original.site)
    assert read_level(cast, original)["marks"] == []


def page_of(person: Person, path: str) -> str:
    browser = Client()
    browser.force_login(person.account)
    answer = browser.get(path)
    assert answer.status_code == 200
    return page_source(answer)


def test_submission_and_review_show_the_raised_level_with_its_evidence_and_day(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    submission = Submission.objects.get(result=original)
    path = f"submissions/{submission.pk}/"
    pages = ((cast.alice, f"/{path}"), (cast.dana, f"/review/{submission.pk}/"))
    assert cast.alice.get(path).json()["level_by_rule"]["marks"] == []
    assert not any("By rule it is now" in page_of(*page) for page in pages)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    level = cast.alice.get(path).json()["level_by_rule"]
    assert level == read_level(cast, original) and level["raised_to"] == "proprietary"
    for page in map(page_of, *zip(*pages, strict=True)):
        assert "By rule it is now <b>proprietary</b>" in page
        assert f"{timezone.now():%Y-%m-%d}: from limited to proprietary (reproduced.1)" in page
        assert f'Evidence: <a href="/results/{again.public_id}/">{again.public_id}</a>' in page
        assert 'href="/docs/reproduce/#the-level-rises"' in page


def test_an_unpublished_run_has_no_level_by_rule(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    submission = Submission.objects.get(result=original)
    Submission.objects.filter(pk=submission.pk).update(result=None, state="accepted")
    assert cast.alice.get(f"submissions/{submission.pk}/").json()["level_by_rule"] is None
