"""The public copy holds what a benchmark read; the rest only after somebody looked at it and agreed."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from submissions.bundles import copy_preview, public_files, scrubbed_copy, scrubbing, suspicious_words
from submissions.bundles.storage import public_storage, stored_path
from submissions.lifecycle import task_queue
from submissions.models import Check, CopyAgreement, ScrubbedCopy, Submission
from submissions.publication import publish
from submissions.review import decisions
from tests.html import page_source
from tests.make_io500 import make_run, pack
from tests.make_system import make_bag, make_system
from tests.submissions.cast import submit_to
from validators.bundle import open_bundle
from validators.checks import check as checked_by_rules
from validators.checks import read_files

NOTES = (
    b"Run by the storage group for customer Fjordbank.\npassword see wiki\n"
    b"node fjord017 was slow\nkey 9fQ2xLw7Rk3ZtB8vYp1Nc6\n"
)


@pytest.fixture
def noted(cast, check, tmp_path) -> Submission:
    """Alice's run with notes and a job script that no benchmark reads."""
    files = {**make_run(), "notes/readme.txt": NOTES, "job.sbatch": b"#SBATCH -J x\nmpirun ./io500\n"}
    answer = cast.alice.upload(pack(tmp_path / "run.tar.gz", files).read_bytes())
    return check(answer.json()["id"])


def copied(submission: Submission) -> dict[str, bytes]:
    derivative = scrubbed_copy.ensure_scrubbed_copy(Submission.objects.get(pk=submission.pk))
    with stored_path(derivative.sha256, public_storage()) as path, tarfile.open(path) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


def reasons(submission: Submission) -> dict[str, str]:
    rows = ScrubbedCopy.objects.get(submission=submission).report["left_out"]
    return {row["path"]: row["reason"] for row in rows}


def agree(person, submission: Submission, paths: list[str]):
    return person.post(f"submissions/{submission.pk}/public-files/", {"paths": paths})


def test_a_new_copy_holds_read_files_and_lists_the_others(noted) -> None:
    files = copied(noted)
    assert "notes/readme.txt" not in files
    assert "job.sbatch" not in files
    assert any(path.endswith("result_summary.txt") for path in files)
    assert set(files) == set(noted.checks.get().read_files)
    assert {"notes/readme.txt": "not-agreed", "job.sbatch": "not-agreed"}.items() <= reasons(noted).items()


def test_the_copy_gives_the_same_scores(noted, tmp_path) -> None:
    (tmp_path / "copy.tgz").write_bytes(b"")
    derivative = scrubbed_copy.ensure_scrubbed_copy(noted)
    with stored_path(derivative.sha256, public_storage()) as path:
        report = checked_by_rules(path, name="copy.tar.gz").as_json()
    own = noted.checks.get().report["runs"][0]
    assert [(run["scores"], run["measurements"]) for run in report["runs"]] == [(own["scores"], own["measurements"])]


def test_the_preview_marks_suspicious_words(cast, client, noted) -> None:
    answer = cast.alice.get(f"submissions/{noted.pk}/public-files/").json()
    rows = {row["path"]: row for row in answer["files"]}
    assert {"notes/readme.txt", "job.sbatch"} <= set(rows)
    assert rows["notes/readme.txt"]["agreed"] is False
    marks = {(mark["line"], mark["word"]) for mark in rows["notes/readme.txt"]["marks"]}
    assert {(1, "group"), (2, "password"), (3, "fjord017"), (4, "9fQ2xLw7Rk3ZtB8vYp1Nc6")} <= marks
    client.force_login(cast.alice.account)
    page = page_source(client.get(f"/submissions/{noted.pk}/public-files/"))
    assert "<mark>fjord017</mark>" in page
    assert 'value="notes/readme.txt"' in page


def test_agreed_files_are_in_the_copy_until_revoked(cast, noted) -> None:
    copied(noted)
    assert agree(cast.alice, noted, ["job.sbatch"]).status_code == 200
    assert "job.sbatch" in copied(noted)
    assert reasons(noted)["notes/readme.txt"] == "not-agreed"
    row = CopyAgreement.objects.get()
    assert (row.version, row.paths, row.account) == (noted.version, ["job.sbatch"], cast.alice.account)
    before = ScrubbedCopy.objects.get(submission=noted).pk
    assert agree(cast.alice, noted, ["job.sbatch"]).status_code == 200  # nothing new
    assert ScrubbedCopy.objects.get(submission=noted).pk == before
    assert agree(cast.alice, noted, []).status_code == 200
    assert "job.sbatch" not in copied(noted)


