"""Addresses of the public read API, below /api/v1/."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
