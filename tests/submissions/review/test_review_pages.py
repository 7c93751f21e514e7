"""Between submitted and decided: assignment without conflict, rubric, talk, votes, looking into the raw files."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from registry.models import Release, Site
from submissions.accounts import ties
from submissions.bundles import file_viewer
from submissions.bundles.cage import archive_view
from submissions.bundles.cage import client as cage_client
from submissions.models import Account, Membership, Review, State, Submission, Tie
from submissions.review import decisions, rubric
from submissions.review import queue as review_queue
from tests.submissions.cast import Person, tar


@pytest.fixture
def gil(cast) -> Person:
    """A second reviewer, of no institution."""
    return Person(Account.objects.create(username="gil", role="reviewer"))


def call(person: Person, submission: Submission, verb: str, **document):
    return person.post(f"submissions/{submission.pk}/{verb}/", document)


def code(answer) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def page_of(person: Person) -> Client:
    client = Client()
    client.force_login(person.account)
    return client


# Assignment and conflicts of interest


def test_a_reviewer_assigns_a_run_and_releases_it(cast, submitted) -> None:
    submission = submitted()
    assert call(cast.dana, submission, "assign").json()["assigned"] == ["dana"]
    assert call(cast.dana, submission, "assign").json()["assigned"] == ["dana"]
    assert cast.alice.get(f"submissions/{submission.pk}/").json()["assigned"] == ["dana"]
    given_back = cast.dana.client.delete(f"/api/v1/submissions/{submission.pk}/assign/")
    assert given_back.json()["assigned"] == []
    reasons = [row["reason"] for row in cast.dana.get(f"submissions/{submission.pk}/history/").json()["results"]]
    assert reasons[-2:] == ["Taken.", "Given back."]


def test_editors_assign_others_and_reviewers_do_not(cast, gil, submitted) -> None:
    submission = submitted()
    assert call(cast.erin, submission, "assign", reviewer="gil").json()["assigned"] == ["gil"]
    assert submission.events.last().reason == "Assigned to another reviewer."
    assert code(call(cast.dana, submission, "assign", reviewer="gil")) == (403, "permission.denied")
    for name in ("alice", "nobody-of-that-name"):
        assert code(call(cast.erin, submission, "assign", reviewer=name)) == (422, "review.not-a-reviewer")


@pytest.mark.parametrize("verb", ["assign", "review", "rubric"])
def test_the_own_institution_is_a_conflict(cast, submitted, verb) -> None:
    Account.objects.filter(username="bob").update(role="reviewer")
    fields_by_verb = {
        "assign": {},
        "review": {"decision": "accept", "reproducibility": "fully", "reason": "Ours."},
        "rubric": {"rule": "x", "outcome": "satisfied", "note": "x"},
    }
    assert code(call(cast.bob, submitted(), verb, **fields_by_verb[verb])) == (403, "review.conflict-of-interest")


@pytest.mark.parametrize(
    ("declared", "of_the_run", "refused"),
    [("HPE", "hpe", True), ("Hewlett Packard Enterprise", "HPE", True), ("DDN", "HPE", False), ("DDN", "", False)],
)
def test_a_tie_to_the_vendor_is_a_conflict(cast, submitted, declared, of_the_run, refused) -> None:
    submission = submitted()
    Submission.objects.update(metadata={"storage_vendor": of_the_run})
    ties.declare_ties(Account.objects.get(username="dana"), [declared])
    assert call(cast.dana, submission, "assign").status_code == (403 if refused else 200)
    assert call(cast.erin, submission, "assign", reviewer="dana").status_code == (403 if refused else 200)
    assert review_queue.review_queue(Account.objects.get(username="dana")).count() == (0 if refused else 1)
    received = cast.dana.get(f"submissions/{submission.pk}/files/received/")
    assert received.status_code == (403 if refused else 200)


def test_a_vendor_that_submits_is_a_conflict_too(cast, submitted) -> None:
    submission = submitted()
    Site.objects.filter(slug="north-lab").update(name="HPE")
    ties.declare_ties(Account.objects.get(username="dana"), ["hpe"])
    assert code(call(cast.dana, submission, "review", decision="reject", reason="x")) == (
        403, "review.conflict-of-interest",
    )  # fmt: skip


def test_ties_are_declared_on_the_account_page(cast, submitted) -> None:
    client = page_of(cast.dana)
    client.post("/account/vendors/", {"vendors": " DDN \r\n\r\nDDN\r\n<b>Acme</b>"})
    assert [tie.vendor for tie in Tie.objects.all()] == ["DDN", "<b>Acme</b>"]
    assert b"&lt;b&gt;Acme" in client.get("/account/").content


def test_only_submitted_undecided_runs_are_assigned(cast, checked, submitted) -> None:
    assert code(call(cast.erin, checked(), "assign")) == (409, "state.conflict")
    submission = submitted(performance=2.0)
    call(cast.dana, submission, "review", decision="reject", reason="No.")
    assert code(call(cast.dana, submission, "assign")) == (409, "state.conflict")


# The queue


def test_the_queue_is_filtered(cast, submitted) -> None:
    north, south = submitted(lists=("full",)), submitted(cast.charlie, performance=2.0, lists=("io500",))
    call(cast.dana, north, "assign")
    expected_by_query = {
        "list=full": [north], "list=scc": [], "institution=south-lab": [south], "assigned=me": [north],
        "assigned=nobody": [south], "assigned=dana": [north], "tool=io500": [north, south], "tool=fio": [],
        "release=SC99": [north, south], "state=in_review": [], "contradictions=yes": [], "state=%00x": [],
    }  # fmt: skip
    client = page_of(cast.dana)
    for query, expected in expected_by_query.items():
        page = client.get(f"/review/?{query}").content.decode()
        assert [str(submission.pk) in page for submission in (north, south)] == [
            submission in expected for submission in (north, south)
        ], query


def test_contradicted_answers_are_marked_in_the_queue(cast, release, submitted) -> None:
    submission = submitted(answers={"client_nodes": 99})
    decisions.prepare_for_review(str(submission.pk))
    page = page_of(cast.dana).get("/review/?contradictions=yes").content.decode()
    assert "1 contradicted answer" in page


def test_the_queue_costs_the_same_queries_for_many_rows(cast, submitted, django_assert_max_num_queries) -> None:
    for number in range(3):
        submitted(performance=1 + number / 10)
    client = page_of(cast.dana)
    with django_assert_max_num_queries(9):
        client.get("/review/")


# The rubric


def waiting_rule(cast, submission) -> str:
    rows = cast.dana.get(f"submissions/{submission.pk}/rubric/").json()["rules"]
    return next(row["rule"] for row in rows if row["outcome"] == "needs_human")


def test_rules_of_other_lists_wait_for_nobody(cast, submitted) -> None:
    """A run for the IO500 list alone waited for decisions on ten nodes and on production."""
    submission = submitted(lists=["io500"])
    rows = {row["rule"]: row for row in cast.dana.get(f"submissions/{submission.pk}/rubric/").json()["rules"]}
    of_others = {rule: row["settled"] for rule, row in rows.items() if row["why"].startswith("Only for ")}
    assert of_others == {"io500.production": True, "io500.ten-clients": True}
    assert [row["outcome"] for rule, row in rows.items() if rule in of_others] == ["not_evaluated"] * 2
    page = page_of(cast.dana).get(f"/review/{submission.pk}/").content.decode()
    assert page.count("The run was not submitted for that: nothing to decide.") == 2
    assert "Only for the lists 10-node Research and 10-node Production." in page
    assert 'Decide<span class="vh"> io500.ten-clients' not in page
    Submission.objects.filter(pk=submission.pk).update(lists=["io500", "ten-production"])
    rows = {row["rule"]: row for row in cast.dana.get(f"submissions/{submission.pk}/rubric/").json()["rules"]}
    assert {rows[rule]["settled"] for rule in of_others} == {False}


def test_a_reviewer_decides_rules_that_need_a_person(cast, submitted) -> None:
    submission = submitted()
    before = cast.dana.get(f"submissions/{submission.pk}/rubric/").json()
    rule = waiting_rule(cast, submission)
    for outcome, note in (("violated", "Cached."), ("satisfied", "Not cached: see <config.ini>.")):
        after = call(cast.dana, submission, "rubric", rule=rule, outcome=outcome, note=note).json()
    row = next(row for row in after["rules"] if row["rule"] == rule)
    assert (after["settled"], after["of"]) == (before["settled"] + 1, before["of"])
    assert (row["judgement"]["outcome"], row["judgement"]["reviewer"]) == ("satisfied", "dana")
    assert submission.judgements.count() == 2
    assert "Not cached: see &lt;config.ini&gt;" in page_of(cast.dana).get(f"/review/{submission.pk}/").content.decode()


def test_each_rule_that_needs_a_person_is_judged_either_way(cast, submitted) -> None:
    submission = submitted()
    waiting = {"io500.source", "io500.precreated", "io500.persistence", "io500.data-reduction"}
    for outcome in ("violated", "satisfied"):
        for rule in waiting:
            body = call(cast.dana, submission, "rubric", rule=rule, outcome=outcome, note="Read.").json()
        judged = {row["rule"]: row["judgement"]["outcome"] for row in body["rules"] if row["rule"] in waiting}
        assert judged == dict.fromkeys(waiting, outcome)


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({"note": " "}, (400, "request.invalid")),
        ({"rule": "io500.no-such-rule"}, (422, "review.unknown-rule")),
        ({"rule": "io500.stonewall"}, (422, "review.unknown-rule")),
        ({"outcome": "needs_human"}, (400, "request.invalid")),
    ],
)
def test_invalid_judgements_of_rules_are_refused(cast, submitted, change, refused) -> None:
    submission = submitted()
    judgement = {"rule": waiting_rule(cast, submission), "outcome": "satisfied", "note": "Seen."} | change
    assert code(call(cast.dana, submission, "rubric", **judgement)) == refused
    assert not submission.judgements.exists()


def test_evidence_links_the_raw_line(cast, submitted) -> None:
    submission = submitted(edited_hash=True)
    page = page_of(cast.dana).get(f"/review/{submission.pk}/").content.decode()
    links = [
        part.split('"')[0] for part in page.split('href="') if part.startswith(f"/submissions/{submission.pk}/files/?")
    ]
    pages = {link: page_of(cast.dana).get(link.replace("&amp;", "&")).content.decode() for link in links}
    assert any(f'id="{link.rpartition("#")[2]}" class="current"' in text for link, text in pages.items())
    rules = {row.code: row.places for row in rubric.rubric_rows(submission, submission.checks.first().report)}
    lines = [place for places in rules.values() for place in places if file_viewer.has_line(place)]
    assert len(lines) > 10, rules
    for path, line in map(file_viewer.split_place, lines):
        assert file_viewer.file_page(submission, path, line, []).lines[0].number == line
    assert rules["io500.clients"][0].split("/")[-1].startswith("mdtest-")


def test_the_review_page_leads_to_the_decision_first(cast, submitted) -> None:
    page = page_of(cast.dana).get(f"/review/{submitted().pk}/").content.decode()
    assert page.index('href="#decision"') < page.index('aria-label="The run that counts"') < page.index('id="decision"')


def test_a_decided_run_has_no_link_to_the_decision(cast, submitted) -> None:
    submission = submitted()
    decisions.decide_run(submission, cast.dana.account, "reject", "Not this run.")
    assert "#decision" not in page_of(cast.dana).get(f"/review/{submission.pk}/").content.decode()


def test_excluding_lists_name_the_deciding_line(cast, submitted) -> None:
    submission = submitted(client_nodes=9, lists=("full", "ten"))
    page = " ".join(page_of(cast.dana).get(f"/review/{submission.pk}/").content.decode().split())
    section = page[page.index("<h2>Eligible lists</h2>") :].partition("</section>")[0]
    assert "This run has client nodes: 9" in section
    assert "mdtest-easy-delete.txt:3</a>" in section


# Talk


def test_committee_and_submitter_comment_in_threads(cast, submitted) -> None:
    submission = submitted()
    question = call(cast.dana, submission, "comments", text="Which stripe count?", finding="io500.striping").json()
    answered = call(cast.alice, submission, "comments", text="Minus one.", answers=question["id"])
    assert (answered.status_code, answered.json()["audience"]) == (201, "submitter")
    call(cast.dana, submission, "comments", text="Seen before?", audience="committee")
    of_alice = [row["text"] for row in cast.alice.get(f"submissions/{submission.pk}/comments/").json()["results"]]
    of_dana = [row["text"] for row in cast.dana.get(f"submissions/{submission.pk}/comments/").json()["results"]]
    assert (of_alice, len(of_dana)) == (["Which stripe count?", "Minus one."], 3)
    page = page_of(cast.alice).get(f"/submissions/{submission.pk}/").content.decode()
    assert "Which stripe count?" in page
    assert "Seen before?" not in page
    assert "Seen before?" in page_of(cast.dana).get(f"/review/{submission.pk}/").content.decode()


def test_comments_of_the_committee_cannot_be_answered_by_others(cast, submitted) -> None:
    submission = submitted()
    private = call(cast.dana, submission, "comments", text="Hm.", audience="committee").json()["id"]
    assert code(call(cast.alice, submission, "comments", text="?", answers=private)) == (422, "review.comment-refused")
    assert code(call(cast.alice, submission, "comments", text="?", audience="committee")) == (403, "permission.denied")
    reply = call(cast.erin, submission, "comments", text="Quite.", answers=private).json()
    assert reply["audience"] == "committee"


@pytest.mark.parametrize("said", [{"text": " "}, {"text": "x" * 8001}, {"text": "a", "answers": "b"}, {}])
def test_a_comment_without_words_or_too_long_is_refused(cast, submitted, said) -> None:
    assert call(cast.dana, submitted(), "comments", **said).status_code in (400, 422)


def test_comments_need_a_submitted_run(cast, checked) -> None:
    assert code(call(cast.alice, checked(), "comments", text="Hello?")) == (409, "state.conflict")


def test_pages_send_comments_and_escape_them(cast, submitted) -> None:
    submission = submitted()
    page_of(cast.dana).post(
        f"/review/{submission.pk}/comments/", {"text": "<script>1</script>", "audience": "submitter"}
    )
    page_of(cast.alice).post(f"/submissions/{submission.pk}/comments/", {"text": "Noted."})
    page = page_of(cast.alice).get(f"/submissions/{submission.pk}/").content.decode()
    assert "&lt;script&gt;1" in page
    assert "Noted." in page
    assert page_of(cast.charlie).post(f"/submissions/{submission.pk}/comments/", {"text": "x"}).status_code == 404


# Decisions


def test_a_release_may_require_several_acceptances(cast, gil, release, submitted) -> None:
    assert (
        cast.erin.client.patch("/api/v1/releases/sc99/", {"accepting_reviewers": 2}, format="json").status_code == 200
    )
    submission = submitted()
    first = call(cast.dana, submission, "review", decision="accept", reason="Sound.", reproducibility="limited")
    again = call(cast.dana, submission, "review", decision="accept", reason="Still sound.", reproducibility="limited")
    assert (first.json()["state"], again.json()["state"]) == ("in_review", "in_review")
    second = call(gil, submission, "review", decision="accept", reason="Yes.", reproducibility="proprietary")
    assert second.json()["state"] == "accepted"
    reasons = [row["reason"] for row in cast.alice.get(f"submissions/{submission.pk}/history/").json()["results"]]
    assert reasons[-3:] == [
        "A vote to accept, 1 more needed: Sound.",
        "A vote to accept, 1 more needed: Still sound.",
        "Yes.",
    ]


def test_a_changed_vote_no_longer_counts_as_acceptance(cast, gil, release, submitted) -> None:
    Release.objects.update(accepting_reviewers=2)
    submission = submitted()
    call(cast.dana, submission, "review", decision="accept", reason="Sound.", reproducibility="limited")
    answer = call(gil, submission, "review", decision="request_changes", reason="Say more.")
    assert answer.json()["state"] == "changes_requested"
    cast.alice.post(
        f"submissions/{submission.pk}/submit/",
        {"release": "sc99", "lists": ["full"], "acknowledge_rules": True, "acknowledge_publication": True},
    )
    submission.refresh_from_db()
    assert decisions.accepting_reviewers(submission) == set()


def test_changes_are_requested_by_finding(cast, submitted) -> None:
    submission = submitted()
    rule_code = cast.dana.get(f"submissions/{submission.pk}/").json()["rules"][0]["code"]
    review = {"decision": "request_changes", "reason": "Explain this.", "findings": [rule_code]}
    assert call(cast.dana, submission, "review", **review).json()["findings"][0]["code"] == rule_code
    page = page_of(cast.alice).get(f"/submissions/{submission.pk}/").content.decode()
    assert "Explain this." in page
    assert rule_code in page


def test_an_unknown_finding_is_refused(cast, submitted) -> None:
    submission = submitted()
    review = {"decision": "request_changes", "reason": "x", "findings": ["io500.no-such"]}
    assert code(call(cast.dana, submission, "review", **review)) == (422, "review.unknown-finding")
    assert not Review.objects.exists()


def test_the_awarded_and_the_expected_level_are_shown(cast, submitted) -> None:
    submission = submitted(answers={"reproducibility": "fully"})
    call(cast.dana, submission, "review", decision="accept", reason="Some.", reproducibility="limited")
    fields = cast.alice.get(f"submissions/{submission.pk}/").json()
    assert (fields["answers"]["reproducibility"], fields["reviews"][0]["reproducibility"]) == ("fully", "limited")


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_decisions_is_refused(cast, gil, submitted) -> None:
    submission = submitted()

    def decide(person: Person) -> int:
        decision = "accept" if person is gil else "reject"
        try:
            review = {"decision": decision, "reason": "Mine.", "reproducibility": "limited"}
            return call(person, submission, "review", **review).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        statuses = list(pool.map(decide, (gil, cast.dana)))
    submission.refresh_from_db()
    assert sorted(statuses) == [200, 409]
    assert submission.reviews.count() == 1
    assert submission.state == ("accepted" if statuses[0] == 200 else "rejected")
    assert submission.events.last().to_state == submission.state


def test_a_reviewer_requests_a_recheck(cast, submitted) -> None:
    submission = submitted()
    assert call(cast.dana, submission, "revalidate").status_code == 202
    assert submission.events.last().reason == "Checked again."
    before = submission.checks.count()
    decisions.prepare_for_review(str(submission.pk))
    submission.refresh_from_db()
    assert (submission.checks.count(), submission.state) == (before + 1, State.SUBMITTED)
    assert page_of(cast.dana).post(reverse("review-check", args=[submission.pk])).status_code == 302


def test_identical_bytes_of_another_account_are_shown_to_reviewers_only(cast, submitted) -> None:
    submission, other = submitted(), submitted(cast.charlie)
    assert submission.sha256 == other.sha256
    notice = "The same file was uploaded by another account"
    assert notice in page_of(cast.dana).get(f"/review/{submission.pk}/").content.decode()
    for person, own in ((cast.alice, submission), (cast.charlie, other)):
        page = page_of(person).get(f"/submissions/{own.pk}/").content.decode()
        assert notice not in page
    Membership.objects.create(account=cast.dana.account, institution=Site.objects.get(slug="north-lab"))
    assert notice not in page_of(cast.dana).get(f"/review/{submission.pk}/").content.decode()


# Raw files


@pytest.fixture
def sent(cast):
    """A submission of Alice's archive of such files, as it is before any check."""

    def make(**files: bytes) -> Submission:
        return Submission.objects.get(pk=cast.alice.upload(tar(files)).json()["id"])

    return make


