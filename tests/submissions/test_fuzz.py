"""Every operation of openapi.json, with what its schema permits and with what it does not.

No answer is a 500, and none contradicts the document: status, media type, headers and shape are among those promised.
A longer run: `./dev.py test tests/submissions/test_fuzz.py --fuzz 100 -o faulthandler_timeout=0`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from registry.site_pages.api_meta import openapi_document
from tests.submissions.stage import Stage

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
BY_A_WORKER = "/api/v1/check/"
"""Waits for a worker, which tests/submissions/test_worker.py starts."""
MODES = st.sampled_from([GenerationMode.POSITIVE, GenerationMode.NEGATIVE])


@pytest.fixture(autouse=True)
def bundles(stage, db) -> None:
    """Everything lies where the stage put it."""


@pytest.fixture(scope="module")
def schema() -> Iterator[Any]:
    """The document with our WSGI application, which keeps the connection that a test's transaction is on."""
    api_schema = schemathesis.openapi.from_dict(openapi_document())
    api_schema.app = get_wsgi_application()
    api_schema.config.base_url = "http://testserver"
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield api_schema
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def known(stage: Stage, path: str) -> dict[str, str]:
    """Parts of addresses that lead to something: Alice's submitted run, her result, their releases and lists."""
    public = path.startswith("/api/v1/results/")
    release = "sc99" if path.endswith(("/preview/", "/publish/")) else "sc98"
    return {
        "id": stage.published.result.public_id if public else str(stage.submitted.pk),
        "release": release, "list": "full", "slug": "north-lab", "name": "metadata.1", "form": "io500",
        "username": "bob",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["nobody", "alice", "erin"])
def test_no_answer_contradicts_the_document(stage: Stage, schema, request, name: str) -> None:
    person = None if name == "nobody" else getattr(stage.cast, name)
    headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Token {person.token}"} if person else {})
    for operation_result in schema.get_all_operations():
        operation = operation_result.ok()
        if operation.path != BY_A_WORKER:
            ask(operation, headers, known(stage, operation.path), request.config.getoption("--fuzz"))


def ask(operation: Any, headers: dict[str, str], parts: dict[str, str], cases: int) -> None:
    """So many requests, the same in every run; nothing stays of them."""

    @settings(
        max_examples=cases, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.data())
    def of_one_operation(data: Any) -> None:
        case = data.draw(MODES.flatmap(lambda mode: operation.as_strategy(generation_mode=mode)))
        if data.draw(st.booleans()):
            case.path_parameters = {name: parts.get(name, value) for name, value in case.path_parameters.items()}
        before = transaction.savepoint()
        case.validate_response(case.call(headers=headers), checks=CHECKS)
        transaction.savepoint_rollback(before)

    of_one_operation()
