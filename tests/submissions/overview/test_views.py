"""The private pages: who sees what, what each form does, and what it says when it can't."""

from __future__ import annotations

import hashlib
import re
import uuid
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from registry.models import Result
from submissions.checks import processing
from submissions.models import Submission
from submissions.publication import publish as publication_publish
from submissions.publication import releases
from submissions.review import decisions
from tests.html import page_source
from tests.make_fio import make_output
from tests.make_io500 import make_run
from tests.submissions.cast import Person
from validators import catalogue

pytestmark = pytest.mark.django_db
HOSTILE = '<script>alert("x")</script>'


def browser(person: Person | None = None, **options: bool) -> Client:
    client = Client(**options)
    if person is not None:
        client.force_login(person.account)
    return client


def send(client: Client, content: bytes | None, *, name: str = "run.tar.gz", **fields: object):
    files = {} if content is None else {"bundle": SimpleUploadedFile(name, content)}
    return client.post("/submissions/new/", fields | files)


def text(page) -> str:
    return page_source(page)


# Signing in


def test_private_pages_ask_to_sign_in(cast) -> None:
    for address in ("/submissions/", "/submissions/new/", f"/submissions/{uuid.uuid4()}/", "/review/", "/account/"):
        answer = Client().get(address)
        assert answer.status_code == 302
        assert answer["Location"] == f"/login/?next={address}"


def test_signing_in_redirects_back(cast) -> None:
    cast.alice.account.set_password("correct horse")
    cast.alice.account.save()
    answer = Client().post("/login/", {"username": "alice", "password": "correct horse", "next": "/submissions/new/"})
    assert answer["Location"] == "/submissions/new/"


def test_a_failed_sign_in_does_not_say_what_was_wrong(cast) -> None:
    for username in ("alice", "nobody"):
        page = Client().post("/login/", {"username": username, "password": "wrong"})
        assert page.status_code == 200
        assert "Wrong user name or password, or the account is disabled." in text(page)


def test_signing_in_never_leaves_the_site(cast) -> None:
    cast.alice.account.set_password("correct horse")
    cast.alice.account.save()
    answer = Client().post(
        "/login/", {"username": "alice", "password": "correct horse", "next": "https://evil.example/"}
    )
    assert answer["Location"] == "/submissions/"


