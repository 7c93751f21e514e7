"""What prepares a database says before it touches one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PREPARE = Path(__file__).resolve().parents[2] / "launcher" / "prepare.py"


def test_a_setting_that_is_not_valid_is_refused_in_one_line() -> None:
    """The reader learns which setting it is, and no line of our code."""
    variables = {**os.environ, "LDAP_DIRECTORY": "[]"}
    prepared = subprocess.run([sys.executable, PREPARE, "migrate"], env=variables, capture_output=True, text=True)
    assert prepared.returncode == 1
    (line,) = prepared.stderr.splitlines()
    assert line.startswith("the settings are not valid: LDAP_DIRECTORY")
