"""What exists is documented: settings, codes, commands, endpoints, benchmarks; links lead somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from registry.environment import VARIABLES

ROOT = Path(__file__).resolve().parent.parent.parent
BENCHMARKS = sorted((ROOT / "validators" / "benchmarks").rglob("README.md"))
DOCS = sorted((ROOT / "docs").rglob("*.md")) + BENCHMARKS
TOPICS = "bundle|metadata|io500|processing|system|description|questionnaire"
CODE = re.compile(rf"""["']((?:{TOPICS})\.[a-z0-9-]+(?:\.[a-z0-9-]+)*)["']""")
LINK = re.compile(r"\[[^\]]+\]\(([^)#\s]+)(#[^)\s]+)?\)")


EMPTY_HEAD = re.compile(r"^\|(?:.*\|)?[ \t]*\|.*\n\|[-:| ]+\|[ \t]*$", re.MULTILINE)


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_column_of_a_table_has_a_head(path: Path) -> None:
    assert EMPTY_HEAD.findall(path.read_text(encoding="utf-8")) == []


def text_of(*names: str) -> str:
    return "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in names)


ALL_DOCS = "\n".join(path.read_text(encoding="utf-8") for path in DOCS)


def codes_in(*packages: str) -> list[str]:
    """Every finding code that stands as a string in the packages, without folders and file names."""
    strings = set()
    for package in packages:
        for path in (ROOT / package).rglob("*.py"):
            strings |= set(CODE.findall(path.read_text(encoding="utf-8")))
    return sorted(code for code in strings if not code.endswith((".json", ".py", ".md", ".txt", ".gz", ".ini")))


@pytest.mark.parametrize("setting", sorted(VARIABLES))
def test_every_setting_is_explained(setting: str) -> None:
    assert f"`{setting}`" in text_of("operate.md")


def test_finding_codes_are_collected() -> None:
    assert len(codes_in("validators")) > 30


@pytest.mark.parametrize("code", codes_in("validators", "submissions"))
def test_every_finding_code_is_documented(code: str) -> None:
    assert f"`{code}`" in ALL_DOCS


@pytest.mark.parametrize("path", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_in_the_documentation_work(path: Path) -> None:
    dead = [
        target
        for target, _ in LINK.findall(path.read_text(encoding="utf-8"))
        if not target.startswith(("http://", "https://", "/", "mailto:")) and not (path.parent / target).exists()
    ]
    assert dead == []


@pytest.mark.parametrize("path", [path for path in DOCS if path.parent.name == "docs"], ids=lambda path: path.name)
def test_the_readme_names_every_page(path: Path) -> None:
    assert f"]({path.relative_to(ROOT)})" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", ["validators/benchmarks", "docs/decisions"])
def test_the_readme_names_folders_of_generated_pages(folder: str) -> None:
    assert f"]({folder}/" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [path for path in BENCHMARKS if path.parent.name != "benchmarks"], ids=str)
def test_the_readme_of_a_benchmark_explains_every_code_that_its_parser_gives(path: Path) -> None:
    descriptor = json.loads((path.parent / "benchmark.json").read_text(encoding="utf-8"))
    sources = "\n".join(source_file.read_text(encoding="utf-8") for source_file in path.parent.glob("*.py"))
    words = re.findall(r"""Refusal\(\s*"([a-z0-9-]+)\"""", sources)
    codes = [f"{descriptor['tool']}.{word}" for word in words] + re.findall(
        rf"""Finding\(\s*"({descriptor["tool"]}\.[a-z0-9.-]+)\"""", sources
    )
    assert codes
    assert [code for code in sorted(set(codes)) if f"`{code}`" not in ALL_DOCS] == []


def test_the_page_of_findings_quotes_the_evidence_of_io500() -> None:
    kinds = json.loads((ROOT / "validators" / "benchmarks" / "io500" / "evidence.json").read_text(encoding="utf-8"))
    rows = []
    for kind in kinds:
        files = "; ".join(kind["files"]) or "other files of the archive"
        rows.append(f"| `{kind['code']}` | {kind['level']} | {kind['text'].removesuffix('.')} | {files} |")
    assert len(rows) > 50
    assert [row for row in rows if row not in text_of("findings.md").splitlines()] == []


def problem_codes(*packages: str) -> list[str]:
    """Every code that a class of refusals has, and those of what is not on record, by kind."""
    codes = set()
    for package in packages:
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            codes |= set(re.findall(r"""^    code = "([a-z0-9-]+\.[a-z0-9-]+)"$""", text, flags=re.MULTILINE))
            codes |= {
                f"record.no-{kind.replace(' ', '-')}"
                for kind in re.findall(r"""\bNotOnRecord\(\s*"([a-z ]+)\"""", text)
            }
    return sorted(codes)


@pytest.mark.parametrize("code", problem_codes("registry", "submissions"))
def test_every_problem_is_documented(code: str) -> None:
    first_cells = [line.split("|")[1] for line in text_of("problems.md").splitlines() if line.startswith("| `")]
    assert any(f"`{code}`" in cell for cell in first_cells)


def test_every_command_of_the_launcher_is_documented() -> None:
    from launcher.cli import USAGE

    commands = re.findall(r"^  (\w+)", USAGE, flags=re.MULTILINE)
    assert "up" in commands
    start = text_of("start.md")
    assert [name for name in commands if f"./dev.py {name}" not in start] == []


def test_every_management_command_is_documented() -> None:
    commands = [
        path.stem
        for app in ("registry", "submissions")
        for path in (ROOT / app / "management" / "commands").glob("[a-z]*.py")
    ]
    assert commands
    assert [name for name in commands if f"manage {name}" not in ALL_DOCS] == []


def test_every_endpoint_is_documented() -> None:
    from drf_spectacular.generators import SchemaGenerator

    paths = SchemaGenerator().get_schema(public=True)["paths"]
    assert paths
    written = text_of("api.md", "api-submissions.md")
    short = [re.sub(r"^/api/v1/", "", path) for path in paths]
    assert [path for path in short if path and path not in written] == []
