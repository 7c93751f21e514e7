"""Numbers at the limits of a check, and beyond them from before there were limits: each question answers."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import pytest

from registry.query.facts import fact_index
from tests.registry.record import IOR, make_measurement, make_release, make_result
from validators.runs.completeness import LARGEST, SMALLEST

pytestmark = pytest.mark.django_db
VALUES = (LARGEST, SMALLEST, 0.0, 1.0)
EARLIER = ((1e308, 1e-320), (1e299, 1.0), (1e-320, 0.0), (1e299, 1e299))
"""What the record and shelves may hold from before there were limits."""
QUESTIONS = (
    "x=system",
    "x=client_nodes",
    "x=result",
    "x=system&per=client",
    "x=client_nodes&series=system",
    "x=release",
)


@pytest.fixture(params=[*combinations_with_replacement(VALUES, 2), *EARLIER], ids=str)
def stored(request: pytest.FixtureRequest) -> None:
    """Two systems with two results each, of these two values."""
    release = make_release("sc25")
    results = []
    for number, value in enumerate(request.param * 2):
        facts = {"client_nodes": 1 + number, "system_name": f"System {number // 2}", "parameters": IOR, "tool": "ior"}
        results.append(make_result(release, f"hw-{number}", value, **facts))
        make_measurement(results[-1], "write", value / 2**30, stat="max")
    fact_index.rebuild_facts([result.pk for result in results])


@pytest.mark.usefixtures("stored")
def test_each_form_of_a_study_answers(client) -> None:
    for metric, question in product(("write.bandwidth.max", "score"), QUESTIONS):
        query = f"?metric={metric}&{question}"
        for address in (f"/study/{query}", f"/api/v1/study/{query}", f"/api/v1/study/{query}&format=csv"):
            assert client.get(address).status_code == 200, address
    assert client.get("/api/v1/study/?metric=score&x=system&format=svg").status_code == 200
    for formula in ("score", "score*score", "[write.bandwidth.max]/score"):
        for address in ("/ranking/", "/api/v1/ranking/"):
            assert client.get(address, {"formula": formula}).status_code < 500, (address, formula)
    for address in ("/compare/?results=hw-0,hw-1", "/api/v1/compare/?results=hw-0,hw-1", "/explore/?tool=ior"):
        assert client.get(address).status_code == 200, address