def test_agreement_by_form_equals_agreement_by_api(cast, client, noted) -> None:
    client.force_login(cast.alice.account)
    sent = client.post(f"/submissions/{noted.pk}/public-files/", {"path": ["notes/readme.txt"], "version": "1"})
    assert sent.status_code == 302
    assert "notes/readme.txt" in copied(noted)
    page = page_source(client.get(sent["Location"]))
    assert 'value="notes/readme.txt" checked' in page
    assert 'value="job.sbatch" checked' not in page
    assert f"/submissions/{noted.pk}/public-files/" in page_source(client.get(f"/submissions/{noted.pk}/"))


def test_only_the_owner_agrees_and_only_before_review(cast, noted) -> None:
    assert agree(cast.charlie, noted, ["job.sbatch"]).status_code == 404
    assert cast.charlie.get(f"submissions/{noted.pk}/public-files/").status_code == 404
    assert agree(cast.dana, noted, ["job.sbatch"]).status_code in (403, 404)
    Submission.objects.filter(pk=noted.pk).update(state="in_review")
    assert agree(cast.alice, noted, ["job.sbatch"]).status_code == 409
    assert not CopyAgreement.objects.exists()


@pytest.mark.parametrize("paths", [["nothing.txt"], ["../etc/passwd"], ["job.sbatch", "x"]])
def test_a_file_that_is_not_there_is_refused(cast, noted, paths) -> None:
    assert agree(cast.alice, noted, paths).status_code == 404
    assert not CopyAgreement.objects.exists()


@pytest.mark.parametrize("sent", [{}, {"paths": "job.sbatch"}, {"paths": [""]}, {"paths": ["x"] * 501}])
def test_invalid_lists_of_paths_are_refused(cast, noted, sent) -> None:
    assert cast.alice.post(f"submissions/{noted.pk}/public-files/", sent).status_code == 400


def test_a_new_version_needs_a_new_agreement(cast, noted) -> None:
    agree(cast.alice, noted, ["job.sbatch"])
    Submission.objects.filter(pk=noted.pk).update(version=2)
    assert public_files.agreed_paths(Submission.objects.get(pk=noted.pk)) == frozenset()


@pytest.mark.parametrize("version", [1, 3])
def test_an_agreement_to_another_version_is_refused(cast, client, noted, version) -> None:
    """The page was opened, then somebody stored another version of the files, then the page was sent."""
    Submission.objects.filter(pk=noted.pk).update(version=2)
    sent = cast.alice.post(f"submissions/{noted.pk}/public-files/", {"paths": ["job.sbatch"], "version": version})
    assert sent.status_code == 409
    client.force_login(cast.alice.account)
    form = {"path": ["job.sbatch"], "version": str(version)}
    assert client.post(f"/submissions/{noted.pk}/public-files/", form).status_code == 409
    assert client.post(f"/submissions/{noted.pk}/public-files/", {"path": ["job.sbatch"]}).status_code == 409
    assert not CopyAgreement.objects.exists()


def test_a_note_named_like_a_bag_file_is_a_note(tmp_path) -> None:
    for name, content in [
        ("run/manifest-notes.txt", NOTES),
        ("run/bag-info.txt", b"Contact-Name: Carol Muster\nInternal-Sender-Description: for Fjordbank\n"),
        ("run/manifest-sha256.txt", b"0" * 64 + b"  the password is in the wiki\n"),
    ]:
        files = {"run/a.txt": b"1\n", "run/bagit.txt": b"BagIt-Version: 1.0\n", name: content}
        out = io.BytesIO()
        derivative = scrubbing.derive_copy(pack(tmp_path / "b.tgz", files), out, choose=lambda _bundle: {"run/a.txt"})
        assert {"path": name, "reason": "not-agreed"} in derivative.left_out
        assert [file.path for file in derivative.files] == ["run/a.txt"]


