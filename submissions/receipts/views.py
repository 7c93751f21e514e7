"""The receipt of a submission as a file, and the page where anybody verifies one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from submissions.errors import BadReceipt
from submissions.permissions import visible_submission
from submissions.receipts import receipts
from submissions.web.page_base import private_page
from submissions.web.request_account import account_of


@require_safe
@private_page
def download_receipt(request: HttpRequest, id: UUID) -> HttpResponse:
    signed = receipts.issue_receipt(visible_submission(account_of(request), id))
    name = f"highwater-receipt-{id}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return JsonResponse(signed, json_dumps_params={"indent": 1}, headers=headers)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def verification_page(request: HttpRequest) -> HttpResponse:
    """For anybody, without an account: what the receipt that was sent says, if it is one of ours.

    Its form posts, as a receipt with its proof is longer than an address may be; that changes nothing here.
    """
    text = (request.POST if request.method == "POST" else request.GET).get("receipt", "")
    context: dict[str, Any] = {"section": "submissions", "text": text, "public_keys": receipts.public_keys()}
    if text.strip():
        try:
            context["receipt"] = receipts.verify_receipt(receipts.read_receipt(text))
        except BadReceipt as problem:
            context["problem"] = problem
    status = context["problem"].status if "problem" in context else 200
    return render(request, "receipts/receipts.html", context, status=status)
