"""MLPerf Storage v3.0 in the record."""
from __future__ import annotations
import pytest
from collections import Counter
from registry.models import Result
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]
SLUG = "MLPerf-Storage-v3.0"

def test_rows() -> None:
    results = Result.objects.filter(release__slug=SLUG)
    assert results.count() == 150
    print(Counter(results.values_list("trust", flat=True)))
    for r in results.filter(site__slug__contains="hewlett"):
        print(r.public_id, r.system, r.system.slug, r.platform, r.trust, r.site)
    assert 0