def test_password_attempts_are_throttled(cast, settings) -> None:
    cache.clear()
    settings.THROTTLE_RATES = settings.THROTTLE_RATES | {"login": ("3/min", "3/min")}
    answers = [Client().post("/login/", {"username": "alice", "password": str(number)}) for number in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 60


def test_signing_out_needs_a_form(cast) -> None:
    client = browser(cast.alice)
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/")["Location"] == "/"
    assert client.get("/submissions/").status_code == 302


# Tokens


def test_a_token_is_shown_once_and_works(cast) -> None:
    client = browser(cast.alice)
    token = re.search(r"hw_[0-9a-f]+", text(client.post("/account/tokens/", {"scopes": ["read"], "days": "30"})))[0]
    assert token not in text(client.get("/account/"))
    answer = Client().get("/api/v1/submissions/", headers={"Authorization": f"Token {token}"})
    assert answer.status_code == 200


def test_a_revoked_token_is_refused_and_only_its_owner_revokes_it(cast) -> None:
    of_bob = cast.bob.account.tokens.get()
    browser(cast.alice).post("/account/tokens/revoke/", {"beginning": of_bob.beginning})
    assert cast.bob.get("submissions/").status_code == 200
    browser(cast.bob).post("/account/tokens/revoke/", {"beginning": of_bob.beginning})
    assert cast.bob.get("submissions/").status_code == 401


# Upload


def test_a_run_is_uploaded_by_form(cast, archive) -> None:
    answer = send(browser(cast.alice), archive(), system="Gale", client_nodes="10")
    submission = Submission.objects.get()
    assert answer["Location"] == f"/submissions/{submission.pk}/"
    assert submission.metadata == {"system": "Gale", "client_nodes": 10}
    assert submission.institution.slug == "north-lab"
    assert submission.state == "received"


def test_the_same_run_again_leads_to_the_same_submission(cast, archive) -> None:
    content = archive()
    first = send(browser(cast.alice), content)
    assert send(browser(cast.alice), content)["Location"] == first["Location"]
    assert Submission.objects.count() == 1


def test_an_upload_by_htmx_is_redirected_by_header(cast, archive) -> None:
    content = SimpleUploadedFile("run.tar.gz", archive())
    answer = browser(cast.alice).post("/submissions/new/", {"bundle": content}, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert answer["HX-Redirect"].startswith("/submissions/")


@pytest.mark.parametrize(
    ("content", "fields", "code"),
    [
        (None, {}, "intake.no-bundle"),
        (b"", {}, "intake.empty-bundle"),
        (b"x", {"client_nodes": "many"}, "client_nodes"),
    ],
)
def test_refused_uploads_are_explained_on_the_form(cast, content, fields, code) -> None:
    page = send(browser(cast.alice), content, **fields)
    assert page.status_code in (400, 422)
    assert code in text(page)
    assert not Submission.objects.exists()


def test_a_bundle_over_the_limit_is_refused_and_deleted(cast, settings, bundles) -> None:
    settings.UPLOAD_LIMIT_BYTES = 1000
    page = send(browser(cast.alice), b"x" * 5000)
    assert page.status_code == 413
    assert "bundle.too-large" in text(page)
    assert [path for path in bundles.rglob("*") if path.is_file()] == []


def test_a_form_without_its_token_is_refused_and_nothing_is_kept(cast, archive, bundles) -> None:
    page = send(browser(cast.alice, enforce_csrf_checks=True), archive())
    assert page.status_code == 403
    assert not Submission.objects.exists()
    assert [path for path in bundles.rglob("*") if path.is_file()] == []


def test_an_upload_without_signing_in_is_not_read(cast, archive, bundles) -> None:
    assert send(Client(), archive())["Location"] == "/login/?next=/submissions/new/"
    assert not bundles.exists() or [path for path in bundles.rglob("*") if path.is_file()] == []


def test_too_many_uploads_have_to_wait(cast, archive, settings) -> None:
    cache.clear()
    settings.THROTTLE_RATES = settings.THROTTLE_RATES | {"upload": ("1/h", "1/h")}
    assert send(browser(cast.alice), archive()).status_code == 302
    assert send(browser(cast.alice), archive(performance=2.0)).status_code == 429


# One submission


def test_a_submission_shows_its_score_findings_and_rules(cast, checked, archive) -> None:
    submission = checked(edited_phase="find")
    page = text(browser(cast.alice).get(f"/submissions/{submission.pk}/"))
    assert 'href="/docs/findings/#io500.score.inconsistent"' in page
    assert 'href="/docs/rules/#io500.stonewall"' in page
    assert submission.sha256 in page
    assert "hx-trigger" not in page


def test_the_upload_page_asks_for_three_runs_with_the_reason(cast) -> None:
    """Bandwidths of published runs vary by 3.49 %: three of each tell 23.7 %, five 14.7 %, single ones 113 %."""
    page = text(browser(cast.alice).get("/submissions/new/"))
    assert "<b>Run it three times</b> with the same settings" in page
    assert re.search(r"Bandwidth of one phase</th>(<td [^>]*>(3.49|113|23.7|14.7)</td>){4}", page)


def test_the_upload_page_asks_for_the_file_first(cast, settings) -> None:
    settings.UPLOAD_LIMIT_BYTES = 3 * 2**20
    page = text(browser(cast.alice).get("/submissions/new/"))
    form = page.partition('data-limit="3145728"')[2].partition("</form>")[0]
    assert re.findall(r'<(?:input|select|textarea)[^>]* name="(\w+)"', form)[1:] == ["bundle", "test"]
    assert "at most 3 MiB" in form
    assert "Error:" not in page


def test_an_invalid_detail_keeps_its_input_and_names_its_error(cast) -> None:
    answer = send(browser(cast.alice), b"x", client_nodes="many", tasks="few", system="Fjord")
    page = text(answer)
    assert answer.status_code == 422
    assert "<title>Error: Upload a run" in page
    assert "2 fields need attention." in page
    field = re.search(r'<input[^>]* id="id_client_nodes"[^>]*>', page)[0]
    for attribute in ('value="many"', 'aria-invalid="true"', 'aria-describedby="id_client_nodes_error"', "autofocus"):
        assert attribute in field
    assert 'id="id_client_nodes_error">Enter a whole number.' in page
    assert page.count("autofocus") == 1
    assert 'value="Fjord"' in page


def test_a_single_run_is_asked_to_be_repeated_and_three_are_not(cast, checked) -> None:
    address = f"/submissions/{checked().pk}/"
    assert "This run was not repeated" in text(browser(cast.alice).get(address))
    submission = Submission.objects.get()
    check = submission.checks.first()
    check.report |= {
        "runs": check.report["runs"] * 3,
        "groups": [{"kind": "repeats", "tool": "io500", "runs": [0, 1, 2]}],
    }
    check.report["groups"][0] |= {"varies": {}, "missing_settings": [], "distributions": []}
    check.save()
    assert "This run was not repeated" not in text(browser(cast.alice).get(address))


def test_the_page_of_a_running_check_refreshes_itself(cast, archive) -> None:
    address = send(browser(cast.alice), archive())["Location"]
    page = text(browser(cast.alice).get(address))
    assert f'hx-get="{address}" hx-trigger="every 2s"' in page
    assert 'aria-live="polite"' in page


def test_errors_come_before_warnings(cast, checked) -> None:
    page = text(browser(cast.alice).get(f"/submissions/{checked(edited_phase='find').pk}/"))
    levels = re.findall(r'<span class="lv (\w+)">', page)
    assert levels == sorted(levels, key=["error", "warning", "info"].index)


def test_strangers_get_404_for_a_submission(cast, checked) -> None:
    address = f"/submissions/{checked().pk}/"
    assert browser(cast.alice).get(address).status_code == 200
    assert browser(cast.bob).get(address).status_code == 200
    for outsider in (cast.charlie, cast.dana):
        hidden, missing = browser(outsider).get(address), browser(outsider).get(f"/submissions/{uuid.uuid4()}/")
        assert hidden.status_code == missing.status_code == 404
        neutral = re.compile(r'name="(?:next|csrfmiddlewaretoken)" value="[^"]*"')
        assert neutral.sub("", text(hidden)) == neutral.sub("", text(missing))


def test_names_from_outside_are_escaped(cast, archive) -> None:
    answer = send(browser(cast.alice), archive(), name=f"{HOSTILE}.tar.gz", system=HOSTILE, note=HOSTILE)
    for address in (answer["Location"], "/submissions/"):
        assert "<script>alert" not in text(browser(cast.alice).get(address))


def test_private_pages_are_not_cached(cast, checked) -> None:
    for address in ("/submissions/", f"/submissions/{checked().pk}/", "/submissions/new/", "/account/"):
        assert "no-store" in browser(cast.alice).get(address)["Cache-Control"]


def test_an_empty_list_of_submissions_names_the_next_step(cast) -> None:
    assert 'href="/submissions/new/"' in text(browser(cast.charlie).get("/submissions/"))


def test_the_list_costs_the_same_queries_for_many_rows(cast, checked, django_assert_max_num_queries) -> None:
    for number in range(3):
        checked(performance=1.0 + number)
    client = browser(cast.alice)
    with django_assert_max_num_queries(6):
        assert text(client.get("/submissions/")).count("run.tar.gz") == 3


def test_a_page_of_a_submission_costs_a_fixed_number_of_queries(
    cast, release, checked, django_assert_max_num_queries
) -> None:
    submission, client = checked(), browser(cast.alice)
    with django_assert_max_num_queries(16):  # three more say where the run can rank
        client.get(f"/submissions/{submission.pk}/")


def test_only_institution_and_reviewers_download_the_bytes(cast, submitted, archive) -> None:
    submission, content = submitted(), archive()
    address = f"/submissions/{submission.pk}/received/"
    for person in (cast.alice, cast.bob, cast.dana, cast.erin):
        answer = browser(person).get(address)
        assert b"".join(answer.streaming_content) == content
        assert answer["Content-Disposition"] == 'attachment; filename="run.tar.gz"'
        assert "no-store" in answer["Cache-Control"]
    assert browser(cast.charlie).get(address).status_code == 404
    assert Client().get(address).status_code == 302


def test_reviewers_download_bytes_only_after_submitting(cast, checked) -> None:
    assert browser(cast.dana).get(f"/submissions/{checked().pk}/received/").status_code == 404


def test_the_scrubbed_copy_can_be_previewed(cast, submitted) -> None:
    submission = submitted()
    address = f"/submissions/{submission.pk}/copy/"
    assert browser(cast.alice).get(address).status_code == 404
    decisions.prepare_for_review(str(submission.pk))
    content = b"".join(browser(cast.alice).get(address).streaming_content)
    submission.refresh_from_db()
    assert hashlib.sha256(content).hexdigest() == submission.derivative.sha256
    assert submission.derivative.sha256 in text(browser(cast.alice).get(f"/submissions/{submission.pk}/"))
    assert browser(cast.charlie).get(address).status_code == 404


# Submit, check again, withdraw


def test_a_checked_run_is_submitted(cast, release, checked) -> None:
    submission = checked()
    fields = {"release": release.slug, "lists": ["io500", "ten"], "acknowledge_rules": "on"}
    client = browser(cast.bob)
    refused = client.post(f"/submissions/{submission.pk}/submit/", fields)
    assert refused.status_code == 422
    assert "submit.not-acknowledged" in text(refused)
    accepted = client.post(f"/submissions/{submission.pk}/submit/", fields | {"acknowledge_publication": "on"})
    assert accepted["Location"] == f"/submissions/{submission.pk}/"
    submission.refresh_from_db()
    assert (submission.state, submission.lists) == ("submitted", ["io500", "ten"])


def test_errors_of_upload_fields_are_shown_at_the_field(cast) -> None:
    page = text(send(browser(cast.alice), b"x", client_nodes="-3", system="Fjord"))
    assert re.search(r'id="id_client_nodes_error">[^<]*Enter 1 or more\.', page)
    assert re.search(r'<a href="#id_client_nodes">Client nodes</a>:\s+Enter 1 or more\.', page)
    assert 'value="Fjord"' in page


def test_a_refused_form_keeps_its_release_lists_and_run(cast, release, checked) -> None:
    """It fell back to what was said at upload: who only added what was missing submitted to another release."""
    releases.create_release("SC98", timezone.now() + timedelta(days=30), name="SC98")
    other = make_run(performance=1.5, folder="results/2025.10.02-09.00.00")
    submission = checked(extra=other, fields={"release": release.slug})
    fields = {"release": "SC98", "lists": ["full"], "acknowledge_rules": "on", "primary": "1"}
    client = browser(cast.bob)
    page = page_source(client.post(f"/submissions/{submission.pk}/submit/", fields))
    submit = page[page.index('id="submit"') :]
    assert re.findall(r'<option value="(\w+)" selected', submit) == ["SC98"]
    chosen = [tag for tag in re.findall(r"<input[^>]*>", page) if " checked" in tag]
    assert [re.search(r'name="(\w+)"', tag)[1] for tag in chosen] == ["primary", "lists", "acknowledge_rules"]
    assert ['value="1"' in chosen[0], 'value="full"' in chosen[1]] == [True, True]


def test_the_submitter_chooses_one_of_several_runs(cast, release, checked) -> None:
    other = make_run(performance=1.5, folder="results/2025.10.02-09.00.00")
    submission = checked(extra=other)
    client, address = browser(cast.alice), f"/submissions/{submission.pk}/"
    assert text(client.get(address)).count('name="primary"') == 2
    fields = {"release": release.slug, "lists": ["io500"], "acknowledge_rules": "on", "acknowledge_publication": "on"}
    refused = client.post(f"{address}submit/", fields)
    assert refused.status_code == 422
    assert "review.primary-needed" in text(refused)
    assert client.post(f"{address}submit/", fields | {"primary": "7"}).status_code == 422
    assert client.post(f"{address}submit/", fields | {"primary": "1"}).status_code == 302
    submission.refresh_from_db()
    assert (submission.state, submission.chosen_primary) == ("submitted", 1)


def test_a_form_without_lists_is_refused(cast, release, checked) -> None:
    form = {"release": release.slug, "acknowledge_rules": "on", "acknowledge_publication": "on"}
    page = browser(cast.alice).post(f"/submissions/{checked().pk}/submit/", form)
    assert page.status_code == 422
    assert "No list was named." in text(page)


def test_no_section_of_a_submission_is_empty(cast, checked, check) -> None:
    """A run without measurements had a section with nothing in it, between two lines."""
    cut = check(cast.alice.upload(make_output(2)[:-20], name="fio.json").json()["id"])
    for submission in (checked(), cut):
        page = text(browser(cast.alice).get(f"/submissions/{submission.pk}/"))
        assert re.findall(r"<section[^>]*>\s*</section>", page) == []
        assert "<h2>Receipt</h2>" in page and page.count('id="copy"') == 1


def test_an_invalid_run_has_no_form_and_can_not_be_submitted(cast, release, checked) -> None:
    submission = checked(edited_phase="find")
    client = browser(cast.alice)
    assert 'id="submit"' not in text(client.get(f"/submissions/{submission.pk}/"))
    fields = {"release": release.slug, "lists": ["io500"], "acknowledge_rules": "on", "acknowledge_publication": "on"}
    assert client.post(f"/submissions/{submission.pk}/submit/", fields).status_code == 409


def test_a_run_is_checked_again(cast, checked) -> None:
    submission = checked()
    browser(cast.alice).post(f"/submissions/{submission.pk}/check/")
    submission.refresh_from_db()
    assert submission.state == "received"


def test_a_run_is_withdrawn_with_a_reason(cast, checked) -> None:
    submission = checked()
    client = browser(cast.alice)
    assert client.post(f"/submissions/{submission.pk}/withdraw/", {"reason": " "}).status_code == 422
    client.post(f"/submissions/{submission.pk}/withdraw/", {"reason": "Wrong disks."})
    submission.refresh_from_db()
    assert submission.state == "withdrawn"


@pytest.mark.parametrize("action", ["submit", "withdraw", "check"])
def test_strangers_cannot_act_on_a_submission(cast, release, checked, action) -> None:
    submission = checked()
    fields = {"release": release.slug, "lists": ["io500"], "acknowledge_rules": "on", "acknowledge_publication": "on"}
    answer = browser(cast.charlie).post(f"/submissions/{submission.pk}/{action}/", fields | {"reason": "x"})
    assert answer.status_code == 404
    submission.refresh_from_db()
    assert submission.state == "checked"


@pytest.mark.parametrize("action", ["submit", "withdraw", "check"])
def test_reviewers_cannot_act_as_submitters(cast, release, submitted, action) -> None:
    submission = submitted()
    fields = {"release": release.slug, "lists": ["io500"], "acknowledge_rules": "on", "acknowledge_publication": "on"}
    answer = browser(cast.dana).post(f"/submissions/{submission.pk}/{action}/", fields | {"reason": "x"})
    assert answer.status_code == 403
    submission.refresh_from_db()
    assert submission.state == "submitted"


# Review


def test_only_reviewers_see_the_queue(cast, submitted) -> None:
    submission = submitted()
    assert f"/review/{submission.pk}/" in text(browser(cast.dana).get("/review/"))
    assert browser(cast.erin).get("/review/").status_code == 200
    for person in (cast.alice, cast.charlie):
        assert browser(person).get("/review/").status_code == 404
        assert browser(person).get(f"/review/{submission.pk}/").status_code == 404


def test_a_reviewer_starts_a_review_and_accepts(cast, submitted) -> None:
    submission, client = submitted(), browser(cast.dana)
    client.post(f"/review/{submission.pk}/start/")
    submission.refresh_from_db()
    assert submission.state == "in_review"
    fields = {"decision": "accept", "reproducibility": "fully", "reason": "Everything agrees."}
    assert client.post(f"/review/{submission.pk}/decide/", fields)["Location"] == reverse("review")
    submission.refresh_from_db()
    assert submission.state == "accepted"
    assert submission.reviews.get().reproducibility == "fully"
    assert "Everything agrees." in text(browser(cast.alice).get(f"/submissions/{submission.pk}/"))


def test_a_decision_needs_a_reason(cast, submitted) -> None:
    submission = submitted()
    page = browser(cast.dana).post(
        f"/review/{submission.pk}/decide/", {"decision": "reject", "reproducibility": "undefined", "reason": ""}
    )
    assert page.status_code == 422
    assert "review.reason-needed" in text(page)
    assert re.search(r'<textarea[^>]* name="reason"[^>]* aria-invalid="true"', text(page))
    submission.refresh_from_db()
    assert submission.state == "submitted"


def test_reviewers_do_not_decide_about_runs_of_their_institution(cast, submitted) -> None:
    cast.bob.account.role = "reviewer"
    cast.bob.account.save()
    submission, client = submitted(), browser(cast.bob)
    assert f"/review/{submission.pk}/" not in text(client.get("/review/"))
    assert "You cannot review this submission" in text(client.get(f"/review/{submission.pk}/"))
    fields = {"decision": "accept", "reproducibility": "fully", "reason": "Mine."}
    page = client.post(f"/review/{submission.pk}/decide/", fields)
    assert page.status_code == 403
    assert "review.conflict-of-interest" in text(page)


def test_an_unsubmitted_run_has_no_review_page(cast, checked) -> None:
    address = f"/review/{checked().pk}/"
    assert browser(cast.dana).get(address).status_code == 404
    assert browser(cast.erin).get(address).status_code == 404


# Publishing


def test_an_editor_sees_what_would_be_published_and_publishes(cast, release, submitted) -> None:
    submission = submitted(fields={"metadata": '{"system": "Gale"}'})
    decisions.decide_run(submission, cast.dana.account, "accept", "Fine.", reproducibility="fully")
    client = browser(cast.erin)
    assert "Gale" in text(client.get("/releases/sc99/publish/"))
    assert (
        client.post("/releases/sc99/publish/", {"confirm": "sc99", "allow_empty": "on"})["Location"] == "/lists/sc99/"
    )
    assert Result.objects.get(trust="verified").system_name == "Gale"
    assert "Gale" in text(Client().get("/lists/sc99/io500/"))


@pytest.mark.parametrize("name", ["alice", "charlie", "dana"])
def test_publishing_is_hidden_from_others(cast, release, name) -> None:
    client = browser(getattr(cast, name))
    assert client.get("/releases/sc99/publish/").status_code == 404
    assert client.post("/releases/sc99/publish/").status_code == 404
    release.refresh_from_db()
    assert release.published_at is None


def test_a_published_result_shows_its_checks_in_public(cast, release, submitted) -> None:
    submission = submitted()
    decisions.decide_run(submission, cast.dana.account, "accept", "Fine.")
    publication_publish.publish_release(release, cast.erin.account, allow_empty=True)
    result = Result.objects.get(trust="verified")
    page = text(Client().get(f"/results/{result.public_id}/"))
    assert "rules satisfied" in page
    assert result.bundle_sha256 in page
    content = b"".join(Client().get(f"/results/{result.public_id}/copy.tar.gz").streaming_content)
    assert hashlib.sha256(content).hexdigest() == result.public_sha256
    assert "alice" not in page


def test_private_names_are_not_on_public_pages(cast, submitted) -> None:
    submitted(fields={"metadata": '{"system": "Secret-System"}'})
    for address in ("/", "/lists/", "/results/", "/systems/", "/sites/", "/releases/"):
        assert "Secret-System" not in text(Client().get(address))
    assert "Nothing found for these words in results or documents" in text(Client().get("/search/?q=Secret-System"))


def test_a_run_of_a_tool_without_score_shows_what_it_measured(cast) -> None:
    sample = catalogue.FOLDER / "fio" / "samples" / "json-two-jobs" / "stdout.txt"
    answer = cast.alice.upload(sample.read_bytes(), name="fio.json")
    processing.check_submission(answer.json()["id"])
    page = text(browser(cast.alice).get(f"/submissions/{answer.json()['id']}/"))
    assert "Measured by fio" in page
    assert '<th scope="row">bandwidth mean</th><td>MiB/s</td><td class="n">163.3</td>' in page
    assert '<td class="n">163.3</td>' in page
    assert "Metadata<br>" not in page
