"""A private key or a live token: who loses a file, who keeps it, what editors decide, what nobody does to others."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from django.core import mail
from django.core.files.base import ContentFile

from registry.models import Result
from submissions import tasks
from submissions.bundles import quarantine
from submissions.bundles.storage import key_of, public_storage, received_storage
from submissions.checks import processing
from submissions.damage import presence
from submissions.errors import StateConflict
from submissions.models import Account, Membership, ScrubbedCopy, SecretFile, Submission
from submissions.notifications import outbox as notifications_outbox
from submissions.publication import publish as publication_publish
from submissions.review import decisions
from tests.submissions.cast import leftovers, tar

pytestmark = pytest.mark.django_db

# Put together here, so that no file of the project holds one.
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
KEY = "-----BEGIN {0}-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END {0}-----\n".format("PRIVATE KEY")
WITH_KEY = {"results/job.out": f"done\n{KEY}\n".encode()}


@pytest.fixture
def refused(cast, archive, check):
    """A submission of Alice's (or another's) with this text in a file, after its check."""

    def make(text: str = KEY, person=None) -> Submission:
        answer = (person or cast.alice).upload(archive(extra={"results/job.out": f"done\n{text}\n".encode()}))
        assert answer.status_code == 202, answer.content
        return check(answer.json()["id"])

    return make


def stored(submission: Submission) -> bytes:
    with received_storage().open(key_of(submission.sha256)) as file:
        return file.read()


def put(person, submission_id: object, content: bytes, name: str):
    return person.upload(content, name=name, to=f"submissions/{submission_id}/files/")


def with_other_bytes(submission: Submission, content: bytes) -> Submission:
    """As if the rules of its first check had not known this secret."""
    sha256 = hashlib.sha256(content).hexdigest()
    received_storage().save(key_of(sha256), ContentFile(content))
    Submission.objects.filter(pk=submission.pk).update(sha256=sha256, size=len(content))
    submission.refresh_from_db()
    return submission


# What a refusal does


@pytest.mark.parametrize("text", [KEY, TOKEN])
def test_the_bytes_are_deleted_and_the_history_says_why(refused, bundles: Path, text: str) -> None:
    submission = refused(text)
    assert submission.state == "invalid"
    assert leftovers(bundles) == []
    check = submission.checks.get()
    assert [finding["code"] for finding in check.report["findings"]] == ["bundle.secret"]
    assert check.report["findings"][0]["sha256"] == submission.sha256
    assert check.report["runs"] == []
    assert submission.events.order_by("id").last().reason == quarantine.REFUSED
    row = SecretFile.objects.get()
    assert (row.sha256, row.outcome, row.account) == (submission.sha256, "blocked", submission.account)
    assert row.bytes_deleted_at is not None


def test_the_secret_is_in_no_stored_or_shown_text(refused, cast) -> None:
    submission = refused(TOKEN)
    content = cast.alice.get(f"submissions/{submission.pk}/").content.decode()
    assert "bundle.secret" in content
    assert TOKEN[4:] not in content + str(submission.checks.get().report) + SecretFile.objects.get().where


def test_the_page_reports_a_refused_file_without_a_link(refused, client, cast) -> None:
    submission = refused()
    client.force_login(cast.alice.account)
    page = client.get(f"/submissions/{submission.pk}/").content.decode()
    assert "the same bytes are refused" in page and "restores them" not in page
    assert "✓ read" not in page and f"/submissions/{submission.pk}/received/" not in page


def test_the_same_bytes_again_are_refused_at_once_to_their_account(refused, cast, archive, bundles) -> None:
    refused()
    again = cast.alice.upload(archive(extra=WITH_KEY))
    assert (again.status_code, again.json()["code"]) == (422, "bundle.secret")
    assert leftovers(bundles) == []
    assert Submission.objects.count() == 1


def test_a_refusal_affects_no_other_account(refused, cast, bundles) -> None:
    refused()
    other = refused(person=cast.charlie)
    assert (other.account, other.state) == (cast.charlie.account, "invalid")
    assert leftovers(bundles) == []
    assert SecretFile.objects.filter(outcome="blocked").count() == 2


def test_a_second_check_without_the_bytes_gives_the_same_finding(refused, cast) -> None:
    submission = refused()
    assert cast.alice.post(f"submissions/{submission.pk}/revalidate/", {}).status_code == 202
    processing.check_submission(submission.pk)
    submission.refresh_from_db()
    assert submission.state == "invalid"
    assert [finding["code"] for finding in submission.checks.first().report["findings"]] == ["bundle.secret"]


def test_bytes_of_two_accounts_stay_until_both_lost_them(cast, archive, check, bundles: Path) -> None:
    content = archive(extra=WITH_KEY)
    first, second = (person.upload(content).json()["id"] for person in (cast.alice, cast.charlie))
    check(first)
    assert received_storage().exists(key_of(hashlib.sha256(content).hexdigest()))
    assert check(second).state == "invalid"
    assert leftovers(bundles) == []


def test_another_run_of_the_account_loses_the_same_file(cast, archive, check, bundles) -> None:
    content = archive(extra=WITH_KEY)
    real, trial = cast.alice.upload(content).json()["id"], cast.alice.upload(content, test="true").json()["id"]
    assert real != trial
    check(real)
    assert check(trial).state == "invalid"
    assert leftovers(bundles) == []


def test_leftovers_of_a_killed_worker_are_deleted_by_the_scheduler(cast, archive, bundles: Path) -> None:
    """Without what follows the commit."""
    submission_id = cast.alice.upload(archive(extra=WITH_KEY)).json()["id"]
    processing.check_submission(submission_id)
    assert len(leftovers(bundles)) == 1
    tasks.tidy()
    assert leftovers(bundles) == []
    assert SecretFile.objects.get().bytes_deleted_at is not None


def test_a_dry_check_reports_a_secret(archive) -> None:
    """What a check of held bytes calls."""
    received_storage().save("held", io.BytesIO(archive(extra=WITH_KEY)))
    report = processing.check_file("held", {"name": "x.tgz", "release": {}, "list": None, "metadata": {}}, 30)
    assert [finding["code"] for finding in report["findings"]] == ["bundle.secret"]


def test_a_run_without_secrets_keeps_its_bytes(checked, bundles: Path) -> None:
    submission = checked(extra={"results/job.out": b"password=hunter22\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5\n"})
    assert submission.state == "checked"
    assert len(leftovers(bundles)) == 1


# What one account can't do to another


def beside_the_same_bytes(cast, victim: bytes, name: str) -> Iterator[str]:
    """The victim's bytes as the bundle, and a file with a key whose name sounds like a line of it."""
    submission_id = cast.charlie.upload(victim, name="theirs.tar.gz").json()["id"]
    assert put(cast.charlie, submission_id, KEY.encode(), name).status_code == 202
    yield submission_id


