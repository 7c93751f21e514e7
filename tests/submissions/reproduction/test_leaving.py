"""What goes away, or has no name: an original or what reproduces it is erased, withdrawn, embargoed or anonymous."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from registry.models import Reproduction, Result
from submissions.models import Submission
from submissions.publication.erasure import erase
from submissions.reproduction import judging
from tests.html import page_source
from tests.submissions.cast import Cast
from tests.submissions.reproduction.conftest import Publish, list_reproduced, read_marks

pytestmark = pytest.mark.django_db


def everything_of(cast: Cast, result: Result) -> str:
    """What the public is shown of a result: its page, its API, its badge, and how it is cited."""
    paths = (
        f"/results/{result.public_id}/",
        f"/api/v1/results/{result.public_id}/",
        f"/results/{result.public_id}/badge.svg",
        f"/api/v1/results/{result.public_id}/citation/",
    )
    return "\n".join(page_source(cast.stranger.get(path)) for path in paths)


def withdraw(person, result: Result) -> None:
    submission = Submission.objects.get(result=result)
    answer = person.post(f"submissions/{submission.pk}/withdraw/", {"reason": "Wrong run."})
    assert answer.status_code == 200, answer.content


def test_erasing_the_reproduction_leaves_no_name_on_the_page_of_the_original(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (71, 70, 72), in_flight=1, reproduces=original.public_id)
    assert "South Lab" in everything_of(cast, original)
    erase.erase_result(again.public_id, cast.fay.account, "law")
    pages = everything_of(cast, original)
    assert "South Lab" not in pages and again.public_id not in pages
    assert read_marks(cast, original)["sentence"] == ""
    assert list_reproduced(cast, "not-reproduced") == []
    assert judging.judge_due() == 0, "it would be judged again"
    not_judged = cast.charlie.get(f"submissions/{Submission.objects.get(result=again).pk}/").json()["not_judged"]
    assert not_judged["why"] == f"{again.public_id} was erased from the record."


def test_erasing_the_original_leaves_no_name_on_the_page_of_the_reproduction(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    erase.erase_result(original.public_id, cast.fay.account, "law")
    pages = everything_of(cast, again)
    assert "North Lab" not in pages and f"/results/{original.public_id}/" not in pages
    assert read_marks(cast, again)["reproduces"] is None
    assert judging.judge_due() == 0
    assert not Reproduction.objects.exists()
    not_judged = cast.charlie.get(f"submissions/{Submission.objects.get(result=again).pk}/").json()["not_judged"]
    assert not_judged["why"] == f"{original.public_id} was erased from the record."


def test_one_erased_of_two_is_counted_no_more(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    first = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    publish(cast.charlie, (71, 70, 72), reproduces=original.public_id)
    erase.erase_result(first.public_id, cast.fay.account, "law")
    described = read_marks(cast, original)
    assert (described["sites"], described["failed_sites"], len(described["marks"])) == (0, 1, 1)
    assert first.public_id not in json.dumps(described)


def test_withdrawing_the_reproduction_takes_its_mark_from_the_original(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    withdraw(cast.charlie, again)
    described = read_marks(cast, original)
    assert (described["sentence"], described["marks"]) == ("", [])
    assert list_reproduced(cast, "agrees") == []


def test_withdrawing_the_original_keeps_a_mark_that_names_it(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    withdraw(cast.alice, original)
    mark = read_marks(cast, again)["reproduces"]
    assert (mark["original"], mark["original_withdrawn"]) == (original.public_id, True)
    page = page_source(cast.stranger.get(f"/results/{again.public_id}/"))
    assert f"{original.public_id}</a> (withdrawn since)" in page
    assert list_reproduced(cast, "agrees") == []


def test_a_run_under_embargo_leaves_no_trace_on_the_original(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id, judged=False)
    submission = Submission.objects.get(result=again)
    until = timezone.now() + timedelta(days=9)
    Submission.objects.filter(pk=submission.pk).update(result=None, state="accepted", embargo_until=until)
    before = everything_of(cast, original)
    assert judging.judge_due() == 0
    assert everything_of(cast, original) == before
    assert submission.reproduces == original and read_marks(cast, original)["marks"] == []


def test_an_anonymous_reproduction_names_nobody_and_counts_for_nothing(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (71, 70, 72), reproduces=original.public_id, anonymous=True)
    pages = everything_of(cast, original) + everything_of(cast, again)
    assert "South Lab" not in pages and "charlie" not in pages
    (mark,) = read_marks(cast, original)["marks"]
    assert (mark["kind"], mark["counted"]) == ("unknown", False)
    assert list_reproduced(cast, "not-reproduced") == []


def test_an_anonymous_original_gives_no_kind(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice, anonymous=True)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    assert "North Lab" not in everything_of(cast, again) + everything_of(cast, original)
    assert read_marks(cast, again)["reproduces"]["kind"] == "unknown"
    assert read_marks(cast, original)["sites"] == 0
