"""Releases that take submissions."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from registry.models import Release
from submissions.errors import ReleaseInvalid
from submissions.publication import releases


def test_a_release_keeps_a_deadline(release: Release) -> None:
    with pytest.raises(ReleaseInvalid, match="It has no deadline") as refused:
        releases.change_release(release, deadline=None)
    assert refused.value.errors == {"deadline": ["Say when submitting ends."]}
    assert Release.objects.get(pk=release.pk).deadline == release.deadline


def test_a_deadline_can_be_moved(release: Release) -> None:
    later = timezone.now() + timedelta(days=60)
    assert releases.change_release(release, deadline=later).deadline == later
    assert Release.objects.get(pk=release.pk).deadline == later
