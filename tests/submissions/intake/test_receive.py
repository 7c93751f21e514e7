"""POST submissions/: what is taken, what is refused with which code, and that a refusal keeps nothing."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from submissions.intake.receive import file_name, institution_of
from submissions.models import Membership, Submission
from tests.submissions.cast import leftovers

CONTENT = b"IO500 version io500-sc25 (standard)\n"
URL = "/api/v1/submissions/"


def test_an_upload_is_received(cast, bundles: Path) -> None:
    answer = cast.alice.upload(CONTENT)
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    assert answer.status_code == 202
    document = answer.json()
    assert document["sha256"] == sha256
    assert document["state"] == "received"
    assert document["url"] == f"http://testserver/submissions/{document['id']}/"
    submission = Submission.objects.get(pk=document["id"])
    assert (submission.account, submission.institution.slug) == (cast.alice.account, "north-lab")
    assert (submission.size, submission.filename) == (len(CONTENT), "run.tar.gz")
    assert [path.read_bytes() for path in leftovers(bundles)] == [CONTENT]
    assert [event.to_state for event in submission.events.all()] == ["received"]


def test_the_same_bytes_again_are_the_same_submission(cast) -> None:
    first, again = cast.alice.upload(CONTENT), cast.alice.upload(CONTENT, name="other-name.tgz")
    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json()["id"] == again.json()["id"]
    assert Submission.objects.get().events.count() == 1


@pytest.mark.parametrize("closed", ["withdrawn", "rejected"])
def test_a_closed_submission_can_be_uploaded_again(cast, closed) -> None:
    first = cast.alice.upload(CONTENT).json()["id"]
    Submission.objects.filter(pk=first).update(state=closed)
    again, once_more = cast.alice.upload(CONTENT), cast.alice.upload(CONTENT)
    assert (again.status_code, once_more.status_code) == (202, 200)
    assert first != again.json()["id"] == once_more.json()["id"]
    (event,) = cast.alice.get(f"submissions/{again.json()['id']}/history/").json()["results"]
    assert event["reason"] == f"A new try: submission {first} of the same bytes was {closed}."


def test_repeated_uploads_return_the_same_submission_in_every_state(cast) -> None:
    first = cast.alice.upload(CONTENT).json()["id"]
    for state in ("invalid", "checked", "in_review", "accepted"):
        Submission.objects.filter(pk=first).update(state=state)
        assert cast.alice.upload(CONTENT).json()["id"] == first


def test_the_same_bytes_of_another_account_are_another_submission(cast) -> None:
    first, other = cast.alice.upload(CONTENT), cast.bob.upload(CONTENT)
    assert (first.status_code, other.status_code) == (202, 202)
    assert first.json()["id"] != other.json()["id"]


def test_fields_of_an_upload_are_stored(cast, release) -> None:
    metadata = {"institution": "North Lab", "system": "Fjord", "client_nodes": 10, "production": False}
    answer = cast.alice.upload(CONTENT, release="SC99", lists=["io500", "TEN"], metadata=json.dumps(metadata))
    assert answer.status_code == 202, answer.content
    submission = Submission.objects.get()
    assert (submission.release, submission.lists, submission.metadata) == (release, ["io500", "ten"], metadata)


@pytest.mark.parametrize("lists", ["io500,ten", '["io500", "ten"]', " io500 , ten ,"])
def test_lists_may_come_in_one_field(cast, release, lists) -> None:
    assert cast.alice.upload(CONTENT, release="sc99", lists=lists).status_code == 202
    assert Submission.objects.get().lists == ["io500", "ten"]


def test_a_test_upload_is_marked(cast) -> None:
    assert cast.alice.upload(CONTENT, test="true").status_code == 202
    assert Submission.objects.get().test is True


# Refusals


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"sha256": "0" * 64}, 422, "intake.sha256-mismatch"),
        ({"sha256": "abc"}, 422, "intake.sha256-malformed"),
        ({"sha256": "g" * 64}, 422, "intake.sha256-malformed"),
        ({"sha256": None}, 400, "intake.sha256-missing"),
        ({"sha256": "  "}, 400, "intake.sha256-missing"),
        ({"release": "sc98"}, 422, "intake.unknown-release"),
        ({"release": "\0"}, 422, "intake.unknown-release"),
        ({"lists": "best"}, 422, "intake.unknown-list"),
        ({"release": "sc99", "lists": "best"}, 422, "intake.unknown-list"),
        ({"lists": "[1, 2]"}, 422, "intake.unknown-list"),
        ({"lists": "[broken"}, 400, "request.malformed"),
        ({"reproduces": "hw-1"}, 422, "intake.unknown-original"),
        ({"reproduces": "\0"}, 422, "intake.unknown-original"),
        ({"reproduces": "demo-1"}, 422, "intake.unknown-original"),
        ({"reproduces": "hw-1' OR 1=1 --" * 900}, 422, "intake.unknown-original"),
        ({"metadata": "{broken"}, 422, "intake.metadata-invalid"),
        ({"metadata": "[]"}, 422, "intake.metadata-invalid"),
        ({"metadata": '"text"'}, 422, "intake.metadata-invalid"),
        ({"metadata": '{"client_nodes": "ten"}'}, 422, "intake.metadata-invalid"),
        ({"metadata": '{"client_nodes": NaN}'}, 422, "intake.metadata-invalid"),
        ({"metadata": '{"client_nodes": 0}'}, 422, "intake.metadata-invalid"),
        ({"metadata": '{"nodes": 3}'}, 422, "intake.metadata-invalid"),
        ({"metadata": '{"system": "a\\u0000b"}'}, 422, "intake.metadata-invalid"),
        ({"metadata": '{"system": "\\ud800"}'}, 422, "intake.metadata-invalid"),
        ({"metadata": "[" * 100_000}, 422, "intake.metadata-invalid"),
        ({"metadata": '{"note": "' + "x" * 300_000 + '"}'}, 422, "intake.metadata-invalid"),
    ],
)
def test_a_refused_upload_has_a_code_and_is_not_stored(cast, release, bundles: Path, fields, status, code) -> None:
    answer = cast.alice.upload(CONTENT, **fields)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["hint"]
    assert not Submission.objects.exists()
    assert leftovers(bundles) == []


def test_an_unknown_list_is_answered_with_the_known_ones(cast, release) -> None:
    hint = cast.alice.upload(CONTENT, release="sc99", lists="best").json()["hint"]
    assert all(name in hint for name in ("full", "historical", "io500", "ten", "production", "ten-production", "scc"))


def test_an_unknown_release_is_answered_with_the_nearest(cast, release) -> None:
    assert "sc99" in cast.alice.upload(CONTENT, release="sc98").json()["hint"].lower()


def test_invisible_and_direction_characters_are_removed_from_names(cast) -> None:
    metadata = {"system": "Fj\u202eord\u200b\n2", "note": "one\ntwo"}
    answer = cast.alice.upload(CONTENT, metadata=json.dumps(metadata))
    assert cast.alice.get(f"submissions/{answer.json()['id']}/").json()["metadata"] == metadata | {"system": "Fj ord 2"}


def test_metadata_is_refused_by_field(cast) -> None:
    answer = cast.alice.upload(CONTENT, metadata='{"client_nodes": "ten", "tasks": -1}')
    assert set(answer.json()["errors"]) == {"client_nodes", "tasks"}


def test_an_empty_file_is_refused(cast, bundles: Path) -> None:
    answer = cast.alice.upload(b"", sha256=hashlib.sha256(b"").hexdigest())
    # Django leaves files without a byte out of the form or passes them on empty: both are refused.
    assert answer.json()["code"] in ("intake.empty-bundle", "intake.no-bundle")
    assert leftovers(bundles) == []


def test_a_form_without_a_file_is_refused(cast) -> None:
    answer = cast.alice.client.post(URL, {"sha256": "0" * 64}, format="multipart")
    assert (answer.status_code, answer.json()["code"]) == (400, "intake.no-bundle")


def test_a_file_of_another_name_is_not_read(cast, bundles: Path) -> None:
    form = {"sha256": "0" * 64, "other": SimpleUploadedFile("run.tar.gz", CONTENT)}
    answer = cast.alice.client.post(URL, form, format="multipart")
    assert answer.json()["errors"] == {
        "other": ["Known are bundle, draft, lists, metadata, release, reproduces, sha256, signature, test."]
    }
    assert leftovers(bundles) == []


@pytest.mark.parametrize("address", ["submissions/", "check/"])
@pytest.mark.parametrize("document", [{}, {"sha256": "0" * 64}])
def test_json_is_not_an_upload(cast, address: str, document: dict) -> None:
    answer = cast.alice.post(address, document)
    assert (answer.status_code, answer.json()["code"]) == (415, "request.media-type")


@pytest.mark.parametrize("address", ["submissions/", "check/"])
def test_a_request_without_a_body_is_refused(cast, address: str) -> None:
    answer = cast.alice.client.generic("POST", f"/api/v1/{address}", b"")
    assert (answer.status_code, answer.json()["code"]) == (400, "intake.no-bundle")


def test_a_broken_form_is_refused(cast) -> None:
    answer = cast.alice.client.generic("POST", URL, b"--x\r\nbroken", content_type="multipart/form-data; boundary=x")
    assert answer.status_code == 400


def test_too_many_bytes_are_refused_while_they_come(cast, settings, bundles: Path) -> None:
    settings.UPLOAD_LIMIT_BYTES = 1000
    answer = cast.alice.upload(b"x" * 1001)
    assert (answer.status_code, answer.json()["code"]) == (413, "bundle.too-large")
    assert leftovers(bundles) == []


def test_an_upload_of_exactly_the_limit_is_accepted(cast, settings) -> None:
    settings.UPLOAD_LIMIT_BYTES = 1000
    assert cast.alice.upload(b"x" * 1000).status_code == 202


def test_an_announced_flood_is_refused_before_it_is_read(cast) -> None:
    class Unread:
        def read(self, *_):
            raise AssertionError("the body was read")

        readline = read

    answer = cast.alice.client.generic(
        "POST",
        URL,
        b"",
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH=str(1024 * 1024 * 1024),
        **{"wsgi.input": Unread()},
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "bundle.too-large")


def test_an_upload_without_a_token_is_refused(cast, bundles: Path) -> None:
    answer = cast.stranger.post(URL, {"bundle": SimpleUploadedFile("run", CONTENT)}, format="multipart")
    assert (answer.status_code, answer.json()["code"]) == (401, "auth.required")
    assert leftovers(bundles) == []


def test_a_wrong_token_is_refused(cast) -> None:
    cast.stranger.credentials(HTTP_AUTHORIZATION="Token hw_0123456789")
    answer = cast.stranger.post(URL, {"bundle": SimpleUploadedFile("run", CONTENT)}, format="multipart")
    assert (answer.status_code, answer.json()["code"]) == (401, "auth.failed")


def test_uploads_are_throttled(cast, settings) -> None:
    settings.THROTTLE_RATES = {**settings.THROTTLE_RATES, "upload": ("2/h", "2/h")}
    statuses = [cast.charlie.upload(b"run %d" % number).status_code for number in range(3)]
    assert statuses == [202, 202, 429]


# Names and institutions


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\runs\\run.zip", "run.zip"),
        ("a\0b\n.tar", "a_b_.tar"),
        ("", "bundle"),
        ("...", "bundle"),
        ("x" * 5000, "x" * 200),
        ("<script>.tgz", "<script>.tgz"),
        ("\u202egz.rat", "_gz.rat"),
    ],
)
def test_folders_are_removed_from_a_file_name(sent: str, kept: str) -> None:
    assert file_name(sent) == kept


@pytest.mark.parametrize("name", ["../../../tmp/evil.tar.gz", "a" * 4000, "na\u202eme.tgz"])
def test_a_hostile_file_name_is_stored_as_text(cast, bundles: Path, name: str) -> None:
    assert cast.alice.upload(CONTENT, name=name).status_code == 202
    assert len(leftovers(bundles)) == 1
    assert "/" not in Submission.objects.get().filename


def test_the_metadata_name_the_institution(cast) -> None:
    south = cast.charlie.account.memberships.get().institution
    Membership.objects.create(account=cast.alice.account, institution=south)
    assert institution_of(cast.alice.account, {"institution": " south  LAB "}) == south
    assert institution_of(cast.alice.account, {"institution": "elsewhere"}) is None
    assert institution_of(cast.alice.account, {}) is None


def test_an_only_institution_needs_no_name(cast) -> None:
    assert institution_of(cast.alice.account, {"institution": "South Lab"}).slug == "north-lab"
    assert institution_of(cast.erin.account, {}) is None


def test_an_upload_costs_a_fixed_number_of_queries(cast, django_assert_num_queries) -> None:
    cast.alice.upload(b"warm")
    # token and account; in a savepoint the turn of these bytes, refused before, institutions; insert, look-up; quotas:
    # the locks, what waits and was used, what is used; history and its notice; leaves and records of history and
    # receipt
    with django_assert_num_queries(15):
        assert cast.alice.upload(CONTENT).status_code == 202
