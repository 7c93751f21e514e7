"""The questionnaire as a page: filled in, marked by source, judged; by form without a script and by file."""

from __future__ import annotations

import html
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from collectors.document import questionnaire as collected
from submissions.checks import processing
from submissions.models import Submission
from submissions.review import decisions
from tests.html import page_source
from tests.make_io500 import make_run, pack
from tests.make_system import make_bag, make_class, make_parameter, make_system
from tests.submissions.cast import submit_to

WORDS = "Weather forecasts, climate models and what students try on it, every day."
HOSTILE = '<script>alert("x")</script> "quoted" and eight more words to make it long enough'


@pytest.fixture
def described(cast, tmp_path):
    def make(system=None) -> Submission:
        content = pack(tmp_path / "bag.tar.gz", make_bag(make_run(), make_system() if system is None else system))
        answer = cast.alice.upload(content.read_bytes())
        processing.check_submission(answer.json()["id"])
        return Submission.objects.get(pk=answer.json()["id"])

    return make


def browser(person) -> Client:
    client = Client()
    client.force_login(person.account)
    return client


def address(submission) -> str:
    return f"/submissions/{submission.pk}/answers/"


def text(answer) -> str:
    return re.sub(r"\s+", " ", html.unescape(page_source(answer)))


def fields(page: str) -> dict[str, str]:
    """What a browser sends back of a form that nobody touched."""
    values_by_field = {
        name: html.unescape(value)
        for name, value in re.findall(r'<textarea[^>]* name="([^"]+)"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    }
    values_by_field |= {
        name: html.unescape(value)
        for name, value in re.findall(r'<input id="q-[^"]+" name="([^"]+)" value="([^"]*)"', page)
    }
    for name, options in re.findall(r'<select[^>]* name="([^"]+)"[^>]*>(.*?)</select>', page):
        chosen = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)', options)
        values_by_field[name] = (chosen[1] or chosen[2]) if chosen else re.search(r"<option[^>]*>([^<]*)", options)[1]
        if not chosen and 'value=""' in options:
            values_by_field[name] = ""
    return values_by_field


def test_the_page_shows_the_progress_of_the_questionnaire(cast, described) -> None:
    submission = described()
    page = text(browser(cast.alice).get(f"/submissions/{submission.pk}/"))
    assert "5 of 10 questions are answered, 5 of them by facts." in page
    assert f'href="{address(submission)}">Answer</a>' in page
    assert "Proposed level: <b>" in page


def test_the_form_is_prefilled_with_sources(cast, described) -> None:
    page = page_source(browser(cast.alice).get(address(described())))
    sent = fields(page)
    assert "Lustre on the clients: 2.15.4" in sent["storage_system_software"]
    assert (sent["client_nodes"], sent["exclusive_cluster_usage"]) == ("10", "yes")
    assert (sent["usable_capacity"], sent["usable_capacity.unit"]) == ("1.5", "PiB")
    assert (sent["availability"], sent["storage_role"]) == ("", "")
    assert page.count("from the collector") > 2
    assert "from the benchmark" in page


def test_the_page_shows_what_the_recipe_answers_and_contradicts(cast, described) -> None:
    submission = described()
    client = browser(cast.alice)
    page = text(client.get(address(submission)))
    assert "Answered by the recipe" in page and "has another answer" not in page
    submission_page = text(client.get(f"/submissions/{submission.pk}/"))
    assert "The recipe of the run answers 3 questions." in submission_page
    assert "Facts alone support: <b>" in submission_page
    submission.answers = {"tasks": 999, "execution": f"{HOSTILE} with stonewall-time=17"}
    submission.save(update_fields=["answers"])
    page = page_source(client.get(address(submission)))
    assert page.count("The recipe of the run has another answer") >= 1
    assert fields(page)["tasks"] == "999" and "<script>alert" not in page


def test_an_unchanged_form_changes_no_answer(cast, described) -> None:
    submission = described()
    client = browser(cast.alice)
    assert client.post(address(submission), fields(page_source(client.get(address(submission))))).status_code == 302
    submission.refresh_from_db()
    assert submission.answers == {}


def test_the_form_keeps_answers_including_unknown_ones(cast, described) -> None:
    submission = described()
    submission.answers = {"of_yesterday": [1], "trust": "To be replaced."}
    submission.save(update_fields=["answers"])
    client = browser(cast.bob)
    sent = fields(page_source(client.get(address(submission))))
    sent |= {
        "trust": f"{WORDS}\r\nEvery time.",
        "tasks": "161",
        "exclusive_cluster_usage": "no",
        "usable_capacity": "2",
    }
    assert client.post(address(submission), sent)["Location"] == address(submission)
    submission.refresh_from_db()
    assert submission.answers == {
        "of_yesterday": [1],
        "trust": f"{WORDS}\nEvery time.",
        "tasks": 161,
        "exclusive_cluster_usage": False,
        "usable_capacity": {"value": 2, "unit": "PiB"},
    }
    page = text(client.get(address(submission)))
    assert "questionnaire.answer-differs" in page
    assert "from the submitter" in page


def test_an_invalid_number_is_refused_at_its_field_with_all_input_kept(cast, described) -> None:
    submission = described()
    answer = browser(cast.alice).post(address(submission), {"tasks": "many", "trust": WORDS, "usable_capacity": "nan"})
    assert answer.status_code == 422
    page = text(answer)
    assert "It must be a number, not negative." in page
    assert 'value="many"' in page
    assert WORDS in page
    submission.refresh_from_db()
    assert submission.answers == {}


def test_an_answer_is_text_and_never_markup(cast, release, described) -> None:
    submission = described()
    browser(cast.alice).post(address(submission), {"trust": HOSTILE, "caching": "</textarea><b>x</b>"})
    submit_to(release, submission, cast.alice)
    for person, path in ((cast.alice, address(submission)), (cast.dana, f"/review/{submission.pk}/")):
        page = page_source(browser(person).get(path))
        assert "&lt;script&gt;alert(" in page
        assert "<script>alert(" not in page
        assert "</textarea><b>" not in page


def test_answers_can_be_uploaded_as_a_file(cast, described) -> None:
    submission = described()
    client = browser(cast.alice)
    document = client.get(f"/api/v1/submissions/{submission.pk}/answers/").json()
    document["answers"] = {"trust": WORDS}
    sent = SimpleUploadedFile("answers.json", json.dumps(document).encode())
    assert client.post(f"{address(submission)}file/", {"file": sent}).status_code == 302
    submission.refresh_from_db()
    assert submission.answers == {"trust": WORDS}


@pytest.mark.parametrize(
    "content", [b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b'{"tasks": "many"}', b'{"a": NaN}', None]
)
def test_a_file_that_is_no_answers_is_refused(cast, described, content) -> None:
    submission = described()
    sent = {} if content is None else {"file": SimpleUploadedFile("answers.json", content)}
    answer = browser(cast.alice).post(f"{address(submission)}file/", sent)
    assert answer.status_code == 422
    assert "answers.invalid" in text(answer)
    submission.refresh_from_db()
    assert submission.answers == {}


def test_answers_under_review_can_be_read_and_not_changed(cast, release, described) -> None:
    submission = described()
    submit_to(release, submission, cast.alice)
    decisions.start_review(submission, cast.dana.account)
    client = browser(cast.alice)
    page = text(client.get(address(submission)))
    assert "<textarea" not in page
    assert "Lustre on the clients: 2.15.4" in page
    assert client.post(address(submission), {"trust": WORDS}).status_code == 409
    assert client.post(f"{address(submission)}file/", {"file": SimpleUploadedFile("a.json", b"{}")}).status_code == 409


def test_questionnaires_are_answered_by_members_and_read_by_reviewers(cast, release, described) -> None:
    submission = described()
    people = (cast.alice, cast.bob, cast.charlie, cast.dana, cast.erin)
    assert [browser(person).get(address(submission)).status_code for person in people] == [200, 200, 404, 404, 200]
    assert [browser(person).post(address(submission)).status_code for person in people] == [302, 302, 404, 404, 403]
    assert "<textarea" not in text(browser(cast.erin).get(address(submission)))
    assert Client().get(address(submission)).status_code == 302
    submit_to(release, submission, cast.alice)
    assert [browser(person).get(address(submission)).status_code for person in people] == [200, 200, 404, 200, 200]


def test_reviewers_read_the_proposal_with_its_evidence_and_the_contradictions(cast, release, described) -> None:
    busy = make_class(parameters=[make_parameter("node.load_before", 99.5, key="load_1min")])
    submission = described(make_system(node_classes=[busy]))
    submit_to(release, submission, cast.alice)
    page = text(browser(cast.dana).get(f"/review/{submission.pk}/"))
    assert "Proposed level: undefined" in page
    names = re.findall(r"<summary>Evidence<span class=\"vh\"> of ([^<]+)</span></summary>", page)
    assert names and len(set(names)) == page.count("<summary>Evidence")
    assert "0 of 5 facts are given; at least 2 are needed." in page
    assert "The software can be had by others" in page
    assert "questionnaire.load-found" in page
    assert "a load up to 12.8" in page


def test_a_run_that_is_still_checked_shows_no_questionnaire_yet(cast, archive) -> None:
    pk = cast.alice.upload(archive()).json()["id"]
    assert "questions are answered" not in text(browser(cast.alice).get(f"/submissions/{pk}/"))


def test_an_answer_file_of_the_collector_is_accepted(cast, described) -> None:
    submission = described()
    document = collected.template(make_system())
    for row in document["questions"]:
        row["answer"] = {"storage_role": "primary", "system.usage": "research", "trust": 5}.get(row["question"])
    document["questions"].append("no question")
    sent = SimpleUploadedFile("answers.json", json.dumps(document).encode())
    assert browser(cast.alice).post(f"{address(submission)}file/", {"file": sent}).status_code == 302
    submission.refresh_from_db()
    assert submission.answers == {"storage_role": "primary"}


# Saving while one types


def open_form(client: Client, submission: Submission) -> dict[str, str]:
    """The hidden field that says which answers the form shows."""
    page = page_source(client.get(address(submission)))
    return {"base": re.search(r'name="base" value="(\w+)"', page)[1]}


def autosave(client: Client, submission: Submission, fields: dict[str, str]):
    return client.post(address(submission), fields, headers={"accept": "application/json"})


def test_each_save_returns_the_version_for_the_next(cast, described) -> None:
    submission, client = described(), browser(cast.alice)
    first = autosave(client, submission, open_form(client, submission) | {"system_purpose": WORDS})
    assert first.status_code == 200, first.content
    second = autosave(client, submission, {"base": first.json()["base"], "system_purpose": f"{WORDS} Twice."})
    assert second.status_code == 200
    submission.refresh_from_db()
    assert submission.answers["system_purpose"] == f"{WORDS} Twice."
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", second.json()["saved_at"])


def test_answers_of_another_tab_are_not_overwritten(cast, described) -> None:
    submission = described()
    alice, bob = browser(cast.alice), browser(cast.bob)
    old = open_form(alice, submission)
    assert (
        autosave(bob, submission, open_form(bob, submission) | {"system_purpose": f"{WORDS} By Bob."}).status_code
        == 200
    )
    refused = autosave(alice, submission, old | {"system_purpose": f"{WORDS} By Alice."})
    assert (refused.status_code, refused.json()["code"]) == (409, "edit.answers-changed")
    page = alice.post(address(submission), old | {"system_purpose": f"{WORDS} By Alice."})
    source = page_source(page)
    assert page.status_code == 409
    assert "By Bob." in source and "By Alice.</textarea>" in source
    submission.refresh_from_db()
    assert submission.answers["system_purpose"] == f"{WORDS} By Bob."
    again = re.search(r'name="base" value="(\w+)"', source)[1]
    assert alice.post(address(submission), {"base": again, "system_purpose": f"{WORDS} By Alice."}).status_code == 302


def test_a_wrong_answer_is_refused_to_the_script_by_field(cast, described) -> None:
    submission, client = described(), browser(cast.alice)
    refused = autosave(client, submission, open_form(client, submission) | {"reproducibility": "perfect"})
    assert refused.status_code == 422
    assert list(refused.json()["errors"]) == ["reproducibility"]


def test_sections_count_their_answers(cast, described) -> None:
    submission, client = described(), browser(cast.alice)
    before = page_source(client.get(address(submission)))
    autosave(client, submission, open_form(client, submission) | {"system_purpose": WORDS})
    after = page_source(client.get(address(submission)))
    counts = [re.findall(r"(\d+) of (\d+) answered", page)[1:] for page in (before, after)]
    assert [len(rows) for rows in counts] == [3, 3]
    assert int(counts[1][0][0]) == int(counts[0][0][0]) + 1
