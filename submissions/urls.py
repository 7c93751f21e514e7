"""Addresses of the private pages."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from submissions.accounts import views_account, views_members, views_personal_data, views_ties
from submissions.accounts.entry import views_kept_input
from submissions.bundles import views as bundles_views
from submissions.bundles import views_quarantine
from submissions.change_points import views as change_points_views
from submissions.editing import views_answers
from submissions.identities import views as identities_views
from submissions.notifications import views_subscriptions, views_webhooks
from submissions.overview import views as overview_views
from submissions.overview import views_anonymity, views_comments, views_files, views_review, views_systems
from submissions.overview import views_questions as overview_questions
from submissions.publication import views_lists, views_release
from submissions.publication.checklist import views as checklist_views
from submissions.receipts import views as receipts_views
from submissions.saved_queries import views as saved_queries_views
from submissions.shelf import views as shelf_views
from submissions.shelf import views_questions

urlpatterns = [
    # allauth's own pages, but that people sign in and out at one address each.
    path("account/login/", RedirectView.as_view(url="/login/", query_string=True)),
    path("account/logout/", RedirectView.as_view(url="/logout/")),
    path("account/signup/", views_account.SignUp.as_view(), name="account_signup"),
    path("account/request/", views_members.request_page, name="access-request"),
    path("account/requests/", views_members.requests_page, name="access-requests"),
    path("account/requests/<int:id>/grant/", views_members.grant_request, name="access-grant"),
    path("account/requests/<int:id>/refuse/", views_members.refuse_request, name="access-refuse"),
    path("account/password/set/", views_account.set_password, name="account_set_password"),
    path("account/password/change/", views_account.change_password, name="account_change_password"),
    re_path(
        r"^account/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views_account.PasswordByLetter.as_view(),
        name="account_reset_password_from_key",
    ),
    path("account/", include("allauth.urls")),
    path("login/", views_account.SignIn.as_view(), name="account_login"),
    path("logout/", LogoutView.as_view(), name="account_logout"),
    path("account/", views_account.account_page, name="account"),
    path("account/kept/", views_kept_input.kept_page, name="kept-input"),
    path("account/data/", views_personal_data.personal_data_page, name="account-data"),
    path("account/data/export/", views_personal_data.export_account, name="account-export"),
    path("account/data/erase/", views_personal_data.erase_account, name="account-erase"),
    path("account/tokens/", views_account.make_token, name="make-token"),
    path("account/keys/", views_account.add_signing_key, name="add-signing-key"),
    path("account/keys/remove/", views_account.remove_signing_key, name="remove-signing-key"),
    path("account/vendors/", views_account.declare_vendors, name="declare-vendors"),
    path("account/tokens/revoke/", views_account.revoke_token, name="revoke-token"),
    path("account/institutions/<slug:slug>/", views_members.members_page, name="members"),
    path("account/institutions/<slug:slug>/invite/", views_members.invite_member, name="members-invite"),
    path("account/institutions/<slug:slug>/role/", views_members.change_role, name="members-role"),
    path("account/institutions/<slug:slug>/remove/", views_members.remove_member, name="members-remove"),
    path(
        "account/institutions/<slug:slug>/invitations/<int:id>/",
        views_members.withdraw_invitation,
        name="invitation-withdraw",
    ),
    path("account/invitations/<int:id>/accept/", views_members.accept_invitation, name="invitation-accept"),
    path("account/invitations/<int:id>/decline/", views_members.decline_invitation, name="invitation-decline"),
    path("account/invitations/<str:secret>/", views_members.by_mail, name="invitation"),
    path("study/save/", saved_queries_views.save, {"kind": "study"}, name="study-save"),
    path("studies/<str:slug>/remove/", saved_queries_views.remove_saved, {"kind": "study"}, name="study-remove"),
    path("ranking/save/", saved_queries_views.save, {"kind": "ranking"}, name="ranking-save"),
    path("rankings/<str:slug>/remove/", saved_queries_views.remove_saved, {"kind": "ranking"}, name="ranking-remove"),
    path("shelf/", shelf_views.shelf_page, name="shelf"),
    path("shelf/compare/", shelf_views.compare_chosen, name="shelf-compare-chosen"),
    path("shelf/group/", shelf_views.group_runs, name="shelf-group"),
    path("shelf/runs/<uuid:id>/", shelf_views.run_page, name="shelf-run"),
    path("shelf/runs/<uuid:id>/share/", shelf_views.share_run, name="shelf-share"),
    path("shelf/runs/<uuid:id>/unshare/", shelf_views.end_share, name="shelf-unshare"),
    path("shelf/<str:asked_scope>/compare/", views_questions.comparison_page, name="shelf-compare"),
    path("shelf/<str:asked_scope>/study/", views_questions.study_page, name="shelf-study"),
    path("shelf/<str:asked_scope>/ranking/", views_questions.ranking_page, name="shelf-ranking"),
    path("shelf/<str:asked_scope>/explore/", views_questions.explore_page, name="shelf-explore"),
    path("shelf/<str:asked_scope>/sizing/", views_questions.sizing_page, name="shelf-sizing"),
    path("shelf/<str:asked_scope>/systems/<str:slug>/history/", views_questions.history_page, name="shelf-history"),
    path("shelf/<str:asked_scope>/systems/<str:slug>/sweep/", views_questions.sweep_page, name="shelf-sweep"),
    path("submissions/", overview_views.submission_index, name="submissions"),
    path("submissions/new/", overview_views.upload_page, name="upload"),
    path("submissions/<uuid:id>/", overview_views.submission_page, name="submission"),
    path("submissions/<uuid:id>/received/", overview_views.received_bytes, name="submission-received"),
    path("submissions/<uuid:id>/files/", bundles_views.archive_files, name="submission-raw-files"),
    path("submissions/<uuid:id>/questions/", overview_questions.answer_as_submitter, name="submission-answer"),
    path("submissions/<uuid:id>/questions/consent/", overview_questions.set_consent, name="submission-consent"),
    path("submissions/<uuid:id>/comments/", views_comments.comment_on_submission, name="submission-comments"),
    path("submissions/<uuid:id>/copy/", overview_views.scrubbed_copy, name="submission-copy"),
    path("submissions/<uuid:id>/public-files/", bundles_views.public_files_page, name="submission-public-files"),
    path("submissions/<uuid:id>/difference/", views_systems.system_difference, name="submission-difference"),
    path("submissions/<uuid:id>/answers/", views_answers.answers_page, name="submission-answers"),
    path("submissions/<uuid:id>/answers/file/", views_answers.upload_file, name="submission-answers-file"),
    path("submissions/<uuid:id>/submit/", overview_views.submit_run, name="submission-submit"),
    path("submissions/<uuid:id>/anonymity/", views_anonymity.ask_anonymity, name="submission-anonymity"),
    path("submissions/<uuid:id>/keep/", overview_views.keep_longer, name="submission-keep"),
    path("submissions/<uuid:id>/withdraw/", overview_views.withdraw_run, name="submission-withdraw"),
    path("submissions/<uuid:id>/files/add/", views_files.put, name="submission-file-add"),
    path("submissions/<uuid:id>/files/remove/", views_files.remove_file, name="submission-file-remove"),
    path("submissions/<uuid:id>/versions/", views_files.file_history, name="submission-versions"),
    path(
        "submissions/<uuid:id>/versions/<int:version>/<str:name>/",
        views_files.download_file,
        name="submission-version-file",
    ),
    path("submissions/<uuid:id>/edit/", overview_views.edit_metadata, name="submission-edit"),
    path("submissions/<uuid:id>/revise/", overview_views.revise_result, name="submission-revise"),
    path("submissions/<uuid:id>/check/", overview_views.check_again, name="submission-check"),
    path("submissions/<uuid:id>/receipt/", receipts_views.download_receipt, name="submission-receipt"),
    path("account/webhooks/", views_webhooks.webhooks_page, name="webhooks"),
    path("account/webhooks/<uuid:id>/remove/", views_webhooks.remove_webhook, name="webhook-remove"),
    path("account/webhooks/<uuid:id>/try/", views_webhooks.try_out, name="webhook-try"),
    path("account/following/", views_subscriptions.subscriptions_page, name="following"),
    path("account/following/stop/", views_subscriptions.stop_following, name="following-stop"),
    path("account/steps/", change_points_views.step_index, name="steps"),
    path("account/steps/<int:id>/", change_points_views.step_page, name="step"),
    path("account/mail/", views_webhooks.choose_mail, name="choose-mail"),
    path("receipts/", receipts_views.verification_page, name="receipts"),
    path("review/releases/new/", views_release.create_release, name="release-new"),
    path("releases/<str:release>/edit/", views_release.edit_release, name="release-edit"),
    path("releases/<str:release>/publish/", views_release.publish_page, name="release-publish"),
    path("releases/<str:release>/questions/", overview_questions.questions_page, name="release-questions"),
    path("releases/<str:release>/questions/ask/", overview_questions.ask_question, name="release-ask"),
    path("releases/<str:release>/open-points/", views_review.open_points_page, name="release-open-points"),
    path("releases/<str:release>/checklist/", checklist_views.checklist_page, name="release-checklist"),
    path("releases/<str:release>/lists/<str:name>/", views_lists.preview_page, name="list-preview"),
    path("releases/<str:release>/lists/<str:name>/override/", views_lists.override_page, name="list-override"),
    path("review/", views_review.queue_page, name="review"),
    path("review/quarantine/", views_quarantine.quarantine_index, name="quarantine"),
    path("review/quarantine/<int:id>/", views_quarantine.decide_file, name="quarantine-decide"),
    path("review/ties/", views_ties.ties_page, name="ties"),
    path("review/ties/<int:id>/end/", views_ties.end_tie, name="tie-end"),
    path("review/identities/", identities_views.identities_page, name="identities"),
    path("review/identities/merge/", identities_views.merge_identities, name="identities-merge"),
    path("review/identities/split/", identities_views.split_identity, name="identities-split"),
    path("review/identities/<int:id>/undo/", identities_views.undo_act, name="identity-undo"),
    path("review/<uuid:id>/", views_review.review_page, name="review-detail"),
    path("review/<uuid:id>/start/", views_review.start_review, name="review-start"),
    path("review/<uuid:id>/assign/", views_review.assign_reviewer, name="review-assign"),
    path("review/<uuid:id>/check/", views_review.check_again, name="review-check"),
    path("review/<uuid:id>/judge/", views_review.judge_rule, name="review-judge"),
    path("review/<uuid:id>/dispose/", views_review.dispose_finding, name="review-dispose"),
    path("review/<uuid:id>/questions/", overview_questions.answer_in_review, name="review-answer"),
    path("review/<uuid:id>/comments/", views_comments.comment_in_review, name="review-comments"),
    path("review/<uuid:id>/anonymity/", views_anonymity.decide_anonymity, name="review-anonymity"),
    path("review/<uuid:id>/decide/", views_review.decide_run, name="review-decide"),
]
