"""What permission tests read: one submission in each state that matters, made once for a file.

A file that asks for it has `bundles` of its own, so that storage stays as the stage made it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import override_settings
from django.utils import timezone

from registry.dumps import editions
from registry.models import Release
from submissions.checks import processing
from submissions.models import Submission
from submissions.publication import publish as publication_publish
from submissions.publication import releases
from submissions.review import decisions
from tests.make_io500 import make_run, pack
from tests.make_system import make_bag, make_system
from tests.submissions.cast import COMPLETE, Cast, Person, define, make_cast, submit_to, unhindered

MISSING = "00000000-0000-4000-8000-000000000000"
SECRET = {"system": "Zsystem", "storage_vendor": "Zvendor", "filesystem_name": "Zmount", "note": "Znote"}


@dataclass
class Stage:
    """The cast; Alice's submissions by state; Charlie's published one beside them.

    `embargoed` is accepted for the open release sc99, with an embargo that outlasts it; every text of it has a word of
    its own, with a Z. `published` stands in sc98.
    """

    cast: Cast
    checked: Submission
    submitted: Submission
    embargoed: Submission
    published: Submission
    others: Submission

    def id_of(self, state: str) -> str:
        return MISSING if state == "missing" else str(getattr(self, state).pk)

    @property
    def words(self) -> list[str]:
        """What nobody may read of the embargoed submission who has no role in it."""
        own = ["Zsystem", "Zvendor", "Zmount", "Znote", "Zanswer", "Zcomment", "Zreason", "zfile", "zsystem"]
        return [*own, str(self.embargoed.pk), self.embargoed.sha256, self.embargoed.derivative.sha256]


@pytest.fixture(scope="module")
def stage(django_db_setup: None, django_db_blocker: Any, bodies, tmp_path_factory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("stage")
    with override_settings(**unhindered(folder)):
        with django_db_blocker.unblock():
            define(bodies)
            new_stage = _make(folder)
            editions.build_if_due()
        yield new_stage
        with django_db_blocker.unblock():
            call_command("flush", verbosity=0, interactive=False)


def _make(folder: Path) -> Stage:
    cast = make_cast()
    old = releases.create_release("sc98", timezone.now() + timedelta(days=1), name="SC98", lists=["full", "io500"])
    new = releases.create_release("sc99", timezone.now() + timedelta(days=30), name="SC99")
    submissions_by_name = {}
    for place, name in enumerate(("checked", "submitted", "embargoed", "published", "others"), 1):
        person = cast.charlie if name == "others" else cast.alice
        submissions_by_name[name] = _described(person, folder / f"{name}.tar.gz", performance=place)
    submit_to(new, submissions_by_name["submitted"], cast.alice, ("full", "io500", "ten"))
    decisions.prepare_for_review(str(submissions_by_name["submitted"].pk))
    for name, person in (("published", cast.alice), ("others", cast.charlie)):
        submit_to(old, submissions_by_name[name], person, ("full", "io500"))
        decisions.prepare_for_review(str(submissions_by_name[name].pk))
        _accept(cast, submissions_by_name[name], "Sound.")
    publication_publish.publish_release(old, None)
    _embargo(cast, new, submissions_by_name["embargoed"])
    for submission in submissions_by_name.values():
        submission.refresh_from_db()
    return Stage(cast, **submissions_by_name)


def _described(person: Person, archive: Path, **changes: Any) -> Submission:
    """A checked run with a described system."""
    content = pack(archive, make_bag(make_run(**changes), make_system())).read_bytes()
    answer = person.upload(content)
    assert answer.status_code == 202, answer.content
    processing.check_submission(answer.json()["id"])
    return Submission.objects.get(pk=answer.json()["id"])


def _embargo(cast: Cast, release: Release, submission: Submission) -> None:
    answers = COMPLETE | {"trust": f"Zanswer {COMPLETE['trust']}"}
    Submission.objects.filter(pk=submission.pk).update(metadata=SECRET, filename="zfile.tar.gz", answers=answers)
    submission.refresh_from_db()
    submit_to(release, submission, cast.alice, ("full", "io500"))
    decisions.prepare_for_review(str(submission.pk))
    cast.dana.post(f"submissions/{submission.pk}/comments/", {"text": "Zcomment"})
    Submission.objects.filter(pk=submission.pk).update(embargo_until=timezone.now() + timedelta(days=9))
    _accept(cast, submission, "Zreason")


def _accept(cast: Cast, submission: Submission, reason: str) -> None:
    review = {"decision": "accept", "reason": reason, "reproducibility": "fully"}
    answer = cast.dana.post(f"submissions/{submission.pk}/review/", review)
    assert answer.status_code == 200, answer.content