def test_a_check_from_before_has_its_files_read_again(noted) -> None:
    Check.objects.update(read_files=None)
    assert "job.sbatch" not in copied(noted)
    assert any(path.endswith("result.txt") for path in copied(noted))


def test_agreeing_after_submission_renews_the_copy(cast, submitted, django_capture_on_commit_callbacks) -> None:
    submission = submitted()
    decisions.prepare_for_review(str(submission.pk))
    first = ScrubbedCopy.objects.get(submission=submission).sha256
    (other, *_) = [row.path for row in public_files.offered_files(submission)]
    with django_capture_on_commit_callbacks(execute=False) as later:
        assert agree(cast.alice, submission, [other]).status_code == 200
    assert not ScrubbedCopy.objects.filter(submission=submission).exists()
    assert len(later) == 1
    decisions.prepare_for_review(str(submission.pk))
    assert ScrubbedCopy.objects.get(submission=submission).sha256 != first


def test_manifests_of_a_bag_are_removed_with_its_first_file(tmp_path) -> None:
    bag = make_bag(make_run() | {"notes.txt": NOTES}, make_system())
    path = pack(tmp_path / "b.tgz", bag)
    with open_bundle(path) as bundle:
        read = read_files(bundle)
    assert any(name.endswith("data/system.json") for name in read)
    out = io.BytesIO()
    derivative = scrubbing.derive_copy(path, out, choose=lambda _bundle: read)
    omitted = {row["path"].rpartition("/")[2]: row["reason"] for row in derivative.left_out}
    assert {
        "notes.txt": "not-agreed",
        "bagit.txt": "manifest",
        "manifest-sha256.txt": "manifest",
    }.items() <= omitted.items()
    (tmp_path / "copy.tgz").write_bytes(out.getvalue())
    report = checked_by_rules(tmp_path / "copy.tgz")
    assert report.system is not None
    assert not [finding.code for finding in report.findings if finding.level == "error"]


def test_a_bag_without_omitted_files_stays_complete(tmp_path) -> None:
    path = pack(tmp_path / "b.tgz", make_bag(make_run(), make_system()))
    with open_bundle(path) as bundle:
        everything = set(bundle.files)
    derivative = scrubbing.derive_copy(path, io.BytesIO(), choose=lambda _bundle: everything)
    assert derivative.left_out == []
    assert {file.path.rpartition("/")[2] for file in derivative.files} >= {"bagit.txt", "manifest-sha256.txt"}


def test_names_are_learnt_from_private_files(tmp_path) -> None:
    files = {"results/a.txt": b"on /scratch/kmuster42/x\n", "home/kmuster42/env.txt": b"cd /home/kmuster42\n"}
    out = io.BytesIO()
    derivative = scrubbing.derive_copy(pack(tmp_path / "b.tgz", files), out, choose=lambda _bundle: {"results/a.txt"})
    assert derivative.left_out == [{"path": "home/user/env.txt", "reason": "not-agreed"}]
    with tarfile.open(fileobj=io.BytesIO(out.getvalue())) as archive:
        assert archive.extractfile("results/a.txt").read() == b"on /scratch/<user>/x\n"


@pytest.mark.parametrize(
    "line",
    [
        "[RESULT]       ior-easy-write       89.282156 GiB/s : time 304.512 seconds",
        "write     1250.50    1048576    1024.00    0.000521   0.838861   0.000412   0.839794   0",
        "mdtest-4.1.0+dev was launched with 320 total task(s) on 10 node(s)",
        "on <host> from <address>, m-0123abcd, cd /home/<user>/x",
        "2026-11-22 10:11:12.123456 version 5.14.0-427.el9.x86_64",
        "0123456789012345678901234567890123456789",
        "",
    ],
)
def test_results_are_not_marked(line: str) -> None:
    assert list(suspicious_words.mark_words([line])) == []


def test_marks_are_limited_and_each_word_is_marked_once() -> None:
    marks = list(suspicious_words.mark_words(f"fjord{number:03d} fjord000 password" for number in range(10_000)))
    assert len(marks) == suspicious_words.MOST
    assert len({mark.word for mark in marks}) == len(marks)
    assert list(suspicious_words.mark_words(["a1-" * 1_000_000])) == []


