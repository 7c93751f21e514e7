"""The account that asks, and the token it asks with."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.accounts import responses as shape
from submissions.accounts.api_members import institution_rows
from submissions.accounts.api_tokens import token_row
from submissions.models import Token
from submissions.web.api_base import REFUSED, PrivateView
from submissions.web.request_account import account_of


class AccountDetail(PrivateView):
    """Whose token it is, what the token may do and until when, and the institutions of the account."""

    @extend_schema(operation_id="account_read", responses={200: shape.AccountShape} | REFUSED)
    def get(self, request: Request) -> Response:
        account = account_of(request)
        return Response(
            {
                "account": account.username,
                "role": account.role,
                "institutions": institution_rows(account),
                "token": token_row(request.auth) if isinstance(request.auth, Token) else None,
            }
        )
