"""Addresses of the public pages."""

from django.urls import path

from registry.views import home, lists, operations

urlpatterns = [
    path("healthz", operations.healthz, name="healthz"),
    path("metrics", operations.metrics, name="metrics"),
    path("", home.home, name="home"),
    path("lists/", lists.index, name="lists"),
    path("lists/<str:release>/", lists.release_lists, name="release-lists"),
    path("lists/<str:release>/<str:name>/", lists.ranked_list, name="list"),
]
