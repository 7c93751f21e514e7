"""Bodies of requests that write: no field is ignored, in no operation, in no format, at no depth."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.db.models.functions import Now
from django.test import Client
from django.urls import URLPattern, get_resolver
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from registry.models import Release
from registry.site_pages.api_meta import openapi_document
from submissions.models import Submission, Token
from submissions.web.request_bodies import WRITING, StrictJSONParser, WritingView, write_operation
from tests.submissions.stage import MISSING

URL = "/api/v1/submissions/"
FREE = {("PUT", "/api/v1/submissions/<uuid:id>/answers/")}
"""Takes answers by question; of which kind each must be, tests/submissions/checks/test_questionnaire.py says."""
TYPE = {"content_type": "application/json"}


@pytest.fixture(autouse=True)
def bundles(stage, db) -> None:
    """Everything lies where the stage put it. Tokens were used within this minute, which is not noted again."""
    Token.objects.update(last_used_at=Now())


def operations(patterns: list[Any], before: str = "/") -> Iterator[tuple[str, str, type[APIView]]]:
    """Method, route and view of whatever below /api/ writes."""
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if not isinstance(pattern, URLPattern):
            yield from operations(pattern.url_patterns, route)
        elif route.startswith("/api/"):
            view = pattern.callback.view_class
            yield from ((method, route, view) for method in WRITING if hasattr(view, method.lower()))


OPERATIONS = list(operations(get_resolver().url_patterns))
HELD = [
    pytest.param(*operation, id=f"{operation[0]} {operation[1]}")
    for operation in OPERATIONS
    if operation[:2] not in FREE
]


def address(route: str, stage) -> str:
    """One that leads somewhere, as far as the stage has it."""
    parts = {
        "release": "sc99",
        "list": "io500",
        "slug": "north-lab",
        "username": "bob",
        "name": "io500.sh",
        "number": "1",
    }
    of_a_submission = route.startswith("/api/v1/submissions/")
    parts["id"] = str(stage.submitted.pk) if of_a_submission else MISSING if "uuid" in route else "1"
    return re.sub(r"<\w+:(\w+)>", lambda part: parts[part[1]], route)


def all_rows() -> dict[str, list[str]]:
    """By table what the server writes for each row; in one statement, as tests ask for it hundreds of times."""
    models = [*apps.get_app_config("submissions").get_models(), Release]
    tables = sorted({connection.ops.quote_name(model._meta.db_table) for model in models})
    parts = (f"SELECT '{table}', ARRAY(SELECT part::text FROM {table} part ORDER BY 1)" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts))
        return dict(cursor.fetchall())


def test_the_document_and_the_addresses_name_the_same_operations() -> None:
    documented = {(method.upper(), path) for path, methods in openapi_document()["paths"].items() for method in methods}
    named = {(method, re.sub(r"<\w+:(\w+)>", r"{\1}", route)) for method, route, _ in OPERATIONS}
    assert len(named) > 30
    assert named == {(method, path) for method, path in documented if method in WRITING}


@pytest.mark.parametrize(("method", "route", "view"), HELD)
def test_no_operation_ignores_a_field(stage, method, route, view) -> None:
    """A new operation can't forget it: its view must be a WritingView, and its method declare what it takes."""
    assert issubclass(view, WritingView)
    assert hasattr(getattr(view, method.lower()), "body")
    client = stage.cast.alice.client if not view.reads_ahead else stage.cast.fay.client
    sent = {"no_such_field": "1"}
    kind = {"format": "json" if StrictJSONParser in view.parser_classes else "multipart"}
    before = all_rows()
    answer = getattr(client, method.lower())(address(route, stage), sent, **kind)
    assert (answer.status_code, answer.json()["code"]) == (400, "request.unknown-field"), answer.content
    assert list(answer.json()["errors"]) == ["no_such_field"]
    assert all_rows() == before