def test_published_archives_keep_their_results_in_what_is_read(published_archives, tmp_path: Path) -> None:
    """A copy of only what is read gives every number that the archive gives."""
    copy = tmp_path / "copy.tar.gz"
    for original in published_archives[::4]:
        with copy.open("wb") as out:
            derivative = scrubbing.derive_copy(original, out, choose=read_files)
        assert derivative.files, original.name
        assert _figures(copy) == _figures(original), original.name


def _figures(path: Path) -> list[tuple[object, object]]:
    report = checked_by_rules(path, limits=scrubbing.COPY_LIMITS).as_json()
    return [(run["scores"], run["measurements"]) for run in report["runs"]]


def test_names_of_private_files_are_never_published(cast, check, release, client, tmp_path) -> None:
    files = {f"home_kmuster42/{path}": content for path, content in make_run().items()}
    files["env.txt"] = b"cd /home/kmuster42\n"
    submission = check(cast.alice.upload(pack(tmp_path / "run.tar.gz", files).read_bytes()).json()["id"])
    submit_to(release, submission, cast.alice, ("full",))
    decisions.prepare_for_review(str(submission.pk))
    submission.refresh_from_db()
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
    publish.publish_release(release, None)
    result = Submission.objects.get(pk=submission.pk).result
    listed = client.get(f"/api/v1/results/{result.public_id}/files/").json()
    assert {"path": "env.txt", "reason": "not-agreed"} in listed["left_out"]
    for address in (f"/results/{result.public_id}/", f"/api/v1/results/{result.public_id}/"):
        assert "kmuster42" not in page_source(client.get(address))
    assert "kmuster42" not in str(listed)
    assert "env.txt" in page_source(client.get(f"/results/{result.public_id}/"))


def ask_for_copy(person, submission: Submission):
    return person.post(f"submissions/{submission.pk}/copy/", {})


def test_the_copy_can_be_made_before_submitting(noted, cast, monkeypatch) -> None:
    tasks: list[tuple[str, str]] = []
    monkeypatch.setattr(task_queue, "enqueue", lambda task, id: tasks.append((task, id)) is None)
    assert ask_for_copy(cast.alice, noted).status_code == 202
    assert tasks == [("make_copy", str(noted.pk))]
    assert not ScrubbedCopy.objects.filter(submission=noted).exists()
    copy_preview.make_requested_copy(tasks[0][1])
    document = cast.alice.get(f"submissions/{noted.pk}/files/").json()["derivative"]
    assert document["sha256"] == ScrubbedCopy.objects.get(submission=noted).sha256
    assert ask_for_copy(cast.alice, noted).status_code == 202
    assert len(tasks) == 1


def test_a_copy_is_made_again_after_its_files_change(noted, cast) -> None:
    copy_preview.make_requested_copy(str(noted.pk))
    before = copied(noted)
    assert agree(cast.alice, noted, ["job.sbatch"]).status_code == 200
    assert not ScrubbedCopy.objects.filter(submission=noted).exists()
    copy_preview.make_requested_copy(str(noted.pk))
    assert set(copied(noted)) - set(before) == {"job.sbatch"}


def test_no_copy_is_made_of_a_test_or_after_a_withdrawal(noted, cast) -> None:
    Submission.objects.filter(pk=noted.pk).update(test=True)
    assert ask_for_copy(cast.alice, noted).json()["code"] == "state.conflict"
    copy_preview.make_requested_copy(str(noted.pk))
    Submission.objects.filter(pk=noted.pk).update(test=False, state="withdrawn")
    assert ask_for_copy(cast.alice, noted).json()["code"] == "state.conflict"
    copy_preview.make_requested_copy(str(noted.pk))
    copy_preview.make_requested_copy("00000000-0000-4000-8000-000000000000")
    assert not ScrubbedCopy.objects.exists()


def test_without_a_broker_nobody_is_promised_a_copy(noted, cast, monkeypatch) -> None:
    monkeypatch.setattr(task_queue, "enqueue", lambda task, id: False)
    assert ask_for_copy(cast.alice, noted).status_code == 503
