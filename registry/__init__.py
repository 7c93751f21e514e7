"""The Django project and the public record: sites, systems, releases, results, ranked lists."""

from registry.celery import app as celery

__all__ = ["celery"]
