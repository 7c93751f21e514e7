"""Addresses of the write API and of private reading, below /api/v1/."""

from django.urls import path

from submissions.api import (
    anonymity,
    answers,
    files,
    members,
    preview,
    receipts,
    reviewing,
    studies,
    systems,
    tokens,
    views,
    webhooks,
)

urlpatterns = [
    path("submissions/", views.SubmissionList.as_view(), name="api-submissions"),
    path("submissions/<uuid:id>/", views.SubmissionDetail.as_view(), name="api-submission"),
    path("submissions/<uuid:id>/findings/", views.SubmissionFindings.as_view(), name="api-submission-findings"),
    path("submissions/<uuid:id>/history/", views.SubmissionHistory.as_view(), name="api-submission-history"),
    path("submissions/<uuid:id>/files/", files.SubmissionFiles.as_view(), name="api-submission-files"),
    path(
        "submissions/<uuid:id>/files/received/", reviewing.SubmissionReceived.as_view(), name="api-submission-received"
    ),
    path("submissions/<uuid:id>/assign/", reviewing.SubmissionAssign.as_view(), name="api-submission-assign"),
    path("submissions/<uuid:id>/rubric/", reviewing.SubmissionRubric.as_view(), name="api-submission-rubric"),
    path("submissions/<uuid:id>/comments/", reviewing.SubmissionComments.as_view(), name="api-submission-comments"),
    path("submissions/<uuid:id>/files/<str:name>/", files.SubmissionFile.as_view(), name="api-submission-file"),
    path("submissions/<uuid:id>/versions/", files.SubmissionVersions.as_view(), name="api-submission-versions"),
    path(
        "submissions/<uuid:id>/versions/difference/",
        files.SubmissionVersionDifference.as_view(),
        name="api-submission-versions-difference",
    ),
    path("submissions/<uuid:id>/system/", systems.SubmissionSystem.as_view(), name="api-submission-system"),
    path(
        "submissions/<uuid:id>/system/<str:form>/", systems.SubmissionSystemForm.as_view(), name="api-submission-form"
    ),
    path("submissions/<uuid:id>/difference/", systems.SubmissionDifference.as_view(), name="api-submission-difference"),
    path("submissions/<uuid:id>/answers/", answers.SubmissionAnswers.as_view(), name="api-submission-answers"),
    path("submissions/<uuid:id>/anonymity/", anonymity.SubmissionAnonymity.as_view(), name="api-submission-anonymity"),
    path(
        "submissions/<uuid:id>/anonymity/decision/",
        anonymity.SubmissionAnonymityDecision.as_view(),
        name="api-submission-anonymity-decision",
    ),
    path("submissions/<uuid:id>/submit/", views.SubmissionSubmit.as_view(), name="api-submission-submit"),
    path("submissions/<uuid:id>/revalidate/", views.SubmissionRevalidate.as_view(), name="api-submission-revalidate"),
    path("submissions/<uuid:id>/revise/", views.SubmissionRevise.as_view(), name="api-submission-revise"),
    path("submissions/<uuid:id>/withdraw/", views.SubmissionWithdraw.as_view(), name="api-submission-withdraw"),
    path("submissions/<uuid:id>/review/", views.SubmissionReview.as_view(), name="api-submission-review"),
    path("submissions/<uuid:id>/receipt/", receipts.SubmissionReceipt.as_view(), name="api-submission-receipt"),
    path("webhooks/", webhooks.WebhookList.as_view(), name="api-webhooks"),
    path("webhooks/<uuid:id>/", webhooks.WebhookDetail.as_view(), name="api-webhook"),
    path("webhooks/<uuid:id>/deliveries/", webhooks.WebhookDeliveries.as_view(), name="api-webhook-deliveries"),
    path("receipts/", receipts.ReceiptKeys.as_view(), name="api-receipt-keys"),
    path("submissions/<uuid:id>/late/", views.SubmissionLate.as_view(), name="api-submission-late"),
    path("releases/", views.ReleaseList.as_view(), name="api-releases-write"),
    path("releases/<str:release>/", views.ReleaseDetail.as_view(), name="api-release-write"),
    path("releases/<str:release>/publish/", views.ReleasePublish.as_view(), name="api-release-publish"),
    path("lists/<str:release>/<str:list>/preview/", preview.ListPreview.as_view(), name="api-list-preview"),
    path("lists/<str:release>/<str:list>/overrides/", views.ListOverrides.as_view(), name="api-list-overrides"),
    path("institutions/", members.InstitutionList.as_view(), name="api-institutions"),
    path("institutions/<slug:slug>/members/", members.MemberList.as_view(), name="api-members"),
    path("institutions/<slug:slug>/members/<str:username>/", members.MemberDetail.as_view(), name="api-member"),
    path("institutions/<slug:slug>/invitations/<int:id>/", members.InvitationDetail.as_view(), name="api-invitation"),
    path("invitations/<int:id>/accept/", members.InvitationAccept.as_view(), name="api-invitation-accept"),
    path("studies/", studies.StudyList.as_view(), name="api-studies-write"),
    path("studies/<str:slug>/", studies.StudyDetail.as_view(), name="api-study-write"),
    path("rankings/", studies.RankingList.as_view(), name="api-rankings-write"),
    path("rankings/<str:slug>/", studies.RankingDetail.as_view(), name="api-ranking-write"),
    path("tokens/", tokens.TokenList.as_view(), name="api-tokens"),
    path("tokens/<str:id>/", tokens.TokenDetail.as_view(), name="api-token"),
    path("check/", views.CheckNow.as_view(), name="api-check"),
]
