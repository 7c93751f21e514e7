"""A shelf with runs of one institution, and people beside it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from submissions.models import Submission
from submissions.shelf import rows


@pytest.fixture
def shelved(checked) -> Callable[..., Submission]:
    """A run of Alice's (or another's) that was checked and came onto the shelf."""

    def make(person: Any = None, system: str = "Otter", **changes: Any) -> Submission:
        metadata = {"system": system, "client_nodes": 10, "filesystem_type": "Lustre", "storage_vendor": "DDN"}
        submission = checked(person, fields={"metadata": json.dumps(metadata)}, **changes)
        rows.shelve_due()
        return submission

    return make
