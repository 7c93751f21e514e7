"""The account that asks, and its tokens; what each view of tokens does stands in submissions/accounts/tokens.py."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query.responses.shapes import shape_values
from submissions.accounts import responses as shape
from submissions.accounts import tokens
from submissions.accounts.api_members import institution_rows
from submissions.models import Account, Token
from submissions.web.api_base import REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import Choice, write_operation


class TokenRequest(s.Serializer[None]):
    name = s.CharField(max_length=80, required=False, default="", allow_blank=True, help_text="What it is for.")
    scopes = s.ListField(
        child=Choice(Token.Scope.choices),
        max_length=10,
        required=False,
        default=list(tokens.USUAL_SCOPES),
        help_text="What the token may do.",
    )
    days = s.IntegerField(
        min_value=1,
        max_value=tokens.MOST_DAYS,
        required=False,
        default=tokens.USUAL_DAYS,
        help_text="Days until the token expires.",
    )


class TokenList(PrivateView):
    """The account's tokens, newest first; one more."""

    token_scope = Token.Scope.ACCOUNT

    @extend_schema(operation_id="tokens_list", responses={200: shape.TokenPage} | REFUSED)
    def get(self, request: Request) -> Response:
        return Response(
            shape.TokenPage(next=None, results=[token_row(token) for token in tokens.list_tokens(account_of(request))])
        )

    @write_operation(operation_id="tokens_make", request=TokenRequest, responses={201: shape.TokenMade} | REFUSED)
    def post(self, request: Request) -> Response:
        fields = validated_body(request, TokenRequest)
        by = request.auth if isinstance(request.auth, Token) else None
        token, key = tokens.create_token(account_of(request), **fields, by=by)
        return Response(shape.TokenMade(**shape_values(token_row(token)), key=key), status=201)


class TokenDetail(PrivateView):
    """One token of the account, to revoke."""

    token_scope = Token.Scope.ACCOUNT

    @write_operation(operation_id="tokens_revoke", responses={204: None} | REFUSED)
    def delete(self, request: Request, id: str) -> Response:
        tokens.revoke_token(account_of(request), id)
        return Response(status=204)


class AccountDetail(PrivateView):
    """Whose token it is, what the token may do and until when, and the institutions of the account."""

    @extend_schema(operation_id="account_read", responses={200: shape.AccountShape} | REFUSED)
    def get(self, request: Request) -> Response:
        account = account_of(request)
        return Response(
            shape.AccountShape(
                account=account.username,
                role=Account.Role(account.role),
                institutions=institution_rows(account),
                token=token_row(request.auth) if isinstance(request.auth, Token) else None,
            )
        )


def token_row(token: Token) -> shape.TokenRow:
    return shape.TokenRow(
        id=token.beginning,
        name=token.name,
        scopes=[Token.Scope(scope) for scope in token.scopes],
        made_at=token.made_at,
        expires_at=token.expires_at,
        last_used_at=token.last_used_at,
    )
