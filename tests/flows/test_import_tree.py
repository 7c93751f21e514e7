"""A thousand outputs from loopback to all checked, with one command."""

from __future__ import annotations

import json
import time

import pytest

from tests.flows.conftest import RunningSite
from tests.make_fio import make_output

OUTPUTS = 1000
MOST_SECONDS = 60
pytestmark = pytest.mark.deep


def test_a_thousand_outputs_are_checked_within_a_minute(site: RunningSite, tmp_path) -> None:
    tree = tmp_path / "tree"
    for number in range(OUTPUTS):
        path = tree / f"day{number // 50}" / f"fio-{number}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make_output(1 + number % 9, bs=f"{1 + number}k"))
    token = site.token("tess", institution="treelab")
    started = time.monotonic()
    done = site.collector("import", "tree", tree, "--json", token=token)
    elapsed_s = time.monotonic() - started
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["sent"], document["runs"], document["runs_with_errors"]) == (OUTPUTS, OUTPUTS, 0)
    assert [row["state"] for row in document["submissions"]] == ["checked", "checked"]
    assert elapsed_s < MOST_SECONDS
    again = json.loads(site.collector("import", "tree", tree, "--json", token=token).stdout)
    assert (again["sent"], again["sent_before"]) == (0, OUTPUTS)
