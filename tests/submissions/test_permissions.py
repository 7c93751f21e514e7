"""Every route of the write API for every role: who gets an answer, who is refused, and for whom nothing is there."""

from __future__ import annotations

import json
import re
import uuid

import pytest
from django.db import transaction
from django.urls import get_resolver

from submissions import processing
from submissions.api import urls
from submissions.models import Account, Submission
from submissions.permissions import has_role, visible_to
from tests.make_io500 import make_run, pack
from tests.make_system import make_bag, make_system

ANSWER = {
    "submit": {"release": "sc99", "lists": ["io500"], "acknowledge_rules": True, "acknowledge_publication": True},
    "review": {"decision": "accept", "reason": "All rules are satisfied."},
    "withdraw": {"reason": "Wrong file."},
    "revise": {"reason": "The vendor was misspelt."},
    "revalidate": {},
    "answers": {"persistence": "yes"},
    "rubric": {"rule": "io500.no-such-rule", "outcome": "satisfied", "note": "Seen."},
    "comments": {"text": "Which stripe count?"},
    "assign": {},
    "late": {"release": "sc99", "reason": "The queue of the machine stood still."},
    "anonymity": {"reason": "A customer's machine."},
    "decision": {"granted": True, "reason": "The customer asked."},
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
    ("GET", "answers/"): (200, 200, 404, 404, 200, 200, 401),
    ("PUT", "answers/"): (200, 200, 404, 404, 403, 403, 401),
    ("POST", "submit/"): (200, 200, 404, 404, 403, 403, 401),
    ("POST", "revalidate/"): (202, 202, 404, 404, 409, 409, 401),
    ("POST", "revise/"): (409, 409, 404, 404, 403, 403, 401),
    ("POST", "withdraw/"): (200, 200, 404, 404, 403, 403, 401),
    ("POST", "review/"): (403, 403, 404, 404, 409, 409, 401),
    ("GET", "files/received/"): (200, 200, 404, 404, 200, 200, 401),
    ("POST", "files/"): (415, 415, 404, 404, 403, 403, 401),
    ("DELETE", "files/io500.sh/"): (404, 404, 404, 404, 403, 403, 401),
    ("GET", "versions/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "versions/difference/"): (400, 400, 404, 404, 400, 400, 401),
    ("POST", "assign/"): (403, 403, 404, 404, 409, 409, 401),
    ("DELETE", "assign/"): (403, 403, 404, 404, 409, 409, 401),
    ("GET", "rubric/"): (403, 403, 404, 404, 200, 200, 401),
    ("POST", "rubric/"): (403, 403, 404, 404, 409, 409, 401),
    ("GET", "comments/"): (200, 200, 404, 404, 200, 200, 401),
    ("POST", "comments/"): (409, 409, 404, 404, 409, 409, 401),
    ("POST", "late/"): (403, 403, 404, 404, 200, 200, 401),
    ("GET", "anonymity/"): (200, 200, 404, 404, 200, 200, 401),
    ("POST", "anonymity/"): (200, 200, 404, 404, 403, 403, 401),
    ("DELETE", "anonymity/"): (409, 409, 404, 404, 403, 403, 401),
    ("POST", "anonymity/decision/"): (403, 403, 404, 404, 409, 409, 401),
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
    ("POST", "files/"): (415, 415, 404, 403, 403, 403, 401),
    ("DELETE", "files/io500.sh/"): (404, 404, 404, 403, 403, 403, 401),
    ("GET", "versions/"): (200, 200, 404, 200, 200, 200, 401),
    ("GET", "versions/difference/"): (400, 400, 404, 400, 400, 400, 401),
    ("POST", "assign/"): (403, 403, 404, 200, 200, 200, 401),
    ("DELETE", "assign/"): (403, 403, 404, 200, 200, 200, 401),
    ("GET", "rubric/"): (403, 403, 404, 200, 200, 200, 401),
    ("POST", "rubric/"): (403, 403, 404, 422, 422, 422, 401),
    ("GET", "comments/"): (200, 200, 404, 200, 200, 200, 401),
    ("POST", "comments/"): (201, 201, 404, 201, 201, 201, 401),
    ("POST", "late/"): (403, 403, 404, 403, 409, 409, 401),
    ("GET", "anonymity/"): (200, 200, 404, 200, 200, 200, 401),
    ("POST", "anonymity/"): (200, 200, 404, 403, 403, 403, 401),
    ("DELETE", "anonymity/"): (409, 409, 404, 403, 403, 403, 401),
    ("POST", "anonymity/decision/"): (403, 403, 404, 403, 409, 409, 401),
}
OF_A_DESCRIBED_RUN = {
    ("GET", "system/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "system/io500/"): (200, 200, 404, 404, 200, 200, 401),
    ("GET", "difference/"): (200, 200, 404, 404, 200, 200, 401),
}
OF_EDITORS = {
    ("POST", "releases/"): (403, 403, 403, 403, 201, 201, 401),
    ("PATCH", "releases/sc99/"): (403, 403, 403, 403, 200, 200, 401),
    ("POST", "releases/sc99/publish/"): (403, 403, 403, 403, 200, 200, 401),
    ("POST", "lists/sc99/io500/overrides/"): (403, 403, 403, 403, 404, 404, 401),
    ("GET", "lists/sc99/io500/preview/"): (403, 403, 403, 200, 200, 200, 401),
    ("POST", "lists/sc99/io500/preview/"): (403, 403, 403, 200, 200, 200, 401),
}
NO_WEBHOOK = "00000000-0000-4000-8000-000000000000"
OF_EVERYBODY_WITH_A_TOKEN = {
    ("GET", "submissions/"): (200,) * 6 + (401,),
    ("POST", "submissions/"): (415,) * 6 + (401,),
    ("GET", "receipts/"): (200,) * 7,
    ("GET", "webhooks/"): (200,) * 6 + (401,),
    ("POST", "webhooks/"): (400,) * 6 + (401,),
    ("GET", f"webhooks/{NO_WEBHOOK}/"): (404,) * 6 + (401,),
    ("DELETE", f"webhooks/{NO_WEBHOOK}/"): (404,) * 6 + (401,),
    ("GET", f"webhooks/{NO_WEBHOOK}/deliveries/"): (404,) * 6 + (401,),
    ("POST", f"webhooks/{NO_WEBHOOK}/deliveries/"): (404,) * 6 + (401,),
    ("GET", "tokens/"): (200,) * 6 + (401,),
    ("GET", "institutions/"): (200,) * 6 + (401,),
    ("GET", "institutions/north-lab/members/"): (200, 200, 404, 404, 404, 200, 401),
    ("POST", "institutions/north-lab/members/"): (403, 403, 404, 404, 404, 400, 401),
    ("PATCH", "institutions/north-lab/members/bob/"): (403, 403, 404, 404, 404, 400, 401),
    ("DELETE", "institutions/north-lab/members/bob/"): (403, 204, 404, 404, 404, 204, 401),
    ("DELETE", "institutions/north-lab/invitations/1/"): (403, 403, 404, 404, 404, 404, 401),
    ("POST", "invitations/1/accept/"): (404,) * 6 + (401,),
    ("POST", "studies/"): (400,) * 6 + (401,),
    ("DELETE", "studies/north-lab/"): (404,) * 6 + (401,),
    ("POST", "rankings/"): (400,) * 6 + (401,),
    ("DELETE", "rankings/north-lab/"): (404,) * 6 + (401,),
    ("POST", "tokens/"): (201,) * 6 + (401,),
    ("DELETE", "tokens/1/"): (404,) * 6 + (401,),
}
OF_CHECKS = {("POST", "check/"): (415,) * 6 + (401,)}


OF_A_ROUTE = {"release": "sc99", "list": "io500", "slug": "north-lab", "username": "bob"}


def rows(table: dict) -> list:
    return [pytest.param(*route, statuses, id=" ".join(route)) for route, statuses in table.items()]


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
        document = {"name": "SC99 again"}
    return client.generic(method, f"/api/v1/{path}", json.dumps(document), content_type="application/json").status_code


def test_every_route_stands_in_a_table() -> None:
    told = {path for table in (OF_A_CHECKED_RUN, OF_A_SUBMITTED_RUN, OF_A_DESCRIBED_RUN) for _, path in table}
    patterns = {str(pattern.pattern) for pattern in urls.urlpatterns}
    of_one = "submissions/<uuid:id>/"
    of_submissions = {pattern.removeprefix(of_one) for pattern in patterns if pattern.startswith(of_one)}
    others = {
        re.sub(r"<\w+:(\w+)>", lambda part: OF_A_ROUTE.get(part[1], "1"), pattern.replace("<uuid:id>", NO_WEBHOOK))
        for pattern in patterns
        if not pattern.startswith(of_one)
    }
    told_of_others = {path for table in (OF_EDITORS, OF_EVERYBODY_WITH_A_TOKEN, OF_CHECKS) for _, path in table}
    assert told == {path.replace("<str:form>", "io500").replace("<str:name>", "io500.sh") for path in of_submissions}
    assert told_of_others == others


@pytest.mark.parametrize(("method", "path", "statuses"), rows(OF_A_CHECKED_RUN))
def test_a_checked_run(cast, release, checked, method, path, statuses) -> None:
    assert statuses_of(cast, method, f"submissions/{checked().pk}/{path}") == statuses


@pytest.mark.parametrize(("method", "path", "statuses"), rows(OF_A_DESCRIBED_RUN))
def test_a_described_run(cast, tmp_path, method, path, statuses) -> None:
    content = pack(tmp_path / "bag.tar.gz", make_bag(make_run(), make_system())).read_bytes()
    described = cast.alice.upload(content).json()["id"]
    processing.process(described)
    asked = f"submissions/{described}/{path}" + (f"?with={described}" if path == "difference/" else "")
    assert statuses_of(cast, method, asked) == statuses


@pytest.mark.parametrize(("method", "path", "statuses"), rows(OF_A_SUBMITTED_RUN))
def test_a_submitted_run(cast, submitted, method, path, statuses) -> None:
    assert statuses_of(cast, method, f"submissions/{submitted().pk}/{path}") == statuses


@pytest.mark.parametrize(("method", "path", "statuses"), rows(OF_EDITORS | OF_EVERYBODY_WITH_A_TOKEN | OF_CHECKS))
def test_what_concerns_no_single_run(cast, release, method, path, statuses) -> None:
    assert statuses_of(cast, method, path) == statuses


def test_missing_and_forbidden_read_the_same(cast, checked) -> None:
    """But for the id that was asked for, which is in neither answer."""
    forbidden = cast.charlie.get(f"submissions/{checked().pk}/")
    missing = cast.charlie.get(f"submissions/{uuid.uuid4()}/")
    assert (forbidden.status_code, forbidden.content) == (missing.status_code, missing.content)
    assert forbidden.headers == missing.headers


def test_missing_and_forbidden_cost_the_same(cast, checked, django_assert_num_queries) -> None:
    pk = checked().pk
    for asked in (pk, uuid.uuid4()):
        with django_assert_num_queries(2):
            cast.charlie.get(f"submissions/{asked}/")


def test_everybody_lists_what_they_may_see(cast, checked) -> None:
    checked(cast.alice, performance=1.1), checked(cast.bob, performance=1.2), checked(cast.charlie, performance=1.3)
    seen = {name: len(getattr(cast, name).get("submissions/").json()["results"]) for name in PEOPLE[:-1]}
    assert seen == {"alice": 2, "bob": 2, "charlie": 1, "dana": 0, "erin": 3, "fay": 3}


def test_a_reviewer_lists_what_was_submitted(cast, submitted) -> None:
    submission = submitted()
    assert [row["id"] for row in cast.dana.get("submissions/").json()["results"]] == [str(submission.pk)]


def test_a_member_who_left_sees_nothing_any_more(cast, checked) -> None:
    submission = checked(cast.alice)
    assert visible_to(cast.bob.account).count() == 1
    cast.bob.account.memberships.all().delete()
    assert cast.bob.get(f"submissions/{submission.pk}/").status_code == 404


def test_an_account_that_was_switched_off_is_refused(cast, checked) -> None:
    Account.objects.filter(username="alice").update(is_active=False)
    assert cast.alice.get("submissions/").status_code == 401


@pytest.mark.parametrize(
    ("role", "has"),
    [("submitter", [1, 0, 0, 0]), ("reviewer", [1, 1, 0, 0]), ("editor", [1, 1, 1, 0]), ("admin", [1, 1, 1, 1])],
)
def test_a_role_includes_those_below_it(role, has) -> None:
    account = Account(role=role)
    assert [has_role(account, other) for other in ("submitter", "reviewer", "editor", "admin")] == has


def test_a_browser_session_needs_its_csrf_token(cast, checked) -> None:
    from rest_framework.test import APIClient

    submission = checked()
    browser = APIClient(enforce_csrf_checks=True)
    browser.force_login(cast.alice.account)
    path = f"/api/v1/submissions/{submission.pk}/"
    assert browser.get(path).status_code == 200
    refused = browser.post(path + "withdraw/", {"reason": "x"}, format="json")
    assert (refused.status_code, Submission.objects.get().state) == (403, "checked")


def test_the_urls_are_those_of_the_site() -> None:
    assert get_resolver().resolve("/api/v1/releases/").func.view_class.__module__ == "submissions.api.views"