def lines(person: Person, submission: Submission, path: str, line: int = 1):
    return person.get(f"submissions/{submission.pk}/files/received/?path={path}&line={line}")


def test_lines_are_paged_and_bounded(cast, sent) -> None:
    submission = sent(notes=b"".join(b"line %d\n" % number for number in range(1, 451)), long=b"x" * 1_000_000)
    first, last = lines(cast.alice, submission, "notes").json(), lines(cast.alice, submission, "notes", 401).json()
    assert (len(first["lines"]), first["following"], last["following"]) == (file_viewer.LINES, 201, None)
    assert (last["lines"][0]["text"], last["lines"][-1]["text"]) == ("line 401", "line 450")
    (long,) = lines(cast.alice, submission, "long").json()["lines"]
    assert (len(long["text"]), long["cut"]) == (archive_view.CHARACTERS, True)
    assert lines(cast.alice, submission, "notes", 999).json()["lines"] == []


def test_the_line_of_a_finding_is_marked(sent) -> None:
    submission = sent(**{"top/notes": b"a\nb\nc\n"})
    findings = [{"code": "x.wrong", "where": "notes:2"}, {"code": "x.other", "where": "others:2"}]
    page = file_viewer.file_page(submission, "notes", 1, findings)
    assert (page.path, [line.findings for line in page.lines]) == ("top/notes", [(), ("x.wrong",), ()])


