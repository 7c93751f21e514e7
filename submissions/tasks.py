"""Edges of the worker: a task takes an id and calls one function of its stage."""

from __future__ import annotations

from celery import shared_task


@shared_task
def sweep() -> None:
    """Queue again what was received but lost; submissions/processing.py says when that is."""