def inside_an_archive(cast, victim: bytes, name: str) -> Iterator[str]:
    """A key in an archive, in a folder that is called like the victim's archive beside it."""
    submission_id = cast.charlie.upload(tar({f"{name}/key.txt": KEY.encode()}), name="own.tar.gz").json()["id"]
    assert put(cast.charlie, submission_id, victim, name).status_code == 202
    yield submission_id


def behind_the_victims_archive(cast, victim: bytes, name: str) -> Iterator[str]:
    """The victim's archive first, the own one beside it with a member of the first one's name."""
    submission_id = cast.charlie.upload(victim, name=name).json()["id"]
    own = tar({f"{name}:1/key.txt": KEY.encode(), f"../{name}": b"x", name: KEY.encode()})
    assert put(cast.charlie, submission_id, own, "own.tgz").status_code == 202
    yield submission_id


def in_an_archive_in_an_archive(cast, victim: bytes, name: str) -> Iterator[str]:
    inner = tar({name: tar({"key.txt": KEY.encode()}), "copy.tgz": victim})
    submission_id = cast.charlie.upload(inner, name="own.tar.gz").json()["id"]
    assert put(cast.charlie, submission_id, victim, name).status_code == 202
    yield submission_id


def replaced_in_turn(cast, victim: bytes, name: str) -> Iterator[str]:
    """The victim's bytes under a name that a file with a key takes over afterwards."""
    submission_id = cast.charlie.upload(tar({"a.txt": b"a"}), name="own.tar.gz").json()["id"]
    assert put(cast.charlie, submission_id, victim, name).status_code == 202
    yield submission_id
    assert put(cast.charlie, submission_id, KEY.encode(), name).status_code == 202
    yield submission_id