def test_control_characters_and_markup_are_shown_as_text(cast, sent) -> None:
    submission = sent(notes="\x1b[31m<script>\r\n\u202eab".encode())
    texts = [line["text"] for line in lines(cast.alice, submission, "notes").json()["lines"]]
    assert texts == ["\u241b[31m<script>", "\ufffdab"]
    page = page_of(cast.alice).get(f"/submissions/{submission.pk}/files/?path=notes").content.decode()
    assert "&lt;script&gt;" in page
    assert page_of(cast.alice).get(f"/submissions/{submission.pk}/files/").status_code == 200


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        ("picture", (422, "files.binary")),
        ("nowhere", (404, "files.not-found")),
        ("../../etc/passwd", (404, "files.not-found")),
        ("%00", (404, "files.not-found")),
    ],
)
def test_unreadable_files_are_refused_with_a_code(cast, sent, path, refused) -> None:
    submission = sent(picture=b"\x89PNG\0\0", notes=b"a")
    assert code(lines(cast.alice, submission, path)) == refused


def test_a_line_that_is_no_number_is_refused(cast, sent) -> None:
    submission = sent(notes=b"a")
    answer = cast.alice.get(f"submissions/{submission.pk}/files/received/?path=notes&line=x")
    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("error", "refused"),
    [
        (cage_client.OutOfTime("x"), (422, "files.too-much")),
        (cage_client.TooMuch("x"), (422, "files.too-much")),
        (cage_client.JobFailed("x"), (503, "files.not-looked-into")),
        (cage_client.Busy("x"), (503, "files.not-looked-into")),
    ],
)
def test_an_archive_that_breaks_the_cage_is_refused_with_a_code(cast, sent, monkeypatch, error, refused) -> None:
    submission = sent(notes=b"a")

    def break_it(*_arguments, **_options):
        raise error

    monkeypatch.setattr(cage_client, "do_job", break_it)
    assert code(lines(cast.alice, submission, "notes")) == refused
    for page in ("files/?path=notes", "files/", "public-files/"):
        response = page_of(cast.alice).get(f"/submissions/{submission.pk}/{page}")
        assert (response.status_code, refused[1] in response.content.decode()) == (refused[0], True)