def body_properties(method: str, route: str) -> list[str]:
    """Fields that the published description of an operation names; none where it takes no body."""
    document = openapi_document()
    operation = document["paths"][re.sub(r"<\w+:(\w+)>", r"{\1}", route)][method.lower()]
    content = operation.get("requestBody", {"content": {}})["content"]
    components = [kind["schema"]["$ref"].rpartition("/")[2] for kind in content.values()]
    return [name for component in components for name in document["components"]["schemas"][component]["properties"]]


def outcome(stage, method: str, route: str, view: type[APIView], fields: dict[str, Any]) -> tuple[int, str, Any]:
    """Status, code and errors of a request, of which nothing stays."""
    client = stage.cast.alice.client if not view.reads_ahead else stage.cast.fay.client
    kind = {"format": "json" if StrictJSONParser in view.parser_classes else "multipart"}
    with transaction.atomic():
        answer = getattr(client, method.lower())(address(route, stage), fields, **kind)
        transaction.set_rollback(True)
    refused = answer.json() if answer.status_code >= 400 else {}
    return answer.status_code, refused.get("code", ""), refused.get("errors")


@pytest.mark.parametrize(("method", "route", "view"), HELD)
def test_every_operation_names_the_field_nearest_to_an_unknown_field(stage, method, route, view) -> None:
    names = body_properties(method, route)
    nearest = f"Did you mean {names[0]}?" if names else "No field is known here."
    misspelt = names[0][:-1] + "_" + names[0][-1] if names else "reasson"
    expected = (400, "request.unknown-field", {misspelt: [nearest]})
    assert outcome(stage, method, route, view, {misspelt: "1"}) == expected


@pytest.mark.parametrize(("method", "route", "view"), HELD)
def test_every_operation_accepts_custom_fields(stage, method, route, view) -> None:
    without = outcome(stage, method, route, view, {})
    assert without[1] != "request.unknown-field"
    assert outcome(stage, method, route, view, {"x_ticket": "HPC-7"}) == without


@pytest.mark.parametrize("name", ["x_ticket", "X_ticket", "xticket", "x-ticket"])
def test_only_a_lower_case_prefix_makes_a_custom_field(stage, name) -> None:
    path = f"submissions/{stage.submitted.pk}/assign/"
    assert stage.cast.erin.post(path, {name: "HPC-7"}).status_code == (200 if name == "x_ticket" else 400)


def test_a_custom_field_with_a_file_is_refused(stage) -> None:
    """A file that nothing reads is not taken in."""
    answer = uploaded(stage, sha256="0" * 64, x_notes=SimpleUploadedFile("a", b"a"))
    assert (answer.json()["code"], list(answer.json()["errors"])) == ("request.unknown-field", ["x_notes"])


def test_metadata_have_no_custom_fields(stage) -> None:
    """They are kept and published, and metadata.1 names all of them."""
    refused = stage.cast.alice.post(f"submissions/{stage.checked.pk}/revalidate/", {"metadata": {"x_ticket": "7"}})
    assert (refused.json()["code"], list(refused.json()["errors"])) == ("intake.metadata-invalid", ["x_ticket"])


def test_the_document_closes_every_body_of_a_request() -> None:
    """But that of answers, which goes by question."""
    document = openapi_document()
    bodies = [
        kind["schema"]
        for methods in document["paths"].values()
        for operation in methods.values()
        for kind in operation.get("requestBody", {"content": {}})["content"].values()
    ]
    closed = [document["components"]["schemas"][body["$ref"].rpartition("/")[2]] for body in bodies if "$ref" in body]
    assert len(closed) == len(bodies) - len(FREE) > 25
    assert {(body["additionalProperties"], *body["patternProperties"]) for body in closed} == {(False, "^x_")}
    answered = document["components"]["schemas"]["Problem"]
    assert "additionalProperties" not in answered  # an answer may get new fields


@pytest.mark.parametrize(("method", "route", "view"), HELD)
def test_no_operation_takes_a_field_twice(stage, method, route, view) -> None:
    client = stage.cast.alice.client if not view.reads_ahead else stage.cast.fay.client
    path = address(route, stage)
    if StrictJSONParser in view.parser_classes:
        answer = client.generic(method, path, '{"reason": "first", "reason": "last"}', **TYPE)
    else:
        answer = getattr(client, method.lower())(path, {"sha256": ["0" * 64, "1" * 64]}, format="multipart")
    assert (answer.status_code, answer.json()["code"]) == (400, "request.repeated-field"), answer.content