ATTACKS = (
    beside_the_same_bytes,
    inside_an_archive,
    behind_the_victims_archive,
    in_an_archive_in_an_archive,
    replaced_in_turn,
)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("name", ["note:1.txt", "v.tgz", "theirs.tar.gz:1", "run.tar.gz"])
@pytest.mark.parametrize("state", ["checked", "submitted", "published"])
def test_a_secret_of_one_account_deletes_no_bytes_of_another(
    cast, checked, request, check, attack, name, state
) -> None:
    if state == "checked":
        victim = checked()
    else:
        victim = (
            request.getfixturevalue("submitted")() if state == "submitted" else request.getfixturevalue("published")
        )
    before = stored(victim)
    for submission_id in attack(cast, before, name):
        check(submission_id)
        tasks.tidy()
        assert stored(victim) == before
    assert not SecretFile.objects.filter(submission=victim).exists()
    assert not SecretFile.objects.filter(sha256=victim.sha256).exists()
    assert cast.alice.get(f"submissions/{victim.pk}/files/received/").status_code == 200
    if state == "published":
        assert cast.alice.post(f"submissions/{victim.pk}/revise/", {"reason": "Misspelt."}).status_code == 202
        revision = Submission.objects.get(revises=victim)
        assert check(revision.pk).state == "checked"


def test_a_key_in_one_of_two_equal_paths_removes_both(cast, check, bundles) -> None:
    """The same content under one path, in the bundle and in an archive beside it: both hold the key."""
    submission_id = cast.charlie.upload(tar({"v.tgz/key.txt": KEY.encode()}), name="own.tar.gz").json()["id"]
    put(cast.charlie, submission_id, tar({"key.txt": KEY.encode()}), "v.tgz")
    check(submission_id)
    assert leftovers(bundles) == []


def test_bytes_uploaded_during_deletion_are_kept(refused, cast, archive) -> None:
    """The same file of another account, sent after the decision and before the deletion."""
    content = archive(extra=WITH_KEY)
    first = cast.alice.upload(content).json()["id"]
    processing.check_submission(first)  # the deletion waits for the commit, which this test never makes
    second = cast.charlie.upload(content).json()["id"]
    assert quarantine.delete_unless_held(hashlib.sha256(content).hexdigest()) is False
    assert stored(Submission.objects.get(pk=second)) == content


# Under review and published


@pytest.fixture
def suspicious(cast, submitted, archive, django_capture_on_commit_callbacks) -> Submission:
    """Submitted, and checked again by rules that know the secret in it."""
    submission = with_other_bytes(submitted(), archive(extra=WITH_KEY))
    with django_capture_on_commit_callbacks(execute=True):
        decisions.prepare_for_review(str(submission.pk))
    submission.refresh_from_db()
    return submission


def test_bytes_under_review_are_withheld_and_not_deleted(suspicious, cast) -> None:
    row = SecretFile.objects.get()
    assert (row.outcome, row.submission, suspicious.state) == ("quarantined", suspicious, "submitted")
    assert KEY.encode()[:20] not in stored(suspicious)[:20] and stored(suspicious)
    for person in (cast.alice, cast.dana, cast.erin):
        answer = person.get(f"submissions/{suspicious.pk}/files/received/")
        assert (answer.status_code, answer.json()["code"]) == (409, "files.quarantined")


