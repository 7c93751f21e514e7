"""Evidence on its way: to the submitter, the reviewer, the public; results from before it, and summaries alone."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from registry.models import ListEntry, Result
from submissions.checks import revalidation, trust
from submissions.models import Check, Submission
from submissions.publication import later_evidence, publishable
from submissions.publication import publish as publication_publish
from submissions.review import decisions
from tests.make_io500 import make_run
from tests.validators.forging import shifted

HOME = "results/2025.10.01-09.00.00"
LINE = "47 of 57 kinds agree, 10 absent; missing: tables of the ranks"
UNCONFIRMED = ["mdtest-easy-stat", "mdtest-hard-delete"]
SUMMARY_ALONE = "evidence.summary-alone"


def browse(person, path: str) -> str:
    """A page as this person sees it in a browser."""
    client = Client()
    client.force_login(person.account)
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def other_clock() -> dict[str, bytes]:
    """The raw text of a phase that began five minutes later than result.txt says."""
    text = make_run()[f"{HOME}/ior-easy-read.txt"]
    later = shifted(text, rb"^((?:Began|StartTime) +: )(\w{3} \w{3} +\d+ \S+ \d{4})", "%a %b %d %H:%M:%S %Y", minutes=5)
    assert later != text
    return {f"{HOME}/ior-easy-read.txt": later}


def without_all_but_the_summary() -> tuple[str, ...]:
    return tuple(path.rpartition("/")[2] for path in make_run() if not path.endswith("result_summary.txt"))


def accept_and_publish(cast, release, submission: Submission) -> Result:
    decisions.prepare_for_review(str(submission.pk))
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
    publication_publish.publish_release(release, None)
    submission.refresh_from_db()
    return submission.result


def as_before_evidence(submission: Submission) -> None:
    """The latest check as it was stored by a version that did not look at evidence."""
    check = submission.checks.first()
    for run in check.report["runs"]:
        del run["evidence"]
    Check.objects.filter(pk=check.pk).update(report=check.report, validators_version="0.9.0")


def test_the_submitter_sees_evidence_on_page_and_api(cast, checked) -> None:
    submission = checked(extra=other_clock())
    answer = cast.alice.get(f"submissions/{submission.pk}/").json()
    assert answer["evidence_in_short"] == "46 of 57 kinds agree, 1 contradicts, 10 absent; missing: tables of the ranks"
    kinds = {row["code"]: row for row in answer["evidence"]["kinds"]}
    assert kinds["io500.evidence.dates"]["outcome"] == "contradicts"
    assert kinds["io500.evidence.dates"]["where"] == f"{HOME}/ior-easy-read.txt:2"
    page = browse(cast.alice, f"/submissions/{submission.pk}/")
    assert answer["evidence_in_short"] in page
    assert 'href="/docs/benchmarks/io500/#evidence"' in page
    assert "✕ contradicts" in page


def test_the_reviewer_sees_evidence_with_links_to_lines(cast, submitted) -> None:
    submission = submitted(extra=other_clock())
    page = browse(cast.dana, f"/review/{submission.pk}/")
    assert "1 contradicts" in page
    assert f"{HOME}/ior-easy-read.txt:2</a>" in page


def test_the_public_result_has_evidence(cast, release, submitted, client) -> None:
    result = accept_and_publish(cast, release, submitted())
    assert result.trust == "verified"
    assert result.snapshot["evidence"]["in_short"] == LINE
    answer = client.get(f"/api/v1/results/{result.public_id}/").json()
    assert (answer["evidence_in_short"], answer["evidence"]["agree"], answer["later_evidence"]) == (LINE, 47, {})
    page = client.get(f"/results/{result.public_id}/").content.decode()
    assert LINE in page and "/docs/benchmarks/io500/#evidence" in page


def test_an_older_result_is_marked_as_not_examined(cast, release, submitted, client) -> None:
    submission = submitted()
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.")
    as_before_evidence(submission)
    publication_publish.publish_release(release, None)
    submission.refresh_from_db()
    result = submission.result
    assert "evidence" not in result.snapshot and result.trust == "verified"
    answer = client.get(f"/api/v1/results/{result.public_id}/").json()
    assert (answer["evidence_in_short"], answer["evidence"]) == ("not examined", {})
    assert answer["unconfirmed_operations"] is None
    assert "Evidence</a></b>: not examined." in client.get(f"/results/{result.public_id}/").content.decode()


def without_seconds_of_mdtest() -> dict[str, bytes]:
    """Raw texts of mdtest-easy-stat and mdtest-hard-delete without their table of seconds."""
    files = make_run()
    paths = [f"{HOME}/{phase}.txt" for phase in UNCONFIRMED]
    return {path: files[path].partition(b"SUMMARY time")[0] for path in paths}


def test_unconfirmed_phases_are_shown_to_submitter_reviewer_and_public(cast, release, submitted, client) -> None:
    submission = submitted(extra=without_seconds_of_mdtest())
    assert cast.alice.get(f"submissions/{submission.pk}/").json()["unconfirmed_operations"] == UNCONFIRMED
    words = "No independent figure confirms: mdtest-easy-stat, mdtest-hard-delete."
    assert words in browse(cast.alice, f"/submissions/{submission.pk}/")
    assert words in browse(cast.dana, f"/review/{submission.pk}/")
    result = accept_and_publish(cast, release, submission)
    assert client.get(f"/api/v1/results/{result.public_id}/").json()["unconfirmed_operations"] == UNCONFIRMED
    assert words in client.get(f"/results/{result.public_id}/").content.decode()


def test_older_evidence_has_unknown_unconfirmed_phases(cast, release, submitted, client) -> None:
    result = accept_and_publish(cast, release, submitted())
    address = f"/api/v1/results/{result.public_id}/"
    assert client.get(address).json()["unconfirmed_operations"] == []
    del result.snapshot["evidence"]["unconfirmed"]
    Result.objects.filter(pk=result.pk).update(snapshot=result.snapshot)
    assert client.get(address).json()["unconfirmed_operations"] is None
    page = client.get(f"/results/{result.public_id}/").content.decode()
    assert "Which figures nothing independent confirms was not looked at." in page


def test_later_rules_add_only_a_dated_mark_to_a_published_result(cast, release, submitted, client) -> None:
    submission = submitted(extra=other_clock())
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.")
    as_before_evidence(submission)
    publication_publish.publish_release(release, None)
    before = Result.objects.values().exclude(pk=None)[0]
    revalidation.compare_recheck(submission.pk)
    assert Result.objects.values()[0] == before
    (difference,) = revalidation.list_differences([submission.pk])
    assert difference.decided
    assert any(line.startswith("evidence: none -> 46 of 57 kinds agree, 1 contradicts") for line in difference.lines)
    assert later_evidence.mark_results([submission.pk]) == 1
    after = Result.objects.values()[0]
    assert {name for name in after if after[name] != before[name]} == {"later_evidence"}
    mark = after["later_evidence"]
    assert mark["on"] == f"{submission.recheck.made_at:%Y-%m-%d}"
    assert [finding["code"] for finding in mark["findings"]] == ["io500.evidence.dates"]
    page = client.get(f"/results/{after['public_id']}/").content.decode()
    assert f"<b>Checked again on {mark['on']}</b>" in page and "io500.evidence.dates" in page
    assert later_evidence.mark_results([submission.pk]) == 0


def test_a_result_that_was_published_with_the_same_evidence_gets_no_mark(cast, release, submitted) -> None:
    submission = submitted()
    accept_and_publish(cast, release, submission)
    revalidation.compare_recheck(submission.pk)
    assert later_evidence.mark_results([submission.pk]) == 0


def test_a_summary_alone_is_published_as_reported_and_not_ranked(cast, release, submitted, client) -> None:
    submission = submitted(without=without_all_but_the_summary())
    assert SUMMARY_ALONE in [
        finding["code"] for finding in cast.alice.get(f"submissions/{submission.pk}/").json()["findings"]
    ]
    page = browse(cast.dana, f"/review/{submission.pk}/")
    assert SUMMARY_ALONE in page
    result = accept_and_publish(cast, release, submission)
    assert result.trust == "reported"
    assert result.snapshot["trust_reason"]["code"] == SUMMARY_ALONE
    assert not ListEntry.objects.filter(result=result).exists()
    page = client.get(f"/results/{result.public_id}/").content.decode()
    assert "as a summary alone" in page and SUMMARY_ALONE in page
    assert client.get(f"/api/v1/results/{result.public_id}/").json()["facts"]["trust_reason"]["code"] == SUMMARY_ALONE


def test_a_reviewer_sees_that_a_summary_alone_cannot_rank(cast, submitted) -> None:
    submission = submitted(without=without_all_but_the_summary())
    run = submission.checks.first().report["runs"][0]
    exclusions = publishable.list_exclusions(submission, run, production=False, reproducibility="fully")
    assert exclusions and all(exclusion is not None for exclusion in exclusions.values())


@pytest.mark.parametrize(
    ("run", "alone"),
    [
        ({"tool": "io500", "evidence": {"summary_alone": True}, "parameters": {}}, True),
        ({"tool": "io500", "evidence": {"summary_alone": False}, "parameters": {}}, False),
        ({"tool": "fio", "evidence": {}, "parameters": {}}, False),
        ({"tool": "io500", "parameters": {"format": "c"}}, True),
        ({"tool": "io500", "parameters": {"tasks": 160}}, False),
        ({"tool": "io500", "parameters": {"started": "2025-10-01 09:00:00"}}, False),
        ({"tool": "fio", "parameters": {}}, False),
    ],
)
def test_older_checks_of_a_summary_alone_are_recognised(run, alone) -> None:
    assert trust.is_summary_alone(run) is alone


@pytest.mark.django_db(transaction=True)
def test_the_command_adds_the_mark_and_reports_it(cast, release, submitted, start_worker) -> None:
    submission = submitted()
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.")
    as_before_evidence(submission)
    publication_publish.publish_release(release, None)
    start_worker()
    out = StringIO()
    call_command("revalidate", "--apply", "--wait", "60", stdout=out)
    assert f"evidence: none -> {LINE}" in out.getvalue()
    assert "1 published say what later rules found in their files" in out.getvalue()
    assert Result.objects.get().later_evidence["evidence"]["in_short"] == LINE
