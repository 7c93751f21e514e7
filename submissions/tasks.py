"""Edges of the worker: a task takes an id and calls one function of its stage."""

from __future__ import annotations

from celery import shared_task

from submissions import processing


@shared_task
def process(submission_id: str) -> None:
    """Check what was received."""
    processing.process(submission_id)


@shared_task
def sweep() -> None:
    """What has to happen now: tasks that were lost."""
    processing.sweep()
