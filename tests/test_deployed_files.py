"""Containers and systemd units start the same programs, and nginx asks for no more than the registry takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from registry import environment

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((DEPLOY / "containers" / "compose.yaml").read_text())["services"]


def unit_words(name: str) -> list[str]:
    """The command of a unit, without the folder of its Python."""
    text = (DEPLOY / "systemd" / f"highwater-{name}.service").read_text().replace("\\\n", " ").replace("%%", "%")
    (command,) = re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE)
    return ["python", *shlex.split(command)[1:]]


def image_words() -> list[str]:
    """The command of the image."""
    (command,) = re.findall(r"^CMD (.+)$", (DEPLOY / "containers" / "Containerfile").read_text(), re.MULTILINE)
    words: list[str] = yaml.safe_load(command)
    return words


@pytest.mark.parametrize("name", ["worker", "prompt", "scheduler"])
def test_a_container_runs_the_command_of_its_unit(name: str) -> None:
    assert SERVICES[name]["command"] == unit_words(name)


def test_the_image_serves_as_the_unit_of_web_does() -> None:
    """A container listens to its own network; the port of the host leads there from loopback alone."""
    assert image_words() == [word.replace("127.0.0.1", "0.0.0.0") for word in unit_words("web")]
    assert "command" not in SERVICES["web"] and SERVICES["web"]["ports"] == ["127.0.0.1:8000:8000"]


def test_each_process_of_the_registry_has_a_container() -> None:
    units = {path.stem.removeprefix("highwater-") for path in (DEPLOY / "systemd").glob("*.service")}
    assert units <= set(SERVICES)


def test_containers_are_given_known_settings() -> None:
    for name in ("prepare", "web", "worker", "prompt", "scheduler"):
        environment.refuse_misspelt(SERVICES[name]["environment"])


def test_nginx_takes_bodies_as_large_as_a_bundle_and_its_form() -> None:
    text = (DEPLOY / "nginx" / "highwater.conf").read_text()
    assert re.findall(r"client_max_body_size (\w+);", text) == ["65m", "64k"]
