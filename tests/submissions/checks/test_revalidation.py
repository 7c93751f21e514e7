"""All history under today's rules: told first, never applied to what people decided about."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from registry.models import Measurement
from submissions.checks import processing, revalidation
from submissions.models import Check, Submission
from submissions.review import decisions


def as_an_older_version_said(submission: Submission) -> None:
    """The latest check without a warning of today, with one that is no more, and with another number."""
    check = submission.checks.first()
    run = check.report["runs"][check.report["primary"]]
    gone = {
        "code": "io500.old",
        "level": "warning",
        "message": "m",
        "hint": "",
        "where": "a:1",
        "expected": "",
        "actual": "",
    }
    run["findings"] = [gone]
    run["measurements"][0]["value"] = 1.5
    run["scores"]["SCORE"]["value"] = 2.5
    Check.objects.filter(pk=check.pk).update(report=check.report, validators_version="0.9.0")


def lines(submission: Submission) -> list[str]:
    revalidation.compare_recheck(submission.pk)
    return Submission.objects.get(pk=submission.pk).recheck.lines


def test_differences_are_listed_line_by_line(cast, checked) -> None:
    submission = checked(edited_hash=True)
    report = submission.checks.get().report
    first, score = report["runs"][0]["measurements"][0], report["runs"][0]["scores"]["SCORE"]["value"]
    as_an_older_version_said(submission)
    where = report["runs"][0]["findings"][0]["where"]
    name = f"{first['op']} {first['quantity']} {first['stat']} invalid=False"
    assert lines(submission) == [
        f"+ warning io500.score.hash-mismatch at {where}",
        "- warning io500.old at a:1",
        f"score SCORE: 2.5 -> {score}",
        f"measurement {name}: 1.5 {first['unit']} -> {first['value']} {first['unit']}",
    ]


def test_equal_reports_have_no_difference(checked) -> None:
    assert lines(checked()) == []


def test_listing_differences_changes_nothing(cast, submitted) -> None:
    submission = submitted()
    as_an_older_version_said(submission)
    before = list(Check.objects.values_list("pk", "report")), submission.events.count()
    assert lines(submission)
    assert (list(Check.objects.values_list("pk", "report")), submission.events.count()) == before


def test_only_checks_of_another_version_are_repeated(cast, checked) -> None:
    old, _ = checked(), checked(performance=2.0)
    as_an_older_version_said(old)
    assert [submission.pk for submission in revalidation.outdated_submissions()] == [old.pk]
    assert revalidation.outdated_submissions(everything=True).count() == 2
    Submission.objects.filter(pk=old.pk).update(state="rejected")
    assert old.pk not in set(revalidation.outdated_submissions(everything=True).values_list("pk", flat=True))


def test_applying_stores_a_new_check_and_a_history_row(cast, checked) -> None:
    submission = checked()
    as_an_older_version_said(submission)
    assert revalidation.apply_recheck(submission)
    processing.check_submission(submission.pk)
    submission.refresh_from_db()
    assert (submission.state, submission.checks.count()) == ("checked", 2)
    assert "Checked again by the rules of version" in [event.reason for event in submission.events.all()][3]


def test_applying_under_review_keeps_the_state(cast, submitted) -> None:
    submission = submitted()
    assert revalidation.apply_recheck(submission)
    decisions.prepare_for_review(str(submission.pk))
    submission.refresh_from_db()
    assert (submission.state, submission.checks.count()) == ("submitted", 2)


def test_decided_submissions_are_reported_and_kept(cast, release, submitted) -> None:
    submission = submitted()
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.")
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    before = list(Measurement.objects.values_list("value", flat=True))
    as_an_older_version_said(submission)
    assert lines(submission)
    (difference,) = revalidation.list_differences([submission.pk])
    assert difference.decided
    assert not revalidation.apply_recheck(submission)
    assert list(Measurement.objects.values_list("value", flat=True)) == before
    assert submission.checks.count() == 1


def test_a_comparison_with_an_outdated_check_is_left_out(cast, checked) -> None:
    submission = checked()
    as_an_older_version_said(submission)
    assert lines(submission)
    revalidation.apply_recheck(submission)
    processing.check_submission(submission.pk)
    assert list(revalidation.list_differences([submission.pk])) == []


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("revalidate", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db(transaction=True)
def test_the_command_compares_by_workers_and_applies_on_request(cast, checked, start_worker) -> None:
    submission = checked()
    as_an_older_version_said(submission)
    start_worker()
    output = run("--wait", "60")
    assert "- warning io500.old at a:1" in output
    assert "1 of 1 checked again: 1 differ, 0 of them decided already." in output
    assert "Nothing was changed." in output
    assert submission.checks.count() == 1
    assert "1 get a new check." in run("--apply", "--wait", "60")


@pytest.mark.django_db(transaction=True)
def test_the_command_without_workers_reports_it_and_changes_nothing(cast, checked, broker) -> None:
    as_an_older_version_said(checked())
    with pytest.raises(CommandError, match="Not all were checked"):
        run("--apply", "--wait", "0.1")
    assert Check.objects.count() == 1
