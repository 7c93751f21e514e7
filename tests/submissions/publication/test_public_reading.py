"""Which lines a run was read from and what was not read: to the submitter, the reviewer, and the public."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from registry.models import Result
from submissions.accounts import ties
from submissions.bundles import public_files
from submissions.checks.read_account import public_reading
from submissions.models import Check, ScrubbedCopy, State, Submission
from submissions.publication import anonymity, publish
from submissions.review import decisions
from tests.html import page_source
from tests.make_fio import make_output
from tests.make_io500 import pack
from tests.submissions.cast import Cast, Person, submit_to
from validators import catalogue
from validators.scrubbing import personal

LOG = "work/job.out"
PREAMBLE = b"Job 7 begins\nmodule load ior\n"
OUTPUT = (catalogue.FOLDER / "ior" / "samples" / "3.0.1-text-v0" / "stdout.txt").read_bytes().rstrip(b"\n") + b"\n"
BEGIN = PREAMBLE.count(b"\n") + 1
END = BEGIN + OUTPUT.count(b"\n") - 1
SECOND_END = END + OUTPUT.count(b"\n")
LINES = {"first": BEGIN, "last": END}
UNKNOWN = "not known: published before it was written down"


@pytest.fixture
def logged(cast: Cast, check, tmp_path: Path) -> Submission:
    """A log of Alice's with two runs of IOR behind a preamble, and notes that no benchmark reads."""
    log = PREAMBLE + OUTPUT + OUTPUT
    files = {LOG: log, "work/notes.txt": b"Zephyr 12 was slow\n", "work/job.sh": b"ior -w -r\n"}
    answer = cast.alice.upload(pack(tmp_path / "run.tar.gz", files).read_bytes())
    return check(answer.json()["id"])


def read_page(person: Person | None, path: str) -> str:
    client = Client()
    if person is not None:
        client.force_login(person.account)
    answer = client.get(path)
    assert answer.status_code == 200
    return page_source(answer)


def submit(cast: Cast, release, submission: Submission) -> None:
    Submission.objects.filter(pk=submission.pk).update(chosen_primary=0)
    submission.refresh_from_db()
    submit_to(release, submission, cast.alice, ())
    decisions.prepare_for_review(str(submission.pk))
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.")


@pytest.fixture
def publish_log(cast: Cast, release, logged) -> Callable[..., Result]:
    def publish_it(before: Callable[[], None] = lambda: None) -> Result:
        submit(cast, release, logged)
        before()
        publish.publish_release(release, None, allow_empty=True)
        logged.refresh_from_db()
        return logged.result

    return publish_it


def as_before_lines(submission: Submission) -> None:
    """The latest check as it was stored by a version that did not write down what was read."""
    latest = submission.checks.first()
    latest.report.pop("not_read", None)
    for run in latest.report["runs"]:
        del run["lines"]
    Check.objects.filter(pk=latest.pk).update(report=latest.report, read_files=None)


# Private pages


def test_the_page_of_a_submission_links_the_lines_of_each_run(cast: Cast, logged) -> None:
    page = read_page(cast.alice, f"/submissions/{logged.pk}/")
    assert f">lines {BEGIN} to {END}</a>" in page
    assert f"/submissions/{logged.pk}/files/?path=work%2Fjob.out&amp;line=1#L{BEGIN}" in page
    assert f">lines {END + 1} to {SECOND_END}</a>" in page


def test_the_page_lists_unread_files_with_the_reason(cast: Cast, logged) -> None:
    page = read_page(cast.alice, f"/submissions/{logged.pk}/")
    assert "<summary>Not read: 2\N{NO-BREAK SPACE}files and lines of 1\N{NO-BREAK SPACE}file</summary>" in page
    assert ">work/notes.txt</a>: not the output of a known benchmark" in page
    places = f"lines 1 to {BEGIN - 1} and what stands behind line {SECOND_END}"
    assert f">work/job.out</a>, {places}: outside of its runs, no output that is known" in page
    assert '<a href="#not-read">read in part</a>' in page and "✓ read" not in page


def test_an_unread_file_is_not_marked_as_read(cast: Cast, check) -> None:
    submission = check(cast.alice.upload(b"Zephyr 12\n" * 9, name="garbage.txt").json()["id"])
    page = read_page(cast.alice, f"/submissions/{submission.pk}/")
    assert '<span class="no">not read</span>' in page and "✓ read" not in page
    assert ">garbage.txt</a>: not the output of a known benchmark" in page


