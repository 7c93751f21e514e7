"""The page of the account's own data: take it along, or have it erased."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from submissions.accounts import personal_data
from submissions.errors import ErasureRefused
from submissions.web.page_base import private_page
from submissions.web.request_account import account_of


@require_safe
@private_page
def personal_data_page(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/personal_data.html", {"section": "submissions"})


@require_safe
@private_page
def export_account(request: HttpRequest) -> HttpResponse:
    """Everything that the registry holds of the account, as a file."""
    answer = JsonResponse(
        personal_data.export_account(account_of(request)), json_dumps_params={"indent": 1, "ensure_ascii": False}
    )
    answer["Content-Disposition"] = 'attachment; filename="highwater-account.json"'
    return answer


@require_POST
@reauthentication_required
@private_page
def erase_account(request: HttpRequest) -> HttpResponse:
    """Erase the account that is signed in, if its name was typed. Raises ErasureRefused, LastAdmin."""
    if request.POST.get("name") != request.user.username:
        raise ErasureRefused
    personal_data.erase_account(account_of(request))
    logout(request)
    return redirect("/")
