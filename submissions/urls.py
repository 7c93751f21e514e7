"""Addresses of the private pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from submissions.views import account, answers, members, receipts, release, review, submissions, systems

urlpatterns = [
    path("login/", account.SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("account/", account.account, name="account"),
    path("account/tokens/", account.make_token, name="make-token"),
    path("account/keys/", account.add_signing_key, name="add-signing-key"),
    path("account/keys/remove/", account.remove_signing_key, name="remove-signing-key"),
    path("account/tokens/revoke/", account.revoke_token, name="revoke-token"),
    path("account/institutions/<slug:slug>/", members.page, name="members"),
    path("account/institutions/<slug:slug>/invite/", members.invite, name="members-invite"),
    path("account/institutions/<slug:slug>/role/", members.change, name="members-role"),
    path("account/institutions/<slug:slug>/remove/", members.remove, name="members-remove"),
    path("account/institutions/<slug:slug>/invitations/<int:id>/", members.withdraw, name="invitation-withdraw"),
    path("account/invitations/<int:id>/accept/", members.accept, name="invitation-accept"),
    path("account/invitations/<int:id>/decline/", members.decline, name="invitation-decline"),
    path("account/invitations/<str:secret>/", members.by_mail, name="invitation"),
    path("submissions/", submissions.index, name="submissions"),
    path("submissions/new/", submissions.upload, name="upload"),
    path("submissions/<uuid:id>/", submissions.submission, name="submission"),
    path("submissions/<uuid:id>/received/", submissions.received_bytes, name="submission-received"),
    path("submissions/<uuid:id>/copy/", submissions.scrubbed_copy, name="submission-copy"),
    path("submissions/<uuid:id>/difference/", systems.difference, name="submission-difference"),
    path("submissions/<uuid:id>/answers/", answers.answers, name="submission-answers"),
    path("submissions/<uuid:id>/answers/file/", answers.upload_file, name="submission-answers-file"),
    path("submissions/<uuid:id>/submit/", submissions.submit, name="submission-submit"),
    path("submissions/<uuid:id>/withdraw/", submissions.withdraw, name="submission-withdraw"),
    path("submissions/<uuid:id>/edit/", submissions.edit, name="submission-edit"),
    path("submissions/<uuid:id>/revise/", submissions.revise, name="submission-revise"),
    path("submissions/<uuid:id>/check/", submissions.check_again, name="submission-check"),
    path("submissions/<uuid:id>/receipt/", receipts.download, name="submission-receipt"),
    path("receipts/", receipts.verify, name="receipts"),
    path("releases/<str:release>/publish/", release.publish, name="release-publish"),
    path("review/", review.queue, name="review"),
    path("review/<uuid:id>/", review.detail, name="review-detail"),
    path("review/<uuid:id>/start/", review.start, name="review-start"),
    path("review/<uuid:id>/decide/", review.decide, name="review-decide"),
]
