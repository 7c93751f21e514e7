"""Addresses of the public pages."""

from django.urls import path

from registry.views import operations

urlpatterns = [
    path("healthz", operations.healthz, name="healthz"),
]
