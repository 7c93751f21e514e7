"""Every form of the private pages, sent with what it can't take: the error stands at its field, and nothing is lost."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from submissions.models import Account
from submissions.web.page_forms import PageForm
from tests.submissions.stage import Stage

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@dataclass
class Sent:
    """A form as a person sends it: who, where, what, and the field that is wrong in it."""

    who: str
    address: str
    fields: dict[str, Any]
    wrong: str
    typed: str = ""
    """What was typed and must still be there."""
    password: str = ""
    """Given again before the form is sent, where the page asks for it."""


FORMS = {
    "sign in": Sent("", "/login/", {"username": "alice", "password": "no"}, "username", "alice"),
    "password reset": Sent("", "/account/password/reset/", {"email": "nowhere"}, "email", "nowhere"),
    "email": Sent("alice", "/account/email/", {"email": "nowhere", "action_add": ""}, "email", "nowhere"),
    "signing key": Sent("alice", "/account/keys/", {"public_key": "ssh-rsa nokey"}, "public_key", "ssh-rsa nokey"),
    "token": Sent("alice", "/account/tokens/", {"days": "30", "name": "Zcron"}, "scopes", "Zcron"),
    "webhook": Sent("alice", "/account/webhooks/", {"url": "ftp://Zhost"}, "url", "ftp://Zhost"),
    "erasure": Sent("alice", "/account/data/erase/", {"name": "Zother"}, "name", "Zother", PASSWORD),
    "invitation": Sent("alice", "{members}invite/", {"invitee": "", "role": "member"}, "invitee"),
    "upload": Sent("alice", "/submissions/new/", {"client_nodes": "-1", "system": "Zname"}, "client_nodes", "Zname"),
    "run details": Sent("alice", "{checked}edit/", {"tasks": "0", "system": "Zname"}, "tasks", "Zname"),
    "submit": Sent(
        "alice",
        "{checked}submit/",
        {"release": "sc99", "lists": ["full"], "acknowledge_rules": "on"},
        "acknowledge_rules",
    ),
    "submit without a list": Sent(
        "alice",
        "{checked}submit/",
        {"release": "sc99", "acknowledge_rules": "on", "acknowledge_publication": "on", "lists": ["nolist"]},
        "lists",
    ),
    "withdraw": Sent("alice", "{checked}withdraw/", {"reason": " "}, "reason"),
    "revise": Sent("alice", "{published}revise/", {"reason": ""}, "reason"),
    "anonymity": Sent("alice", "{submitted}anonymity/", {"reason": ""}, "reason"),
    "comment": Sent("alice", "{submitted}comments/", {"text": ""}, "text"),
    "decision without a level": Sent(
        "dana", "{review}decide/", {"decision": "accept", "reason": "Zsound"}, "reproducibility", "Zsound"
    ),
    "decision without a reason": Sent("dana", "{review}decide/", {"decision": "reject"}, "reason"),
    "assignment": Sent("erin", "{review}assign/", {"reviewer": "Znobody"}, "reviewer", "Znobody"),
    "comment of a reviewer": Sent("dana", "{review}comments/", {"text": ""}, "text"),
    "release": Sent(
        "erin",
        "/review/releases/new/",
        {"slug": "sc27", "name": "Zname", "deadline": "soon", "accepting_reviewers": "1", "lists": ["full"]},
        "deadline",
        "Zname",
    ),
    "changed release": Sent(
        "erin", "/releases/sc99/edit/", {"name": "Zname", "deadline": "", "lists": ["full"]}, "deadline", "Zname"
    ),
    "publishing": Sent("erin", "/releases/sc99/publish/", {"confirm": "Zother"}, "confirm", "Zother"),
    "override": Sent(
        "erin",
        "/releases/sc98/lists/full/override/",
        {"result_id": "hw-99999", "action": "exclude", "reason": "Zwhy"},
        "result_id",
        "Zwhy",
    ),
    "new item of a checklist": Sent(
        "erin", "/releases/sc99/checklist/", {"act": "add", "label": "Z" * 201}, "label", "Z" * 201
    ),
    "merging": Sent(
        "erin",
        "/review/identities/merge/",
        {"kind": "site", "former": "south-lab", "into": "north-lab", "reason": " ", "source": "Zpage"},
        "reason",
        "Zpage",
    ),
    "splitting": Sent(
        "erin",
        "/review/identities/split/",
        {"kind": "site", "slug": "north-lab", "moving": "zsystem", "reason": "Zwhy"},
        "moving",
        "Zwhy",
    ),
    "saved study": Sent(
        "alice", "/study/save/", {"title": " ", "question": "y=score&x=Zaxis", "keep": "as-of"}, "title", "x=Zaxis"
    ),
    "saved ranking": Sent("alice", "/ranking/save/", {"title": "Zrank", "question": "y=("}, "title", "Zrank"),
    "proposal": Sent("erin", "/releases/sc99/lists/full/", {"definition": "{Zno"}, "definition", "{Zno"),
}


class Fields(HTMLParser):
    """The fields of a page, and the texts of elements by id."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.fields: list[dict[str, str]] = []
        self.ids: set[str] = set()
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        if "id" in named:
            self.ids.add(named["id"])
        if tag in ("input", "select", "textarea", "fieldset"):
            self.fields.append(named)


