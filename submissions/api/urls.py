"""Addresses of the write API and of private reading, below /api/v1/."""

from django.urls import path

from submissions.api import views

urlpatterns = [
    path("submissions/", views.SubmissionList.as_view(), name="api-submissions"),
    path("submissions/<uuid:id>/", views.SubmissionDetail.as_view(), name="api-submission"),
]
