"""Addresses of the private pages."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
