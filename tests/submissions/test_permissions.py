"""Every route of the API for every role: who gets an answer, who is refused, and for whom nothing is there.

A route, or a method of one, that stands in no table fails; so a new one is decided about before it is there.
"""

from __future__ import annotations

import json
import re
import uuid

import pytest
from django.db import transaction
from django.urls import URLPattern, get_resolver
from rest_framework.test import APIClient

from registry import api_urls as of_the_record
from submissions import api_urls
from submissions.models import Account, Submission
from submissions.permissions import has_role, visible_to
from tests.submissions.stage import MISSING

ANSWER = {
    "submit": {"release": "sc99", "lists": ["io500"], "acknowledge_rules": True, "acknowledge_publication": True},
    "review": {"decision": "accept", "reproducibility": "fully", "reason": "All rules are satisfied."},
    "public-files": {"paths": []},
    "withdraw": {"reason": "Wrong file."},
    "revise": {"reason": "The vendor was misspelt."},
    "revalidate": {},
    "answers": {"feedback": "yes"},
    "rubric": {"rule": "io500.no-such-rule", "outcome": "satisfied", "note": "Seen."},
    "comments": {"text": "Which stripe count?"},
    "questions": {"text": "Which stripe count?"},
    "consent": {"open": True},
    "answer": {"text": "Two."},
    "assign": {},
    "late": {"release": "sc99", "reason": "The queue of the machine stood still."},
    "anonymity": {"reason": "A customer's machine."},
    "decision": {"granted": True, "reason": "The customer asked."},
    "checklist": {"label": "Book the room"},
    "dispositions": {"code": "io500.no-such-rule", "kind": "clerical", "reason": "A typing error."},
    "end": {"reason": "The contract ended."},
    "overrides": {"result": "hw-1", "action": "exclude", "reason": "The run was repeated."},
}
PEOPLE = ("alice", "bob", "charlie", "dana", "erin", "fay", "nobody")
OF_A_CHECKED_RUN = {
    # alice: its submitter; bob: of the same site; charlie: a stranger; dana: reviewer; erin: editor; fay: admin
    ("GET", ""): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "findings/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "history/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "files/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "receipt/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "records/"): (200, 200, 404, 404, 200, 200, 401),
    ("POST", "keep/"): (409, 409, 404, 404, 403, 403, 401),
    ("GET", "answers/"): (200, 200, 404, 404, 200, 200, 401),
    ("PUT", "answers/"): (200, 200, 404, 404, 403, 403, 401),
    ("POST", "submit/"): (200, 200, 404, 404, 403, 403, 401),
    ("POST", "revalidate/"): (202, 202, 404, 404, 409, 409, 401),
    ("POST", "revise/"): (409, 409, 404, 404, 403, 403, 401),
    ("POST", "withdraw/"): (200, 200, 404, 404, 403, 403, 401),
    ("POST", "review/"): (403, 403, 404, 404, 409, 409, 401),
    ("GET", "files/received/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "public-files/"): (200, 200, 404, 404, 200, 200, 401),
    ("POST", "public-files/"): (200, 200, 404, 404, 403, 403, 401),
    ("POST", "files/"): (415, 415, 404, 404, 403, 403, 401),
    ("DELETE", "files/io500.sh/"): (404, 404, 404, 404, 403, 403, 401),
    ("POST", "copy/"): (202, 202, 404, 404, 403, 403, 401),
    ("GET", "versions/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "versions/difference/"): (400, 400, 404, 404, 400, 400, 401),
    ("POST", "assign/"): (403, 403, 404, 404, 409, 409, 401),
    ("DELETE", "assign/"): (403, 403, 404, 404, 409, 409, 401),
    ("GET", "rubric/"): (403, 403, 404, 404, 200, 200, 401),
    ("POST", "rubric/"): (403, 403, 404, 404, 409, 409, 401),
    ("GET", "dispositions/"): (200, 200, 404, 404, 200, 200, 401),
    ("POST", "dispositions/"): (403, 403, 404, 404, 409, 409, 401),
    ("GET", "comments/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "questions/"): (200, 200, 404, 404, 200, 200, 401),
    ("POST", "questions/"): (409, 409, 404, 404, 409, 409, 401),
    ("PUT", "questions/consent/"): (409, 409, 404, 404, 403, 403, 401),
    ("POST", "questions/1/answer/"): (404, 404, 404, 404, 404, 404, 401),
    ("POST", "comments/"): (409, 409, 404, 404, 409, 409, 401),
    ("POST", "late/"): (403, 403, 404, 404, 200, 200, 401),
    ("GET", "anonymity/"): (200, 200, 404, 404, 200, 200, 401),
    ("POST", "anonymity/"): (200, 200, 404, 404, 403, 403, 401),
    ("DELETE", "anonymity/"): (409, 409, 404, 404, 403, 403, 401),
    ("POST", "anonymity/decision/"): (403, 403, 404, 404, 409, 409, 401),
    ("GET", "system/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "system/io500/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "difference/"): (200, 200, 404, 404, 200, 200, 401),
}
OF_A_SUBMITTED_RUN = {
    ("GET", ""): (200, 200, 404, 200, 200, 200, 401),
    ("GET", "findings/"): (200, 200, 404, 200, 200, 200, 401),
    ("GET", "history/"): (200, 200, 404, 200, 200, 200, 401),
    ("GET", "files/"): (200, 200, 404, 200, 200, 200, 401),
    ("GET", "answers/"): (200, 200, 404, 200, 200, 200, 401),
    ("PUT", "answers/"): (200, 200, 404, 403, 403, 403, 401),
    ("POST", "submit/"): (409, 409, 404, 403, 403, 403, 401),
    ("POST", "revalidate/"): (202, 202, 404, 202, 202, 202, 401),
    ("POST", "revise/"): (409, 409, 404, 403, 403, 403, 401),
    ("POST", "withdraw/"): (200, 200, 404, 403, 403, 403, 401),
    ("POST", "review/"): (403, 403, 404, 200, 200, 200, 401),
    ("GET", "files/received/"): (200, 200, 404, 200, 200, 200, 401),
    ("GET", "public-files/"): (200, 200, 404, 200, 200, 200, 401),
    ("POST", "public-files/"): (200, 200, 404, 403, 403, 403, 401),
    ("POST", "files/"): (415, 415, 404, 403, 403, 403, 401),
    ("DELETE", "files/io500.sh/"): (404, 404, 404, 403, 403, 403, 401),
    ("POST", "copy/"): (409, 409, 404, 403, 403, 403, 401),
    ("GET", "versions/"): (200, 200, 404, 200, 200, 200, 401),
    ("GET", "versions/difference/"): (400, 400, 404, 400, 400, 400, 401),
    ("POST", "assign/"): (403, 403, 404, 200, 200, 200, 401),
    ("DELETE", "assign/"): (403, 403, 404, 200, 200, 200, 401),
    ("GET", "rubric/"): (403, 403, 404, 200, 200, 200, 401),
    ("POST", "rubric/"): (403, 403, 404, 422, 422, 422, 401),
    ("GET", "dispositions/"): (200, 200, 404, 200, 200, 200, 401),
    ("POST", "dispositions/"): (403, 403, 404, 422, 422, 422, 401),
    ("GET", "comments/"): (200, 200, 404, 200, 200, 200, 401),
    ("GET", "questions/"): (200, 200, 404, 200, 200, 200, 401),
    ("POST", "questions/"): (409, 409, 404, 409, 409, 409, 401),
    ("PUT", "questions/consent/"): (200, 200, 404, 403, 403, 403, 401),
    ("POST", "questions/1/answer/"): (404, 404, 404, 404, 404, 404, 401),
    ("POST", "comments/"): (201, 201, 404, 201, 201, 201, 401),
    ("POST", "late/"): (403, 403, 404, 403, 409, 409, 401),
    ("GET", "anonymity/"): (200, 200, 404, 200, 200, 200, 401),
    ("POST", "anonymity/"): (200, 200, 404, 403, 403, 403, 401),
    ("DELETE", "anonymity/"): (409, 409, 404, 403, 403, 403, 401),
    ("POST", "anonymity/decision/"): (403, 403, 404, 403, 409, 409, 401),
    ("GET", "receipt/"): (200, 200, 404, 200, 200, 200, 401),
    ("GET", "records/"): (200, 200, 404, 200, 200, 200, 401),
    ("POST", "keep/"): (409, 409, 404, 403, 403, 403, 401),
    ("GET", "system/"): (200, 200, 404, 200, 200, 200, 401),
    ("GET", "system/io500/"): (200, 200, 404, 200, 200, 200, 401),
    ("GET", "difference/"): (200, 200, 404, 200, 200, 200, 401),
}
# Accepted, and under an embargo: it is seen as before, and only withdrawn.
OF_AN_EMBARGOED_RUN = OF_A_SUBMITTED_RUN | {
    ("PUT", "answers/"): (409, 409, 404, 403, 403, 403, 401),
    ("POST", "revalidate/"): (409, 409, 404, 409, 409, 409, 401),
    ("POST", "review/"): (403, 403, 404, 409, 409, 409, 401),
    ("POST", "public-files/"): (409, 409, 404, 403, 403, 403, 401),
    ("DELETE", "files/io500.sh/"): (409, 409, 404, 403, 403, 403, 401),
    ("POST", "assign/"): (403, 403, 404, 409, 409, 409, 401),
    ("DELETE", "assign/"): (403, 403, 404, 409, 409, 409, 401),
    ("POST", "rubric/"): (403, 403, 404, 409, 409, 409, 401),
    ("POST", "dispositions/"): (403, 403, 404, 409, 409, 409, 401),
}
# What was private stays private: strangers read the result, not the submission.
OF_A_PUBLISHED_RUN = OF_AN_EMBARGOED_RUN | {
    ("POST", "revise/"): (202, 202, 404, 403, 403, 403, 401),
    ("POST", "anonymity/"): (409, 409, 404, 403, 403, 403, 401),
    ("PUT", "questions/consent/"): (409, 409, 404, 403, 403, 403, 401),
}
OF_A_MISSING_RUN = dict.fromkeys(OF_A_CHECKED_RUN, (404, 404, 404, 404, 404, 404, 401))
BY_STATE = {
    "checked": OF_A_CHECKED_RUN,
    "submitted": OF_A_SUBMITTED_RUN,
    "embargoed": OF_AN_EMBARGOED_RUN,
    "published": OF_A_PUBLISHED_RUN,
    "missing": OF_A_MISSING_RUN,
}
OF_EDITORS = {
    ("POST", "releases/"): (403, 403, 403, 403, 201, 201, 401),
    ("PATCH", "releases/sc99/"): (403, 403, 403, 403, 200, 200, 401),
    ("POST", "releases/sc99/publish/"): (403, 403, 403, 403, 409, 409, 401),  # its lists would be empty
    ("POST", "lists/sc99/io500/overrides/"): (403, 403, 403, 403, 404, 404, 401),
    ("GET", "lists/sc99/io500/preview/"): (403, 403, 403, 200, 200, 200, 401),
    ("POST", "lists/sc99/io500/preview/"): (403, 403, 403, 200, 200, 200, 401),
    ("GET", "releases/sc99/open-points/"): (403, 403, 403, 200, 200, 200, 401),
    ("GET", "releases/sc99/questions/"): (200, 200, 404, 404, 404, 404, 401),  # of those who have a run in it
    ("GET", "releases/sc99/checklist/"): (403, 403, 403, 403, 200, 200, 401),
    ("POST", "releases/sc99/checklist/"): (403, 403, 403, 403, 201, 201, 401),
    ("PATCH", "releases/sc99/checklist/1/"): (403, 403, 403, 403, 404, 404, 401),
    ("DELETE", "releases/sc99/checklist/1/"): (403, 403, 403, 403, 404, 404, 401),
    ("GET", "releases/"): (200,) * 7,
    ("GET", "releases/sc99/"): (200,) * 7,
}
OF_EDITORS_ONCE_PUBLISHED = {
    ("PATCH", "releases/sc98/"): (403, 403, 403, 403, 409, 409, 401),
    ("POST", "releases/sc98/publish/"): (403, 403, 403, 403, 200, 200, 401),
    ("POST", "lists/sc98/io500/overrides/"): (403, 403, 403, 403, 200, 200, 401),
    ("GET", "lists/sc98/io500/preview/"): (403, 403, 403, 200, 200, 200, 401),
    ("POST", "lists/sc98/io500/preview/"): (403, 403, 403, 200, 200, 200, 401),
    ("GET", "releases/sc98/open-points/"): (403, 403, 403, 200, 200, 200, 401),
    ("GET", "releases/sc98/questions/"): (404,) * 6 + (401,),
    ("GET", "releases/sc98/checklist/"): (403, 403, 403, 403, 200, 200, 401),
    ("POST", "releases/sc98/checklist/"): (403, 403, 403, 403, 201, 201, 401),
    ("PATCH", "releases/sc98/checklist/1/"): (403, 403, 403, 403, 404, 404, 401),
    ("DELETE", "releases/sc98/checklist/1/"): (403, 403, 403, 403, 404, 404, 401),
    ("GET", "releases/sc98/"): (200,) * 7,
}
OF_EDITORS_WITHOUT_A_RELEASE = {
    ("PATCH", "releases/sc77/"): (403, 403, 403, 403, 404, 404, 401),
    ("POST", "releases/sc77/publish/"): (403, 403, 403, 403, 404, 404, 401),
    ("POST", "lists/sc77/io500/overrides/"): (403, 403, 403, 403, 404, 404, 401),
    ("GET", "lists/sc77/io500/preview/"): (404,) * 6 + (401,),
    ("POST", "lists/sc77/io500/preview/"): (404,) * 6 + (401,),
    ("GET", "releases/sc77/open-points/"): (404,) * 6 + (401,),
    ("GET", "releases/sc77/questions/"): (404,) * 6 + (401,),
    ("GET", "releases/sc77/checklist/"): (403, 403, 403, 403, 404, 404, 401),
    ("POST", "releases/sc77/checklist/"): (403, 403, 403, 403, 404, 404, 401),
    ("PATCH", "releases/sc77/checklist/1/"): (403, 403, 403, 403, 404, 404, 401),
    ("DELETE", "releases/sc77/checklist/1/"): (403, 403, 403, 403, 404, 404, 401),
    ("GET", "releases/sc77/"): (404,) * 7,
}
OF_EVERYBODY_WITH_A_TOKEN = {
    ("GET", "submissions/"): (200,) * 6 + (401,),
    ("POST", "submissions/"): (415,) * 6 + (401,),
    ("GET", "receipts/"): (200,) * 7,
    ("GET", "ties/"): (200,) * 6 + (401,),
    ("POST", "ties/"): (400,) * 6 + (401,),
    ("POST", "ties/1/end/"): (403, 403, 403, 403, 404, 404, 401),
    ("GET", "webhooks/"): (200,) * 6 + (401,),
    ("POST", "webhooks/"): (400,) * 6 + (401,),
    ("GET", f"webhooks/{MISSING}/"): (404,) * 6 + (401,),
    ("DELETE", f"webhooks/{MISSING}/"): (404,) * 6 + (401,),
    ("GET", f"webhooks/{MISSING}/deliveries/"): (404,) * 6 + (401,),
    ("POST", f"webhooks/{MISSING}/deliveries/"): (404,) * 6 + (401,),
    ("GET", "following/"): (200,) * 6 + (401,),
    ("POST", "following/"): (400,) * 6 + (401,),
    ("DELETE", "following/north-lab/"): (404,) * 6 + (401,),
    ("GET", "steps/"): (200,) * 6 + (401,),
    ("GET", "steps/1/"): (404,) * 6 + (401,),
    ("POST", "steps/1/"): (404,) * 6 + (401,),
    ("GET", "tokens/"): (200,) * 6 + (401,),
    ("GET", "account/"): (200,) * 6 + (401,),
    ("GET", "shelf/"): (200,) * 6 + (401,),
    ("PATCH", "shelf/"): (422,) * 6 + (401,),
    ("GET", f"shelf/{MISSING}/"): (404,) * 6 + (401,),
    ("PATCH", f"shelf/{MISSING}/"): (404,) * 6 + (401,),
    ("POST", f"shelf/{MISSING}/shares/"): (400,) * 6 + (401,),
    ("DELETE", f"shelf/{MISSING}/shares/bob/"): (404,) * 6 + (401,),
    ("GET", "institutions/"): (200,) * 6 + (401,),
    ("GET", "institutions/north-lab/members/"): (200, 200, 404, 404, 404, 200, 401),
    ("POST", "institutions/north-lab/members/"): (403, 403, 404, 404, 404, 400, 401),
    ("PATCH", "institutions/north-lab/members/bob/"): (403, 403, 404, 404, 404, 400, 401),
    ("DELETE", "institutions/north-lab/members/bob/"): (403, 204, 404, 404, 404, 204, 401),
    ("DELETE", "institutions/north-lab/invitations/1/"): (403, 403, 404, 404, 404, 404, 401),
    ("POST", "invitations/1/accept/"): (404,) * 6 + (401,),
    ("GET", "rankings/"): (200,) * 7,
    ("GET", "rankings/north-lab/"): (404,) * 7,
    ("GET", "studies/"): (200,) * 7,
    ("POST", "studies/"): (400,) * 6 + (401,),
    ("GET", "studies/north-lab/"): (404,) * 7,
    ("DELETE", "studies/north-lab/"): (404,) * 6 + (401,),
    ("POST", "rankings/"): (400,) * 6 + (401,),
    ("DELETE", "rankings/north-lab/"): (404,) * 6 + (401,),
    ("POST", "tokens/"): (201,) * 6 + (401,),
    ("DELETE", "tokens/1/"): (404,) * 6 + (401,),
}
# Nobody learns from a refusal whether a file of that number is there.
OF_QUARANTINE = {
    ("GET", "quarantine/"): (403, 403, 403, 403, 200, 200, 401),
    ("POST", "quarantine/1/clear/"): (403, 403, 403, 403, 404, 404, 401),
    ("POST", "quarantine/1/withhold/"): (403, 403, 403, 403, 404, 404, 401),
}
OF_IDENTITIES = {
    ("GET", "identities/"): (403, 403, 403, 403, 200, 200, 401),
    ("GET", "identities/merge/"): (403, 403, 403, 403, 400, 400, 401),
    ("POST", "identities/merge/"): (403, 403, 403, 403, 400, 400, 401),
    ("POST", "identities/split/"): (403, 403, 403, 403, 400, 400, 401),
    ("POST", "identities/1/undo/"): (403, 403, 403, 403, 400, 400, 401),
}
OF_CHECKS = {("POST", "check/"): (415,) * 6 + (401,)}
# Without a scope they ask the record; tests/submissions/shelf/ has the other scopes.
OF_SCOPES = {
    ("GET", "results/"): (200,) * 7,
    ("GET", "compare/"): (400,) * 7,
    ("GET", "study/"): (400,) * 7,
    ("GET", "ranking/"): (400,) * 7,
    ("GET", "search/"): (200,) * 7,
    ("GET", "sizing/"): (400,) * 7,
    ("GET", "systems/north-lab/history/"): (404,) * 7,
    ("GET", "systems/north-lab/sweep/"): (404,) * 7,
}


OF_A_ROUTE = {"release": "sc99", "list": "io500", "slug": "north-lab", "username": "bob"}


@pytest.fixture(autouse=True)
def bundles(stage, db) -> None:
    """Everything lies where the stage put it."""


def rows(table: dict) -> list:
    return [pytest.param(*route, statuses, id=" ".join(route)) for route, statuses in table.items()]


def methods(pattern: URLPattern) -> list[str]:
    """What a route takes, but for HEAD and OPTIONS, which follow from it."""
    view = pattern.callback.view_class
    return [name.upper() for name in view.http_method_names if hasattr(view, name) and name not in ("head", "options")]


def addresses(patterns: list[URLPattern], parts: dict[str, str]) -> set[tuple[str, str]]:
    """Method and address of every route, with `parts` for what varies; MISSING for ids, 1 for numbers."""
    return {
        (method, re.sub(r"<\w+:(\w+)>", lambda part: parts.get(part[1], "1"), route.replace("<uuid:id>", MISSING)))
        for pattern in patterns
        for method in methods(pattern)
        for route in [str(pattern.pattern)]
    }


def statuses_of(cast, method: str, path: str) -> tuple[int, ...]:
    """What each of PEOPLE gets, one after the other, nobody's call changing anything for the next."""
    statuses = []
    for person in PEOPLE:
        before = transaction.savepoint()
        statuses.append(ask(cast, person, method, path))
        transaction.savepoint_rollback(before)
    return tuple(statuses)


def ask(cast, person: str, method: str, path: str) -> int:
    client = cast.stranger if person == "nobody" else getattr(cast, person).client
    name = path.rstrip("/").rsplit("/", 1)[-1]
    document = ANSWER.get(name, {"slug": "sc100", "deadline": "2099-01-01T00:00:00Z"} if name == "releases" else {})
    if method == "PATCH":
        document = {"name": "SC99 again"} if path.startswith("releases/") else {}
        document = {"version": 1} if "checklist" in path else document
    if method == "DELETE":
        document = {}
    return client.generic(method, f"/api/v1/{path}", json.dumps(document), content_type="application/json").status_code


def test_every_route_is_in_a_permission_table() -> None:
    of_one = "submissions/<uuid:id>/"
    own = addresses(api_urls.urlpatterns, {"form": "io500", "name": "io500.sh"})
    begins = f"submissions/{MISSING}/"
    of_submissions = {(method, path.removeprefix(begins)) for method, path in own if path.startswith(begins)}
    for state, table in BY_STATE.items():
        assert set(table) == of_submissions, state
    others = [pattern for pattern in api_urls.urlpatterns if not str(pattern.pattern).startswith(of_one)]
    tables = (OF_EDITORS, OF_EVERYBODY_WITH_A_TOKEN, OF_QUARANTINE, OF_IDENTITIES, OF_CHECKS, OF_SCOPES)
    assert {route for table in tables for route in table} == addresses(others, OF_A_ROUTE)
    for slug, table in (("sc98", OF_EDITORS_ONCE_PUBLISHED), ("sc77", OF_EDITORS_WITHOUT_A_RELEASE)):
        of_a_release = [pattern for pattern in others if "<str:release>" in str(pattern.pattern)]
        assert set(table) == addresses(of_a_release, OF_A_ROUTE | {"release": slug})


@pytest.mark.parametrize(
    ("state", "method", "path", "statuses"),
    [
        pytest.param(state, *route, statuses, id=f"{state} {' '.join(route)}")
        for state, table in BY_STATE.items()
        for route, statuses in table.items()
    ],
)
def test_permissions_on_a_submission_by_role(stage, state, method, path, statuses) -> None:
    pk = stage.id_of(state)
    request_path = f"submissions/{pk}/{path}" + (f"?with={pk}" if path == "difference/" else "")
    assert statuses_of(stage.cast, method, request_path) == statuses


@pytest.mark.parametrize(
    ("method", "path", "statuses"),
    rows(
        OF_EDITORS
        | OF_EDITORS_ONCE_PUBLISHED
        | OF_EDITORS_WITHOUT_A_RELEASE
        | OF_EVERYBODY_WITH_A_TOKEN
        | OF_QUARANTINE
        | OF_IDENTITIES
        | OF_CHECKS
        | OF_SCOPES
    ),
)
def test_permissions_without_a_submission_by_role(stage, method, path, statuses) -> None:
    assert statuses_of(stage.cast, method, path) == statuses


PUBLISHED = {"release": "sc98", "list": "full", "slug": "north-lab", "form": "io500", "name": "metadata.1"}
UNPUBLISHED = {"release": "sc99", "list": "full", "slug": "west-lab", "form": "io500", "name": "Zsystem"}
ABSENT = {"release": "sc77", "list": "full", "slug": "no-such", "form": "io500", "name": "x", "id": "hw-77"}
NOT_OF_A_RUN = {"releases/sc99/", "releases/sc99/awards/", "releases/sc99/proof/", "analysis/full/"}
"""What an open release may tell: that it is open and what the log has of it, that there are no awards, and a list over
the other releases."""


@pytest.mark.parametrize("pattern", of_the_record.urlpatterns, ids=lambda pattern: str(pattern.pattern))
def test_public_pages_are_the_same_for_all_roles(stage, pattern) -> None:
    route = str(pattern.pattern)
    published, unpublished, absent = (
        re.sub(r"<\w+:(\w+)>", lambda part, parts=parts: parts[part[1]], route)
        for parts in (
            PUBLISHED | {"id": stage.published.result.public_id},
            UNPUBLISHED | {"id": str(stage.embargoed.pk)},
            ABSENT,
        )
    )
    readers = [stage.cast.stranger, *(getattr(stage.cast, name).client for name in ("alice", "charlie", "dana"))]
    for path in (published, unpublished, absent):
        answers = [reader.get(f"/api/v1/{path}") for reader in readers]
        assert len({(answer.status_code, answer.content) for answer in answers}) == 1, path
        if path != published and path not in NOT_OF_A_RUN:
            assert answers[0].status_code == 404, path


def test_an_institution_that_only_has_accounts_is_not_in_the_record(stage) -> None:
    """West Lab may be about to submit; North Lab has a result."""
    stranger = stage.cast.stranger
    assert {row["slug"] for row in stranger.get("/api/v1/sites/").json()["results"]} == {"north-lab", "south-lab"}
    for address in ("/sites/", "/sites/west-la/", "/api/v1/sites/west-la/", "/search/?q=lab"):
        assert b"west-lab" not in stranger.get(address).content.lower().replace(b"west lab", b"west-lab"), address
    assert stranger.get("/sites/west-lab/").status_code == 404


def test_missing_and_forbidden_have_the_same_answer(stage) -> None:
    """But for the id that was asked for, which is in neither answer."""
    forbidden = stage.cast.charlie.get(f"submissions/{stage.checked.pk}/")
    missing = stage.cast.charlie.get(f"submissions/{uuid.uuid4()}/")
    assert (forbidden.status_code, forbidden.content) == (missing.status_code, missing.content)
    for answer in (forbidden, missing):
        del answer.headers["X-Request-ID"]  # another one for each answer, whatever it says
    assert forbidden.headers == missing.headers


def test_missing_and_forbidden_cost_the_same_queries(stage, django_assert_num_queries) -> None:
    stage.cast.charlie.get("submissions/")  # notes that the token is in use
    for submission_id in (stage.checked.pk, uuid.uuid4()):
        with django_assert_num_queries(2):
            stage.cast.charlie.get(f"submissions/{submission_id}/")


def test_every_role_lists_only_visible_submissions(stage) -> None:
    """Own ones, those of the own institution, and for the committee what was submitted; editors see all."""
    north, south, unsubmitted = {"submitted", "embargoed", "published"}, {"others"}, {"checked"}
    for name in PEOPLE[:-1]:
        listed_ids = {row["id"] for row in getattr(stage.cast, name).get("submissions/").json()["results"]}
        expected = {
            "alice": north | unsubmitted, "bob": north | unsubmitted, "charlie": south, "dana": north | south,
        }.get(name, north | south | unsubmitted)  # fmt: skip
        assert listed_ids == {stage.id_of(state) for state in expected}, name


def test_a_former_member_sees_no_submission(stage) -> None:
    bob = stage.cast.bob
    assert visible_to(bob.account).count() == 4
    bob.account.memberships.all().delete()
    assert bob.get(f"submissions/{stage.checked.pk}/").status_code == 404


def test_a_deactivated_account_is_refused(stage) -> None:
    Account.objects.filter(username="alice").update(is_active=False)
    assert stage.cast.alice.get("submissions/").status_code == 401


@pytest.mark.parametrize(
    ("role", "has"),
    [("submitter", [1, 0, 0, 0]), ("reviewer", [1, 1, 0, 0]), ("editor", [1, 1, 1, 0]), ("admin", [1, 1, 1, 1])],
)
def test_a_role_includes_lower_roles(role, has) -> None:
    account = Account(role=role)
    assert [has_role(account, other) for other in ("submitter", "reviewer", "editor", "admin")] == has


def test_a_browser_session_needs_its_csrf_token(stage) -> None:
    browser = APIClient(enforce_csrf_checks=True)
    browser.force_login(stage.cast.alice.account)
    path = f"/api/v1/submissions/{stage.checked.pk}/"
    assert browser.get(path).status_code == 200
    refused = browser.post(path + "withdraw/", {"reason": "x"}, format="json")
    assert (refused.status_code, Submission.objects.get(pk=stage.checked.pk).state) == (403, "checked")


def test_urls_in_answers_use_the_site_address() -> None:
    view = get_resolver().resolve("/api/v1/releases/").func.view_class
    assert view.__module__ == "submissions.publication.api_releases"
