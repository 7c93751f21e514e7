"""No name that somebody relies on is lost: each that the last landed release had is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contract.names import names

KEPT = json.loads((Path(__file__).parent / "kept.json").read_text())
_REFUSED = "refusals bind an account since decision 35: submissions_secretfile, filled from it by a migration"
GIVEN_UP = {
    "submissions_refusedbundle": _REFUSED,
    "submissions_refusedbundle.refused_at": _REFUSED,
    "submissions_refusedbundle.sha256": _REFUSED,
}
"""Names that are gone, and why nobody can miss them."""


@pytest.fixture(scope="module")
def current() -> dict[str, set[str]]:
    return {kind: set(listed_names) for kind, listed_names in names().items()}


@pytest.mark.parametrize("kind", sorted(KEPT))
def test_every_name_of_the_last_release_is_there(kind: str, current: dict[str, set[str]]) -> None:
    assert set(KEPT[kind]) - current[kind] - set(GIVEN_UP) == set()


@pytest.mark.parametrize("kind", sorted(KEPT))
def test_names_of_every_kind_are_found(kind: str, current: dict[str, set[str]]) -> None:
    assert current[kind]


def test_given_up_names_existed() -> None:
    assert set(GIVEN_UP) <= {name for kept_names in KEPT.values() for name in kept_names}
