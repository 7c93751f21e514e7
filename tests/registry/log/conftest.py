"""A result that the log has a record of."""

from __future__ import annotations

import pytest

from registry.log import recording
from registry.models import Result
from tests.registry.record import make_measurement, make_release, make_result


@pytest.fixture
def result() -> Result:
    stored_result = make_result(make_release("T1"), "hw-1", 40.0, trust="verified", bundle_sha256="ab" * 32)
    make_measurement(stored_result)
    recording.record_results([stored_result.pk], recording.PUBLISHED)
    return stored_result