def test_a_look_is_bounded_and_taken_in_the_cage(cast, sent, monkeypatch) -> None:
    """A fiftieth of a second is not enough for one of the last of two million short lines."""
    block = random.Random(5).randbytes(2**20).translate(bytes(b"\n0"[number % 2] for number in range(256)))
    submission = sent(notes=block * 4)
    monkeypatch.setattr(file_viewer, "SECONDS", 0.02)
    assert code(lines(cast.alice, submission, "notes", 2_000_000)) == (422, "files.too-much")


def test_broken_archives_are_refused_with_a_code(cast) -> None:
    submission = Submission.objects.get(pk=cast.alice.upload(b"\x1f\x8b\x08 broken").json()["id"])
    answer = cast.alice.get(f"submissions/{submission.pk}/files/received/")
    assert code(answer) == (422, "files.unreadable")


def test_strangers_cannot_view_files(cast, submitted) -> None:
    submission = submitted()
    missing = cast.charlie.get("submissions/00000000-0000-4000-8000-000000000000/files/received/")
    forbidden = cast.charlie.get(f"submissions/{submission.pk}/files/received/")
    assert (forbidden.status_code, forbidden.content) == (missing.status_code, missing.content)
    assert page_of(cast.charlie).get(f"/submissions/{submission.pk}/files/").status_code == 404
    assert cast.dana.get(f"submissions/{submission.pk}/files/received/").status_code == 200