@pytest.mark.parametrize(("method", "route", "view"), OPERATIONS)
def test_no_operation_ignores_a_name_of_its_query(stage, method, route, view) -> None:
    client = stage.cast.alice.client if not view.reads_ahead else stage.cast.fay.client
    before = all_rows()
    answer = client.generic(method, address(route, stage) + "?no_such_name=1")
    assert (answer.status_code, answer.json()["code"]) == (400, "query.unknown-parameter"), answer.content
    assert all_rows() == before


def test_a_body_field_in_the_address_is_refused_with_a_hint(stage) -> None:
    answer = stage.cast.erin.post("releases/next/publish/?allow_empty=true", {})
    assert (answer.status_code, answer.json()["code"]) == (400, "query.unknown-parameter")
    assert answer.json()["errors"] == {"allow_empty": ["Send allow_empty in the body: it is none of the address."]}


class Node(s.Serializer):
    """An object inside of a body."""

    role = s.CharField()


class NodesRequest(s.Serializer):
    """A body with objects, in a list and alone."""

    server = Node(required=False)
    clients = Node(many=True, required=False)


class Nodes(WritingView):
    """An operation of which a body has parts."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()

    @write_operation(operation_id="nodes", request=NodesRequest, responses=None)
    def post(self, request: Request) -> Response:
        return Response(status=204)


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({"server": {"rloe": "oss"}}, {"server.rloe": ["Did you mean server.role?"]}),
        ({"clients": [{"role": "a"}, {"roles": "b"}]}, {"clients.1.roles": ["Did you mean clients.1.role?"]}),
        ({"clients": [{"role": "a", "x_rack": 4}], "server": {"x_rack": {"role": 1}}, "x_all": []}, None),
    ],
)
def test_fields_of_nested_objects_are_checked(body, errors) -> None:
    answer = Nodes.as_view()(APIRequestFactory().post("/nodes/", body, format="json"))
    assert (answer.status_code, (answer.data or {}).get("errors")) == (400 if errors else 204, errors)


# What was misspelt, and what it would have done


def test_a_misspelt_level_accepts_no_run(stage) -> None:
    path = f"submissions/{stage.submitted.pk}/review/"
    refused = stage.cast.dana.post(path, {"decision": "accept", "level": "fully", "reason": "Sound."}).json()
    assert refused["code"] == "request.unknown-field"
    refused = stage.cast.dana.post(path, {"decision": "accept", "Reproducibilty": "fully", "reason": "Sound."}).json()
    assert refused["errors"] == {"Reproducibilty": ["Did you mean reproducibility?"]}
    assert not stage.submitted.reviews.exists()


def test_a_run_is_accepted_with_a_level_that_was_written(stage) -> None:
    path = f"submissions/{stage.submitted.pk}/review/"
    refused = stage.cast.dana.post(path, {"decision": "accept", "reason": "Sound."})
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["reproducibility"])
    review = {"decision": "accept", "reproducibility": "undefined", "reason": "Sound."}
    assert stage.cast.dana.post(path, review).json()["reproducibility"] == "undefined"


@pytest.mark.parametrize("decision", ["request_changes", "reject"])
def test_decisions_other_than_accept_need_no_level(stage, decision) -> None:
    path = f"submissions/{stage.submitted.pk}/review/"
    assert stage.cast.dana.post(path, {"decision": decision, "reason": "The output is cut."}).status_code == 200


def test_an_unknown_level_is_refused_with_the_known_ones(stage) -> None:
    path = f"submissions/{stage.submitted.pk}/review/"
    review = {"decision": "accept", "reproducibility": "full" * 50_000, "reason": "Sound."}
    refused = stage.cast.dana.post(path, review)
    levels = "It must be one of undefined, limited, proprietary, fully."
    assert refused.json()["errors"] == {"reproducibility": [levels]}
    assert not stage.submitted.reviews.exists()


def test_a_misspelt_name_makes_no_release(stage) -> None:
    fields = {"slug": "sc77", "deadline": "2099-01-01T00:00:00Z", "nmae": "SC77"}
    refused = stage.cast.erin.post("releases/", fields).json()
    assert refused["errors"] == {"nmae": ["Did you mean name?"]}
    assert not Release.objects.filter(slug="sc77").exists()


def test_unassigning_names_the_reviewer_in_the_address(stage) -> None:
    """In the body it was ignored, and the caller's own task was given back."""
    path = f"/api/v1/submissions/{stage.submitted.pk}/assign/"
    assert stage.cast.erin.client.post(path, {}, format="json").status_code == 200
    refused = stage.cast.erin.client.delete(path, {"reviewer": "dana"}, format="json")
    assert refused.json()["code"] == "request.unknown-field"
    assert stage.submitted.assignments.get().reviewer == stage.cast.erin.account


