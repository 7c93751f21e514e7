"""The state folder that drills of upgrades begin with."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deep import earlier_release


@pytest.fixture(scope="module")
def state(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder as the earlier release left it, or a copy of the one that --earlier-state names."""
    folder = Path(tempfile.mkdtemp(prefix="hw-"))
    folder.chmod(0o755)  # PostgreSQL runs as another account where we are root
    try:
        if earlier_state := request.config.getoption("--earlier-state"):
            # cp, since shutil leaves the owner of the database behind.
            subprocess.run(["cp", "-a", f"{earlier_state}/.", folder], check=True)
        elif earlier_release.unpack(checkout := folder / "drill" / "checkout"):
            earlier_release.make(checkout, folder)
        else:
            pytest.skip(f"this clone has no commit {earlier_release.RELEASE}: git fetch --unshallow")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
