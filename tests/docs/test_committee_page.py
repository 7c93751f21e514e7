"""The page for a committee: each command on it is one that its own program takes, each call is one of the API."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from django.core.management import CommandError, get_commands, load_command_class

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "committee.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    manage (.+)$", PAGE, re.MULTILINE)
CALL = re.compile(r"`([A-Z`, and]+?) ((?:releases|submissions)/[^`]+)`")


def parse(line: str) -> None:
    """Read a line as its command does; raises CommandError for an option or a value that it does not take."""
    name, *arguments = shlex.split(line)
    command = load_command_class(get_commands()[name], name)
    command._called_from_command_line = False
    command.create_parser("manage.py", name).parse_args(arguments)


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_is_taken_by_its_program(line: str) -> None:
    parse(line)


def test_the_committee_page_covers_all_steps() -> None:
    verbs = [line.split()[0] for line in COMMANDS]
    steps = ["migrate", "create_token", "import_io500", "rebuild_list", "create_release", "erase_result", "backup"]
    assert [verb for verb in dict.fromkeys(verbs) if verb in steps] == steps


@pytest.mark.parametrize("line", ["create_release sc27 --due tomorrow", "erase_result hw-5 --category whim --by fay"])
def test_a_wrong_command_fails_the_check(line: str) -> None:
    with pytest.raises(CommandError):
        parse(line)


def test_each_call_is_in_the_openapi_document() -> None:
    paths = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))["paths"]
    calls = [
        (method, re.sub(r"\{\w+\}", "{}", path))
        for methods, path in CALL.findall(PAGE)
        for method in re.findall("[A-Z]+", methods)
    ]
    documented = {
        (method.upper(), re.sub(r"\{\w+\}", "{}", path.removeprefix("/api/v1/")))
        for path, operations in paths.items()
        for method in operations
    }
    assert len(calls) >= 3
    assert set(calls) <= documented
