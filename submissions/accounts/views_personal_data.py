"""The page of the account's own data: take it along, or have it erased."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from submissions.accounts import personal_data
from submissions.accounts.forms import ErasureForm
from submissions.errors import ErasureRefused
from submissions.web.page_base import private_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of


@require_safe
@private_page
def personal_data_page(request: HttpRequest) -> HttpResponse:
    return _personal_data_page(request)


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
    """Erase the account that is signed in, if its name was typed."""
    account, form = account_of(request), ErasureForm(request.POST)

    def erase_confirmed(name: str) -> None:
        if name != account.username:
            raise ErasureRefused
        personal_data.erase_account(account)

    if not form.carry_out(erase_confirmed):
        return _personal_data_page(request, form)
    logout(request)
    return redirect("/")


def _personal_data_page(request: HttpRequest, refused: PageForm | None = None) -> HttpResponse:
    label = f"Type {account_of(request).username} to confirm"
    form = refused or ErasureForm()
    form.fields["name"].label = label
    context = {"section": "submissions", "erasure_form": form}
    return form_page(request, "accounts/personal_data.html", context, refused)
