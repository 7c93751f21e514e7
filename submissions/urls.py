"""Addresses of the private pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from submissions.views import account, submissions

urlpatterns = [
    path("login/", account.SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("account/", account.account, name="account"),
    path("account/tokens/", account.make_token, name="make-token"),
    path("account/tokens/revoke/", account.revoke_token, name="revoke-token"),
    path("submissions/", submissions.index, name="submissions"),
    path("submissions/new/", submissions.upload, name="upload"),
    path("submissions/<uuid:id>/", submissions.submission, name="submission"),
]
