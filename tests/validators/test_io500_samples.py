"""The samples beside the IO500 parser: each folder holds files and what an eye read from them."""

import json
from pathlib import Path

import pytest

from tests.validators.test_io500_cases import check_expected
from validators.benchmarks import io500
from validators.benchmarks.io500 import parser
from validators.bundle import open_bundle

SAMPLES = sorted((Path(io500.__file__).parent / "samples").iterdir())


@pytest.mark.parametrize("folder", SAMPLES, ids=lambda folder: folder.name)
def test_sample(folder):
    sample = json.loads((folder / "expected.json").read_text())
    with open_bundle(folder / sample["path"]) as bundle:
        check_expected(parser.find_runs(bundle), sample["expect"])


def test_there_are_samples():
    assert len(SAMPLES) >= 7
