"""Where the stored rows of a result, list or release may have been damaged: that is told, in a coded answer."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

from django.db import DataError
from django.http import HttpRequest
from rest_framework.exceptions import APIException
from rest_framework.response import Response

from registry.errors import Problem, outage_problem
from registry.log import recording, records
from registry.log.canonical_form import canonical_text
from registry.models import RankedList, Release, Result
from registry.query.public_record import MovedOnRecord, Row
from registry.web.api_base import PublicRead
from registry.web.error_pages import EXPLANATIONS

logger = logging.getLogger(__name__)
OWN_ANSWERS = (Problem, APIException, MovedOnRecord)
"""What has an answer of its own."""


class DamagedRows(Problem):
    status = 503
    code = "record.damaged"
    title = "What is stored of it is damaged"
    hint = "It was changed past the registry. Its proof has what was recorded; an operator must restore it."


class RecordedRead(PublicRead):
    """Reading what is recorded of a result: DamagedRows where that fails, and the rows are not as recorded.

    Any other failure stays loud: it is a defect of the code.
    """

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().dispatch(request, *args, **kwargs)
        if not isinstance(response, Response):
            return response
        try:
            return response.render()
        except ValueError as error:  # a number that JSON does not have
            self.headers = self.default_response_headers
            return self.finalize_response(self.request, self.handle_exception(error), *args, **kwargs)

    def handle_exception(self, exc: Exception) -> Any:
        if (
            not isinstance(exc, OWN_ANSWERS)
            and outage_problem(exc) is None
            and is_damaged(f"results/{self.kwargs['id']}")
        ):
            logger.error("the stored rows of %r are damaged", self.kwargs["id"], exc_info=exc)
            exc = DamagedRows()
        return super().handle_exception(exc)


def explain_failure(request: HttpRequest) -> DamagedRows | None:
    """Why a page or call of a result, frozen list or release failed, where its stored rows are not as recorded."""
    named = request.resolver_match.kwargs if request.resolver_match else {}
    release, name = named.get("release", ""), named.get("name") or named.get("list", "")
    public_id = named.get("public_id") or named.get("id", "")
    if release:
        subjects = [f"lists/{release}/{name}" if name else f"releases/{release}"]
    elif public_id:
        subjects = [f"results/{public_id}"]
    else:  # pages of several releases; there are few
        subjects = [f"releases/{slug}" for slug in Release.objects.order_by("pk").values_list("slug", flat=True)]
    damaged = next(filter(is_damaged, subjects), None)
    if damaged is None:
        return None
    logger.error("the stored rows of %r are damaged", damaged)
    return DamagedRows()


EXPLANATIONS.append(explain_failure)


def is_damaged(subject: str) -> bool:
    """Whether the rows of `results/ID`, `lists/RELEASE/LIST`, `releases/RELEASE` are not as they were recorded last."""
    opening = recording.newest_openings([subject]).get(subject)
    if opening is None or opening.canonical is None:
        return False
    try:
        recorded = json.loads(opening.canonical)
        (body,) = (body for _, body in _read_again(subject))
        return any(json.loads(canonical_text(value)) != recorded[name] for name, value in body.items())
    except (ArithmeticError, AttributeError, DataError, LookupError, TypeError, ValueError):
        return True  # no record can be made of it, or the record is none; DataError: Python has no such value


def _read_again(subject: str) -> Iterator[tuple[str, Row]]:
    kind, *names = subject.split("/")
    if kind == "results":
        return records.result_records(list(Result.objects.filter(public_id=names[0]).values_list("pk", flat=True)))
    if kind == "releases":
        return records.release_records(list(Release.objects.filter(slug=names[0])))
    lists = RankedList.objects.filter(release__slug=names[0], name=names[1])
    return records.list_records(lists.select_related("release", "definition"))
