"""Drafts: files that are added, replaced and removed, versions that are compared, and runs for trying out."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from submissions.bundles import public_files, scrubbed_copy
from submissions.bundles.storage import key_of, received_storage
from submissions.checks import processing
from submissions.editing import edit
from submissions.errors import Problem
from submissions.models import SecretFile, Submission
from submissions.operations import backup
from tests.make_io500 import make_run, pack
from tests.make_system import make_bag, make_system
from tests.submissions.cast import leftovers

SCRIPT = b"#!/bin/sh\nmpirun -np 320 ./io500 config.ini\n"
KEY = b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n-----END OPENSSH PRIVATE KEY-----\n"


def sent(content: bytes, name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def put(person, submission: Submission, content: bytes, name: str = "io500.sh", **fields):
    document = fields | {"file": sent(content, name)}
    return person.client.post(f"/api/v1/submissions/{submission.pk}/files/", document, format="multipart")


def remove(person, submission: Submission, name: str):
    return person.client.delete(f"/api/v1/submissions/{submission.pk}/files/{name}/")


def names(person, submission: Submission) -> list[str]:
    return [file["name"] for file in person.get(f"submissions/{submission.pk}/files/").json()["files"]]


def state(submission: Submission) -> str:
    submission.refresh_from_db()
    return submission.state


# Files beside the bundle


def test_a_file_is_added_and_checked_with_the_bundle(cast, checked) -> None:
    submission = checked()
    added = put(cast.alice, submission, SCRIPT, sha256=hashlib.sha256(SCRIPT).hexdigest())
    assert (added.status_code, added.json()["state"]) == (202, "received")
    assert names(cast.alice, submission) == ["run.tar.gz", "io500.sh"]
    processing.check_submission(submission.pk)
    assert state(submission) == "checked"
    assert [check.version for check in submission.checks.all()] == [2, 1]


def test_the_same_file_again_changes_nothing(cast, checked) -> None:
    submission = checked()
    put(cast.alice, submission, SCRIPT)
    processing.check_submission(submission.pk)
    assert put(cast.alice, submission, SCRIPT).status_code == 200
    assert (state(submission), submission.version) == ("checked", 2)


def test_a_second_run_in_an_added_file_is_found(cast, checked, archive) -> None:
    submission = checked()
    put(cast.alice, submission, archive(performance=2.0), "second.tar.gz")
    processing.check_submission(submission.pk)
    paths = [run["path"] for run in cast.alice.get(f"submissions/{submission.pk}/").json()["runs"]]
    assert len(paths) == 2
    assert any(path.startswith("second.tar.gz/") for path in paths)


def test_a_bag_is_verified_with_added_files(cast, tmp_path) -> None:
    content = pack(tmp_path / "bag.tar.gz", make_bag(make_run(), make_system())).read_bytes()
    submission = Submission.objects.get(pk=cast.alice.upload(content).json()["id"])
    put(cast.alice, submission, SCRIPT)
    processing.check_submission(submission.pk)
    codes = {finding["code"] for finding in submission.checks.first().report["findings"]}
    assert not any(code.startswith("bundle.manifest") for code in codes)
    assert submission.system_snapshot.summary


def copied_paths(submission: Submission) -> list[str]:
    return [file["path"] for file in scrubbed_copy.ensure_scrubbed_copy(submission).files]


def test_an_added_file_is_published_scrubbed(cast, submitted, release) -> None:
    submission = submitted()
    Submission.objects.filter(pk=submission.pk).update(
        beside=[{"name": "io500.sh", "sha256": hashlib.sha256(SCRIPT).hexdigest(), "size": len(SCRIPT)}]
    )
    submission.refresh_from_db()
    received_storage().save(key_of(hashlib.sha256(SCRIPT).hexdigest()), sent(SCRIPT, "io500.sh"))
    assert "io500.sh" not in copied_paths(submission)  # no benchmark read it
    public_files.agree_to_files(submission, cast.alice.account, ["io500.sh"])
    assert "io500.sh" in copied_paths(submission)


def test_a_file_is_removed(cast, checked) -> None:
    submission = checked()
    put(cast.alice, submission, SCRIPT)
    assert remove(cast.bob, submission, "io500.sh").status_code == 202
    assert names(cast.alice, submission) == ["run.tar.gz"]


@pytest.mark.parametrize(
    ("fields", "status"), [({"replaces": "nothing.sh"}, 404), ({"version": "7"}, 409), ({"sha256": "0" * 64}, 422)]
)
def test_a_refused_file_leaves_no_bytes(cast, checked, bundles, fields, status) -> None:
    submission = checked()
    before = leftovers(bundles)
    assert put(cast.alice, submission, SCRIPT, **fields).status_code == status
    assert leftovers(bundles) == before


def test_a_file_over_the_limit_leaves_no_bytes(cast, checked, bundles) -> None:
    submission = checked()
    extra_files = [{"name": f"{number}.sh", "sha256": "0" * 64, "size": 1} for number in range(19)]
    Submission.objects.filter(pk=submission.pk).update(beside=extra_files)
    before = leftovers(bundles)
    assert put(cast.alice, submission, SCRIPT).json()["code"] == "files.too-many"
    assert leftovers(bundles) == before


def test_a_removed_bundle_is_replaced_by_the_next_file(cast, checked, archive) -> None:
    submission = checked()
    put(cast.alice, submission, archive(performance=2.0), "second.tar.gz")
    assert remove(cast.alice, submission, "run.tar.gz").status_code == 202
    submission.refresh_from_db()
    assert (submission.filename, submission.beside, submission.version) == ("second.tar.gz", [], 3)


def test_the_only_file_cannot_be_removed(cast, checked) -> None:
    refused = remove(cast.alice, checked(), "run.tar.gz")
    assert (refused.status_code, refused.json()["code"]) == (409, "files.last")


def test_an_unknown_file_is_not_removed(cast, checked) -> None:
    submission = checked()
    for refused in (remove(cast.alice, submission, "x"), put(cast.alice, submission, SCRIPT, replaces="x")):
        assert (refused.status_code, refused.json()["code"]) == (404, "files.not-found")
    assert submission.former_versions.count() == 0


def test_all_files_together_are_limited(cast, checked, settings) -> None:
    submission = checked()
    settings.UPLOAD_LIMIT_BYTES = submission.size + 10
    refused = put(cast.alice, submission, SCRIPT)
    assert (refused.status_code, refused.json()["code"]) == (413, "bundle.too-large")
    assert names(cast.alice, submission) == ["run.tar.gz"]


def test_the_number_of_files_is_limited(cast, checked) -> None:
    submission = checked()
    file = {"sha256": "0" * 64, "size": 1}
    Submission.objects.filter(pk=submission.pk).update(beside=[file | {"name": f"{n}"} for n in range(19)])
    refused = put(cast.alice, submission, SCRIPT)
    assert (refused.status_code, refused.json()["code"]) == (422, "files.too-many")


def test_a_secret_in_an_added_file_removes_that_file_only(cast, checked) -> None:
    submission = checked()
    put(cast.alice, submission, KEY, "id_ed25519")
    processing.check_submission(submission.pk)
    assert state(submission) == "invalid"
    assert SecretFile.objects.get().sha256 == hashlib.sha256(KEY).hexdigest()
    assert put(cast.alice, submission, KEY, "again").json()["code"] == "bundle.secret"
    remove(cast.alice, submission, "id_ed25519")
    processing.check_submission(submission.pk)
    assert state(submission) == "checked"


@pytest.mark.parametrize("now", ["in_review", "accepted", "rejected", "withdrawn"])
def test_files_of_a_submitted_run_cannot_be_removed(cast, submitted, now) -> None:
    submission = submitted()
    Submission.objects.filter(pk=submission.pk).update(state=now)
    refused = put(cast.alice, submission, SCRIPT)
    assert (refused.status_code, refused.json()["code"]) == (409, "state.conflict")


# Versions


def test_the_bundle_is_replaced_and_the_older_one_kept(cast, checked, archive) -> None:
    submission, old = checked(), archive()
    new = archive(performance=2.0)
    assert put(cast.bob, submission, new, "better.tar.gz", replaces="run.tar.gz").status_code == 202
    assert names(cast.alice, submission) == ["better.tar.gz"]
    rows = cast.alice.get(f"submissions/{submission.pk}/versions/").json()["results"]
    assert [(row["version"], row["by"], row["files"][0]["sha256"]) for row in rows] == [
        (1, "alice", hashlib.sha256(old).hexdigest()),
        (2, "bob", hashlib.sha256(new).hexdigest()),
    ]
    assert received_storage().exists(key_of(rows[0]["files"][0]["sha256"]))
    assert rows[0]["files"][0]["sha256"] in backup._received_bundles()


def test_two_versions_are_compared(cast, checked, archive) -> None:
    submission = checked()
    put(cast.alice, submission, archive(performance=2.0), "run.tar.gz")
    processing.check_submission(submission.pk)
    differences = cast.alice.get(f"submissions/{submission.pk}/versions/difference/?from=1&to=2").json()
    assert [change["field"] for change in differences["files"]] == ["run.tar.gz"]
    assert "SCORE" in [change["field"] for change in differences["scores"]]
    assert any(change["field"].startswith("ior-easy-write bandwidth") for change in differences["measurements"])


@pytest.mark.parametrize("asked", ["?from=1&to=9", "?from=0&to=1", "?from=1", "?from=a&to=1"])
def test_an_unknown_version_is_not_found(cast, checked, asked) -> None:
    refused = cast.alice.get(f"submissions/{checked().pk}/versions/difference/{asked}")
    assert refused.status_code == (404 if asked.endswith("9") else 400)


def test_bytes_of_another_submission_are_refused(cast, checked, archive) -> None:
    submission, other = checked(), checked(performance=2.0)
    refused = put(cast.alice, submission, archive(performance=2.0), "run.tar.gz")
    assert (refused.status_code, refused.json()["code"]) == (409, "files.in-use")
    assert state(other) == state(submission) == "checked"


def test_an_edit_of_an_older_version_is_refused(cast, checked) -> None:
    submission = checked()
    put(cast.alice, submission, SCRIPT, version=1)
    refused = put(cast.bob, submission, SCRIPT + b"\n", version=1)
    assert (refused.status_code, refused.json()["code"]) == (409, "state.conflict")


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_replacements_are_both_stored(cast, checked) -> None:
    submission = checked()

    def replace(person, content: bytes) -> bool:
        try:
            return edit.put_file(submission, person.account, sent(content, "run.tar.gz"))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        successes = list(pool.map(replace, (cast.alice, cast.bob), (b"first", b"second")))
    submission.refresh_from_db()
    shas = {hashlib.sha256(content).hexdigest() for content in (b"first", b"second")}
    former = submission.former_versions.get(number=2)
    assert (successes, submission.version, {submission.sha256, former.files[0]["sha256"]}) == ([True, True], 3, shas)


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_edits_of_a_version_is_refused(cast, checked) -> None:
    submission = checked()

    def replace(content: bytes) -> str:
        try:
            edit.put_file(submission, cast.alice.account, sent(content, "run.tar.gz"), version=1)
        except Problem as problem:
            return problem.code
        finally:
            connection.close()
        return "made"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(replace, (b"first", b"second"))) == ["made", "state.conflict"]


def test_a_check_of_replaced_files_is_dropped(cast, checked, monkeypatch) -> None:
    """The files change while a worker reads the older ones."""
    submission = checked()
    edit.save_metadata_and_recheck(submission, cast.alice.account)
    examine = processing.run_validators

    def meanwhile(row):
        report = examine(row)
        put(cast.alice, submission, SCRIPT)
        return report

    monkeypatch.setattr(processing, "run_validators", meanwhile)
    processing.check_submission(submission.pk)
    assert (state(submission), submission.version, submission.checks.count()) == ("received", 2, 1)


# Who may


@pytest.mark.parametrize(
    ("person", "status"), [("alice", 202), ("bob", 202), ("charlie", 404), ("dana", 404), ("erin", 403)]
)
def test_only_permitted_accounts_add_and_remove_files(cast, checked, person, status) -> None:
    submission, requester = checked(), getattr(cast, person)
    assert put(requester, submission, SCRIPT).status_code == status
    put(cast.alice, submission, SCRIPT)
    assert remove(requester, submission, "io500.sh").status_code == status


def test_adding_a_file_needs_an_account(cast, checked) -> None:
    answer = cast.stranger.post(f"/api/v1/submissions/{checked().pk}/files/", {"file": sent(SCRIPT, "a")})
    assert answer.status_code == 401


# Without a file, and for trying out


def test_a_draft_begins_without_a_file(cast, archive) -> None:
    answer = cast.alice.client.post("/api/v1/submissions/", {"draft": "true", "metadata": '{"system": "Fjord"}'})
    assert (answer.status_code, answer.json()["state"]) == (201, "draft")
    draft = Submission.objects.get(pk=answer.json()["id"])
    assert cast.alice.put(f"submissions/{draft.pk}/answers/", {"usage": "production"}).status_code == 200
    assert cast.alice.post(f"submissions/{draft.pk}/revalidate/", {"metadata": {"system": "Sund"}}).status_code == 202
    assert put(cast.alice, draft, archive(), "run.tar.gz").status_code == 202
    processing.check_submission(draft.pk)
    assert (state(draft), draft.version, draft.answers) == ("checked", 1, {"usage": "production"})
    assert draft.metadata == {"system": "Sund"}


def test_two_drafts_without_a_file_are_separate(cast, client) -> None:
    for _ in range(2):
        cast.alice.client.post("/api/v1/submissions/", {"draft": "true"})
    client.force_login(cast.alice.account)
    page = client.get("/submissions/").content.decode()
    assert page.count("Draft without a file") == 2
    draft = Submission.objects.first()
    assert client.get(f"/submissions/{draft.pk}/").status_code == 200
    assert client.get(f"/submissions/{draft.pk}/received/").status_code == 404


def test_a_test_upload_is_listed_separately(cast, checked, release) -> None:
    trial, earnest = checked(fields={"test": "true"}), checked()
    assert (trial.test, earnest.test, trial.pk == earnest.pk) == (True, False, False)
    body = {"release": "sc99", "lists": ["full"], "acknowledge_rules": True, "acknowledge_publication": True}
    assert cast.alice.post(f"submissions/{trial.pk}/submit/", body).json()["code"] == "submit.test"
    assert cast.alice.post(f"submissions/{earnest.pk}/submit/", body).status_code == 200


# By browser


def test_files_are_added_and_removed_by_form(cast, client, checked, archive) -> None:
    submission = checked()
    client.force_login(cast.alice.account)
    page = f"/submissions/{submission.pk}/"
    assert client.post(page + "files/add/", {"file": sent(SCRIPT, "io500.sh"), "version": "1"})["Location"] == page
    assert "Remove io500.sh" in client.get(page).content.decode()
    client.post(page + "files/add/", {"file": sent(archive(performance=2.0), "b.tgz"), "replaces": "run.tar.gz"})
    client.post(page + "files/remove/", {"name": "io500.sh", "version": "3"})
    assert names(cast.alice, submission) == ["b.tgz"]
    processing.check_submission(submission.pk)
    versions_page = client.get(page + "versions/?from=1&to=4").content.decode()
    assert "Measurements" in versions_page
    assert versions_page.count(" UTC</td>") == 4
    download = client.get(page + "versions/2/io500.sh/")
    assert b"".join(download.streaming_content) == SCRIPT


def test_a_form_shows_the_refusal(cast, client, checked) -> None:
    submission = checked()
    client.force_login(cast.alice.account)
    page = f"/submissions/{submission.pk}/"
    for form, status, code in (
        ({}, 400, "intake.no-bundle"),
        ({"file": sent(SCRIPT, "a"), "version": "7"}, 409, "state.conflict"),
        ({"file": sent(SCRIPT, "a"), "replaces": "b"}, 404, "files.not-found"),
    ):
        refused = client.post(page + "files/add/", form)
        assert (refused.status_code, code in refused.content.decode()) == (status, True)


@pytest.mark.parametrize(
    ("sent_fields", "field", "words"),
    [
        ({}, "file", "file"),
        ({"file": ("a", b"")}, "file", "empty"),
        ({"file": ("a", SCRIPT), "replaces": "b"}, "replaces", "b"),
        ({"file": ("a", SCRIPT), "replaces": "run.tar.gz", "version": "7"}, "file", "version"),
        ({"file": ("a", SCRIPT), "version": "many"}, "version", "whole number"),
        ({"file": ("a", SCRIPT), "replaces": "\0"}, "replaces", "Null"),
    ],
)
def test_refusals_of_a_file_stand_at_its_field(cast, client, checked, sent_fields, field, words) -> None:
    submission = checked()
    client.force_login(cast.alice.account)
    fields = {**sent_fields}
    if "file" in fields:
        fields["file"] = sent(fields["file"][1], fields["file"][0])
    answer = client.post(f"/submissions/{submission.pk}/files/add/", fields)
    form = answer.context["file_form"]
    assert list(form.errors) == [field]
    assert words in " ".join(form.errors[field])
    page = answer.content.decode()
    assert answer.status_code >= 400
    assert page.partition("<title>")[2].startswith("Error: ")
    if not form.fields[field].widget.is_hidden:
        assert f'id="file_form_{field}_error"' in page
        assert page.count("autofocus") == 1
    if fields.get("replaces") == "run.tar.gz":
        assert '<option value="run.tar.gz" selected>' in page
    assert submission.former_versions.count() == 0


def test_a_file_without_answers_is_refused_at_its_field(cast, client, checked) -> None:
    submission = checked()
    client.force_login(cast.alice.account)
    for content, status in (
        (b"no json", 422),
        (b"", 422),
        (b"[" * 100_000, 422),
        (b'{"answers": {"nothing": 1}}', 422),
    ):
        answer = client.post(f"/submissions/{submission.pk}/answers/file/", {"file": sent(content, "answers.json")})
        assert (answer.status_code, list(answer.context["file_form"].errors)) == (status, ["file"]), content[:20]
        assert 'id="file_form_file_error"' in answer.content.decode()


@pytest.mark.parametrize(("person", "status"), [("charlie", 404), ("dana", 404), ("erin", 403)])
def test_other_accounts_cannot_change_files_by_form(cast, client, checked, person, status) -> None:
    submission = checked()
    client.force_login(getattr(cast, person).account)
    page = f"/submissions/{submission.pk}/files/"
    assert client.post(page + "add/", {"file": sent(SCRIPT, "a")}).status_code == status
    assert client.post(page + "remove/", {"name": "run.tar.gz"}).status_code == status
    assert submission.former_versions.count() == 0


def test_a_form_needs_its_csrf_token(cast, checked) -> None:
    submission = checked()
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(cast.alice.account)
    assert browser.post(f"/submissions/{submission.pk}/files/add/", {"file": sent(SCRIPT, "a")}).status_code == 403
    assert submission.former_versions.count() == 0


def test_test_uploads_and_drafts_are_created_by_form(cast, client, archive) -> None:
    client.force_login(cast.alice.account)
    client.post("/submissions/new/", {"bundle": sent(archive(), "run.tar.gz"), "test": "on"})
    went = client.post("/submissions/new/", {"draft": "on", "system": "Fjord"})
    assert client.get(went["Location"]).status_code == 200
    assert sorted(Submission.objects.values_list("state", "test")) == [("draft", False), ("received", True)]
