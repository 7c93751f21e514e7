"""Edges of the worker: a task calls one function of the public record."""

from __future__ import annotations

from celery import shared_task

from registry.dumps import editions
from registry.log import appending
from registry.studies.index import cards


@shared_task(soft_time_limit=3500, time_limit=3600)
def make_edition() -> None:
    """The record as files, if it changed; an hour is ten times what the largest record that was tried needs."""
    editions.build_if_due()


@shared_task(soft_time_limit=3500, time_limit=3600)
def append_log() -> None:
    """What waits for its place in the transparency log; the first time all that was published before."""
    appending.append_waiting()


@shared_task
def keep_study_cards() -> None:
    """Findings and pictures of the studies, if the record changed."""
    cards.refresh_cards()
