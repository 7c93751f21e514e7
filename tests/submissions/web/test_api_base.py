"""Answers to an account are for that account: nothing on the way keeps them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from submissions.models import Submission
from tests.submissions.cast import Cast

pytestmark = pytest.mark.django_db

OF_A_SUBMISSION = ("", "findings/", "history/", "files/", "answers/", "receipt/", "records/", "versions/", "copy/")
OF_AN_ACCOUNT = ("submissions/", "shelf/", "account/", "tokens/", "institutions/", "webhooks/", "following/", "ties/")


@pytest.fixture
def addresses(checked: Any) -> list[str]:
    submission: Submission = checked()
    name = submission.filename
    of_a_submission = [f"submissions/{submission.pk}/{rest}" for rest in (*OF_A_SUBMISSION, f"files/{name}/")]
    return [*of_a_submission, *OF_AN_ACCOUNT]


def test_private_answers_are_not_stored(cast: Cast, addresses: list[str]) -> None:
    """Neither for the owner, nor a refusal to somebody else."""
    statuses = []
    for person in (cast.alice, cast.charlie):
        for address in addresses:
            answer = person.get(address)
            statuses.append(answer.status_code)
            assert answer.headers.get("Cache-Control") == "private, no-store", (address, answer.status_code)
            assert "ETag" not in answer.headers, address
    assert statuses.count(200) > len(addresses), "the answers of Alice, and those about Charlie's own account"


def test_an_answer_to_a_session_is_not_stored_either(cast: Cast, addresses: list[str]) -> None:
    browser = Client()
    browser.force_login(cast.alice.account)
    for address in addresses:
        assert browser.get(f"/api/v1/{address}").headers.get("Cache-Control") == "private, no-store", address
