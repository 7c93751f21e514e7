"""Addresses of the write API and of private reading, below /api/v1/."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
