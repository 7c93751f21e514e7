"""The command line of ./dev.py, and the collector's single file."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from launcher import collector_file, commands, wheels
from launcher.cli import USAGE, main
from tests.launcher.conftest import ROOT, run


@pytest.mark.parametrize("arguments", [(), ("start",), ("check", "everything"), ("exec",), ("exec", "--")])
def test_wrong_usage_shows_the_commands(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    refused = run(tmp_path, *arguments)
    assert refused.returncode == 2
    assert USAGE.strip() in refused.stdout + refused.stderr


def test_help_is_no_error(tmp_path: Path) -> None:
    assert run(tmp_path, "--help").stdout == USAGE


def test_the_launcher_loads_neither_tls_nor_mail() -> None:
    """It stays in memory for as long as the registry runs."""
    program = "import sys; sys.path.insert(0, sys.argv[1]); import launcher.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-IS", "-c", program, ROOT], capture_output=True, text=True, check=True)
    assert {"ssl", "email"}.isdisjoint(loaded.stdout.split())


def test_exec_becomes_the_command(tmp_path: Path) -> None:
    done = run(tmp_path, "exec", "python", "-c", "import django, sys; print(sys.prefix); sys.exit(5)")
    assert (done.stdout, done.returncode) == (f"{sys.prefix}\n", 5), done.stderr


def test_exec_finds_our_packages_from_any_folder(tmp_path: Path) -> None:
    done = run(tmp_path, "exec", "python", "-c", "import os, validators; print(os.getcwd())", cwd=tmp_path)
    assert done.stdout == f"{tmp_path}\n", done.stderr


def test_exec_names_a_command_that_is_not_there(tmp_path: Path) -> None:
    done = run(tmp_path, "exec", "no-such-command")
    assert done.returncode == 1
    assert "no command 'no-such-command'" in done.stderr


@pytest.mark.parametrize(
    ("flags", "steps"),
    [
        ([], ["migrate", "load_catalogue", "load_demo", "load_demonstration"]),
        (["--no-demonstration"], ["migrate", "load_catalogue", "load_demo", "load_demonstration --remove"]),
        (["--no-demo"], ["migrate", "load_catalogue --without-history", "load_demonstration --remove"]),
        (
            ["--no-demo", "--no-demonstration"],
            ["migrate", "load_catalogue --without-history", "load_demonstration --remove"],
        ),
    ],
)
def test_up_runs_its_loading_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str], steps: list[str]
) -> None:
    prepared: list[list[str]] = []
    monkeypatch.setattr(commands, "up", lambda folder, port, loaded: prepared.append(list(loaded)) or 0)
    assert main(["--state", str(tmp_path), "up", *flags]) == 0
    assert prepared == [steps]


@pytest.mark.parametrize("place", ["--state {} collector", "--state={} collector", "collector --out {}/highwater.pyz"])
def test_the_state_folder_can_be_named_before_the_command(tmp_path: Path, place: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    assert run(tmp_path, *place.format(elsewhere).split()).returncode == 0
    assert [path.name for path in elsewhere.iterdir()] == ["highwater.pyz"]


def test_the_state_folder_can_be_named_behind_the_command(tmp_path: Path) -> None:
    assert run(tmp_path, "collector", "--state", tmp_path / "elsewhere").returncode == 0
    assert (tmp_path / "elsewhere" / "highwater.pyz").exists()


def test_collector_prints_the_path_and_the_sha256(tmp_path: Path) -> None:
    done = run(tmp_path, "collector", "--out", tmp_path / "c.pyz")
    digest = hashlib.sha256((tmp_path / "c.pyz").read_bytes()).hexdigest()
    assert done.stdout == f"{tmp_path / 'c.pyz'} sha256:{digest}\n"


def test_the_collector_is_the_same_from_another_checkout(tmp_path: Path) -> None:
    # Other dates, other modes, files where there were links.
    compiled = shutil.ignore_patterns("__pycache__")
    for package in ("collectors", "validators"):
        copy = tmp_path / package
        shutil.copytree(ROOT / package, copy, ignore=compiled, copy_function=shutil.copyfile)
        (copy / "__pycache__").mkdir()
        (copy / "__pycache__" / "cli.pyc").write_bytes(b"anything")
    assert collector_file.build(tmp_path) == collector_file.build(ROOT)


def test_the_collector_is_a_valid_zip_after_a_shell_script(tmp_path: Path) -> None:
    file = tmp_path / "highwater.pyz"
    file.write_bytes(collector_file.build())
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        assert {name.split("/")[0] for name in archive.namelist()} == {"__main__.py", "collectors"}


@pytest.mark.parametrize(
    ("carried", "kept"),
    [
        ("collectors/data/parameters.1.json", "validators/parameters/parameters.1.json"),
        ("collectors/data/lustre-defaults.1.json", "validators/parameters/lustre-defaults.1.json"),
        ("collectors/data/system.1.json", "validators/schemas/system.1.json"),
        ("collectors/data/allowed-changes.1.json", "registry/log/data/allowed-changes.1.json"),
        ("collectors/scrubbing/credential-forms.1.json", "validators/scrubbing/credential-forms.1.json"),
        ("collectors/scrubbing/credentials.py", "validators/scrubbing/credentials.py"),
        ("collectors/scrubbing/names.py", "validators/scrubbing/names.py"),
        ("collectors/scrubbing/personal.py", "validators/scrubbing/personal.py"),
    ],
)
def test_the_collector_carries_what_it_shares_with_the_registry(tmp_path: Path, carried: str, kept: str) -> None:
    file = tmp_path / "highwater.pyz"
    file.write_bytes(collector_file.build())
    with zipfile.ZipFile(file) as archive:
        assert archive.read(carried) == (ROOT / kept).read_bytes()
        assert archive.getinfo(carried).external_attr == 0o100644 << 16


def test_the_collector_carries_nothing_but_modules_and_data(tmp_path: Path) -> None:
    for package in ("collectors", "validators"):
        copy = tmp_path / package
        shutil.copytree(ROOT / package, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / ".ruff_cache").mkdir(exist_ok=True)
        (copy / ".ruff_cache" / "CACHEDIR.TAG").write_text("left by a tool")
        (copy / ".ruff_cache" / "left.json").write_text("{}")
        (copy / "notes.txt").write_text("left by a person")
    assert collector_file.build(tmp_path) == collector_file.build(ROOT)


def test_the_collector_carries_the_rules_and_none_of_their_samples(tmp_path: Path) -> None:
    file = tmp_path / "highwater.pyz"
    file.write_bytes(collector_file.build())
    with zipfile.ZipFile(file) as archive:
        rules = {name for name in archive.namelist() if name.startswith("collectors/data/rules/")}
        assert (
            archive.read("collectors/data/rules/validators/checks.py") == (ROOT / "validators/checks.py").read_bytes()
        )
    assert "collectors/data/rules/validators/benchmarks/io500/rules.json" in rules
    assert [name for name in rules if "/samples/" in name or not name.endswith((".py", ".json"))] == []


def test_the_collector_of_a_registry_differs_by_its_address_alone(tmp_path: Path) -> None:
    done = run(tmp_path, "collector", "--out", tmp_path / "c.pyz", "--registry", "https://registry.example/")
    assert done.returncode == 0, done.stderr
    built = (tmp_path / "c.pyz").read_bytes()
    assert built == collector_file.build(registry="https://registry.example")
    (tmp_path / "plain.pyz").write_bytes(collector_file.build())
    with zipfile.ZipFile(tmp_path / "c.pyz") as ours, zipfile.ZipFile(tmp_path / "plain.pyz") as plain:
        assert set(ours.namelist()) - set(plain.namelist()) == {"collectors/data/registry.txt"}
        assert ours.read("collectors/data/registry.txt") == b"https://registry.example\n"
        assert all(ours.read(name) == plain.read(name) for name in plain.namelist())


@pytest.mark.parametrize(
    "address", ["registry.example", "ftp://registry.example", "https://", "https://a b/", "https://h/?x"]
)
def test_an_address_of_no_registry_is_refused(tmp_path: Path, address: str) -> None:
    done = run(tmp_path, "collector", "--out", tmp_path / "c.pyz", "--registry", address)
    assert done.returncode == 2
    assert not (tmp_path / "c.pyz").exists()


def test_the_wheel_installs_without_any_other_package_and_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "dev.py", "collector", "--wheel", "--out", tmp_path], cwd=ROOT, capture_output=True, text=True
    )
    path, digest = done.stdout.split()
    assert digest == "sha256:" + hashlib.sha256(Path(path).read_bytes()).hexdigest()
    place = tmp_path / "place"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--target", place, path]
    assert subprocess.run(pip, capture_output=True, text=True).returncode == 0
    assert {entry.name.split("-")[0] for entry in place.iterdir()} == {"bin", "collectors", "highwater_collector"}
    command = [place / "bin" / "highwater", "explain", "lustre.version"]
    done = subprocess.run(command, env={"PYTHONPATH": str(place)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "lustre.version" in done.stdout


def test_the_collector_runs_with_the_python_that_is_named(tmp_path: Path) -> None:
    file = tmp_path / "highwater.pyz"
    file.write_bytes(collector_file.build())
    named = {"PATH": "", "HIGHWATER_PYTHON": sys.executable}
    done = subprocess.run(["/bin/sh", file, "--help"], env=named, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout


def test_the_collector_without_python_prints_a_message(tmp_path: Path) -> None:
    file = tmp_path / "highwater.pyz"
    file.write_bytes(collector_file.build())
    done = subprocess.run(
        ["/bin/sh", file], env={"PATH": "", "HIGHWATER_PYTHON": "/bin/false"}, capture_output=True, text=True
    )
    if not Path("/usr/libexec/platform-python").exists():
        assert done.returncode == 2
        assert "needs Python 3.6 or later" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "processes"),
    [
        ([], 3),
        (["-q", "-x", "-k", "port"], 3),
        (["tests/launcher"], 1),
        (["tests/launcher/test_commands.py::test_x"], 1),
        (["-n", "0"], 1),
        (["-n0"], 1),
        (["--pdb"], 1),
    ],
)
def test_all_tests_run_in_three_processes_and_some_in_one(arguments: list[str], processes: int) -> None:
    assert commands.distribution(arguments)[:2] == (["-n", "3"] if processes == 3 else [])


def test_a_module_without_a_version_makes_no_wheel() -> None:
    assert wheels.read_version(b'"""A module."""\nVERSION = "1.2.3"\n') == "1.2.3"
    with pytest.raises(ValueError, match="no VERSION"):
        wheels.read_version(b'"""A module."""\n')
