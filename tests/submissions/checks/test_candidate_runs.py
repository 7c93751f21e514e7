"""A bundle with several runs, of which some have errors; a raw file instead of a bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from submissions.checks import processing
from submissions.models import Submission
from tests.make_io500 import make_run, pack

pytestmark = pytest.mark.django_db


def upload_two(cast, tmp_path: Path, **second: object) -> Submission:
    files = {f"one/{name}": content for name, content in make_run(performance=1.5).items()}
    files |= {f"two/{name}": content for name, content in make_run(performance=2.5, **second).items()}
    pk = cast.alice.upload(pack(tmp_path / "two.tar.gz", files).read_bytes()).json()["id"]
    processing.check_submission(pk)
    return Submission.objects.get(pk=pk)


def submit(cast, submission: Submission, **changes: object):
    accepted = {"acknowledge_rules": True, "acknowledge_publication": True}
    document = {"release": "sc99", "lists": ["io500"], **accepted, **changes}
    return cast.alice.post(f"submissions/{submission.pk}/submit/", document)


def test_the_valid_one_of_two_runs_can_be_submitted(cast, release, tmp_path) -> None:
    submission = upload_two(cast, tmp_path, short="ior-easy-write")
    assert submission.state == "checked"
    answer = submit(cast, submission, primary=0)
    assert (answer.status_code, answer.json()["state"], answer.json()["primary"]) == (200, "submitted", 0)


def test_the_invalid_one_of_two_runs_is_refused_with_its_errors(cast, release, tmp_path) -> None:
    answer = submit(cast, upload_two(cast, tmp_path, short="ior-easy-write"), primary=1)
    assert (answer.status_code, answer.json()["code"]) == (422, "submit.run-invalid")
    assert "io500.stonewall.short" in answer.json()["detail"]


def test_a_raw_result_file_is_read_by_the_name_it_was_sent_with(cast) -> None:
    (text,) = (content for name, content in make_run().items() if name.endswith("/result.txt"))
    pk = cast.alice.upload(text, name="result.txt").json()["id"]
    processing.check_submission(pk)
    read = cast.alice.get(f"submissions/{pk}/").json()
    assert (read["state"], read["tool"]) == ("checked", "io500")
    assert {finding["where"] for finding in read["findings"]} == {"result.txt"}