def test_pages_say_that_files_are_in_quarantine(suspicious, client, cast) -> None:
    client.force_login(cast.dana.account)
    assert "The file is in quarantine" in client.get(f"/review/{suspicious.pk}/").content.decode()
    assert client.get(f"/submissions/{suspicious.pk}/received/").status_code == 409
    assert client.get(f"/submissions/{suspicious.pk}/copy/").status_code == 409


def test_editors_and_the_submitter_are_notified(suspicious, cast, settings) -> None:
    for person, address in ((cast.alice, "alice@example.org"), (cast.erin, "erin@example.org")):
        Account.objects.filter(pk=person.account.pk).update(email=address)
    notifications_outbox.TOGETHER, before = notifications_outbox.TOGETHER * 0, notifications_outbox.TOGETHER
    try:
        notifications_outbox.send_due()
    finally:
        notifications_outbox.TOGETHER = before
    letters = {letter.to[0]: letter.body for letter in mail.outbox}
    assert quarantine.QUARANTINED in letters["alice@example.org"]
    assert quarantine.QUARANTINED in letters["erin@example.org"]
    assert "your submission" not in letters["erin@example.org"]


def test_an_editor_clears_a_file_with_a_reason(suspicious, cast) -> None:
    row = SecretFile.objects.get()
    assert cast.erin.post(f"quarantine/{row.pk}/clear/", {"reason": " "}).status_code in (400, 422)
    cleared = cast.erin.post(f"quarantine/{row.pk}/clear/", {"reason": "An example of a manual."})
    assert (cleared.status_code, cleared.json()["outcome"]) == (200, "cleared")
    assert cast.alice.get(f"submissions/{suspicious.pk}/files/received/").status_code == 200
    assert suspicious.events.order_by("id").last().reason.endswith("An example of a manual.")
    again = cast.erin.post(f"quarantine/{row.pk}/clear/", {"reason": "Twice."})
    assert (again.status_code, again.json()["code"]) == (409, "state.conflict")
    decisions.prepare_for_review(str(suspicious.pk))
    assert suspicious.checks.first().status == "valid"
    assert SecretFile.objects.get().outcome == "cleared"


def test_only_editors_see_and_decide(suspicious, cast, client) -> None:
    row = SecretFile.objects.get()
    for person in (cast.alice, cast.charlie, cast.dana):
        assert person.get("quarantine/").status_code == 403
        for decision in ("clear", "withhold"):
            assert person.post(f"quarantine/{row.pk}/{decision}/", {"reason": "Mine."}).status_code == 403
    assert cast.stranger.get("/api/v1/quarantine/").status_code == 401
    assert SecretFile.objects.get().outcome == "quarantined"
    client.force_login(cast.dana.account)
    assert client.get("/review/quarantine/").status_code == 404
    assert client.post(f"/review/quarantine/{row.pk}/", {"decision": "clear", "reason": "x"}).status_code == 404


def test_the_page_of_editors_decides(suspicious, cast, client) -> None:
    row = SecretFile.objects.get()
    client.force_login(cast.erin.account)
    assert "1 stored file with a possible secret" in client.get("/review/").content.decode()
    page = client.get("/review/quarantine/").content.decode()
    assert row.sha256 in page and "results/job.out:2" in page and "MIIEv" not in page
    for form in ({"decision": "clear", "reason": ""}, {"decision": "eat", "reason": "x"}, {"reason": "x"}):
        assert client.post(f"/review/quarantine/{row.pk}/", form).status_code in (400, 422)
    assert client.post(f"/review/quarantine/{row.pk}/", {"decision": "clear", "reason": "Fine."}).status_code == 302
    assert "No file waits for you" in client.get("/review/quarantine/").content.decode()
    assert row.sha256 in client.get("/review/quarantine/?outcome=cleared").content.decode()


