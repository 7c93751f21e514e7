"""Where things lie: templates in the folder of the package that renders them, tests in that of what they test."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("registry", "submissions")
# Probes are tried in groups of what they look at, on recorded machines that many of them share.
PROBES_BY_MACHINE = {"collectors": {"devices", "lustre", "machine", "storage"}}


def rendered(path: Path) -> Iterator[tuple[int, str]]:
    """(line, template) of each call of `render` and `render_to_string` whose template is written there."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            place = {"render": 1, "render_to_string": 0}.get(node.func.id)
            if place is not None and len(node.args) > place and isinstance(node.args[place], ast.Constant):
                yield node.lineno, node.args[place].value


def elsewhere(app_folder: Path) -> list[str]:
    """Templates that a package renders from the folder of another one, as `path:line template`."""
    return [
        f"{path.relative_to(app_folder)}:{line} {template}"
        for path in sorted(app_folder.glob("*/*.py"))
        for line, template in rendered(path)
        if template.partition("/")[0] != path.parent.name
    ]


@pytest.mark.parametrize("app", APPS)
def test_a_package_renders_templates_of_its_own_folder(app: str) -> None:
    assert elsewhere(ROOT / app) == []


def test_a_template_of_another_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "views.py").write_text(
        'def page(request):\n    return render(request, "results/index.html")\n'
    )
    assert elsewhere(tmp_path) == ["lists/views.py:2 results/index.html"]


def test_every_template_folder_belongs_to_a_package() -> None:
    packages = {path.name for app in APPS for path in (ROOT / app).iterdir() if path.is_dir()}
    folders = {path.name for path in (ROOT / "templates").iterdir() if path.is_dir()}
    assert folders - packages == {"account", "allauth"}, "django-allauth looks for those two"


@pytest.mark.parametrize("app", ["collectors", "validators", "registry", "submissions"])
def test_tests_are_in_the_folder_of_their_package(app: str) -> None:
    packages = {path.name for path in (ROOT / app).iterdir() if path.is_dir()} | PROBES_BY_MACHINE.get(app, set())
    folders = {
        path.parent.relative_to(ROOT / "tests" / app).parts for path in (ROOT / "tests" / app).rglob("test_*.py")
    }
    assert {parts[0] for parts in folders if parts} <= packages
