"""Webhooks by API: the account's own, what they were sent and what came of it."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query.responses.shapes import shape_values
from submissions.errors import NoWebhook
from submissions.models import Account, Delivery, Token, Webhook
from submissions.notifications import requests, webhooks
from submissions.notifications import responses as shape
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation

DELIVERIES_SHOWN = 100


class WebhookList(PrivateView):
    """The account's webhooks."""

    token_scope = Token.Scope.ACCOUNT

    @extend_schema(operation_id="webhooks_list", responses={200: shape.WebhookPage} | REFUSED)
    def get(self, request: Request) -> Response:
        return Response(
            shape.WebhookPage(
                next=None, results=[_webhook_document(webhook) for webhook in account_of(request).webhooks.all()]
            )
        )

    @write_operation(
        operation_id="webhooks_add",
        request=requests.WebhookRequest,
        responses={201: shape.WebhookWithSecret} | REFUSED | CONFLICT,
    )
    def post(self, request: Request) -> Response:
        webhook = webhooks.add_webhook(account_of(request), **validated_body(request, requests.WebhookRequest))
        return Response(_with_secret(webhook), status=201)


class WebhookDetail(PrivateView):
    """One webhook, with its secret."""

    token_scope = Token.Scope.ACCOUNT

    @extend_schema(operation_id="webhooks_read", responses={200: shape.WebhookWithSecret} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        webhook = own_webhook(account_of(request), id)
        return Response(_with_secret(webhook))

    @write_operation(operation_id="webhooks_remove", responses={204: None} | REFUSED)
    def delete(self, request: Request, id: UUID) -> Response:
        own_webhook(account_of(request), id).delete()
        return Response(status=204)


class WebhookDeliveries(PrivateView):
    """What was sent to a webhook and what came of it, the newest hundred; POST sends a trial."""

    token_scope = Token.Scope.ACCOUNT

    @extend_schema(operation_id="webhooks_deliveries", responses={200: shape.DeliveryPage} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        rows = own_webhook(account_of(request), id).deliveries.select_related(
            "event", "step__system", "run_verdict__system"
        )[:DELIVERIES_SHOWN]
        return Response(shape.DeliveryPage(next=None, results=[_delivery_document(row) for row in rows]))

    @write_operation(operation_id="webhooks_try", request=None, responses={202: shape.Delivery} | REFUSED)
    def post(self, request: Request, id: UUID) -> Response:
        return Response(_delivery_document(webhooks.try_out(own_webhook(account_of(request), id))), status=202)


def own_webhook(account: Account, id: UUID) -> Webhook:
    """Raises NoWebhook for another account's like for one that is not there."""
    webhook = Webhook.objects.filter(account=account, pk=id).first()
    if webhook is None:
        raise NoWebhook
    return webhook


def _webhook_document(webhook: Webhook) -> shape.Webhook:
    return shape.Webhook(id=webhook.pk, url=webhook.url, created_at=webhook.created_at)


def _with_secret(webhook: Webhook) -> shape.WebhookWithSecret:
    return shape.WebhookWithSecret(**shape_values(_webhook_document(webhook)), secret=webhooks.webhook_secret(webhook))


def _delivery_document(row: Delivery) -> shape.Delivery:
    return shape.Delivery(
        id=f"msg_{row.pk}",
        type=webhooks.type_of(row),
        submission=row.event.submission_id if row.event else None,
        system=_system_of(row),
        state=row.state,
        attempts=row.attempts,
        tried_at=row.tried_at,
        due_at=row.due_at if row.state == Delivery.State.WAITING else None,
        answer=row.answer,
    )


def _system_of(row: Delivery) -> str | None:
    """The slug of the system that a delivery tells of."""
    news = row.step or row.run_verdict
    return news.system.slug if news else None
