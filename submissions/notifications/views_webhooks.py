"""What an account is told, and where: its mail and its webhooks."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from submissions.notifications import webhooks
from submissions.notifications.api_webhooks import own_webhook
from submissions.notifications.forms import MailForm, WebhookForm
from submissions.web.page_base import private_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of

DELIVERIES_SHOWN = 10


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def webhooks_page(request: HttpRequest) -> HttpResponse:
    """Shows them, or adds one."""
    if request.method != "POST":
        return _webhooks_page(request)
    form = WebhookForm(request.POST)
    if not form.carry_out(lambda url: webhooks.add_webhook(account_of(request), url)):
        return _webhooks_page(request, form)
    return redirect("webhooks")


@require_POST
@private_page
def remove_webhook(request: HttpRequest, id: UUID) -> HttpResponse:
    own_webhook(account_of(request), id).delete()
    return redirect("webhooks")


@require_POST
@private_page
def try_out(request: HttpRequest, id: UUID) -> HttpResponse:
    webhooks.try_out(own_webhook(account_of(request), id))
    return redirect("webhooks")


@require_POST
@private_page
def choose_mail(request: HttpRequest) -> HttpResponse:
    form = MailForm(request.POST, instance=request.user)
    if form.is_valid():
        form.save()
    return redirect("webhooks")


def _webhooks_page(request: HttpRequest, refused: PageForm | None = None) -> HttpResponse:
    own = [
        {
            "webhook": webhook,
            "secret": webhooks.webhook_secret(webhook),
            "deliveries": list(
                webhook.deliveries.select_related("event", "step__system", "run_verdict__system")[:DELIVERIES_SHOWN]
            ),
        }
        for webhook in account_of(request).webhooks.all()
    ]
    context = {
        "section": "submissions",
        "own": own,
        "mail": MailForm(instance=request.user),
        "sender": settings.EMAIL_FROM,
        "webhook_form": WebhookForm(),
    }
    return form_page(request, "notifications/webhooks.html", context, refused)