def test_reviewers_cannot_change_metadata_of_others(stage) -> None:
    path = f"submissions/{stage.submitted.pk}/revalidate/"
    refused = stage.cast.dana.post(path, {"metadata": {"system": "Fjord"}})
    assert (refused.status_code, refused.json()["code"]) == (403, "permission.not-yours")
    assert stage.cast.dana.post(path, {}).status_code == 202


# In forms


def uploaded(stage, content: bytes = b"IO500 version io500-sc25\n", **fields: Any) -> Any:
    """A form with these fields; a test submission, so that a field that was forgotten would show."""
    bundle = SimpleUploadedFile("run.txt", content)
    return stage.cast.alice.client.post(URL, {"bundle": bundle} | fields, format="multipart")


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"Metadata": "{}"}, "request.unknown-field", "Metadata"),
        ({"tset": "true"}, "request.unknown-field", "tset"),
        ({"notes": SimpleUploadedFile("a", b"a")}, "request.unknown-field", "notes"),
        ({"metadata": SimpleUploadedFile("a.json", b"{}")}, "request.invalid", "metadata"),
        ({"signature": SimpleUploadedFile("a.sig", b"-----")}, "request.invalid", "signature"),
        ({"test": "perhaps"}, "request.invalid", "test"),
        ({"draft": "maybe"}, "request.invalid", "draft"),
        ({"release": ["sc99", "sc98"]}, "request.repeated-field", "release"),
        ({"metadata": '{"system": "Fjord", "system": "Aurora"}'}, "request.repeated-field", "system"),
        (
            {"bundle": [SimpleUploadedFile("a", b"a"), SimpleUploadedFile("b", b"b")]},
            "request.repeated-field",
            "bundle",
        ),
        ({"bundle": "run.tar.gz", "draft": "true"}, "request.invalid", "bundle"),
    ],
)
def test_an_ambiguous_form_is_refused(stage, fields, code, field) -> None:
    before = Submission.objects.count()
    answer = uploaded(stage, **{"sha256": "0" * 64} | fields)
    assert (answer.status_code, answer.json()["code"], list(answer.json()["errors"])) == (400, code, [field])
    assert Submission.objects.count() == before


@pytest.mark.parametrize("value", ["true", "True", "1", "yes"])
def test_every_spelling_of_true_makes_a_test_upload(stage, value) -> None:
    answer = stage.cast.alice.upload(b"IO500 version io500-sc25\n" + value.encode(), test=value)
    assert answer.status_code == 202, answer.content
    assert Submission.objects.get(pk=answer.json()["id"]).test


def test_lists_may_be_repeated(stage) -> None:
    answer = stage.cast.alice.upload(b"IO500 version io500-sc25\n", release="sc99", lists=["io500", "ten"])
    assert answer.status_code == 202, answer.content


