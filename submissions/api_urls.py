"""Addresses of the write API and of private reading, below /api/v1/."""

from django.urls import path

from submissions.accounts import api_members, api_ties, api_tokens
from submissions.bundles import api_public_files, api_quarantine
from submissions.change_points import api as change_points_api
from submissions.checks import api as checks_api
from submissions.editing import api_answers, api_files
from submissions.identities import api as identities_api
from submissions.notifications import api_subscriptions, api_webhooks
from submissions.overview import api as overview_api
from submissions.overview import api_systems
from submissions.publication import api_anonymity, api_preview, api_releases
from submissions.publication.checklist import api as checklist_api
from submissions.receipts import api as receipts_api
from submissions.review import api as review_api
from submissions.review import api_decisions, api_dispositions
from submissions.review import api_questions as api_questions_review
from submissions.saved_queries import api as saved_queries_api
from submissions.shelf import api as shelf_api
from submissions.shelf import api_questions

urlpatterns = [
    path("submissions/", overview_api.SubmissionList.as_view(), name="api-submissions"),
    path("submissions/<uuid:id>/", overview_api.SubmissionDetailView.as_view(), name="api-submission"),
    path("submissions/<uuid:id>/findings/", overview_api.SubmissionFindings.as_view(), name="api-submission-findings"),
    path("submissions/<uuid:id>/history/", overview_api.SubmissionHistory.as_view(), name="api-submission-history"),
    path("submissions/<uuid:id>/files/", api_files.SubmissionFiles.as_view(), name="api-submission-files"),
    path(
        "submissions/<uuid:id>/files/received/", review_api.SubmissionReceived.as_view(), name="api-submission-received"
    ),
    path("submissions/<uuid:id>/assign/", review_api.SubmissionAssign.as_view(), name="api-submission-assign"),
    path("submissions/<uuid:id>/rubric/", review_api.SubmissionRubric.as_view(), name="api-submission-rubric"),
    path(
        "submissions/<uuid:id>/dispositions/",
        api_dispositions.SubmissionDispositions.as_view(),
        name="api-submission-dispositions",
    ),
    path(
        "submissions/<uuid:id>/questions/",
        api_questions_review.SubmissionQuestions.as_view(),
        name="api-submission-questions",
    ),
    path(
        "submissions/<uuid:id>/questions/consent/",
        api_questions_review.SubmissionConsent.as_view(),
        name="api-submission-consent",
    ),
    path(
        "submissions/<uuid:id>/questions/<int:number>/answer/",
        api_questions_review.QuestionAnswer.as_view(),
        name="api-question-answer",
    ),
    path("submissions/<uuid:id>/comments/", review_api.SubmissionComments.as_view(), name="api-submission-comments"),
    path("submissions/<uuid:id>/files/<str:name>/", api_files.SubmissionFile.as_view(), name="api-submission-file"),
    path(
        "submissions/<uuid:id>/public-files/",
        api_public_files.SubmissionPublicFiles.as_view(),
        name="api-submission-public-files",
    ),
    path("submissions/<uuid:id>/copy/", api_files.SubmissionCopy.as_view(), name="api-submission-copy"),
    path("submissions/<uuid:id>/versions/", api_files.SubmissionVersions.as_view(), name="api-submission-versions"),
    path(
        "submissions/<uuid:id>/versions/difference/",
        api_files.SubmissionVersionDifference.as_view(),
        name="api-submission-versions-difference",
    ),
    path("submissions/<uuid:id>/system/", api_systems.SubmissionSystem.as_view(), name="api-submission-system"),
    path(
        "submissions/<uuid:id>/system/<str:form>/",
        api_systems.SubmissionSystemForm.as_view(),
        name="api-submission-form",
    ),
    path(
        "submissions/<uuid:id>/difference/",
        api_systems.SubmissionDifference.as_view(),
        name="api-submission-difference",
    ),
    path("submissions/<uuid:id>/answers/", api_answers.SubmissionAnswers.as_view(), name="api-submission-answers"),
    path(
        "submissions/<uuid:id>/anonymity/", api_anonymity.SubmissionAnonymity.as_view(), name="api-submission-anonymity"
    ),
    path(
        "submissions/<uuid:id>/anonymity/decision/",
        api_anonymity.SubmissionAnonymityDecision.as_view(),
        name="api-submission-anonymity-decision",
    ),
    path("submissions/<uuid:id>/submit/", overview_api.SubmissionSubmit.as_view(), name="api-submission-submit"),
    path(
        "submissions/<uuid:id>/revalidate/",
        overview_api.SubmissionRevalidate.as_view(),
        name="api-submission-revalidate",
    ),
    path("submissions/<uuid:id>/revise/", overview_api.SubmissionRevise.as_view(), name="api-submission-revise"),
    path("submissions/<uuid:id>/keep/", overview_api.SubmissionKeep.as_view(), name="api-submission-keep"),
    path("submissions/<uuid:id>/withdraw/", overview_api.SubmissionWithdraw.as_view(), name="api-submission-withdraw"),
    path("submissions/<uuid:id>/review/", api_decisions.SubmissionReview.as_view(), name="api-submission-review"),
    path("submissions/<uuid:id>/records/", receipts_api.SubmissionRecords.as_view(), name="api-submission-records"),
    path("submissions/<uuid:id>/receipt/", receipts_api.SubmissionReceipt.as_view(), name="api-submission-receipt"),
    path("webhooks/", api_webhooks.WebhookList.as_view(), name="api-webhooks"),
    path("webhooks/<uuid:id>/", api_webhooks.WebhookDetail.as_view(), name="api-webhook"),
    path("webhooks/<uuid:id>/deliveries/", api_webhooks.WebhookDeliveries.as_view(), name="api-webhook-deliveries"),
    path("following/", api_subscriptions.FollowingList.as_view(), name="api-following"),
    path("following/<slug:slug>/", api_subscriptions.FollowingDetail.as_view(), name="api-followed"),
    path("steps/", change_points_api.StepList.as_view(), name="api-steps"),
    path("steps/<int:id>/", change_points_api.StepDetail.as_view(), name="api-step"),
    path("quarantine/", api_quarantine.QuarantineList.as_view(), name="api-quarantine"),
    path("quarantine/<int:id>/clear/", api_quarantine.QuarantineClear.as_view(), name="api-quarantine-clear"),
    path("quarantine/<int:id>/withhold/", api_quarantine.QuarantineWithhold.as_view(), name="api-quarantine-withhold"),
    path("identities/", identities_api.IdentityActs.as_view(), name="api-identities"),
    path("identities/merge/", identities_api.IdentityMerge.as_view(), name="api-identities-merge"),
    path("identities/split/", identities_api.IdentitySplit.as_view(), name="api-identities-split"),
    path("identities/<int:id>/undo/", identities_api.IdentityUndo.as_view(), name="api-identity-undo"),
    path("receipts/", receipts_api.ReceiptKeysView.as_view(), name="api-receipt-keys"),
    path("submissions/<uuid:id>/late/", api_decisions.SubmissionLate.as_view(), name="api-submission-late"),
    path("releases/", api_releases.EditableReleaseListView.as_view(), name="api-releases-write"),
    path("releases/<str:release>/", api_releases.EditableReleaseDetailView.as_view(), name="api-release-write"),
    path("releases/<str:release>/publish/", api_releases.ReleasePublish.as_view(), name="api-release-publish"),
    path(
        "releases/<str:release>/questions/",
        api_questions_review.ReleaseQuestions.as_view(),
        name="api-release-questions",
    ),
    path(
        "releases/<str:release>/open-points/",
        api_dispositions.ReleaseOpenPoints.as_view(),
        name="api-release-open-points",
    ),
    path("releases/<str:release>/checklist/", checklist_api.ReleaseChecklist.as_view(), name="api-checklist"),
    path(
        "releases/<str:release>/checklist/<int:id>/",
        checklist_api.ReleaseChecklistItem.as_view(),
        name="api-checklist-item",
    ),
    path("lists/<str:release>/<str:list>/preview/", api_preview.ListPreview.as_view(), name="api-list-preview"),
    path("lists/<str:release>/<str:list>/overrides/", api_releases.ListOverrides.as_view(), name="api-list-overrides"),
    path("account/", api_tokens.AccountDetail.as_view(), name="api-account"),
    path("institutions/", api_members.InstitutionList.as_view(), name="api-institutions"),
    path("institutions/<slug:slug>/members/", api_members.MemberList.as_view(), name="api-members"),
    path("institutions/<slug:slug>/members/<str:username>/", api_members.MemberDetail.as_view(), name="api-member"),
    path(
        "institutions/<slug:slug>/invitations/<int:id>/", api_members.InvitationDetail.as_view(), name="api-invitation"
    ),
    path("invitations/<int:id>/accept/", api_members.InvitationAccept.as_view(), name="api-invitation-accept"),
    path("studies/", saved_queries_api.StudyList.as_view(), name="api-studies-write"),
    path("studies/<str:slug>/", saved_queries_api.StudyDetail.as_view(), name="api-study-write"),
    path("rankings/", saved_queries_api.RankingList.as_view(), name="api-rankings-write"),
    path("rankings/<str:slug>/", saved_queries_api.RankingDetail.as_view(), name="api-ranking-write"),
    path("ties/", api_ties.TieList.as_view(), name="api-ties"),
    path("ties/<int:id>/end/", api_ties.TieEnding.as_view(), name="api-tie-end"),
    path("tokens/", api_tokens.TokenList.as_view(), name="api-tokens"),
    path("tokens/<str:id>/", api_tokens.TokenDetail.as_view(), name="api-token"),
    path("check/", checks_api.CheckNow.as_view(), name="api-check"),
    path("shelf/", shelf_api.ShelfList.as_view(), name="api-shelf"),
    path("shelf/<uuid:id>/", shelf_api.ShelfDetail.as_view(), name="api-shelf-run"),
    path("shelf/<uuid:id>/shares/", shelf_api.ShelfShares.as_view(), name="api-shelf-shares"),
    path("shelf/<uuid:id>/shares/<str:username>/", shelf_api.ShelfShareEnd.as_view(), name="api-shelf-share"),
    path("results/", api_questions.RESULTS.as_view(), name="api-results-scoped"),
    path("compare/", api_questions.COMPARE.as_view(), name="api-compare-scoped"),
    path("study/", api_questions.STUDY.as_view(), name="api-study-scoped"),
    path("ranking/", api_questions.RANKING.as_view(), name="api-ranking-scoped"),
    path("sizing/", api_questions.SIZING.as_view(), name="api-sizing-scoped"),
    path("search/", api_questions.SEARCH.as_view(), name="api-search-scoped"),
    path("systems/<str:slug>/history/", api_questions.HISTORY.as_view(), name="api-system-history-scoped"),
    path("systems/<str:slug>/sweep/", api_questions.SWEEP.as_view(), name="api-system-sweep-scoped"),
]
