"""Lists that a submission may still be handed in for, and where its run could rank on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.utils import timezone

from registry.lists.definitions import tool_of
from registry.lists.listing import newest_definitions
from registry.models import Release
from submissions.models import State, Submission
from submissions.publication import prospects
from submissions.review.decisions import releases_accepting

JUDGED = (State.CHECKED, State.CHANGES_REQUESTED, State.SUBMITTED, State.IN_REVIEW, State.ACCEPTED)
"""From the first check until its release is published: then the lists say it."""


def lists_of(releases: Sequence[Release], tools: Collection[str] = ()) -> list[tuple[str, str]]:
    """Name and title of every list that one of the releases makes for one of the tools, by default for any."""
    names = list_names_of(releases)
    bodies = newest_definitions(names)
    return [(name, bodies[name]["title"]) for name in names if not tools or tool_of(bodies[name]) in tools]


def list_names_of(releases: Iterable[Release]) -> list[str]:
    """Names of all lists that the releases make, each once."""
    return list(dict.fromkeys(name for release in releases for name in release.list_names))


def releases_offered(submission: Submission) -> list[Release]:
    """Releases that it may be submitted to; of a revision first the one that it would correct."""
    corrected = [submission.revises.require_release()] if submission.revises is not None else []
    return corrected + releases_accepting(submission, timezone.now())


def concerned_releases(submission: Submission) -> list[Release]:
    """Releases that it may be submitted to, and the one that it is submitted to."""
    releases = releases_offered(submission)
    if submission.release is not None and submission.release not in releases:
        releases.append(submission.release)
    return releases


def where_it_could_rank(submission: Submission, run: Mapping[str, Any] | None) -> list[dict[str, Any]] | None:
    """What each list of its tool would do with the run, as JSON; None where no run counts, or its release is out."""
    if run is None or submission.state not in JUDGED:
        return None
    releases = concerned_releases(submission)
    names = list_names_of(releases)
    return [
        {
            "name": prospect.name,
            "title": prospect.title,
            "releases": [release.slug for release in releases if prospect.name in release.list_names],
            "outcome": prospect.outcome,
            "why": prospect.why,
            "code": prospect.code,
            "fact": prospect.fact,
            "source": prospect.source,
            "needs": list(prospect.needs),
            "missing_answers": prospect.missing_answers,
        }
        for prospect in prospects.find_prospects(submission, run, names)
    ]
