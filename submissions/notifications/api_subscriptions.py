"""The systems that an account follows, by API."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.models import Subscription, Token
from submissions.notifications import requests, subscriptions
from submissions.notifications import responses as shape
from submissions.web.api_base import REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation


class FollowingList(PrivateView):
    """The systems of whose steps the account is told; POST follows one, or chooses again of which steps."""

    token_scope = Token.Scope.ACCOUNT

    @extend_schema(operation_id="following_list", responses={200: shape.FollowedPage} | REFUSED)
    def get(self, request: Request) -> Response:
        own = subscriptions.subscriptions_of(account_of(request))
        return Response(shape.FollowedPage(next=None, results=[_subscription_document(following) for following in own]))

    @write_operation(
        operation_id="following_follow", request=requests.FollowRequest, responses={200: shape.Followed} | REFUSED
    )
    def post(self, request: Request) -> Response:
        return Response(
            _subscription_document(
                subscriptions.subscribe(account_of(request), **validated_body(request, requests.FollowRequest))
            )
        )


class FollowingDetail(PrivateView):
    """One of them, to stop."""

    token_scope = Token.Scope.ACCOUNT

    @write_operation(operation_id="following_stop", responses={204: None} | REFUSED)
    def delete(self, request: Request, slug: str) -> Response:
        subscriptions.unsubscribe(account_of(request), slug)
        return Response(status=204)


def _subscription_document(following: Subscription) -> shape.Followed:
    return shape.Followed(
        system=following.current_system.slug,
        name=following.current_system.name,
        steps=Subscription.Steps(following.steps),
        since=following.since,
    )
