"""What a reader's own type checker sees of the installed wheel: types of rows, not Any."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import highwater
from launcher import client_file

SCRIPT = """
import highwater

registry = highwater.Registry("https://registry.example", cache="answers")
reveal_type(registry.results(tool="io500", p={"fabric": "TCP"})[0]["score"])
reveal_type(registry.results(limit=1)[0]["measurements"][0]["repeats"])
reveal_type(registry.entries("SC23", "ten")[0]["rank_low"])
reveal_type(registry.compare("a", "b")["measurements"][0]["ratios"])
reveal_type(registry.sizing("cray-e2000", 1, "TB/s")["units"]["low"])
reveal_type(registry.history("a")["series"][0]["points"])
reveal_type([row["id"] for row in registry.results()])
reveal_type(registry.phases(["a"]).varies)
reveal_type(registry.upload("run.tar.gz")["state"])
reveal_type(highwater.__version__)
"""
EXPECTED = [
    "float | None", "list[float] | None", "int", "list[float | None]", "int | None", "list[", "list[str]",
    "dict[str, dict[str, Any]]", "str", "str",
]  # fmt: skip
WRONG = """
import highwater

highwater.Registry("https://registry.example").results()[0]["scores"]
highwater.Registry("https://registry.example").results()[0]["score"] + 1
"""


def check_types(tmp_path: Path, script: str) -> list[str]:
    """What mypy says of a script that uses the wheel, line by line."""
    _, wheel = client_file.wheel()
    zipfile.ZipFile(io.BytesIO(wheel)).extractall(tmp_path / "site")
    (tmp_path / "script.py").write_text(script)
    (tmp_path / "mypy.ini").write_text("[mypy]\n")
    options = ["--strict", "--config-file", "mypy.ini", "--cache-dir", "cached"]
    command = [sys.executable, "-m", "mypy", *options, "script.py"]
    environment = {"MYPYPATH": str(tmp_path / "site"), "PATH": ""}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if line.startswith("script.py")]


def test_a_script_sees_the_types_of_rows(tmp_path: Path) -> None:
    lines = check_types(tmp_path, SCRIPT)
    revealed = [line.partition('"')[2].rpartition('"')[0] for line in lines if "Revealed type" in line]
    assert len(revealed) == len(EXPECTED) == len(lines), lines
    plain = [text.replace("builtins.", "").replace("typing.", "") for text in revealed]
    assert [text for text, expected in zip(plain, EXPECTED, strict=True) if not text.startswith(expected)] == []


def test_a_typing_error_in_a_script_is_found_by_mypy(tmp_path: Path) -> None:
    lines = check_types(tmp_path, WRONG)
    assert any('has no key "scores"' in line for line in lines) and any("Unsupported operand" in line for line in lines)


def test_the_wheel_is_marked_as_typed_and_has_its_version() -> None:
    name, wheel = client_file.wheel()
    names = zipfile.ZipFile(io.BytesIO(wheel)).namelist()
    assert "highwater/py.typed" in names and "highwater/rows.py" in names
    assert (
        name
        == f"highwater_client-{highwater.__version__}-py3-none-any.whl"
        == "highwater_client-1.1.0-py3-none-any.whl"
    )
