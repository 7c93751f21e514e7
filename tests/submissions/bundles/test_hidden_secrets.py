"""Secrets where readers do not look: nothing of a submission is kept unsearched, whatever it is called or packed in."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zipfile

import pytest

from submissions.bundles import quarantine
from submissions.bundles.storage import key_of, received_storage
from submissions.errors import HoldsSecret
from submissions.models import SecretFile
from tests.submissions.bundles.test_quarantine import KEY, TOKEN, put, tar
from tests.submissions.cast import leftovers

pytestmark = pytest.mark.django_db


def hidden(how: str) -> bytes:
    plain, key = b"nothing\n" * 9, KEY.encode()
    if how == "twice in a tar":
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:gz") as packed:
            for content in (plain, key):
                member = tarfile.TarInfo("a.txt")
                member.size = len(content)
                packed.addfile(member, io.BytesIO(content))
        return out.getvalue()
    if how == "twice in a zip":
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as packed:
            packed.writestr("a.txt", plain)
            packed.writestr("a.txt", key)
        return out.getvalue()
    if how == "litter":
        return tar({"a.txt": plain, ".key.swp": key})
    if how == "a path out of the archive":
        return tar({"a.txt": plain, "../key": key})
    if how == "a name with a line feed":
        return tar({"a.txt": plain, "a\nb": key})
    if how == "a very long name":
        return tar({"a.txt": plain, "a" * 1500: key})
    if how == "an archive of litter":
        return tar({"a.txt": plain, "._key.tgz": tar({"key": key})})
    if how == "cut short":
        full_archive = tar({"key": key, "b": bytes(range(256)) * 4000})
        return full_archive[: len(full_archive) - 600]
    if how == "gzip":
        return gzip.compress(key)
    if how == "gzip in an archive":
        return tar({"a.txt": plain, "job.out.gz": gzip.compress(key)})
    raise AssertionError(how)


HIDDEN = (
    "twice in a tar", "twice in a zip", "litter", "a path out of the archive", "a name with a line feed",
    "a very long name", "an archive of litter", "cut short", "gzip", "gzip in an archive",
)  # fmt: skip


@pytest.mark.parametrize("how", HIDDEN)
def test_a_hidden_secret_is_not_stored(cast, check, bundles, how) -> None:
    submission = check(cast.alice.upload(hidden(how), name="run.tar.gz").json()["id"])
    assert leftovers(bundles) == []
    assert SecretFile.objects.get().submission == submission


@pytest.mark.parametrize("name", [".key.swp", "._key", "a.txt"])
def test_an_added_file_of_any_name_is_searched_for_secrets(cast, check, bundles, name) -> None:
    submission_id = cast.alice.upload(tar({"a.txt": b"a"}), name="run.tar.gz").json()["id"]
    put(cast.alice, submission_id, KEY.encode(), name)
    check(submission_id)
    assert [row.sha256 for row in SecretFile.objects.all()] == [hashlib.sha256(KEY.encode()).hexdigest()]


def test_many_secrets_of_one_file_do_not_hide_those_of_another(cast, check, bundles) -> None:
    many = tar({f"{number:03}": KEY.encode() for number in range(40)})
    submission_id = cast.alice.upload(many, name="run.tar.gz").json()["id"]
    put(cast.alice, submission_id, KEY.encode() + b"\n", "z.txt")
    check(submission_id)
    assert leftovers(bundles) == []


def test_a_secret_replaced_before_its_check_is_not_stored(cast, check, bundles) -> None:
    submission_id = cast.alice.upload(KEY.encode(), name="a.txt").json()["id"]
    put(cast.alice, submission_id, b"harmless", "a.txt")
    check(submission_id)
    assert not received_storage().exists(key_of(hashlib.sha256(KEY.encode()).hexdigest()))
    assert cast.alice.get(f"submissions/{submission_id}/").status_code == 200


def test_a_token_in_a_name_is_not_repeated(cast, check) -> None:
    submission = check(cast.alice.upload(tar({f"{TOKEN}/key": KEY.encode()}), name=f"{TOKEN}.tgz").json()["id"])
    assert TOKEN not in str(submission.checks.get().report) + SecretFile.objects.get().where


def test_bytes_sent_again_during_their_refusal_are_not_stored(cast, archive, bundles, check) -> None:
    """The upload was received before the check ended, and is stored after it."""
    content = archive(extra={"results/job.out": KEY.encode()})
    sha256 = hashlib.sha256(content).hexdigest()
    submission_id = cast.alice.upload(content).json()["id"]
    check(submission_id)
    with pytest.raises(HoldsSecret), quarantine.storing_bytes(cast.alice.account, sha256):
        raise AssertionError("stored")
