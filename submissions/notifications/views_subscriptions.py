"""The systems that an account follows."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from submissions.models import Subscription
from submissions.notifications import subscriptions
from submissions.notifications.forms import FollowForm
from submissions.web.page_base import private_page
from submissions.web.page_forms import form_page
from submissions.web.request_account import account_of


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def subscriptions_page(request: HttpRequest) -> HttpResponse:
    """Shows them, or follows one more, or for other steps."""
    account = account_of(request)
    form = FollowForm(request.POST) if request.method == "POST" else None
    if form is not None and form.carry_out(lambda **fields: subscriptions.subscribe(account, **fields)):
        return redirect("following")
    rows = [_subscription_row(subscription, form) for subscription in subscriptions.subscriptions_of(account)]
    context = {
        "section": "submissions",
        "rows": rows,
        "new": form if form is not None and not any(row["form"] is form for row in rows) else None,
    }
    return form_page(request, "notifications/subscriptions.html", context, form)


def _subscription_row(subscription: Subscription, refused: FollowForm | None) -> dict[str, Any]:
    """A followed system with its form, which is the refused one where that is about it."""
    system = subscription.current_system
    if refused is not None and refused.data.get("system") == system.slug:
        return {"subscription": subscription, "form": refused}
    initial = {"system": system.slug, "steps": subscription.steps}
    form = FollowForm(initial=initial, name=str(system), auto_id=f"{system.slug}_%s")
    return {"subscription": subscription, "form": form}


@require_POST
@private_page
def stop_following(request: HttpRequest) -> HttpResponse:
    subscriptions.unsubscribe(account_of(request), request.POST.get("system", ""))
    return redirect("following")
