"""The systems that an account follows."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from submissions.models import Subscription
from submissions.notifications import subscriptions
from submissions.web.page_base import private_page
from submissions.web.request_account import account_of


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def subscriptions_page(request: HttpRequest) -> HttpResponse:
    """Shows them, or follows one more, or for other steps."""
    account = account_of(request)
    if request.method == "POST":
        steps = request.POST.get("steps", Subscription.Steps.ALL)
        subscriptions.subscribe(account, request.POST.get("system", ""), steps)
        return redirect("following")
    own = subscriptions.subscriptions_of(account)
    context = {"section": "submissions", "own": own, "choices": Subscription.Steps.choices}
    return render(request, "notifications/subscriptions.html", context)


@require_POST
@private_page
def stop_following(request: HttpRequest) -> HttpResponse:
    subscriptions.unsubscribe(account_of(request), request.POST.get("system", ""))
    return redirect("following")