def test_a_fully_read_bundle_is_marked(cast: Cast, check) -> None:
    submission = check(cast.alice.upload(make_output(2), name="fio.json").json()["id"])
    page = read_page(cast.alice, f"/submissions/{submission.pk}/")
    assert "No file, and no output in one, was left unread." in page
    assert '<span class="yes">✓ read</span>' in page and "Not read:" not in page


def test_read_lines_of_an_older_check_are_unknown(cast: Cast, logged) -> None:
    as_before_lines(logged)
    page = read_page(cast.alice, f"/submissions/{logged.pk}/")
    assert "Which parts were not read is not known" in page
    assert "✓ read" not in page and "not read</span>" not in page and "<td>checked</td>" in page


def test_reviewers_see_read_lines_and_those_with_a_conflict_get_no_links(cast: Cast, release, logged) -> None:
    submit(cast, release, logged)
    page = read_page(cast.dana, f"/review/{logged.pk}/")
    assert f">lines {BEGIN} to {END}</a>" in page and ">work/notes.txt</a>: not the output" in page
    Submission.objects.filter(pk=logged.pk).update(metadata={"storage_vendor": "Maker"})
    ties.declare_ties(cast.dana.account, ["Maker"])
    page = read_page(cast.dana, f"/review/{logged.pk}/")
    assert f"<small>lines {BEGIN} to {END}</small>" in page and ">work/notes.txt</span>: not the output" in page


def test_findings_differing_only_in_place_are_shown_once(cast: Cast, logged) -> None:
    latest = logged.checks.first()
    for run in latest.report["runs"]:
        where = f"{run['path']}:{run['lines']['first']}"
        run["findings"] = [
            {"code": "ior.x", "level": "warning", "message": "Zounds", "hint": "", "where": where}
            | {"expected": "", "actual": ""}
        ]
    Check.objects.filter(pk=latest.pk).update(report=latest.report)
    page = read_page(cast.alice, f"/submissions/{logged.pk}/")
    assert page.count("<b>Zounds</b>") == 1
    assert f">work/job.out:{BEGIN}</a>, <a" in page and f">work/job.out:{END + 1}</a></dd>" in page


# The public record


def test_the_public_result_shows_its_lines_without_private_files(cast: Cast, publish_log) -> None:
    result = publish_log()
    answer = cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()
    assert answer["read_from"] == {"path": LOG, "lines": LINES}
    assert answer["not_read"] == []
    assert not {"read_from", "not_read"} & set(answer["facts"])
    page = read_page(None, f"/results/{result.public_id}/")
    assert f"work/job.out, lines {BEGIN} to {END} (not in the public copy)" in page
    assert "no benchmark read them completely, and the submitter did not agree" in page or "Not read:" not in page


def test_agreed_files_are_listed_as_not_read(cast: Cast, logged, publish_log) -> None:
    public_files.agree_to_files(logged, cast.alice.account, [LOG, "work/job.sh"])
    result = publish_log()
    answer = cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()
    reason = "not the output of a known benchmark"
    assert answer["not_read"] == [{"path": "work/job.sh", "lines": None, "looks_like": None, "reason": reason}]
    page = read_page(None, f"/results/{result.public_id}/")
    assert f">work/job.sh</span>: {reason}" in page
    assert f"<dd>work/job.out, lines {BEGIN} to {END}</dd>" in page


def test_a_fully_read_copy_has_an_empty_list(published, client) -> None:
    result = published.result
    answer = client.get(f"/api/v1/results/{result.public_id}/").json()
    assert (answer["read_from"]["lines"], answer["not_read"]) == (None, [])
    page = page_source(client.get(f"/results/{result.public_id}/"))
    assert "Of these files the check lists nothing as not read." in page
    assert f"<dt>Read from</dt><dd>{answer['read_from']['path']}</dd>" in page


def test_read_lines_of_an_older_result_are_unknown(cast: Cast, logged, publish_log) -> None:
    result = publish_log(before=lambda: as_before_lines(logged))
    assert not {"read_from", "not_read"} & set(result.snapshot)
    answer = cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()
    assert (answer["read_from"], answer["not_read"]) == (None, None)
    page = read_page(None, f"/results/{result.public_id}/")
    assert UNKNOWN in page and "Not read:" not in page and "lists nothing" not in page