def test_another_upload_of_published_bytes_only_reports_them(
    cast, published, archive, check, client, django_capture_on_commit_callbacks
) -> None:
    content = archive(extra=WITH_KEY)
    victim = with_other_bytes(published, content)
    assert check(cast.charlie.upload(content).json()["id"]).state == "invalid"
    row = SecretFile.objects.get(submission=victim)
    assert row.outcome == "reported"
    assert stored(victim) == content
    assert cast.alice.get(f"submissions/{victim.pk}/files/received/").status_code == 200
    assert client.get(f"/results/{victim.result.public_id}/copy.tar.gz").status_code == 200
    withheld = cast.erin.post(f"quarantine/{row.pk}/withhold/", {"reason": "It is real."})
    assert withheld.json()["outcome"] == "quarantined"
    assert cast.alice.get(f"submissions/{victim.pk}/files/received/").status_code == 409


def test_a_published_copy_with_the_secret_in_it_is_withheld_too(cast, published, client) -> None:
    result, content = published.result, tar({"a.txt": KEY.encode()})
    sha256 = hashlib.sha256(content).hexdigest()
    public_storage().save(key_of(sha256), ContentFile(content))
    ScrubbedCopy.objects.filter(submission=published).update(sha256=sha256)
    Result.objects.filter(pk=result.pk).update(public_sha256=sha256)
    row = SecretFile.objects.create(
        submission=published, account=published.account, sha256=published.sha256, where="x", outcome="reported"
    )
    quarantine.withhold_file(row, cast.erin.account, "It is real.")
    answer = client.get(f"/results/{result.public_id}/copy.tar.gz")
    assert (answer.status_code, "quarantine" in answer.content.decode()) == (409, True)
    assert "The files are in quarantine" in client.get(f"/results/{result.public_id}/").content.decode()
    quarantine.clear_file(row, cast.erin.account, "It was revoked years ago.")
    assert client.get(f"/results/{result.public_id}/copy.tar.gz").status_code == 200


def test_a_cleared_file_may_be_sent_again(refused, cast, archive, check) -> None:
    submission = refused()
    row = SecretFile.objects.get()
    assert cast.erin.post(f"quarantine/{row.pk}/clear/", {"reason": "A test key."}).status_code == 200
    answer = cast.alice.upload(archive(extra=WITH_KEY))
    assert (answer.status_code, answer.json()["id"]) == (200, str(submission.pk))
    assert cast.alice.post(f"submissions/{submission.pk}/revalidate/", {}).status_code == 202
    assert check(submission.pk).state == "checked"


def test_the_list_of_editors_has_filters_and_pages(refused, cast) -> None:
    refused()
    assert cast.erin.get("quarantine/").json() == {"next": None, "results": []}
    (row,) = cast.erin.get("quarantine/?outcome=blocked").json()["results"]
    assert (row["account"], row["outcome"]) == ("alice", "blocked")
    assert cast.erin.get("quarantine/?outcome=eaten").status_code == 400
    assert cast.erin.get("quarantine/?outcom=blocked").status_code == 400
    assert cast.erin.post("quarantine/999999/clear/", {"reason": "x"}).json()["code"] == "quarantine.not-found"


def test_an_editor_does_not_decide_about_own_files(cast, submitted, archive, client) -> None:
    submission = with_other_bytes(submitted(), archive(extra={"results/job.out": KEY.encode()}))
    decisions.prepare_for_review(str(submission.pk))
    row = SecretFile.objects.get()
    Membership.objects.create(account=cast.erin.account, institution=submission.institution)
    for decision in ("clear", "withhold"):
        answer = cast.erin.post(f"quarantine/{row.pk}/{decision}/", {"reason": "Mine."})
        assert (answer.status_code, answer.json()["code"]) == (403, "review.conflict-of-interest"), answer.content