def send(stage: Stage, sent: Sent) -> Any:
    cache.clear()
    stage.cast.alice.account.memberships.update(role="admin")
    client = Client()
    if sent.who:
        client.force_login(getattr(stage.cast, sent.who).account)
    places = {
        "checked": f"/submissions/{stage.checked.pk}/",
        "submitted": f"/submissions/{stage.submitted.pk}/",
        "published": f"/submissions/{stage.published.pk}/",
        "review": f"/review/{stage.submitted.pk}/",
        "members": f"/account/institutions/{stage.checked.institution.slug}/",
    }
    address = re.sub(r"\{(\w+)\}", lambda match: places[match[1]], sent.address)
    if sent.password:
        account = Account.objects.get(username=sent.who)
        account.set_password(sent.password)
        account.save()
        client.force_login(account)
        client.post("/account/reauthenticate/", {"password": sent.password})
    return client.post(address, sent.fields)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_shows_errors_at_the_field(stage: Stage, name: str) -> None:
    sent = FORMS[name]
    answer = send(stage, sent)
    source = answer.content.decode()
    page = Fields(source)
    assert answer.status_code in (200, 400, 404, 409, 422), answer.status_code
    assert "<title>Error: " in source
    wrong = [field for field in page.fields if "aria-invalid" in field or "_error" in field.get("aria-describedby", "")]
    assert sent.wrong in {
        field.get("name", field.get("aria-describedby", "")[: -len("_error")].split("_")[-1]) for field in wrong
    }
    for field in wrong:
        for described in field.get("aria-describedby", "").split():
            assert described in page.ids, f"{described} is named and not there"
    assert 'role="alert"' in source
    assert sent.typed in source.replace("&quot;", '"')


def test_a_page_of_forms_has_no_id_twice(stage: Stage) -> None:
    for who, address in (("alice", f"/submissions/{stage.submitted.pk}/"), ("dana", f"/review/{stage.submitted.pk}/")):
        client = Client()
        client.force_login(getattr(stage.cast, who).account)
        ids = re.findall(r'\bid="([^"]+)"', client.get(address).content.decode())
        assert sorted({name for name in ids if ids.count(name) > 1}) == []


def test_a_forbidden_action_is_no_field_error(stage: Stage) -> None:
    client = Client()
    client.force_login(stage.cast.charlie.account)
    answer = client.post(f"/submissions/{stage.checked.pk}/withdraw/", {"reason": ""})
    assert answer.status_code == 404


def test_a_form_that_was_not_refused_has_status_200() -> None:
    assert PageForm({}).status == 200