def test_files_of_an_anonymous_result_are_hidden_until_it_is_named(cast: Cast, logged, publish_log) -> None:
    public_files.agree_to_files(logged, cast.alice.account, ["work/job.sh"])
    anonymity.ask_anonymity(logged, cast.alice.account, "Not yet.")
    anonymity.decide_anonymity(logged, cast.erin.account, granted=True, reason="Granted.")
    logged.refresh_from_db()
    result = publish_log()
    assert "job." not in str(result.snapshot)
    answer = cast.stranger.get(f"/api/v1/results/{result.public_id}/")
    assert (answer.json()["read_from"], answer.json()["not_read"]) == (None, None)
    page = read_page(None, f"/results/{result.public_id}/")
    assert "Read from" not in page and "job." not in page + page_source(answer)
    anonymity.take_back(logged, cast.alice.account)
    answer = cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()
    assert answer["read_from"]["path"] == LOG and [row["path"] for row in answer["not_read"]] == ["work/job.sh"]


def test_an_embargoed_result_is_hidden_before_its_date(cast: Cast, release, logged) -> None:
    submit(cast, release, logged)
    Submission.objects.filter(pk=logged.pk).update(embargo_until=timezone.now() + timedelta(days=9))
    publish.publish_release(release, None, allow_empty=True)
    assert not Result.objects.exists()
    assert cast.stranger.get("/api/v1/results/hw-1/").status_code == 404
    pages = (read_page(None, path) for path in ("/results/", "/lists/", "/search/?q=job.out", "/api/v1/results/"))
    assert not any("work/job" in page for page in pages)


def test_words_of_the_public_page_link_the_glossary(published, client) -> None:
    page = page_source(client.get(f"/results/{published.result.public_id}/"))
    for link in (
        '<a class="trust verified" href="/docs/data-terms/#what-the-words-of-trust-mean">verified</a>',
        '<a href="/docs/data-terms/#what-other-words-mean">What “checked” means</a>',
        '<a href="/docs/check/#evidence">Evidence</a>',
    ):
        assert link in page
        address, _, anchor = link.partition('href="')[2].partition('"')[0].partition("#")
        assert f'id="{anchor}"' in page_source(client.get(address))


def test_the_state_of_a_submission_links_its_meaning(cast: Cast, checked, client) -> None:
    page = read_page(cast.alice, f"/submissions/{checked().pk}/")
    assert 'State: <b><a href="/docs/upload/#what-the-states-mean">checked</a></b>' in page
    meanings = page_source(client.get("/docs/upload/"))
    assert 'id="what-the-states-mean"' in meanings
    assert all(str(label) in meanings for label in State.labels)


def test_a_benchmark_without_evidence_kinds_has_a_note(cast: Cast, publish_log) -> None:
    result = publish_log()
    page = read_page(None, f"/results/{result.public_id}/")
    assert "Evidence</a></b>: no kinds of it are defined for this benchmark.</p>" in page
    assert cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()["evidence_in_short"] == ""
    assert cast.stranger.get(f"/api/v1/results/{result.public_id}/").json()["unconfirmed_operations"] is None


# What is private of paths


def derivative_of(public: list[str], left_out: list[str]) -> ScrubbedCopy:
    rows = [{"path": path, "reason": "not-agreed"} for path in left_out]
    return ScrubbedCopy(files=[{"path": path} for path in public], report={"left_out": rows})


def report_of(*paths: str) -> dict[str, object]:
    entries = [{"path": path, "lines": None, "looks_like": None, "reason": "empty"} for path in paths]
    return {"runs": [{"path": "home/zephyr/job.out", "lines": None}], "not_read": entries}


def test_paths_are_those_of_the_copy() -> None:
    report = report_of("home/zephyr/job.sh")
    scrubbed = personal.scrub_path("home/zephyr/job.sh", personal.Names(), Counter())
    assert "zephyr" not in scrubbed
    reading = public_reading(report, report["runs"][0], derivative_of([scrubbed], []), personal.Names())
    assert "zephyr" not in str(reading) and [row["path"] for row in reading["not_read"]] == [scrubbed]


def test_a_private_file_with_a_shared_scrubbed_name_is_not_listed() -> None:
    report = report_of("notes.txt")
    reading = public_reading(report, report["runs"][0], derivative_of(["notes.txt"], ["notes.txt"]), personal.Names())
    assert reading["not_read"] == []