def test_the_form_of_a_page_may_carry_its_token(stage) -> None:
    """With a session, Django reads the form before the API does; what is unknown is refused all the same."""
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(stage.cast.alice.account)
    browser.get("/submissions/new/")
    fields = {"csrfmiddlewaretoken": browser.cookies["csrftoken"].value, "draft": "true"}
    assert browser.post(URL, fields | {"realease": "sc99"}).json()["code"] == "request.unknown-field"
    assert browser.post(URL, fields).status_code == 201
    taking = f"{URL}{stage.checked.pk}/anonymity/"
    assert browser.post(taking, fields).status_code == 415  # JSON is taken there
    trial = f"/api/v1/webhooks/{MISSING}/deliveries/"
    form = {"content_type": "application/x-www-form-urlencoded"}
    token = f"csrfmiddlewaretoken={fields['csrfmiddlewaretoken']}"
    assert browser.post(trial, token, **form).status_code == 404
    assert browser.post(trial, f"{token}&wait=1", **form).json()["code"] == "request.unknown-field"


@pytest.mark.parametrize("name", ["file", "bundle"])
def test_a_file_may_be_called_as_the_collector_calls_it(stage, name) -> None:
    answer = stage.cast.alice.client.post(
        f"{URL}{stage.checked.pk}/files/", {name: SimpleUploadedFile("job.sh", b"srun io500\n")}, format="multipart"
    )
    assert answer.status_code == 202, answer.content


def test_two_files_in_one_request_are_refused(stage) -> None:
    files = {name: SimpleUploadedFile(f"{name}.sh", b"srun io500\n") for name in ("file", "bundle")}
    answer = stage.cast.alice.client.post(f"{URL}{stage.checked.pk}/files/", files, format="multipart")
    assert answer.json()["code"] == "request.repeated-field"


# Bodies of other shapes


@pytest.mark.parametrize("sent", ["[1]", '"text"', "5", '{"a": {"b": 1, "b": 2}}', "{", '{"a": NaN}', "[" * 100_000])
@pytest.mark.parametrize("path", ["submissions/{}/anonymity/", "submissions/{}/revalidate/", "invitations/1/accept/"])
def test_bodies_that_are_no_objects_are_refused(stage, path, sent) -> None:
    url = f"/api/v1/{path.format(stage.checked.pk)}"
    answer = stage.cast.alice.client.generic("POST", url, sent, **TYPE)
    assert answer.status_code == 400, answer.content
    assert answer.json()["code"].startswith("request.")


@pytest.mark.parametrize("sent", ["", "{}", "null"])
def test_an_empty_body_is_read_as_no_body(stage, sent) -> None:
    with transaction.atomic():
        answer = stage.cast.alice.client.generic("POST", "/api/v1/invitations/1/accept/", sent, **TYPE)
    assert (answer.status_code, answer.json()["code"]) == (404, "invitation.not-found")


def test_a_body_that_is_not_read_is_refused(stage) -> None:
    """Without its length it would count as empty, and a release be published on other terms than were sent."""
    headers = {"HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": ""}
    path = f"/api/v1/submissions/{stage.submitted.pk}/assign/"
    answer = stage.cast.erin.client.generic("POST", path, json.dumps({"reviewer": "dana"}), **TYPE, **headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "request.malformed")


@pytest.mark.parametrize(
    "extra",
    [{"questionnaire": "reproducibility.1", "answers": {}, "answer": {"trust": "x"}}, {"questions": [], "answers": {}}],
)
def test_a_file_of_answers_has_no_other_field(stage, extra) -> None:
    refused = stage.cast.alice.put(f"submissions/{stage.checked.pk}/answers/", extra)
    assert (refused.status_code, refused.json()["code"]) == (422, "answers.invalid")


def test_metadata_follow_their_schema(stage) -> None:
    path = f"submissions/{stage.checked.pk}/revalidate/"
    refused = stage.cast.alice.post(path, {"metadata": {"sytem": "Fjord", "client_nodes": "ten"}}).json()
    assert refused["code"] == "intake.metadata-invalid"
    assert refused["errors"]["sytem"] == ["Did you mean system?"]
    assert set(refused["errors"]) == {"sytem", "client_nodes"}
    assert stage.cast.alice.post(path, {"metadata": {"system": "Fjord"}}).status_code == 202