def test_a_cleared_run_under_review_has_its_numbers_again(
    suspicious, cast, release, django_capture_on_commit_callbacks
) -> None:
    row = SecretFile.objects.get()
    with django_capture_on_commit_callbacks() as after:
        cast.erin.post(f"quarantine/{row.pk}/clear/", {"reason": "An example of a manual."})
    assert after


def test_a_quarantined_run_is_not_accepted_and_does_not_block_the_release(suspicious, cast, release) -> None:
    with pytest.raises(StateConflict):
        decisions.decide_run(suspicious, cast.dana.account, "accept", "Sound.", reproducibility="fully")
    publication_publish.publish_release(release, None)
    release.refresh_from_db()
    suspicious.refresh_from_db()
    assert (release.published_at is not None, suspicious.state) == (True, "submitted")


def test_file_names_are_hidden_from_other_accounts(cast, published, check) -> None:
    content = KEY.encode()
    victim = published
    with_other_bytes(victim, content)
    mine = cast.charlie.upload(content, name="harmless, please clear it.txt").json()["id"]
    check(mine)
    row = SecretFile.objects.get(submission=victim)
    assert row.outcome == "reported"
    assert "harmless" not in row.where


@pytest.mark.parametrize("reason", ["a\0b", "x" * 100_000, "\ud800"])
def test_no_reason_breaks_the_page(suspicious, cast, client, reason) -> None:
    row = SecretFile.objects.get()
    client.force_login(cast.erin.account)
    client.raise_request_exception = False
    sent = b"decision=clear&reason=" + quote(reason.encode("utf-8", "surrogatepass")).encode()
    answer = client.post(f"/review/quarantine/{row.pk}/", sent, "application/x-www-form-urlencoded")
    assert answer.status_code < 500


@pytest.mark.parametrize(
    "query",
    ["cursor=" + "9" * 40, "cursor=-1", "cursor=%00", "outcome=%00", "cursor=", "outcome=", "cursor=1&cursor=2"],
)
def test_no_query_breaks_the_list(cast, client, query) -> None:
    client.force_login(cast.erin.account)
    client.raise_request_exception = False
    assert client.get(f"/review/quarantine/?{query}").status_code < 500
    assert cast.erin.get(f"quarantine/?{query}").status_code < 500
    assert cast.erin.post(f"quarantine/{'9' * 40}/clear/", {"reason": "x"}).status_code == 404


# Bytes that are gone


def test_missing_bytes_are_reported_until_restored(cast, published, client) -> None:
    address, content = f"/results/{published.result.public_id}/", stored(published)
    presence.note_missing_bytes()
    assert "is missing" not in client.get(address).content.decode()
    received_storage().delete(key_of(published.sha256))
    public_storage().delete(key_of(published.result.public_sha256))
    assert presence.note_missing_bytes() == 1
    page = client.get(address).content.decode()
    assert "The stored archive is missing" in page and "The public copy of the files is missing" in page
    assert "copy.tar.gz" not in page
    assert client.get(f"{address}copy.tar.gz").status_code == 410
    facts = client.get(f"/api/v1{address}").json()
    assert facts["archive_missing_since"] and facts["copy_missing_since"]
    gone = cast.alice.get(f"submissions/{published.pk}/files/received/")
    assert (gone.status_code, gone.json()["code"]) == (410, "files.gone")
    client.force_login(cast.alice.account)
    assert "The stored bytes are gone" in client.get(f"/submissions/{published.pk}/").content.decode()
    received_storage().save(key_of(published.sha256), ContentFile(content))
    presence.note_missing_bytes()
    assert client.get(f"/api/v1{address}").json()["archive_missing_since"] is None


def test_files_checked_longest_ago_come_first(published) -> None:
    """One a turn: a second turn looks at the other ones."""
    received_storage().delete(key_of(published.sha256))
    Submission.objects.filter(pk=published.pk).update(bytes_seen_at=None)
    assert presence.note_missing_bytes(at_once=1) == 1
