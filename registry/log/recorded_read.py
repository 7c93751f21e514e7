"""Addresses of a result, where its stored rows may have been damaged: that is told, in a coded answer."""

from __future__ import annotations

import json
import logging
from typing import Any

from rest_framework.exceptions import APIException
from rest_framework.response import Response

from registry.errors import Problem, outage_problem
from registry.log import recording, records
from registry.log.canonical_form import canonical_text
from registry.models import Result
from registry.query.public_record import MovedOnRecord
from registry.web.api_base import PublicRead

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
        if not isinstance(exc, OWN_ANSWERS) and outage_problem(exc) is None and is_damaged(self.kwargs["id"]):
            logger.error("the stored rows of %r are damaged", self.kwargs["id"], exc_info=exc)
            exc = DamagedRows()
        return super().handle_exception(exc)


def is_damaged(public_id: str) -> bool:
    """Whether the stored rows of a result are not as they were recorded last. Seven queries."""
    subject = f"results/{public_id}"
    opening = recording.newest_openings([subject]).get(subject)
    if opening is None or opening.canonical is None:
        return False
    try:
        recorded = json.loads(opening.canonical)
        ids = list(Result.objects.filter(public_id=public_id).values_list("pk", flat=True))
        (body,) = (body for _, body in records.result_records(ids))
        return any(json.loads(canonical_text(value)) != recorded[name] for name, value in body.items())
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return True  # no record can be made of it, or the record is none
