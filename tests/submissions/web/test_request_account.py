"""Who asks."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from submissions.errors import Forbidden
from submissions.models import Account
from submissions.web.request_account import account_of


def test_an_anonymous_request_has_no_account() -> None:
    request = RequestFactory().get("/submissions/")
    request.user = AnonymousUser()
    with pytest.raises(Forbidden):
        account_of(request)


def test_the_account_of_a_request_is_returned() -> None:
    request = RequestFactory().get("/submissions/")
    request.user = Account(username="alice")
    assert account_of(request) is request.user
